"""Links of documents that are read both in the repository and as a site."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<target>[^()\s]+)\)")
_ELSEWHERE = re.compile(r"^(?:[a-z][a-z0-9+.-]*:|#|/)")


def rewritten(markdown: str, path: str, page: str, pages: Mapping[str, str]) -> str:
    """The text with links as the site needs them: to its pages; what is no page is named instead.

    Args:
        markdown: the text of a document.
        path: its path in the repository.
        page: its path in the site's sources.
        pages: pages of the site by path in the repository, images too.
    """

    def link(found: re.Match[str]) -> str:
        target, _, anchor = found["target"].partition("#")
        if not target or _ELSEWHERE.match(found["target"]):
            return found[0]
        wanted = os.path.normpath(PurePosixPath(path).parent / target)
        if wanted not in pages:
            return found["text"] if "`" in found["text"] else f"{found['text']} (`{wanted}`)"
        relative = os.path.relpath(pages[wanted], PurePosixPath(page).parent)
        return f"{found['image']}[{found['text']}]({relative}{'#' * bool(anchor)}{anchor})"

    return LINK.sub(link, markdown)
