"""Chart kinds: what is drawn, what is left out, and how a gap looks."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest

from winf_analyzer import _core
from winf_analyzer._names import Names
from winf_analyzer._report.charts.agreement import agreement
from winf_analyzer._report.charts.bars import bars
from winf_analyzer._report.charts.gaps import fill_gaps
from winf_analyzer._report.charts.lines import lines
from winf_analyzer._report.charts.points import points
from winf_analyzer._report.charts.small_multiples import small_multiples
from winf_analyzer._report.charts.switched_bars import switched_bars
from winf_analyzer._report.figure import ReportContext
from winf_analyzer._report.labels import Palette, display_text, distinguishing_columns, format_number
from winf_analyzer._report.panels import Panel, Quantity


def panel(**fields) -> Panel:
    return Panel(name="p", section="s", title="T", chart="", caption="", empty="", query="q", **fields)


BUSY = panel(
    x=Quantity("t_s", "Time (s)"),
    y=Quantity("busy", "Busy (%)", scale=100),
    series=("observer", "channel_mhz"),
    zero_within=("observer",),
    limit=2,
)


def busy(*rows) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["observer", "channel_mhz", "t_s", "busy"], orient="row")


def test_silence_on_the_only_channel_is_zero():
    figure = lines(BUSY, busy((None, 2412, 0.0, 0.5), (None, 2412, 3.0, 0.25)), ReportContext(1.0)).figures[0]
    assert figure["data"][0]["x"] == [0.5, 1.5, 2.5, 3.5]
    assert figure["data"][0]["y"] == [50, 0, 0, 25]


def test_silence_while_the_radio_hops_is_a_gap():
    rows = busy((None, 2412, 0.0, 0.5), (None, 2412, 2.0, 0.25), (None, 2437, 1.0, 0.1))
    first, second = lines(BUSY, rows, ReportContext(1.0)).figures[0]["data"]
    assert first["y"] == [50, None, 25]
    assert (first["name"], second["name"]) == ("2412 MHz", "2437 MHz")


def test_only_the_busiest_lines_are_drawn_and_the_note_says_so():
    rows = busy(*(("node", channel, 0.0, channel / 1e4) for channel in (2412, 2437, 2462)))
    drawing = lines(BUSY, rows, ReportContext(1.0))
    assert [trace["name"] for trace in drawing.figures[0]["data"]] == ["2462 MHz", "2437 MHz"]
    assert any("2 busiest of 3" in note for note in drawing.notes)


def test_bars_sum_the_others_and_keep_kinds_nobody_foresaw():
    uses = [("a", "rts", 5.0), ("a", "new", 1.0), ("b", "rts", 3.0), ("c", "rts", 2.0), ("d", "rts", None)]
    rows = pl.DataFrame([*uses, ("e", "rts", 1.0)], schema=["station", "kind", "ms"], orient="row")
    shown = panel(x=Quantity("ms", "Airtime (ms)"), series=("station",), stack="kind", others=True, limit=2)
    traces = bars(shown, rows, ReportContext(1.0)).figures[0]["data"]
    assert [(trace["name"], trace["x"]) for trace in traces] == [("RTS/CTS", [5, 3, 3]), ("new", [1, 0, 0])]
    assert traces[0]["y"] == ["a", "b", "others (2)"]


def test_nothing_known_draws_nothing():
    unknown = busy((None, 2412, 0.0, None)).cast({"busy": pl.Float64})
    assert lines(BUSY, unknown, ReportContext(1.0)).figures == []


def test_shares_that_are_all_zero_are_said_not_drawn():
    shown = panel(
        x=Quantity("share", "Retries (%)", scale=100), series=("sender", "receiver"), zero="none", of="frames"
    )
    rows = pl.DataFrame([("a", "b", 0.0, 7)], schema=["sender", "receiver", "share", "frames"], orient="row")
    assert bars(shown, rows, ReportContext(1.0)).message == "none"
    rows = rows.vstack(rows.with_columns(sender=pl.lit("c"), share=pl.lit(0.5)))
    trace = bars(shown, rows, ReportContext(1.0)).figures[0]["data"][0]
    assert (trace["y"], trace["x"]) == (["c →\nb", "a →\nb"], [50, 0])
    assert trace["notes"] == ["50 % of 7", "0 % of 7"]


def test_a_legend_says_only_what_tells_lines_apart():
    columns = ("observer", "channel_mhz", "source")
    assert distinguishing_columns(columns, [("a", 1, "x"), ("b", 1, "y")]) == [0]
    assert distinguishing_columns(columns, [("a", 1, "x"), ("a", 2, "x")]) == [1]
    assert distinguishing_columns(columns, [("a", 1, "x"), ("a", 2, "x"), ("b", 2, "x")]) == [0, 1]


def test_gaps_are_filled_once_per_window():
    assert fill_gaps([(3.0, 1), (0.0, 2)], 1.0, (None,)) == [(0.0, 2), (1.0, None), (2.0, None), (3.0, 1)]


def test_a_gap_of_decades_has_two_points():
    filled = fill_gaps([(2e9, 1), (0.0, 2)], 0.02, (None,))
    assert filled == [(0.0, 2), (0.02, None), (2e9 - 0.02, None), (2e9, 1)]


def test_an_entity_keeps_its_colour():
    palette = Palette()
    first = palette.colour("a")
    assert palette.colour("b") != first
    assert palette.colour("a") == first


def test_entities_differ_in_colour_dash_and_symbol_though_colours_repeat():
    palette = Palette()
    seen = [(palette.colour(name), palette.dash(name), palette.symbol(name)) for name in map(str, range(32))]
    assert len(set(seen)) == 32


def test_controllers_look_alike_in_every_report():
    palette, other = Palette(), Palette()
    for station in "abc":
        palette.colour(station)
    names = [row[0] for row in _core.controllers()]
    assert [palette.colour(name) for name in names] == [other.colour(name) for name in reversed(names)][::-1]
    usual = ("new_reno", "rcp", "rcp_winf", "wcp", "xcp", "xcp_winf")  # those that `winf analyze` replays
    assert len({palette.colour(name) for name in usual}) == len(usual)
    for style in (palette.dash, palette.symbol):
        assert max(Counter(style(name) for name in usual).values()) == 2
    assert len({(palette.colour(name), palette.dash(name)) for name in names}) == len(names)


def test_numbers_and_names_as_people_read_them():
    assert [format_number(value) for value in (None, 0, 1234567, 4.52271, 0.00001, 12345.6)] == [
        "unknown",
        "0",
        "1\u202f234\u202f567",
        "4.523",
        "1e-05",
        "12\u202f346",
    ]
    assert display_text("observer", None) == "anonymous sniffer"
    assert len(display_text("source", "x" * 100)) <= 33


def test_recordings_that_lie_apart_are_told_from_their_own_beginnings():
    rows = pl.DataFrame(
        [("monday", 2412, 0.0, 0.5), ("friday", 2412, 400_000.0, 0.25)],
        schema=["source", "channel_mhz", "t_s", "busy"],
        orient="row",
    )
    setting = ReportContext(1.0, 10.0, {"monday": 0.0, "friday": 400_000.0})
    declared = panel(x=BUSY.x, y=BUSY.y, series=("channel_mhz", "source"), zero_within=("source",))
    figure = lines(declared, rows, setting).figures[0]
    assert [(trace["name"], trace["x"]) for trace in figure["data"]] == [("monday", [0.5]), ("friday", [0.5])]
    assert "the recording's first" in figure["layout"]["xaxis"]["title"]["text"]


def test_estimates_stand_beside_the_truth_and_against_their_mean():
    schema = ["log", "sender", "receiver", "quantity", "state", "node", "source", "observer", "estimator", "mode"]
    schema += ["t_s", "window_s", "estimate_mbps", "truth_mbps", "windows"]
    link = ("log.json", "a", "b", "capacity", "sender", "a", "s.pcap", None)
    rows = pl.DataFrame(
        [
            (*link, "rt_winf", "paper", 0.5, 1.0, 6.0, 4.0, 1),
            (*link, "rt_winf", "paper", 2.5, 1.0, 3.0, 5.0, 1),
            (*link, "mine", None, 0.5, 1.0, 4.5, 4.0, 1),
        ],
        schema=schema,
        orient="row",
    )
    drawing = agreement(panel(x=Quantity("t_s", "Time (s)")), rows, ReportContext(1.0))
    (chosen,) = drawing.choices["links"]
    assert chosen["label"] == "log.json: a → b"
    (view,) = chosen["views"]
    assert view["label"] == "capacity · sender a"
    truth, estimate, own = view["traces"]
    assert (truth["x"], truth["rate_mbps"]) == ([0.5, 1.5, 2.5], [4, None, 5])
    assert (estimate["name"], own["name"]) == ("rt_winf, paper", "mine")
    assert (estimate["mean_mbps"], estimate["difference_mbps"]) == ([5, 4], [2, -2])
    assert "difference_mbps" not in truth
    assert agreement(panel(), rows.clear(), ReportContext(1.0)).figures == []


def test_strips_share_the_time_axis_and_leave_out_what_is_unknown():
    shown = panel(
        x=Quantity("t_s", "Time (s)"),
        columns=(Quantity("mbps", "Rate"), Quantity("kb", "Window"), Quantity("jain", "Jain index", full=1.05)),
        series=("controller",),
        limit=2,
    )
    rows = pl.DataFrame(
        [
            ("xcp", 0.0, 1.0, None, 0.5),
            ("xcp", 1.0, None, None, 1.0),
            ("rcp", 0.0, 2.0, None, 1.0),
            ("z", 0.0, 1, None, 1),
        ],
        schema={"controller": str, "t_s": float, "mbps": float, "kb": float, "jain": float},
        orient="row",
    )
    drawing = small_multiples(shown, rows, ReportContext(1.0))
    figure = drawing.figures[0]
    assert [(trace["name"], trace["yaxis"], trace["y"]) for trace in figure["data"]] == [
        ("xcp", "y", [1, None]),
        ("rcp", "y", [2]),
        ("xcp", "y2", [0.5, 1]),
        ("rcp", "y2", [1]),
    ]
    assert [trace["showlegend"] for trace in figure["data"]] == [True, True, False, False]
    assert figure["layout"]["yaxis"]["domain"][0] > figure["layout"]["yaxis2"]["domain"][1]
    assert figure["layout"]["xaxis"]["anchor"] == "y2"
    assert any("2 of 3" in note for note in drawing.notes)


def test_points_have_whiskers_where_an_interval_is_known():
    shown = panel(
        x=Quantity("controller", "Controller"), y=Quantity("mbps", "Mb/s", scale=2, error="ci"), series=("flow",)
    )
    rows = pl.DataFrame(
        [("xcp", "a", 1.0, 0.5), ("rcp", "a", 2.0, None), ("xcp", "b", None, 0.1)],
        schema=["controller", "flow", "mbps", "ci"],
        orient="row",
    )
    figure = points(shown, rows, ReportContext(1.0)).figures[0]
    (trace,) = figure["data"]
    assert (trace["x"], trace["y"]) == (["xcp", "rcp"], [2, 4])
    assert trace["error_y"]["array"] == [1, 0]
    assert figure["layout"]["xaxis"]["type"] == "category"
    assert not points(shown, rows.clear(), ReportContext(1.0)).figures


def test_bssids_of_one_radio_share_a_bar():
    first, second = "02:00:00:00:00:10", "02:00:00:00:00:11"
    nodes = [{"node": node, "role": "ap", "ssid": "n", "radio": first} for node in (first, second)]
    rows = pl.DataFrame(
        {"bssid": [first, second, None], "ssid": ["n", "n", None], "station": [first, second, None]}
        | {"class": ["beacon"] * 3, "packets": [1, 2, 4], "bytes": [10, 20, 40], "airtime_ms": [1.0, 2.0, 4.0]}
    )
    drawing = switched_bars(panel(), rows, ReportContext(1.0, name=Names(nodes)))
    figure = drawing.figures[drawing.variants["radio|packets"]]
    assert figure["layout"]["order"] == ["no BSS known", f"n +1 ({first})"]
    assert figure["data"][0]["x"] == [4, 3]
    assert "radio|packets" not in switched_bars(panel(), rows, ReportContext(1.0)).variants


def test_a_window_that_outlasts_the_recording_is_plotted_inside_it():
    rows = pl.DataFrame({"t_s": [0.0, 1.0], "busy": [0.5, 0.25], "observer": None, "channel_mhz": 2412})
    trace = lines(BUSY, rows, ReportContext(1.0, span_s=1.4)).figures[0]["data"][0]
    assert trace["x"] == [0.5, 1.2]


@pytest.mark.parametrize(
    ("start_s", "width_s", "at_s"), [(-1, 2, 0.5), (0, 2, 1), (9, 4, 9.5), (-1, 20, 5), (11, 2, 12)]
)
def test_a_window_is_plotted_amid_what_was_recorded_of_it(start_s, width_s, at_s):
    assert ReportContext(1.0, span_s=10.0).centre(start_s, width_s) == at_s
