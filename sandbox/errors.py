"""Every error that the sandbox raises on purpose, in one tree.

SandboxError                  exit 1   something of ours is broken
├── UsageError                exit 2   the user can mend it: a name, a value, a file, a configuration
│   ├── UnknownName           exit 2   a name that does not exist; carries the nearest valid one
│   ├── ReferenceError_       exit 2   a world reference that cannot be parsed
│   ├── TemplateError         exit 2   a template is wrong: file, line, what was expected
│   ├── RecipeError           exit 2   a recipe is wrong or contradicts itself
│   ├── ConstraintError       exit 2   a recipe or edit cannot be met; names the constraint
│   ├── GroundingError        exit 2   a rule has too many cases in a world; names rule, family and count
│   ├── ThemeError            exit 2   a theme has too few names for the size of a world
│   ├── WorldFileError        exit 2   an exported world that cannot be read
│   ├── PackError             exit 2   a pack of worlds that is cut off, damaged or none
│   ├── SplitError            exit 2   a split that cannot be read, or that leaves one side empty
│   ├── SuiteError            exit 2   a suite that cannot be read
│   └── DatabaseError         exit 2   the episode database is missing, locked, read-only or foreign
├── AgentError                exit 3   an agent hung, died or answered nonsense
├── ProviderError             exit 3   a language model could not be reached, or would not answer
├── CheckFailed               exit 4   a certificate, replay or gate did not hold
└── CapReached                exit 5   a run-wide limit stopped the run

A message says what happened, where, and what to type next; `nearest` finds the name that was meant.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SandboxError(Exception):
    """The root. `exit_code` is what the command line returns; `hint` is the next step to type."""

    exit_code = 1

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type[SandboxError], tuple[str, str | None]]:
        return type(self), (self.message, self.hint)


class UsageError(SandboxError):
    """Something that the person who typed the command can mend."""

    exit_code = 2


class UnknownName(UsageError):
    """A name that does not exist, with the nearest one that does."""

    def __init__(self, kind: str, name: str, known: Iterable[str] = (), hint: str | None = None):
        names = sorted(known)
        meant = nearest(name, names)
        if hint is None:
            hint = f"did you mean {meant!r}?" if meant else f"known: {', '.join(names[:12]) or '(none)'}"
        super().__init__(f"unknown {kind} {name!r}", hint)
        self.kind, self.name = kind, name

    def __reduce__(self) -> tuple[type[SandboxError], tuple[str, str | None]]:
        return UsageError, (self.message, self.hint)


class ReferenceError_(UsageError):
    """A world reference that does not follow `[RECIPE/]SEED[~EDIT]…`."""


class TemplateError(UsageError):
    """A template that cannot be loaded, rendered or parsed. The message begins with file:line."""


class RecipeError(UsageError):
    """A recipe with an unknown key, or with demands that exclude each other."""


class ConstraintError(UsageError):
    """No world meets what was asked; `constraint` is the demand that failed most."""

    def __init__(self, message: str, constraint: str, hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.constraint = constraint

    def __reduce__(self) -> tuple[type[SandboxError], tuple[str, str | None]]:
        return UsageError, (self.message, self.hint)


class GroundingError(UsageError):
    """A rule with more cases in a world than can be worked out; `family` is where it stands, `count` how many."""

    def __init__(self, rule: str, family: str, count: int, most: int) -> None:
        super().__init__(
            f"family {family!r}: {rule} has {count:,} cases in a world of this size, more than {most:,}",
            "name fewer objects or narrower kinds in it, or split its formula",
        )
        self.family, self.count = family, count

    def __reduce__(self) -> tuple[type[SandboxError], tuple[str, str | None]]:
        return UsageError, (self.message, self.hint)


class ThemeError(UsageError):
    """A theme with too few names for the size of a world."""


class WorldFileError(UsageError):
    """An exported world that is not one, or comes from another version."""


class PackError(UsageError):
    """A pack of worlds that is cut off, damaged, from another version, or none."""


class SplitError(UsageError):
    """A rule of a split that cannot be read, or one that leaves nothing on one side."""


class SuiteError(UsageError):
    """A suite that cannot be read."""


class DatabaseError(UsageError):
    """The episode database is missing, locked, read-only, not a database, or from a newer version."""


class AgentError(SandboxError):
    """An agent hung, died or answered nonsense; the episode ends as `agent_error`."""

    exit_code = 3


class ProviderError(SandboxError):
    """A language model could not be reached, or would not answer; the episode ends as `provider_error`."""

    exit_code = 3


class CheckFailed(SandboxError):
    """A certificate, a replay or a gate did not hold."""

    exit_code = 4


class CapReached(SandboxError):
    """A run-wide cap stopped the run."""

    exit_code = 5


def why(error: OSError | ValueError) -> str:
    """Why a file could not be read, without a number and without its name, which the message around it has."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name closest to `name`, or None when none is close."""
    found = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return found[0] if found else None
