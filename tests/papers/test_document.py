"""docs/papers says what the register says."""

import runpy

import pytest
from folders import ROOT

PAGES = runpy.run_path(str(ROOT / "tools" / "document_papers.py"), run_name="document_papers")["pages"]()


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_current(name):
    assert (ROOT / "docs" / "papers" / name).read_text(encoding="utf-8") == PAGES[name], "make docs-papers"


def test_there_are_no_other_pages():
    assert {path.name for path in (ROOT / "docs" / "papers").iterdir()} == set(PAGES)
