"""API keys: where they are found, where they are kept, and how they are kept out of everything that is written.

A key is looked for in `--key`, then in the environment (`PROVIDER_API_KEY`), then in the key file, which
only its owner can read. A key never appears in a log, an error or an output: `Redactor` replaces it by value.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sandbox.errors import UsageError, why

HIDDEN: Final = "[key]"
_PLAIN: Final = re.compile(r"[!-~]{4,4096}\Z")


@dataclass(frozen=True, slots=True)
class Secret:
    """A key and where it was found: `--key`, the name of a variable, or the key file."""

    value: str
    source: str

    def __repr__(self) -> str:
        return f"Secret({HIDDEN}, {self.source!r})"


def variable(provider: str) -> str:
    """The environment variable of a provider's key."""
    return re.sub(r"[^A-Z0-9]", "_", provider.upper()) + "_API_KEY"


def key_file() -> Path:
    """Where keys are kept: SANDBOX_KEYS, else in the user's configuration folder."""
    asked = os.environ.get("SANDBOX_KEYS")
    if asked:
        return Path(asked)
    base = os.environ.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "sandbox" / "keys.json"


def find(provider: str, given: str | None, environment: Mapping[str, str] = os.environ) -> Secret | None:
    """The key for a provider, or None when there is none."""
    if given is not None:
        return Secret(checked(given), "--key")
    name = variable(provider)
    if environment.get(name):
        return Secret(checked(environment[name]), name)
    kept = read().get(provider)
    return Secret(kept, str(key_file())) if kept else None


def read() -> dict[str, str]:
    """Provider → key, as kept. Raises UsageError for a file that is no key file."""
    path = key_file()
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the key file {str(path)!r}: {why(error)}", "mend or delete it") from None
    if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
        raise UsageError(f"{str(path)!r} is no key file", "mend or delete it")
    return found


def write(keys: Mapping[str, str]) -> Path:
    """Keep keys in place of those that were kept. The file is the owner's alone from its first byte."""
    path = key_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        part.unlink(missing_ok=True)
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(dict(sorted(keys.items())), file, indent=1)
        part.replace(path)
    except OSError as error:
        what = f"cannot write the key file {str(path)!r}: {error}"
        raise UsageError(what, "set SANDBOX_KEYS to another file") from None
    return path


def checked(value: str) -> str:
    """The key without blanks around it. Raises UsageError for what cannot be one."""
    value = value.strip()
    if not _PLAIN.match(value):
        raise UsageError("the key is empty, too short, or holds characters that no key has", "copy it again")
    return value


class Redactor:
    """Replaces secrets by value in any text, also where they were escaped or cut into by quotes."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        values = sorted({s for secret in secrets for s in (secret, json.dumps(secret)[1:-1]) if len(s) >= 4}, key=len)
        self._pattern = re.compile("|".join(re.escape(value) for value in reversed(values))) if values else None

    def __call__(self, text: str) -> str:
        """The text without the secrets."""
        return text if self._pattern is None else self._pattern.sub(HIDDEN, text)
