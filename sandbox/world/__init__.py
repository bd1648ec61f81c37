"""What a world is and how it runs. Pure: no files, no clock, no global state."""
