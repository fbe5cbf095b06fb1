"""Imports point one way: every import between the rooms of the package goes to a room named earlier in rooms.toml."""

import ast
import re
import tomllib
from collections.abc import Iterator

from folders import ROOT

PACKAGE = ROOT / "winf_analyzer"
ROOMS = {room["name"]: room["holds"] for room in tomllib.loads((ROOT / "rooms.toml").read_text())["room"]}
FLOORS = {name: floor for floor, name in enumerate(ROOMS)}

MODULES = {"_core", *(path.name.removesuffix(".py") for path in PACKAGE.iterdir())}

FACADE = "winf_analyzer"
"""The package itself, which offers what the rooms hold."""

ABOVE_THE_FACADE = {"cli"}
"""Rooms that may use the package as its users do."""


def imported_rooms() -> Iterator[tuple[str, str, str]]:
    """Of every import inside the package: its place, the room it stands in, the room it takes from, or the facade."""
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == FACADE:
                names = [f"{FACADE}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                if match := re.match(rf"{FACADE}(?:\.(\w+))?", name):
                    taken = match[1] if match[1] in MODULES else FACADE
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", room, taken


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


def test_rooms_take_from_one_another_not_from_the_facade():
    taken = [
        f"{place}: {room} takes from the package"
        for place, room, other in imported_rooms()
        if other == FACADE and room in ROOMS.keys() - ABOVE_THE_FACADE
    ]
    assert not taken, "\n".join(taken)


def test_the_architecture_lists_the_rooms():
    """Its table `| room | holds |` has a row for every room of rooms.toml, in that order and in those words."""
    lines = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    head = [number for number, line in enumerate(lines) if re.fullmatch(r"\|\s*room\s*\|\s*holds\s*\|", line)]
    assert len(head) == 1, "ARCHITECTURE.md has no table | room | holds |"
    rows = []
    for line in lines[head[0] + 2 :]:
        match = re.fullmatch(r"\|\s*`(\w+)/?`\s*\|\s*(.+?)\s*\|", line)
        if match is None:
            break
        rows.append(match.groups())
    assert rows == list(ROOMS.items())


def test_one_name_stands_for_one_class():
    """Of classes that other modules may take; those of a module alone begin with an underscore."""
    places: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert not {name: where for name, where in places.items() if len(where) > 1}


def folder_imports() -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """By folder of the package, which other folders it takes from, as names from the package down."""
    folders = {path.parent.relative_to(PACKAGE).parts for path in PACKAGE.rglob("__init__.py")}
    taken: dict[tuple[str, ...], set[tuple[str, ...]]] = {folder: set() for folder in folders}
    for path in PACKAGE.rglob("*.py"):
        own = path.parent.relative_to(PACKAGE).parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            module = node.module if isinstance(node, ast.ImportFrom) else None
            if module is None or not module.startswith(f"{FACADE}."):
                continue
            parts = tuple(module.split(".")[1:])
            for name in node.names:
                place = next(parts[:n] for n in range(len(parts), -1, -1) if parts[:n] in folders)
                inner = (*parts, name.name)
                taken[own].add(inner if inner in folders else place)
    return taken


def test_folders_of_a_folder_take_from_one_another_one_way():
    """Of folders that stand side by side, none takes from one that takes from it, however far around."""
    takes: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for own, others in folder_imports().items():
        for other in others:
            depth = next((n for n, (a, b) in enumerate(zip(own, other, strict=False)) if a != b), None)
            if depth is not None:
                takes.setdefault(own[: depth + 1], set()).add(other[: depth + 1])
    for start in takes:
        seen, waiting = set(), list(takes[start])
        while waiting:
            folder = waiting.pop()
            if folder not in seen:
                seen.add(folder)
                waiting += takes.get(folder, ())
        assert start not in seen, f"{'/'.join(start)} takes from folders that take from it"
