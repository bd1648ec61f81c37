"""One episode as one HTML page that needs nothing else: no script, no font, no picture, no network.

It works under `default-src 'none'; style-src 'unsafe-inline'`, and shows every text as it was: markup
is text, and a character that nobody would see (or that would act on the reader) is drawn as a sign with
its code. Steps are written as they are read, so a long episode takes little memory.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TextIO

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from sandbox.log.rows import Episode, StepRow

_TEMPLATE: Final = Path(__file__).with_name("episode.html.j2")
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters; tab and line feed are shown by what they do
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"  # invisible, or turning the text around
    "\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"  # annotations, no characters at all, halves of one
)
# fmt: off
_NAMES: Final = (
    "NUL", "SOH", "STX", "ETX", "EOT", "ENQ", "ACK", "BEL",
    "BS", "TAB", "LF", "VT", "FF", "CR", "SO", "SI",
    "DLE", "DC1", "DC2", "DC3", "DC4", "NAK", "SYN", "ETB",
    "CAN", "EM", "SUB", "ESC", "FS", "GS", "RS", "US",
)
# fmt: on


def write_page(out: TextIO, episode: Episode, steps: Iterable[StepRow]) -> None:
    """Write the page of `episode` with its `steps`, step 0 first, to `out`."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["shown"] = shown
    environment.filters["moment"] = _moment
    template = environment.from_string(_TEMPLATE.read_text(encoding="utf-8"))
    out.writelines(template.generate(e=episode, end=episode.end, steps=steps, tone=_tone(episode)))


def shown(text: object) -> Markup:
    """Text as HTML that looks as the text is: nothing in it is markup, nothing in it is hidden."""
    parts, begin = [], 0
    plain = str(text)
    for found in _UNSEEN.finditer(plain):
        parts += [escape(plain[begin : found.start()]), _sign(found[0])]
        begin = found.end()
    return Markup().join([*parts, escape(plain[begin:])])


def _sign(char: str) -> Markup:
    code = ord(char)
    sign = _NAMES[code] if code < len(_NAMES) else f"U+{code:04X}"
    return Markup('<span class="u" title="U+{:04X} {}">{}</span>').format(code, _name(char), sign)


def _name(char: str) -> str:
    if unicodedata.category(char) == "Cc":
        return "control character"
    return unicodedata.name(char, "no character of its own").lower()


def _tone(episode: Episode) -> str:
    if episode.end is None:
        return "open"
    return "good" if episode.end.solved else "bad"


def _moment(stamp: str) -> str:
    return f"{stamp[:16].replace('T', ' ')} UTC"
