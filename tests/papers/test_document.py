"""docs/papers says what the register says."""

import runpy

import pytest
from folders import ROOT

FOLDER = ROOT / "docs" / "papers"


@pytest.fixture(scope="module")
def pages():
    return runpy.run_path(str(ROOT / "tools" / "document_papers.py"), run_name="document_papers")["pages"]()


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_the_page_is_current(pages, path):
    assert path.read_text(encoding="utf-8") == pages[path.name], "make docs-papers"


def test_no_page_is_missing(pages):
    assert {path.name for path in FOLDER.iterdir()} == set(pages)
