"""Worlds with their proof: `build(ref)` is the only way to one."""

from sandbox.certify.certificate import Certificate
from sandbox.certify.checker import check
from sandbox.certify.solve import Solver
from sandbox.certify.worlds import Built, build

__all__ = ["Built", "Certificate", "Solver", "build", "check"]
