"""Checks the news fragments in changes/: names are SUBJECT-NAME.KIND.md of known words, the text is there."""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = re.compile(r"(?P<subject>[a-z]+)(?:-[a-z0-9]+)+\.(?P<kind>[a-z]+)\.md")
SUBJECT = re.compile(r'^  "([a-z]+)": "', re.MULTILINE)
"""A subject in the template, which leaves out fragments of any other."""
LONGEST = 600
"""Characters of a fragment: news is read by users, three sentences at most."""


def problems(root: Path = ROOT) -> list[str]:
    """One sentence for each fragment that cannot go into the changelog."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    kinds = [entry["directory"] for entry in settings["type"]]
    subjects = SUBJECT.findall((root / settings["template"]).read_text(encoding="utf-8"))
    found = []
    for path in sorted((root / settings["directory"]).iterdir()):
        if path.name in settings["ignore"]:
            continue
        name = NAME.fullmatch(path.name)
        if name is None:
            found.append(
                f"{path.name}: not a news fragment; its name is SUBJECT-NAME.KIND.md in lower case, words joined by -."
            )
        elif name["kind"] not in kinds:
            found.append(f"{path.name}: no kind {name['kind']!r}; there are {', '.join(kinds)}.")
        elif name["subject"] not in subjects:
            found.append(f"{path.name}: no subject {name['subject']!r}; there are {', '.join(subjects)}.")
        elif not (text := path.read_text(encoding="utf-8").strip()):
            found.append(f"{path.name}: empty.")
        elif len(text) > LONGEST:
            found.append(f"{path.name}: {len(text)} characters; news has at most {LONGEST}.")
    return found


if __name__ == "__main__":
    if said := problems():
        sys.exit("\n".join(said))
