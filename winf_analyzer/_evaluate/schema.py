"""The columns of the tables that a comparison fills."""

import polars as pl

from winf_analyzer._schema.estimates import FLOAT, INT, TEXT, Column

WHOSE: tuple[Column, ...] = (
    Column(
        "estimator",
        TEXT,
        "",
        "name in the registry, or the controller of a replay; recording: the goodput that was recorded",
    ),
    Column("mode", TEXT, "", "paper or corrected; null: not an estimate"),
    Column(
        "quantity",
        TEXT,
        "",
        "what is held against iperf: capacity, available (its flow is not in the recording), attainable (available "
        "plus what the flow got through; it is in the recording), goodput (what the flow got through, as recorded) or "
        "replayed (what a replay gave to the flow)",
    ),
    Column("log", TEXT, "", "the log or trace that is the truth"),
    Column("flow", TEXT, "", "conversation; null: several at a time on the link, summed, or not named by the log"),
    Column("source", TEXT, "", "the recording; replayed: the name of the replay"),
    Column("observer", TEXT, "", "whose radio recorded it; null: an anonymous sniffer"),
    Column("node", TEXT, "", "the station whose estimate it is; null: the sniffer's own"),
    Column("state", TEXT, "", "what the node was to the link: sender, receiver or onlooker"),
    Column("sender", TEXT, "", "transmitter of the link that carries the flow from its source"),
    Column("receiver", TEXT, "", "receiver of that link"),
)
"""Which estimates are compared with which truth."""

COMPARISON: tuple[Column, ...] = (
    *WHOSE,
    Column("t_ns", INT, "ns", "start of the window, on the recording's clock"),
    Column("window_ns", INT, "ns", "length of the window"),
    Column("estimate_bps", FLOAT, "bit/s", "the estimate, or its mean over the window"),
    Column("truth_bps", FLOAT, "bit/s", "what the log says, as MSDU payload: with the headers of IP and transport"),
    Column("upper_bps", FLOAT, "bit/s", "theoretical maximum throughput of the link; null: not estimated"),
)
"""The `comparison` table: one row per estimate and truth of a window."""

ALIGNMENT: tuple[Column, ...] = (
    Column(
        "aligned_by",
        TEXT,
        "",
        "absolute (time), refined (absolute time, then correlation), offset (as given) or correlation",
    ),
    Column("offset_ns", INT, "ns", "what was added to the log's times"),
    Column(
        "peak",
        FLOAT,
        "1",
        "normalized cross-correlation of log and recording at that offset; null: the flow is not in it",
    ),
    Column("second_peak", FLOAT, "1", "the highest other peak; the offset is sure where it is much lower"),
    Column("matched_by", TEXT, "", "addresses, hosts (ports differ), link (as asked), only_link or correlation"),
    Column("payload_share", FLOAT, "1", "transport payload of an MSDU's octets; truth_bps is the log's rate over this"),
    Column("lost_share", FLOAT, "1", "datagrams that iperf missed; above 0: it offered more than passed"),
)
"""How a log's clock and flow were found in the recording."""

SCORES: tuple[Column, ...] = (
    *WHOSE,
    Column("windows", INT, "", "windows compared"),
    Column("estimate_bps", FLOAT, "bit/s", "mean of the estimates"),
    Column("truth_bps", FLOAT, "bit/s", "mean of the truth"),
    Column("bias_bps", FLOAT, "bit/s", "mean difference, estimate less truth"),
    Column("mae_bps", FLOAT, "bit/s", "mean absolute error"),
    Column("rmse_bps", FLOAT, "bit/s", "root of the mean squared error"),
    Column("mape", FLOAT, "1", "mean absolute error as a share of the truth, over windows with traffic"),
    Column("correlation", FLOAT, "1", "Pearson's; null: fewer than three windows, or one side never changes"),
    Column("within_bounds", FLOAT, "1", "share of windows with truth <= estimate <= theoretical maximum"),
    *ALIGNMENT,
)
"""The `scores` table: one row per estimator, mode, quantity, log, link and view of it."""

WHOSE_NAMES = tuple(column.name for column in WHOSE)
COMPARISON_SCHEMA = pl.Schema({column.name: column.dtype for column in COMPARISON})
SCORES_SCHEMA = pl.Schema({column.name: column.dtype for column in SCORES})
