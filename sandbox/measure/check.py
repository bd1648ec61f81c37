"""Checking worlds: each is built, and then confirmed by what did not build it (`sandbox.measure.audit`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.certify.worlds import build
from sandbox.errors import CheckFailed, ConstraintError, TemplateError
from sandbox.generate.content import content
from sandbox.generate.reference import parse_reference
from sandbox.measure.audit import audit


@dataclass(frozen=True, slots=True)
class Checked:
    """A reference, whether its world holds, and if not, why."""

    ref: str
    ok: bool
    why: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Plain JSON data."""
        return asdict(self)


def check_world(ref: str, folder: Path | None = None) -> Checked:
    """Build a world with the content of a folder and audit it.

    A seed for which no world can be built has failed. A reference that can never name a world (a slot or value that
    is not there, an edit that leaves no plan) is the asker's mistake: its UsageError is raised.
    """
    reference = parse_reference(ref)
    try:
        built = build(reference, content(folder))
        why = audit(built.world, built.certificate)
    except (CheckFailed, ConstraintError, TemplateError) as error:
        if reference.edits and isinstance(error, ConstraintError):
            raise
        return Checked(str(reference), ok=False, why=error.message)
    return Checked(built.ref, why is None, why)
