"""What MkDocs is told besides mkdocs.yml: pages made from registries, pages from outside `docs/`, and links."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT)]

from links import rewritten  # noqa: E402 (found by the path above)
from reference import pages as reference_pages  # noqa: E402

OUTSIDE = {
    "ARCHITECTURE.md": "project/architecture.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "sample_captures/README.md": "project/samples.md",
    "changes/README.md": "project/changes.md",
}
"""Documents outside `docs/` and their places in the site."""


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are not files of `docs/`."""
    from mkdocs.structure.files import File

    made = {page: (ROOT / path).read_text(encoding="utf-8") for path, page in OUTSIDE.items()}
    made |= reference_pages()
    for notebook in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        made[f"notebooks/{notebook.stem}.md"] = _notebook(notebook)
        files.remove(files.get_file_from_path(f"notebooks/{notebook.name}"))
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links between documents of the repository into links between pages."""
    del config
    paths = {f"docs/{each.src_uri}": each.src_uri for each in files} | OUTSIDE
    source = page.file.src_uri
    repository = {place: path for path, place in OUTSIDE.items()}.get(source, f"docs/{source}")
    return rewritten(markdown, repository, source, paths)


def _notebook(path: Path) -> str:
    """The cells of a notebook as Markdown; its outputs appear where it is run."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    shown = [
        text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```"
        for cell, text in zip(cells, texts, strict=True)
    ]
    return "\n\n".join([*shown, f"The notebook is `docs/notebooks/{path.name}`; the tests run it.", ""])
