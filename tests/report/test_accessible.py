"""The report for those who do not see it, or use no mouse: axe-core, keys, text alternatives, print."""

from __future__ import annotations

from importlib import resources
from itertools import pairwise
from pathlib import Path

import pytest
from folders import SAMPLES

import winf_analyzer

pytestmark = pytest.mark.slow("a browser")

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")


@pytest.mark.parametrize("options", [{}, {"width": 390}, {"dark": True}, {"stations": 0}])
def test_axe_finds_nothing(opened, options):
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    seen = opened(**options)
    script = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    # The page's own policy lets no script in that is not its own, so axe is evaluated from outside.
    seen.page.evaluate(script)
    found = seen.page.evaluate("axe.run()")["violations"]
    assert [(each["id"], [node["html"][:120] for node in each["nodes"][:3]]) for each in found] == []


SWEEP = """
name = "queues"
topologies = ["chain:2"]
controllers = ["new_reno", "wcp"]
seeds = 2
duration = "2s"
[set]
queue = [5, 20]
"""


def _many(folder: Path) -> Path:
    recordings = sorted((SAMPLES / "ns3_rts_link" / "recording").glob("*.pcap"))
    dataset = winf_analyzer.ingest(recordings, folder / "many.winf")
    winf_analyzer.why(dataset)
    return winf_analyzer.report(dataset, folder / "many.html")


def _changed(folder: Path) -> Path:
    sides = [
        winf_analyzer.ingest([SAMPLES / name / "recording" / "node-1.pcap"], folder / f"{name}.winf").path
        for name in ("ns3_rts_link", "ns3_ht")
    ]
    winf_analyzer.diff(*sides, output=folder / "diff.html")
    return folder / "diff.html"


def _replayed(folder: Path) -> Path:
    winf_analyzer.replay(
        topology="chain:2", controllers=["new_reno", "wcp"], duration="2s", seeds=2, output=folder / "r.winf"
    )
    return winf_analyzer.report(folder / "r.winf", folder / "replay.html")


def _swept(folder: Path) -> Path:
    (folder / "grid.toml").write_text(SWEEP, encoding="utf-8")
    winf_analyzer.sweep(folder / "grid.toml", folder / "s.winf")
    return winf_analyzer.report(folder / "s.winf", folder / "sweep.html")


@pytest.mark.parametrize("make", [_many, _changed, _replayed, _swept])
def test_axe_finds_nothing_on_any_kind_of_page(make, browser, tmp_path):
    pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    script = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
    path = make(tmp_path)
    for width, scheme in ((1400, "light"), (390, "dark")):
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        page = context.new_page()
        page.goto(path.as_uri())
        page.evaluate(script)
        found = page.evaluate("axe.run()")["violations"]
        assert [(each["id"], [node["html"][:120] for node in each["nodes"][:3]]) for each in found] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        context.close()


def test_every_figure_has_a_text_alternative(opened):
    seen = opened()
    figures = seen.page.locator("svg.plot")
    assert figures.count() > 4
    for place in range(figures.count()):
        assert len(figures.nth(place).get_attribute("aria-label") or "") > 20
    numbers = seen.page.locator("[data-panel=airtime] details.numbers")
    numbers.locator("summary").click()
    numbers.locator("tbody tr").first.wait_for(state="attached")  # filled once it is opened
    assert numbers.locator("tbody tr").count() == 3  # no network was announced: a bar per station
    assert seen.page.locator("canvas").get_attribute("aria-label").startswith("A lane for each of 3 stations")


def test_one_window_of_time_for_all_figures_by_keys(opened):
    seen = opened()
    shown = seen.page.locator("#window")
    line = seen.page.locator("[data-panel=channel_busy] path.line")
    before = line.get_attribute("d")
    assert shown.is_hidden()
    seen.page.locator("[data-panel=timeline] .figure").focus()
    seen.page.keyboard.press("+")
    assert shown.is_visible()
    assert line.get_attribute("d") != before
    seen.page.keyboard.press("0")
    assert shown.is_hidden()
    assert line.get_attribute("d") == before
    assert seen.troubles == []


def test_a_brush_on_one_figure_moves_the_others(opened):
    seen = opened()
    figure = seen.page.locator("[data-panel=timeline] svg.plot")
    figure.scroll_into_view_if_needed()
    box = figure.bounding_box()
    seen.page.mouse.move(box["x"] + box["width"] * 0.4, box["y"] + 60)
    seen.page.mouse.down()
    seen.page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 80)
    seen.page.mouse.up()
    text = seen.page.locator("#window span").inner_text()
    low, high = (float(part) for part in text.removesuffix(" s").split(" to "))
    assert 2.2 < low < 3.3
    assert 3.9 < high < 5.1
    assert seen.troubles == []


@pytest.mark.parametrize("width", [390, 1400])
def test_the_chosen_time_and_the_values_cover_no_legend(opened, width):
    seen = opened(width=width)
    for figure in seen.page.locator(".figure:has(> svg.plot)").all():
        figure.scroll_into_view_if_needed()
        plot = figure.locator("> svg.plot")
        around = plot.bounding_box()
        plot.hover(position={"x": around["width"] * 0.6, "y": 60})
        tip = figure.locator("> .tip")
        if tip.is_visible():
            beside = tip.bounding_box()
            assert around["x"] - 1 <= beside["x"] <= around["x"] + around["width"]
            assert around["y"] <= beside["y"] <= around["y"] + 60
    seen.page.locator("[data-act=closer]").click()
    box = seen.page.locator("#window").bounding_box()
    if width > 800:
        assert box["x"] + box["width"] <= seen.page.locator("main").bounding_box()["x"]
    else:  # a line at the lower edge, not a box over the page
        assert (box["x"], box["width"]) == (0, width)
        assert box["height"] < 60
    assert seen.troubles == []


def test_pointing_at_an_exchange_says_its_times_and_fields(opened):
    seen = opened()
    panel = seen.page.locator("[data-panel=lanes]")
    panel.locator("[data-act=after]").click()
    panel.locator("[data-act=exchange]").click()
    canvas, tip = panel.locator("canvas"), panel.locator(".tip")
    around = canvas.bounding_box()
    for row in range(4):  # the lane of the exchange
        canvas.hover(position={"x": around["width"] * 0.6, "y": 16 + 20 * row})
        if tip.is_visible():
            break
    said = tip.inner_text()
    assert said.startswith("number ")
    for label in ("Sender: ", "Start: ", "Duration: 2\u202f293 µs", "Data rate: "):
        assert label in said, said
    seen.page.mouse.move(1, 1)
    assert tip.is_hidden()
    assert seen.troubles == []


def test_lanes_go_from_the_recording_to_the_frames_of_one_exchange(opened):
    seen = opened(ssid="<b>office</b>")
    panel = seen.page.locator("[data-panel=lanes]")
    panel.locator("[data-act=after]").click()
    fields = panel.locator(".fields")
    assert "02:00:00:00:01:01" in fields.inner_text()
    assert "2\u202f293 µs" in fields.inner_text()
    panel.locator(".lanes").focus()
    seen.page.keyboard.press("Enter")
    low, high = (
        float(part) for part in seen.page.locator("#window span").inner_text().removesuffix(" s").split(" to ")
    )
    assert high - low < 0.004
    assert seen.page.locator("main b").count() == 0
    assert seen.troubles == []


def test_on_paper_heads_of_tables_are_repeated_and_figures_fit_a_page(opened):
    seen = opened(stations=40)
    seen.page.emulate_media(media="print")
    displays = seen.page.locator("th button").evaluate_all("all => all.map(each => getComputedStyle(each).display)")
    assert set(displays) == {"contents"}  # a control in it would keep a head from being repeated
    for table in seen.page.locator(".scroll").all():
        assert table.evaluate("each => each.scrollHeight <= each.clientHeight + 1"), table  # nothing is cut off
    heights = seen.page.locator("svg.plot").evaluate_all("all => all.map(each => each.getBoundingClientRect().height)")
    assert max(heights) < 270 / 25.4 * 96  # A4 without its margins, in pixels


def test_the_table_of_links_fits_the_page(browser, demo_dataset, tmp_path):
    path = winf_analyzer.report(demo_dataset, tmp_path / "demo.html")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(path.as_uri())
    table = page.locator("[data-panel=recommended] .scroll")
    assert table.locator(".detail").count() > 0  # the reasons, which are what is wide
    assert table.evaluate("each => each.scrollWidth <= each.clientWidth")
    context.close()


def test_pointing_at_a_figure_says_quantity_and_unit(browser, replay_dataset, tmp_path):
    path = winf_analyzer.report(replay_dataset, tmp_path / "replay.html")
    page = browser.new_page(viewport={"width": 1280, "height": 1400})
    page.goto(path.as_uri())
    figure = page.locator("[data-panel=replay_over_time] .figure")
    figure.scroll_into_view_if_needed()
    plot = figure.locator("> svg.plot")
    around = plot.bounding_box()
    said = []
    for share in (0.05, 0.5):
        plot.hover(position={"x": around["width"] * 0.6, "y": around["height"] * share})
        said.append(figure.locator("> .tip").inner_text().split("\n"))
    heads, values = zip(*((head, lines) for head, *lines in said), strict=True)
    assert all(head.startswith("Time since the start of the replay ") and head.endswith(" s") for head in heads)
    assert all(", Throughput: " in line and line.endswith(" Mb/s") for line in values[0])
    assert not any("Throughput" in line for line in values[1]), "the values are those of the plane at the pointer"
    page.close()


def test_the_reasons_of_a_link_stay_with_it(browser, demo_dataset, tmp_path):
    path = winf_analyzer.report(demo_dataset, tmp_path / "demo.html")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(path.as_uri())
    rows = page.locator("[data-panel=recommended] tbody tr")
    pairs = "all => all.map(each => [each.matches('.more'), each.textContent.trim()])"

    def reasons() -> dict[str, str]:
        found = rows.evaluate_all(pairs)
        return {text: reason for (more, text), (below, reason) in pairwise(found) if below and not more}

    before = reasons()
    assert before
    for head in page.locator("[data-panel=recommended] th button").all()[:3]:
        head.click()
        assert reasons() == before
    page.close()
