"""Write docs/papers from the register of the papers: `make docs-papers`."""

from collections import Counter
from pathlib import Path

from winf_analyzer._papers import VERDICTS, Item, Mutant, Paper, papers
from winf_analyzer._papers.reproductions._run import kept
from winf_analyzer._papers.reproductions._studies import STUDIES
from winf_analyzer._papers.symbols import file_of

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "papers"
WRITTEN = "<!-- Written by `make docs-papers` from winf_analyzer/_papers/register; a test compares the two. -->"

HEAD = f"""\
# The five papers, item by item

{WRITTEN}

What the papers state that can be checked (equations, algorithms, constants, procedures, headers, topologies, workloads,
metrics, figures, tables, claims), and what became of it. A page a paper, in the order of the paper.

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
        '"Incomplete" counts the items among them that are there in part; their rows say what lacks.\n',
        _counts("paper", [*by_paper, ("all", everything)]),
        _counts("kind", by_kind),
        "## What does not come out\n",
        *(_list(paper, "contradicted") for paper in papers()),
        "## What the texts do not decide\n",
        *(_list(paper, "undecidable") for paper in papers()),
    ]
    return "\n".join(part for part in parts if part)


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
    return f"{head}\n{_counts('', [('items', paper.items)])}\n{table}\n"


def _row(item: Item, mutants: list[Mutant]) -> str:
    verdict = f"**{_spoken(item.verdict)}**" if item.verdict in ("contradicted", "missing") else _spoken(item.verdict)
    modes = f" ({', '.join(item.modes)})" if item.modes else ""
    lacks = f" Lacks: {item.lacks}." if item.lacks else ""
    evidence = [
        ", ".join(map(_symbol, item.symbols)),
        _named("tests", map(_test, item.tests)),
        _named("vectors", item.vectors),
        _named("mutants", (f"`{mutant.name}`" for mutant in mutants)),
        _named("results", map(_shown, item.reproductions)),
    ]
    said = f"{item.says}{lacks}"
    cells = [f'<a id="{item.id}"></a>{item.id}, {item.place}', said, verdict + modes, "; ".join(filter(None, evidence))]
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _symbol(symbol: str) -> str:
    found = file_of(symbol, ROOT)
    if found is None:
        return f"`{symbol}`"
    path, names = found
    return f"[`{'.'.join(names)}`](../../{path.relative_to(ROOT)})"


def _shown(name: str) -> str:
    if name.endswith(".md"):
        return f"[{Path(name).stem}](../../{name})"
    for study in STUDIES:
        outcome = kept(study)
        for figure in study.figures:
            if figure.item == name and outcome:
                runs = f"{len({run['seed'] for run in outcome.runs})} seeds of {outcome.seconds:g} s"
                return f"`winf reproduce {name}` ({runs}: {outcome.verdict(figure)})"
    return f"`winf reproduce {name}`"


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
        incomplete = sum(
            bool(item.lacks) for item in found if item.verdict in ("implemented", "reproduced", "contradicted")
        )
        cells = [name, len(found), *(counts[verdict] for verdict in VERDICTS), incomplete]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def _list(paper: Paper, verdict: str) -> str:
    found = [item for item in paper.items if item.verdict == verdict]
    lines = [f"- [{item.id}]({paper.seed}.md#{item.id}): {item.says}" for item in found]
    return f"{paper.title}:\n\n" + "\n".join(lines) + "\n" if lines else ""


def _spoken(verdict: str) -> str:
    return verdict.replace("_", " ")


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
