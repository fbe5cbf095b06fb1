"""The report in headless Chromium: no error, every panel drawn, text stays text."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from winf_analyzer._report import report
from winf_analyzer._report.panels import layout

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

SCRIPT = "<script>alert(1)</script>"


@dataclass
class Opened:
    """A page and what went wrong in it."""

    page: sync_api.Page
    troubles: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def browser() -> Iterator[sync_api.Browser]:
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no chromium on the PATH: install it to test the report in a browser")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, synthetic, tmp_path):
    """Open the report of a synthetic dataset from disk, listening for errors, dialogs and requests."""
    contexts = []

    def open_report(*, width: int = 1280, dark: bool = False, **options) -> Opened:
        path = report(synthetic(**options), tmp_path / "report.html")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        seen = Opened(context.new_page())
        seen.page.on("console", lambda message: seen.troubles.append(f"console: {message.text}"))
        seen.page.on("pageerror", lambda error: seen.troubles.append(f"error: {error}"))
        seen.page.on("dialog", lambda dialog: (seen.troubles.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        seen.page.on(
            "request",
            lambda request: (
                None if request.url.startswith(("file:", "data:", "blob:")) else seen.troubles.append(request.url)
            ),
        )
        seen.page.goto(path.as_uri())
        seen.page.wait_for_load_state("load")
        return seen

    yield open_report
    for context in contexts:
        context.close()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stations": 60, "seconds": 2},
        {"stations": 0},
        {"without": ("estimates", "nodes", "warnings")},
        {"width": 420},
        {"dark": True},
    ],
    ids=["usual", "many", "empty", "bare", "narrow", "dark"],
)
def test_every_panel_is_drawn_or_says_why_not(opened, options):
    seen = opened(**options)
    for panel in layout().panels:
        article = seen.page.locator(f"[data-panel={panel.name}]")
        figures = article.locator(".figure")
        drawn = [figures.nth(place).locator("svg .trace, svg .point").count() for place in range(figures.count())]
        rows = article.locator("tbody tr").count()
        message = article.locator(".message").count()
        assert message == (not drawn and not rows), panel.name
        assert all(drawn), panel.name
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= seen.page.viewport_size["width"]
    assert seen.troubles == []


def test_a_network_name_stays_text(opened):
    seen = opened(ssid=SCRIPT, source=f"{SCRIPT}<img src=x onerror=alert(2)>.pcap", message=f"<b>{SCRIPT}</b>")
    assert seen.page.locator("[data-panel=stations] td", has_text=SCRIPT).first.inner_text() == SCRIPT
    assert seen.page.locator("img, b").count() == 0
    assert SCRIPT in seen.page.locator("#provenance").inner_text()
    assert seen.troubles == []


def test_the_reader_picks_link_and_view(opened):
    seen = opened()
    explorer = seen.page.locator("[data-panel=link_estimates]")
    link, view = explorer.locator("[data-pick=link]"), explorer.locator("[data-pick=view]")
    assert link.locator("option").count() == 3
    labels = view.locator("option").all_inner_texts()
    assert [text.split()[0] for text in labels] == ["sender", "receiver", "onlooker"]
    legend = explorer.locator(".figure").nth(1).locator(".legendtext").all_text_contents()
    assert legend == ["rt_winf, corrected", "rt_winf, paper", "idle_gap, corrected", "idle_gap, paper"]
    line = explorer.locator(".figure").nth(1).locator("path.js-line").first
    before = line.get_attribute("d")
    link.select_option(index=1)
    assert line.get_attribute("d") != before
    view.select_option(index=2)
    assert seen.troubles == []


def test_tables_sort_with_unknown_values_last(opened):
    seen = opened()
    table = seen.page.locator("[data-panel=links] table")
    cells = table.locator("tbody td:nth-child(4)")
    assert cells.all_inner_texts() == ["296", "152", "104"]
    table.locator("th button").nth(3).click()
    assert cells.all_inner_texts() == ["296", "152", "104"]
    table.locator("th button").nth(3).click()
    assert cells.all_inner_texts() == ["104", "152", "296"]


def test_estimates_are_drawn_beside_the_truth(browser, compared_dataset, tmp_path):
    page = browser.new_page()
    troubles: list[str] = []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.goto(report(compared_dataset, tmp_path / "report.html").as_uri())
    article = page.locator("[data-panel=agreement]")
    course, difference = article.locator(".figure").nth(0), article.locator(".figure").nth(1)
    assert course.locator(".legendtext").all_text_contents()[0] == "truth"
    assert "truth" not in difference.locator(".legendtext").all_text_contents()
    views = article.locator("[data-pick=view] option").all_inner_texts()
    assert views[0].startswith("attainable · sender")
    assert views[-1] == "goodput · the recording"
    before = difference.locator("path.point").count()
    article.locator("[data-pick=view]").select_option(label=views[-1])
    assert 0 < difference.locator("path.point").count() < before
    assert troubles == []
    page.close()
