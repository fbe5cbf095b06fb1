"""How faithful replays of recordings are.

Records NewReno and UDP in ns-3 and ns-2, gives the recordings to ``winf``, replays the flows that it lifts out of them,
and compares. Writes the section about it in ``docs/replay.md``:

    python -m benchmarks.replay.fidelity

Needs ns-3.37, ns-2 and a compiler (Debian 12: apt install ns2 libns3-dev libgsl-dev g++ pkg-config). Recordings are
kept in the user's cache folder; some minutes the first time, one afterwards.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Any

import polars as pl

from benchmarks.replay.fidelity.recordings import SECONDS, SETTINGS, Setting, Truth, recorded, truth
from benchmarks.replay.tables import Check, checks, table

SEEDS = 5
PAGE = Path(__file__).parents[3] / "docs" / "replay.md"
HEADING = "## Fidelity: replays of recordings"
GOODPUT, RTT, UDP = 0.15, 0.25, 0.05
STARVED = 0.05
"""A flow with less than this share of the fastest one starves: its few packets make no median to compare."""


@dataclass(frozen=True)
class Row:
    """A flow, recorded and replayed."""

    setting: Setting
    truth: Truth
    goodput_bps: float
    rtt_ms: float | None
    starves: bool

    @property
    def goodput_error(self) -> float:
        """Relative."""
        return self.goodput_bps / self.truth.goodput_bps - 1

    @property
    def rtt_error(self) -> float | None:
        """Relative; None where there is nothing to compare."""
        known = self.truth.median_rtt_ms
        return self.rtt_ms / known - 1 if self.rtt_ms and known else None

    @property
    def holds(self) -> bool:
        """Whether it is within the bounds."""
        if self.truth.protocol == "udp":
            return abs(self.goodput_error) <= UDP
        return abs(self.goodput_error) <= GOODPUT and abs(self.rtt_error or 0) <= RTT


def main() -> None:
    """Record, replay, compare, write."""
    rows = [row for setting in SETTINGS for row in _compared(setting)]
    fed = [row for row in rows if not row.starves]
    starving = [row for row in rows if row.starves]
    parts = [HEADING + "\n", INTRODUCTION, _table(rows), "Checks:\n", checks(_checks(fed, starving)), FOUND]
    text = "\n".join(part.strip() + "\n" for part in parts)
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else "# Replay\n"
    before, _, after = page.partition(HEADING)
    rest = re.search(r"^## ", after, re.MULTILINE)
    following = "\n" + after[rest.start() :] if rest else ""
    PAGE.write_text(before.rstrip() + "\n\n" + text + following, encoding="utf-8")
    print(text)


def _compared(setting: Setting) -> Iterator[Row]:
    folder = recorded(setting)
    dataset = folder / "run.winf"
    _winf("ingest", folder / "recording", "-o", dataset, "--force")
    controllers = ["--controllers", "new_reno", "--seeds", SEEDS]
    flows = [
        row
        for row in _winf("replay", dataset, *controllers, "--draws", "0", "--to", "json")
        if row["flow"] != "all flows"
    ]
    facts = truth(folder)
    fastest = max(fact.goodput_bps for fact in facts)
    for row in flows:
        fact = next(fact for fact in facts if fact.protocol in row["flow"] and f" {fact.source}:" in f" {row['flow']}")
        if setting.simulator == "ns-2":
            fact = Truth(fact.source, fact.protocol, fact.goodput_bps, _ns2_rtt_ms(dataset))
        starves = fact.goodput_bps < STARVED * fastest
        yield Row(setting, fact, row["throughput_bps"], _median_rtt_ms(dataset, row["flow"]), starves)


def _median_rtt_ms(dataset: Path, flow: str) -> float | None:
    """Mean of the seeds' medians."""
    rows = pl.read_parquet(dataset / "replay_summary" / "*.parquet").filter(pl.col("flow") == flow)
    values = rows["rtt_p50_ms"].drop_nulls().to_list()
    return fmean(values) if values else None


def _ns2_rtt_ms(dataset: Path) -> float | None:
    """Median time from a segment that TCP sent once to the acknowledgement that covers it, in ns-2's agents."""
    agents = (
        pl.scan_parquet(dataset / "frames" / "*.parquet").filter(pl.col("layer") == "agent").collect().sort("ts_ns")
    )
    data = agents.filter(pl.col("direction") == "tx", pl.col("proto") == "tcp")
    sent = data.group_by("transport_seq").agg(pl.col("ts_ns").first(), pl.len()).filter(pl.col("len") == 1)
    known = dict(sent.select("transport_seq", "ts_ns").iter_rows())
    rtts, covered = [], -1
    acks = agents.filter(pl.col("direction") == "rx", pl.col("proto") == "ack")
    for number, at in acks.select("transport_seq", "ts_ns").iter_rows():
        if number > covered:
            covered = number
            if number in known:
                rtts.append((at - known[number]) / 1e6)
    return median(rtts) if rtts else None


def _winf(*arguments: object) -> list[dict[str, Any]]:
    command = [sys.executable, "-W", "ignore", "-m", "winf_analyzer", "-q", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout) if done.stdout.strip() else []


def _table(rows: list[Row]) -> str:
    header = ["recording", "flow from", "recorded, kbit/s", "replayed", "", "median RTT, ms", "replayed", ""]
    return table(header, (_cells(row) for row in rows))


def _cells(row: Row) -> list[str]:
    known, rtt = row.truth.median_rtt_ms, row.rtt_ms
    return [
        row.setting.title,
        f"{row.truth.source} ({row.truth.protocol.upper()})",
        f"{row.truth.goodput_bps / 1e3:.1f}",
        f"{row.goodput_bps / 1e3:.1f}",
        f"{100 * row.goodput_error:+.1f} %",
        f"{known:.1f}" if known else "–",
        f"{rtt:.1f}" if rtt and known else "–",
        f"{100 * row.rtt_error:+.1f} %" if row.rtt_error is not None else "–",
    ]


def _checks(fed: list[Row], starving: list[Row]) -> Iterator[Check]:
    tcp = [row for row in fed if row.truth.protocol == "tcp"]
    udp = [row for row in fed if row.truth.protocol == "udp"]
    settings = {row.setting for row in tcp}
    held = {setting for setting in settings if all(row.holds for row in tcp if row.setting == setting)}
    found = f"{len(held)} of {len(settings)}"
    yield Check(
        "TCP: goodput within 15 % and median RTT within 25 % on at least six recordings, starved flows left out",
        found,
        len(held) >= 6,
    )
    for row in tcp:
        if not row.holds:
            rtt = f", RTT {100 * row.rtt_error:+.1f} %" if row.rtt_error is not None else ""
            name = f"{row.setting.title}, from {row.truth.source}: within them"
            yield Check(name, f"goodput {100 * row.goodput_error:+.1f} %{rtt}", False)
    worst = max(abs(row.goodput_error) for row in udp)
    yield Check("UDP at a fixed rate: goodput within 5 %", f"at most {100 * worst:.1f} % off", worst <= UDP)
    for row in starving:
        found = f"{row.goodput_bps / 1e3:.1f} kbit/s, recorded {row.truth.goodput_bps / 1e3:.1f}"
        fastest = max(other.goodput_bps for other in fed if other.setting == row.setting)
        yield Check(
            f"{row.setting.title}: the flow that starved starves again", found, row.goodput_bps < STARVED * fastest
        )


INTRODUCTION = f"""
Made by `python -m benchmarks.replay.fidelity`. {SECONDS} s of ns-3.37 (one pcap per node) and ns-2.35 (a trace) are
ingested. `winf replay` replays their TCP flows, or UDP flows if there is no TCP, with NewReno in the world that it
builds from the recording alone. Recorded values are the goodput of the sink's application and the smoothed round-trip
time of the socket (ns-2: time from a segment sent once to its acknowledgement, in the trace); replayed values are means
over {SEEDS} seeds. 802.11b at 11 Mbit/s, nodes 200 m apart with a range of 250 m, so nodes two hops apart are hidden;
1000-byte segments, queues of 50. Cross traffic is 1.5 Mbit/s of UDP between two more stations near the first two nodes,
for three fifths of the time. Its packets are sent again at the times of their first attempts, and contend with the
replayed flow.
"""

FOUND = """
Taken from the recording: packet sizes, delayed acknowledgements, rates of every kind of frame, paths, which nodes hear
each other (also from their responses), the RTS threshold, losses without a collision, and in ns-2 traces the repair
time of routes. About contention: the RTS retry limit, the capture threshold of RTS, and whether nodes forward packets
without backoff directly after receiving them. About the TCP source: the initial window, if the source then waits for
an acknowledgement, and the shortest time before a retransmission, which is an upper bound of its minimum timeout. All
other values are assumed, and listed on standard error: an initial window of 10 segments (ns-2: 2), a minimum timeout
of 1 s (ns-2: 0.2 s), slots and contention windows by PHY, retry limits 7 and 4, and a carrier sense range equal to the
decoding range. The limit of queues is what waits in front of TCP's retransmissions, where the segment had been dropped
before it was on the air; or, where the queue of a receiver's station stands full of acknowledgements, what it sends
between a segment and its acknowledgement. Where nothing shows it, 50 packets are assumed. Queues that drop what has
waited too long show that by TCP's time stamps, and FQ-CoDel above them by drops at intervals that shrink, or by
acknowledgements that waited for longer than that.

Limitations of a recorded world: a capture only contains transmissions on the air. A wire behind the station at an end
of a TCP flow is known by its delay alone, from the handshake, the fastest acknowledgements, the fastest echo of a time
stamp or, where the queue of its station is never empty, from what leaves that queue between two acknowledgements that
the station made itself; the wired links of ns-2's wired-cum-wireless traces are left out. Nodes do not move: the
audibility graph is that of the whole recording. For mobility, declare a world in TOML. A-MSDUs, and TXOPs of several
PPDUs, are not modelled.

Effects of model details: cross traffic as fixed busy intervals gave 6 % too much goodput over one hop and 13 % over
two, because intervals do not defer; as contending packets the error is below 2 %. ns-3 acknowledges data at 11 Mbit/s
but sends CTS at 1 Mbit/s: one control rate for both reduced the goodput of Stack by 9 to 11 %. Counting failed
attempts as channel losses whenever the sender saw no other frame gave a loss rate of 4 % with RTS/CTS over three hops,
where ns-3 has none: responses of nodes that the sender does not hear must be considered as well. ns-2's AODV drops a
node's queued packets when the MAC drops a packet; with static routes goodput was 8 % and the RTT 39 % too high. The
station that receives the cross traffic only sends CTS and ACK, which have no transmitter address: while no node was
assumed to hear it, goodput over two hops with RTS/CTS was 14 % too high.

With RTS/CTS the RTT was 29 % too short over three hops and 52 % over four. The cause is the collision model; each step
changes the counts of the first of the three hops (means of 3 seeds, RTT of 5):

| MAC | RTS without CTS | data frames lost | RTT, 3 hops | RTT, 4 hops |
| --- | ---: | ---: | ---: | ---: |
| recorded in ns-3 | 4098 | 578 | 218 | 292 |
| all overlapping frames are lost, seven RTS attempts | 4593 | 127 | 155 | 139 |
| an RTS survives frames of equal power that start later | 3725 | 648 | 205 | 170 |
| and is retried until there is a CTS | 3684 | 638 | 215 | 288 |
| and response timeouts end with the PLCP header, as in the standard | 3878 | 621 | 258 | 280 |
| and received packets are forwarded without backoff | 3742 | 593 | 252 | 260 |

ns-3's 802.11b receivers lose no frame at 1 Mbit/s to a later one of equal power (direct-sequence spreading; its error
model gives 13 dB), and ns-3 limits the attempts of the data frame of a long packet, but not of its RTS. ns-3 also has
the last two properties. They do not improve the median RTT, which varies from 218 to 261 ms (three hops) and from 222
to 313 ms (four) over five seeds of ns-3, but they improve the losses: with cross traffic over two hops, 374 RTS of its
sender have no CTS (recorded: 373), and 519 with a backoff before forwarded packets.

The limit of a queue follows from what waits in front of retransmissions that no failure of the MAC explains. It depends
on how many RTS without CTS a packet is given up after, which the recording shows: ns-3 repeats an RTS without end. With
seven taken for granted, the RTT of Stack's outer flows was 64 to 77 % too long.

A starved flow delivers only a few packets in 30 s, at random: ns-3 itself gives 2 to 36 kbit/s with RTS/CTS and 0.3 to
10 without, in five seeds. Only the fact that it starves is compared.
"""


if __name__ == "__main__":
    main()
