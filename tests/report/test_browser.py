"""The report in headless Chromium: no error, every panel drawn, text stays text."""

from __future__ import annotations

import pytest
from folders import ROOT

from winf_analyzer._report import report
from winf_analyzer._report.panels import layout

pytestmark = pytest.mark.slow("a browser")

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

SCRIPT = "<script>alert(1)</script>"


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
    for panel in (panel for panel in layout().panels if not (panel.optional or panel.fact)):
        article = seen.page.locator(f"[data-panel={panel.name}]")
        figures = article.locator(".figure")
        drawn = [figures.nth(place).locator("svg.plot .trace").count() for place in range(figures.count())]
        drawn += [
            article.locator("canvas").nth(place).is_visible() for place in range(article.locator("canvas").count())
        ]
        rows = article.locator("tbody tr").count()
        message = article.locator(".message").count()
        assert message == (not drawn and not rows), panel.name
        assert all(drawn), panel.name
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= seen.page.viewport_size["width"]
    assert seen.troubles == []


def test_a_network_name_stays_text(opened):
    seen = opened(ssid=SCRIPT, source=f"{SCRIPT}<img src=x onerror=alert(2)>.pcap", message=f"<b>{SCRIPT}</b>")
    assert seen.page.locator("[data-panel=stations] td", has_text=SCRIPT).first.inner_text() == SCRIPT
    assert seen.page.locator("img, main b").count() == 0
    assert SCRIPT in seen.page.locator("#provenance").inner_text()
    assert seen.troubles == []


def test_the_reader_picks_link_and_view(opened):
    seen = opened()
    explorer = seen.page.locator("[data-panel=link_estimates]")
    link, view = explorer.locator("[data-pick=link]"), explorer.locator("[data-pick=view]")
    assert link.locator("option").count() == 3
    labels = view.locator("option").all_inner_texts()
    assert [text.split()[0] for text in labels] == ["sender", "receiver", "onlooker"]
    legend = explorer.locator(".figure").nth(1).locator(".legendtext")
    assert legend.all_text_contents() == ["rt_winf, corrected"]
    explorer.locator("[data-pick=all]").check()
    assert legend.all_text_contents() == [
        "rt_winf, corrected",
        "rt_winf, paper",
        "idle_gap, corrected",
        "idle_gap, paper",
    ]
    line = explorer.locator(".figure").nth(1).locator("path.line").first
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
    before = difference.locator("path.point").first.get_attribute("d").count("a")
    article.locator("[data-pick=view]").select_option(label=views[-1])
    assert 0 < difference.locator("path.point").first.get_attribute("d").count("a") < before
    assert troubles == []
    page.close()


def test_the_interval_of_a_point_alone_is_seen(browser):
    """A band of no width would not be."""
    page = browser.new_page()
    page.add_script_tag(path=ROOT / "reports/js/marks.js")
    drawn = page.evaluate("areaPath([0, 1, 2, 3], [1, null, 1, 1], [2, null, 2, 2], x => 10 * x, y => y, 3)")
    assert drawn == "M-3 2L3 2L3 1L-3 1zM20 2L30 2L30 1L20 1z"
    trace = "{x: [5], y: [1.5], low: [1], high: [2], mode: 'lines+markers', line: {color: 'red'}}"
    page.evaluate(f"""
        globalThis.box = [];
        globalThis.svg = (name, attributes) => attributes;
        drawSeries({{append: each => box.push(each)}}, {trace}, x => 10 * x, y => y)
    """)
    assert page.evaluate("box.find(each => each.class === 'band').d") == "M46.8 2L53.2 2L53.2 1L46.8 1z"
    page.close()
