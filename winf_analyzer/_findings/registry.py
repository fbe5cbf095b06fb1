"""The registry of findings: one ``.sql`` file each in ``findings/``, described by the comment lines at its start.

::

    -- title: Beacons and probes take the air
    -- means: why this slows the network down
    -- param threshold = 0.1: from which value on it is a finding; where the figure is from
    -- says: {frames} beacons take {airtime_share:percent} of the time.
    -- remedy: what to do, one sentence
    -- weight = 0.1: how much it matters if it takes no airtime, as a share of the time
    -- needs: count(*) filter (kind = 'beacon') >= $minimum
    -- lacks: too few beacons were heard
    -- given: bool_or(kind = 'beacon')
    -- without: the beacons
    -- remove: data_kind = 'beacon'
    -- frames: kind = 'beacon'
    -- filter: wlan.fc.type_subtype == 8
    select ... from uses join spans using (source) ...

The question is asked of `uses` and `spans` (:mod:`.questions`) and of the dataset's tables. Its rows have the columns
:data:`COLUMNS` and others that the texts name in braces. `needs` and `given` are aggregates over the MAC frames of a
recording, and may name the columns of its row of `spans`: where the first is not true the question cannot be answered
of this recording; where the second is not nothing would be found, and it is not asked. There may be several `needs`,
each with its `lacks`, in which ``$name`` is a parameter; that times are known is one of every question that reads
`spans`. `remove` is a condition: without the cause there would be no such exchanges. `change COLUMN` is an
expression: without the cause the exchanges that meet `where` would have this value in that column. `frames` is a
condition on the table `frames`, `filter` the same in Wireshark's language. In conditions and expressions ``$name`` is
the column `name` of the row. A line that begins with `--` and four spaces continues the one before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

COLUMNS = ("source", "subject", "value", "airtime_share", "samples")
"""What every question answers: the recording, what it is about, what is compared with the threshold, the share of time
that the cause takes (null: none, or unknown) and the number of observations. `sender` and `receiver`, if there are such
columns, are the link that the effect is about; otherwise it is the link that carries most. A row's `remedy`, if there
is such a column, takes the place of the declared one; where `untold` is true the model cannot take its cause away."""

REQUIRED = ("title", "means", "says", "remedy")
TEXTS = (*REQUIRED, "given", "without", "remove", "where", "frames", "filter")

TIMES = "span_us > 0", "no times on the air are known"
"""What a question that reads `spans` needs, and what is missing where that is not so."""

_HEADER = re.compile(r"^-- (?P<key>[a-z]+)(?: (?P<name>\w+))?(?: = (?P<default>[^:]+))?: (?P<text>.+)$")


@dataclass(frozen=True)
class Finding:
    """A declared finding."""

    name: str
    sql: str
    """The question."""
    title: str = ""
    means: str = ""
    says: str = ""
    remedy: str = ""
    needs: dict[str, str] = field(default_factory=dict)
    """Conditions on a recording, in SQL, without which the question cannot be answered, and what is missing then."""
    given: str = ""
    """Condition on a recording, in SQL, without which nothing is found."""
    without: str = ""
    remove: str = ""
    where: str = ""
    frames: str = ""
    filter: str = ""
    weight: float = 0.0
    parameters: dict[str, tuple[float, str]] = field(default_factory=dict)
    """Value and source of each ``$name`` of the question; `threshold` is one of them."""
    changes: dict[str, str] = field(default_factory=dict)
    """By column of `exchanges`, its value without the cause."""

    @property
    def threshold(self) -> float:
        """From which value on it is a finding."""
        return self.parameters["threshold"][0]

    @property
    def has_counterfactual(self) -> bool:
        """The model can be run again without the cause."""
        return bool(self.remove or self.changes)


@cache
def findings_registry() -> dict[str, Finding]:
    """Every declared finding by name, sorted."""
    folder = files("winf_analyzer") / "findings"
    entries = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return {each.name: each for each in map(_read, entries)}


def _read(entry: Traversable) -> Finding:
    text = entry.read_text(encoding="utf-8")
    lines = text.splitlines()
    end = next(number for number, line in enumerate(lines) if not line.startswith("--"))
    values: dict[str, str] = {}
    parameters: dict[str, tuple[float, str]] = {}
    changes: dict[str, str] = {}
    needs: list[tuple[str, str]] = []
    weight = 0.0
    for line in _joined(lines[:end]):
        header = _HEADER.match(line)
        if header is None:
            raise ValueError(f"{entry.name}: header line not understood: {line}")
        key, name, default, said = header["key"], header["name"], header["default"], header["text"]
        if key == "param" and name and default:
            parameters[name] = float(default), said
        elif key == "weight" and default:
            weight = float(default)
        elif key == "change" and name:
            changes[name] = said
        elif key == "needs":
            needs.append((said, ""))
        elif key == "lacks" and needs and not needs[-1][1]:
            needs[-1] = needs[-1][0], said
        elif key in TEXTS and key not in values and not (name or default):
            values[key] = said
        else:
            raise ValueError(f"{entry.name}: header line not understood: {line}")
    if lacking := [key for key in REQUIRED if key not in values] + ["param threshold"] * (
        "threshold" not in parameters
    ):
        raise ValueError(f"{entry.name}: no header line {lacking[0]}")
    question = "\n".join(lines[end:]).strip()
    numbers = {name: value for name, (value, _) in parameters.items()}
    conditions = [TIMES] * ("spans" in re.findall(r"\w+", question)) + needs
    return Finding(
        entry.name.removesuffix(".sql"),
        question,
        needs={with_numbers(condition, numbers): lacks for condition, lacks in conditions},
        weight=weight,
        parameters=parameters,
        changes=changes,
        **values,
    )


def with_numbers(text: str, numbers: Mapping[str, float]) -> str:
    """A text in SQL with numbers in place of each ``$name``."""
    for name, value in numbers.items():
        text = re.sub(rf"\${name}\b", f"{value:g}", text)
    return text


def _joined(lines: list[str]) -> Iterator[str]:
    """Header lines, each with those that go on with it."""
    held = ""
    for line in lines:
        if line.startswith("--    "):
            held += " " + line[2:].strip()
            continue
        if held:
            yield held
        held = line
    if held:
        yield held
