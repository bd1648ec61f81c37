"""An environment sandbox for language-model agents: a seed becomes a certified text world.

The version of the package is also the version of the generator: a world is identified by its
reference, this version and the digests of its templates.
"""

__version__ = "0.1.0"

GENERATOR_VERSION = "1"
"""Raised by hand whenever the same reference would build another world."""
