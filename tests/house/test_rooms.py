"""Imports point one way: every import between the rooms of the package goes to a room named earlier in rooms.toml."""

import ast
import re
import tomllib
from collections.abc import Iterator

from folders import ROOT

PACKAGE = ROOT / "winf_analyzer"
ROOMS = {room["name"]: room["holds"] for room in tomllib.loads((ROOT / "rooms.toml").read_text())["room"]}
FLOORS = {name: floor for floor, name in enumerate(ROOMS)}


def imported_rooms() -> Iterator[tuple[str, str, str]]:
    """Of every import inside the package: its place, the room it stands in, the room it takes from."""
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "winf_analyzer":
                names = [f"winf_analyzer.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                if match := re.match(r"winf_analyzer\.(\w+)", name):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", room, match[1]


def test_every_room_is_declared():
    there = {
        path.name.removesuffix(".py")
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    assert there - {"__init__", "__main__"} == set(ROOMS)


def test_imports_point_one_way():
    upward = [
        f"{place}: {room} takes from {other}"
        for place, room, other in imported_rooms()
        if other in ROOMS and room in ROOMS and FLOORS[other] > FLOORS[room]
    ]
    assert not upward, "\n".join(upward)
