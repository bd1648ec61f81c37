"""Text as it was, inside a database that cannot hold all of it: a reversible escape.

SQLite stores UTF-8, which has no lone surrogates, and many of its tools stop reading at NUL. Such a
character is written as U+001A SUBSTITUTE (made for standing in place of what cannot be represented)
and four hexadecimal digits; U+001A itself is escaped too, so every text comes back unchanged and
every other text is stored as it is.
"""

from __future__ import annotations

import re
from typing import Final

_MARK: Final = "\x1a"
_UNSAFE: Final = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED: Final = re.compile("\x1a([0-9a-f]{4})")


def escape(text: str) -> str:
    """`text` in a form that UTF-8 and SQLite can hold; `unescape` gives `text` back."""
    if text.isascii() and "\x00" not in text and _MARK not in text:
        return text
    return _UNSAFE.sub(lambda found: f"{_MARK}{ord(found[0]):04x}", text)


def unescape(stored: str) -> str:
    """The text that `escape` was given."""
    if _MARK not in stored:
        return stored
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), stored)
