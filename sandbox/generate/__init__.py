"""Templates + seed → candidate worlds, and edits of worlds."""
