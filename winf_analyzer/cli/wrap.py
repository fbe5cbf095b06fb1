"""Sentences on a terminal: broken between words, never inside a quantity or a command."""

from __future__ import annotations

import re
import textwrap

_RANK = re.compile(r" *(?:\d+\. )?")
"""What stands before the text of a line: its continuation begins below the text."""

_TOGETHER = re.compile(r"`[^`\n]{1,60}`|\d (?:%|[kMG]?b/s|ms|us|s|dBm?|points?)(?!\w)")
"""A command, and a number with its unit."""

_JOINED = "\N{NO-BREAK SPACE}"


def wrapped(text: str, width: int) -> str:
    """A text with each of its lines broken so that it fits, with the indentation of its beginning."""
    return "\n".join(_line(line, max(width, 20)) for line in text.split("\n"))


def _line(line: str, width: int) -> str:
    if len(line) <= width or _JOINED in line:
        return line
    found = _RANK.match(line)
    indent = " " * (found.end() if found else 0)
    joined = _TOGETHER.sub(lambda piece: piece[0].replace(" ", _JOINED), line)
    broken = textwrap.wrap(joined, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(broken).replace(_JOINED, " ")
