"""Write man pages from the commands: `make man`, into build/man/man1."""

from __future__ import annotations

import sys
from pathlib import Path

from command_facts import Facts, commands

from winf_analyzer import __version__

EXIT_CODES = (
    ("0", "success"),
    ("1", "failure"),
    ("2", "usage error"),
    ("3", "finished, but some input was damaged or skipped"),
    ("4", "no usable input"),
    ("130", "interrupted"),
)

ENVIRONMENT = (
    ("WINF_<OPTION>, WINF_<COMMAND>_<OPTION>", "default of an option, in place of that in winf.toml"),
    ("WINF_KEY", "decryption keys for --decoder tshark, one per line"),
    ("NO_COLOR", "print without colours"),
)


def page(command: Facts) -> str:
    """The page of a command, in the macros of man(7)."""
    lines = [
        _head(f"winf-{command.name}"),
        ".SH NAME",
        f"winf-{command.name} \\- {_text(command.summary.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_text(command.usage)}",
        ".SH DESCRIPTION",
        *_paragraphs([command.summary, *command.details]),
        ".SH OPTIONS",
    ]
    for parameter in command.parameters:
        lines += [".TP", f".B {_text(parameter.names)}", _text(parameter.help)]
    lines += [".SH EXAMPLES", *(line for each in command.examples for line in (".PP", ".EX", _text(each), ".EE"))]
    return "\n".join([*lines, ".SH SEE ALSO", ".BR winf (1)", ""])


def program(listed: list[Facts]) -> str:
    """The page of the program."""
    lines = [
        _head("winf"),
        ".SH NAME",
        "winf \\- capacity and available bandwidth of 802.11 networks, from recordings",
        ".SH SYNOPSIS",
        ".B winf COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH COMMANDS",
    ]
    lines += [line for each in listed for line in (".TP", f".BR winf-{each.name} (1)", _text(each.summary))]
    for title, rows in (("EXIT STATUS", EXIT_CODES), ("ENVIRONMENT", ENVIRONMENT)):
        lines += [f".SH {title}", *(line for name, text in rows for line in (".TP", f".B {_text(name)}", _text(text)))]
    files = ".SH FILES\n.TP\n.B winf.toml, ~/.config/winf/winf.toml\nDefaults of options."
    return "\n".join([*lines, files, ""])


def write(folder: Path) -> list[Path]:
    """Write all pages below a folder; returns their paths."""
    listed = commands()
    pages = {"winf": program(listed), **{f"winf-{each.name}": page(each) for each in listed}}
    place = folder / "man1"
    place.mkdir(parents=True, exist_ok=True)
    for name, text in pages.items():
        (place / f"{name}.1").write_text(text, encoding="utf-8")
    return [place / f"{name}.1" for name in pages]


def _head(name: str) -> str:
    return f'.TH {name.upper()} 1 "" "winf {__version__}" "User Commands"'


def _paragraphs(texts: list[str]) -> list[str]:
    return [line for text in texts for line in (".PP", _text(text))]


def _text(words: str) -> str:
    """Text that troff prints as it is."""
    escaped = words.replace("\\", "\\e").replace("-", "\\-").replace("`", "")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    written = write(Path(sys.argv[1] if len(sys.argv) > 1 else "build/man"))
    print(f"{len(written)} pages in {written[0].parent}")
