"""Write docs/papers from the register of the papers: `make docs-papers`."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from winf_analyzer._papers import VERDICTS, Item, Mutant, Paper, papers
from winf_analyzer._papers.reproductions._kept import is_current, kept, kept_full
from winf_analyzer._papers.reproductions._metrics import METRICS
from winf_analyzer._papers.reproductions._run import Outcome
from winf_analyzer._papers.reproductions._said import said as filled
from winf_analyzer._papers.reproductions._studies import STUDIES
from winf_analyzer._papers.reproductions._study import Figure, Study
from winf_analyzer._papers.symbols import file_of

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "papers"
WRITTEN = "<!-- Written by `make docs-papers` from winf_analyzer/_papers/register; a test compares the two. -->"

HEAD = f"""\
# The five papers, item by item

{WRITTEN}

What the papers state that can be checked (equations, algorithms, constants, procedures, headers, topologies, workloads,
metrics, figures, tables, claims), and what became of it. A page a paper, in the order of the paper. Of what does not
come out, the scene was run again with one thing changed at a time (readings); their tables end each page. Results are
quick ones (fewer seeds and places, shorter runs) where they do not say that they are full: the paper's length and
repetitions. [What `corrected` does otherwise than `paper`](../replay/modes.md) has a row a difference, with its effect.

S000, S002 and S004 ran DSDV, and print neither its constants nor how long it ran before the flows. Figures are there
twice: with routes that follow positions, and "with DSDV", which nodes run in the replay as in ns-2.35
([0079](../decisions/0079-dsdv-before-the-run.md)). A verdict is that of the first: what the controllers do shows where
routes are the same for all and lose nothing, while DSDV at 10 to 30 m/s keeps nearly two packets of three from arriving
under any of them. Where the second comes to another verdict, the row says so.

| verdict | meaning |
|---|---|
"""


def pages() -> dict[str, str]:
    """Every page by its file name."""
    return {"README.md": summary(), **{f"{paper.seed}.md": page(paper) for paper in papers()}}


def summary() -> str:
    """Counts per paper and kind, and what does not come out."""
    meanings = "".join(f"| {_spoken(verdict)} | {meaning} |\n" for verdict, meaning in VERDICTS.items())
    by_paper = [(f"[{paper.seed}]({paper.seed}.md) {paper.title}", paper.items) for paper in papers()]
    everything = [item for paper in papers() for item in paper.items]
    kinds = dict.fromkeys(item.kind for item in everything)
    by_kind = [(kind, [item for item in everything if item.kind == kind]) for kind in kinds]
    parts = [
        HEAD + meanings,
        _lengths(),
        '"Incomplete" counts the items among them that are there in part; their rows say what lacks. '
        "What a paper does not say, and what is taken instead, stands there, too.\n",
        _counts("paper", [*by_paper, ("all", everything)]),
        _counts("kind", by_kind),
        "## What does not come out\n",
        *(_list(paper, "contradicted") for paper in papers()),
        "## What the texts do not decide\n",
        *(_list(paper, "undecidable") for paper in papers()),
    ]
    return "\n".join(part for part in parts if part)


def _lengths() -> str:
    """Which studies have been run at the paper's length and repetitions, and which only in their quick form."""
    quick = [f"`{study.name}`" for study in STUDIES if not is_current(study)]
    text = f"Of {len(STUDIES)} studies {len(STUDIES) - len(quick)} are kept in full."
    return f"{text} Only the quick form is kept of {', '.join(quick)}.\n" if quick else f"{text}\n"


def page(paper: Paper) -> str:
    """One paper."""
    published = f", {paper.published}" if paper.published else ""
    mutants: dict[str, list[Mutant]] = {}
    for mutant in (mutant for one in papers() for mutant in one.mutants):
        for name in mutant.items:
            mutants.setdefault(name, []).append(mutant)
    head = f"# {paper.seed}: {paper.title}\n\n{WRITTEN}\n\n{paper.authors}{published}.\n"
    rows = [_row(item, mutants.get(item.id, [])) for item in paper.items]
    table = "\n".join(["| item | says | verdict | code, tests, what came out |", "|---|---|---|---|", *rows])
    own = [study for study in STUDIES if study.name.startswith(paper.seed.lower())]
    readings = "".join(_readings(study) for study in own if study.figures[0].readings)
    routed = "".join(_readings(study) for study in own if study.figures[0].variant)
    parts = (READINGS + readings if readings else "", WITH_DSDV + routed if routed else "")
    return f"{head}\n{_counted(paper.items)}\n{table}\n{''.join(parts)}"


READINGS = """
## Readings

Where a result does not come out, its scene is run again with one thing changed at a time: what the text leaves open, or
what the paper's simulator may have had. The first row is the scene as elsewhere. Rates in kbit/s.
"""

WITH_DSDV = """
## With DSDV

The scenes of these figures once more, whose nodes run DSDV. Rates in kbit/s.
"""


def _counted(of: Sequence[Item]) -> str:
    """How many items came to which verdict, in a sentence."""
    counts = Counter(item.verdict for item in of)
    said = ", ".join(f"{counts[verdict]} {_spoken(verdict)}" for verdict in VERDICTS if counts[verdict])
    return f"{len(of)} items: {said}; {_incomplete(of)} of them incomplete.\n"


def _incomplete(of: Sequence[Item]) -> int:
    """How many are there in part."""
    return sum(bool(item.lacks) for item in of if item.verdict in ("implemented", "reproduced", "contradicted"))


def _readings(study: Study) -> str:
    """A table for each metric: a row per reading or place, a column per curve."""
    full = kept_full(study) if study.figures[0].variant and is_current(study) else None
    outcome = full or kept(study)
    if outcome is None:
        return ""
    items = ", ".join(dict.fromkeys(figure.item for figure in study.figures))
    seeds = f"{outcome.seeds} seed{'s' if outcome.seeds > 1 else ''} of {outcome.seconds:g} s"
    parts = [f"### {study.title[0].upper()}{study.title[1:]}", f"{items}. {seeds}. {study.notes}".strip()]
    metrics = dict.fromkeys(figure.metric for figure in study.figures)
    metrics |= dict.fromkeys(says.metric for figure in study.figures for says in figure.says if says.metric)
    for metric in metrics:
        title = METRICS[metric].title
        scale, title = (1e-3, title.removesuffix(", bit/s")) if title.endswith("bit/s") else (1.0, title)
        arms = [
            arm.label
            for arm in study.arms
            if any(outcome.mean(metric, arm.label, x) is not None for x in outcome.places)
        ]
        head = f"| {title} | {' | '.join(arms)} |\n|---|{'---:|' * len(arms)}"
        rows = [
            f"| {place} | {' | '.join(_number(outcome, metric, arm, place, scale) for arm in arms)} |"
            for place in outcome.places
        ]
        parts.append("\n".join([head, *rows]))
    return "\n" + "\n\n".join(parts) + "\n"


def _number(outcome: Outcome, metric: str, arm: str, place: object, scale: float) -> str:
    mean = outcome.mean(metric, arm, place)  # type: ignore[arg-type]
    if mean is None:
        return ""
    value = mean * scale
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _row(item: Item, mutants: list[Mutant]) -> str:
    verdict = f"**{_spoken(item.verdict)}**" if item.verdict in ("contradicted", "missing") else _spoken(item.verdict)
    modes = f" ({', '.join(item.modes)})" if item.modes else ""
    lacks = f" Lacks: {item.lacks}." if item.lacks else ""
    stands_in = f" In its place: {item.stands_in}." if item.stands_in else ""
    unsaid = f" Not said: {item.unsaid}." if item.unsaid else ""
    evidence = [
        ", ".join(map(_symbol, item.symbols)),
        _named("tests", map(_test, item.tests)),
        _named("vectors", item.vectors),
        _named("mutants", (f"`{mutant.name}`" for mutant in mutants)),
        _named("results", (_shown(name, item) for name in item.reproductions)),
    ]
    readings = f" Readings: {item.readings}." if item.readings else ""
    said = f"{filled(item.says)}{unsaid}{lacks}{stands_in}{readings}"
    cells = [f'<a id="{item.id}"></a>{item.id}, {item.place}', said, verdict + modes, "; ".join(filter(None, evidence))]
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _symbol(symbol: str) -> str:
    found = file_of(symbol, ROOT)
    if found is None:
        return f"`{symbol}`"
    path, names = found
    return f"[`{'.'.join(names)}`](../../{path.relative_to(ROOT)})"


def _shown(name: str, item: Item) -> str:
    """A page, or what `winf reproduce` found; it is told at the item of that name, others refer to it."""
    if name.endswith(".md"):
        return f"[{Path(name).stem}](../../{name})"
    if name != item.id:
        return f"[{name}]({name.partition('-')[0]}.md#{name})"
    told = [_told(study, figure) for study in STUDIES for figure in study.figures if figure.item == name]
    return f"`winf reproduce {name}` ({'; '.join(filter(None, told))})" if any(told) else f"`winf reproduce {name}`"


def _told(study: Study, figure: Figure) -> str:
    """What the kept results say of a figure: the full ones; the quick ones where they differ or are all there is."""
    quick, full = kept(study), kept_full(study)
    kind = "recorded" if study.recorded else "quick"
    told = [("full" if is_current(study) else "full, of an earlier version", full)] if full else []
    if quick and not (full and is_current(study) and full.verdict(figure) == quick.verdict(figure)):
        told.append((kind, quick))
    said = "; ".join(f"{_length(kind, outcome)}: {outcome.verdict(figure)}" for kind, outcome in told)
    if figure.readings:
        return f"readings: {said}"
    return f"with {figure.variant.upper()}: {said}" if figure.variant else said


def _length(kind: str, outcome: Outcome) -> str:
    return f"{kind}, {outcome.seeds} seed{'s' if outcome.seeds > 1 else ''} of {outcome.seconds:g} s"


def _test(test: str) -> str:
    path, _, name = test.partition("::")
    return f"[`{name}`](../../{path})"


def _named(what: str, parts: object) -> str:
    text = ", ".join(parts)  # type: ignore[call-overload]
    return f"{what} {text}" if text else ""


def _counts(what: str, groups: list[tuple[str, object]]) -> str:
    head = f"| {what} | items | {' | '.join(map(_spoken, VERDICTS))} | incomplete |"
    lines = [head, "|---" + "|---:" * (len(VERDICTS) + 2) + "|"]
    for name, members in groups:
        found = list(members)  # type: ignore[call-overload]
        counts = Counter(item.verdict for item in found)
        cells = [name, len(found), *(counts[verdict] for verdict in VERDICTS), _incomplete(found)]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def _list(paper: Paper, verdict: str) -> str:
    found = [item for item in paper.items if item.verdict == verdict]
    lines = [f"- [{item.id}]({paper.seed}.md#{item.id}): {filled(item.says)}{_turned(item)}" for item in found]
    return f"{paper.title}:\n\n" + "\n".join(lines) + "\n" if lines else ""


def _turned(item: Item) -> str:
    """With which readings it comes out."""
    if item.readings:
        return f" Readings: {item.readings}."
    for study in STUDIES:
        outcome = kept(study)
        for figure in study.figures:
            if figure.item == item.id and figure.readings and outcome:
                names = [str(place) for place in outcome.turned_by(figure)]
                count = len(outcome.readings())
                some = any(outcome.turned_by(replace(figure, says=(says,))) for says in figure.says)
                if not names and some:
                    return f" All of it comes out with none of {count} readings; {outcome.verdict(figure)}."
                if not names:
                    return f" It comes out with none of {count} readings."
                return f" Of {count} readings it comes out with {len(names)}: {'; '.join(names)}."
    return ""


def _spoken(verdict: str) -> str:
    return verdict.replace("_", " ")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
