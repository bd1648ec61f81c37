"""What agents are made of: the one interface, the loader, and the parts that agent files share.

Nothing here knows a world, a reference or a digest: an agent sees what the runner hands it.
"""
