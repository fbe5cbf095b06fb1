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
    flows = [row for row in _winf("replay", dataset, *controllers, "--to", "json") if row["flow"] != "all flows"]
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
ingested; `winf replay` lifts the TCP flows out of them, or UDP where there is no TCP, and runs NewReno in the world it
builds. Nothing else than the recording is known to it. Recorded are what the sink's application received and the
socket's round-trip times, smoothed (ns-2: time from a segment sent once to its acknowledgement, in the trace); replayed
are means over {SEEDS} seeds. 802.11b at 11 Mbit/s, nodes 200 m apart that hear 250 m, so nodes two hops apart are
hidden; 1000-byte segments, queues of 50. Cross traffic is 1.5 Mbit/s of UDP between two more stations near the first
two nodes, for three fifths of the time. It is not lifted out: its packets contend again at the instants they were
first tried.
"""

FOUND = """
What is seen in a recording: sizes, delayed acknowledgements, rates of every kind of frame, paths, who hears whom (by
their answers, too), the RTS threshold, losses that met no other frame, and in ns-2's traces how long routes stay
broken. Of contention: how often RTS are repeated, whether they outlast frames that begin later, whether nodes pass on
at once what they have just received. Of TCP's source: the initial window, if it then waits for an acknowledgement, and
the least time before it repeats a segment, above which its least timeout cannot lie. Where these do not show, and for
the rest, values are presumed, and that is said on standard error: queues of 50 packets, an initial window of 10
segments (ns-2: 2), a least timeout of 1 s (ns-2: 0.2 s), slots and contention windows by PHY, retry limits 7 and 4,
that whom a node does not decode it does not sense. The bound of a queue does not show on the air: what waits in it, and
what it drops before its first attempt, is not sent.

What a recorded world cannot know. It has no wires: a capture holds what is on the air, and what is behind the radios
adds neither hops nor delays, so that a flow begins and ends where its frames do; the wired links of ns-2's
wired-cum-wireless traces are left out likewise. Its nodes do not move: who hears whom is that of the whole recording.
For wires and mobiles declare a world in TOML.

What made a difference on the way. Cross traffic as fixed spans of busy time gave 6 % too much goodput over one hop and
13 % over two, because spans do not defer; as packets that contend the error is below 2 %. ns-3 answers data at
11 Mbit/s but RTS at 1 Mbit/s: one control rate for both took 9 to 11 % off the goodput of Stack. Failed attempts taken
for losses of the channel wherever the sender saw no other frame gave 4 % of loss, with RTS/CTS over three hops, where
ns-3 has none: answers of nodes that the sender does not hear must be counted too. ns-2's AODV drops what a node holds
when the MAC gives up; with static routes goodput came out 8 % too high and the RTT 39 %. The station that receives the
cross traffic sends nothing but CTS and ACK, which do not name their sender: as long as nobody was taken to hear it,
goodput over two hops with RTS/CTS came out 14 % too high.

With RTS/CTS the RTT was 29 % too short over three hops and 52 % over four. The cause is in how frames collide, and each
step shows in what the first link of the three hops counts (means of 3 seeds, RTT of 5):

| MAC | RTS unanswered | data frames lost | RTT, 3 hops | RTT, 4 hops |
| --- | ---: | ---: | ---: | ---: |
| recorded in ns-3 | 4098 | 578 | 218 | 292 |
| all that overlaps is lost, seven RTS | 4593 | 127 | 155 | 139 |
| an RTS outlasts what begins later and is as strong | 3725 | 648 | 205 | 170 |
| and is repeated until it is answered | 3684 | 638 | 215 | 288 |
| and answers are waited for until their header, as the standard has it | 3878 | 621 | 258 | 280 |
| and what was just received is passed on without a backoff | 3742 | 593 | 252 | 260 |

ns-3's 802.11b receivers lose no frame at 1 Mbit/s to one that begins later and is as strong (direct-sequence spreading;
its error model gives 13 dB), and ns-3 limits how often the data frame of a long packet is sent, but not its RTS. The
last two steps are ns-3's as well; they do not bring the median RTT closer, which ns-3 itself spreads over 218 to 261 ms
(three hops) and 222 to 313 ms (four) in five seeds, but they do the losses: with cross traffic over two hops 374 RTS of
its sender go unanswered (recorded: 373), and 519 with a backoff before what is passed on.

What is furthest off is the RTT over two hops with cross traffic and RTS/CTS. It lies near 200 ms without cross traffic
and near 700 ms with it, and the median at the edge between the two; five seeds of ns-3 give 259 to 312 ms, ten of the
replay 263 to 375 ms.

A starved flow gets through a handful of packets in 30 s, decided by chance: ns-3 itself gives 2 to 36 kbit/s with
RTS/CTS and 0.3 to 10 without, in five seeds. Only that it starves is compared.
"""


if __name__ == "__main__":
    main()
