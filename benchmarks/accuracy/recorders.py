"""Recordings as other recorders would have made them: other clocks, frames missed, links unheard, cut short.

A recording of ns-3 is a pcap with nanosecond stamps and radiotap headers that hold TSFT; every change is made to its
records, so that no simulation is needed for them.
"""

from __future__ import annotations

import hashlib
import json
import random
import struct
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.accuracy.scenario_list import ListedRun

FILE_HEADER, RECORD_HEADER = 24, 16
NANOSECOND_MAGIC = 0xA1B23C4D
SECOND_NS = 1_000_000_000
START_NS = SECOND_NS
"""Where the measured time begins; what is before it is not recorded."""


class Record(NamedTuple):
    """A record of a pcap: time stamp, octets, and length on the air with its radiotap header."""

    ts_ns: int
    octets: bytes
    length: int


def record(run: ListedRun, source: Path, stations: dict[str, list], target: Path) -> None:
    """Write `target`: the simulation's recording `source` as the recorder of `run` would have made it."""
    start_ns = START_NS + run.omitted_s * SECOND_NS
    until_ns = start_ns + (run.recorded_ms * 1_000_000 if run.recorded_ms else run.seconds * SECOND_NS)
    if run.simulator == "ns2":
        _cut_trace(source, target, start_ns, until_ns)
        return
    numbers = draws(run.name)
    records: Iterable[Record] = (record for record in read(source) if start_ns <= record.ts_ns < until_ns)
    if run.unheard:
        records = _without_links(records, _unheard_addresses(run, stations), run.topology == "bss")
    if run.missed:
        records = missing(records, run.missed, run.missed_burst, numbers)
    if run.paused:
        records = pausing(records, run.paused, run.pause_ms, numbers)
    if run.channels > 1:
        records = on_channels(records, run)
    if run.clock:
        records = map(without_tsft, CLOCKS[run.clock](records, numbers))
    write(source, target, records)


def cut(source: Path, target: Path, start_ns: int, until_ns: int) -> None:
    """A recording of either simulator, from one time to another."""
    if source.suffix == ".tr":
        _cut_trace(source, target, start_ns, until_ns)
    else:
        write(source, target, (record for record in read(source) if start_ns <= record.ts_ns < until_ns))


def draws(name: str) -> random.Random:
    """Random numbers that are a recording's own."""
    return random.Random(hashlib.sha256(name.encode()).digest())


def read(path: Path) -> Iterator[Record]:
    """The records of a pcap with nanosecond stamps."""
    data = path.read_bytes()
    if struct.unpack_from("<I", data)[0] != NANOSECOND_MAGIC:
        raise ValueError(f"{path}: not a pcap with nanosecond stamps")
    offset = FILE_HEADER
    while offset < len(data):
        seconds, nanoseconds, captured, length = struct.unpack_from("<IIII", data, offset)
        offset += RECORD_HEADER
        yield Record(seconds * SECOND_NS + nanoseconds, data[offset : offset + captured], length)
        offset += captured


def write(source: Path, target: Path, records: Iterable[Record]) -> None:
    """A pcap of these records, with the header of `source`."""
    with target.open("wb") as file:
        file.write(source.read_bytes()[:FILE_HEADER])
        for ts_ns, octets, length in records:
            seconds, nanoseconds = divmod(ts_ns, SECOND_NS)
            file.write(struct.pack("<IIII", seconds, nanoseconds, len(octets), length) + octets)


def _cut_trace(source: Path, target: Path, start_ns: int, until_ns: int) -> None:
    """The lines of an ns-2 trace within a time."""
    with source.open(encoding="ascii") as lines, target.open("w", encoding="ascii") as file:
        file.writelines(line for line in lines if start_ns <= float(line.split(maxsplit=2)[1]) * 1e9 < until_ns)


def without_tsft(record: Record) -> Record:
    """The record with a radiotap header that has no TSFT, its first field."""
    length, present = struct.unpack_from("<HI", record.octets, 2)
    if not present & 1:
        return record
    words = 1
    while struct.unpack_from("<I", record.octets, 4 * words)[0] >> 31:
        words += 1
    begin = (4 + 4 * words + 7) // 8 * 8
    header = struct.pack("<BBHI", record.octets[0], record.octets[1], length - 8, present & ~1)
    octets = header + record.octets[8:begin] + record.octets[begin + 8 :]
    return Record(record.ts_ns, octets, record.length - 8)


def _host_stamps(records: Iterable[Record], draws: random.Random) -> Iterator[Record]:
    """Stamps of a host without delay, in microseconds."""
    for record in records:
        yield record._replace(ts_ns=record.ts_ns // 1000 * 1000)


def _quantised(step_ns: int) -> Callable[[Iterable[Record], random.Random], Iterator[Record]]:
    def stamped(records: Iterable[Record], draws: random.Random) -> Iterator[Record]:
        for record in records:
            yield record._replace(ts_ns=record.ts_ns // step_ns * step_ns)

    return stamped


def _delayed(most_ns: int) -> Callable[[Iterable[Record], random.Random], Iterator[Record]]:
    """Stamps late by up to `most_ns`, evenly distributed; their order stays."""

    def stamped(records: Iterable[Record], draws: random.Random) -> Iterator[Record]:
        last = 0
        for record in records:
            last = max(last, (record.ts_ns + draws.randrange(most_ns)) // 1000 * 1000)
            yield record._replace(ts_ns=last)

    return stamped


def _batched(period_ns: int, apart_ns: int = 2000) -> Callable[[Iterable[Record], random.Random], Iterator[Record]]:
    """Stamps of the moment at which the host fetches a batch, the next frame of it a little later."""

    def stamped(records: Iterable[Record], draws: random.Random) -> Iterator[Record]:
        batch, count = -1, 0
        for record in records:
            here = record.ts_ns // period_ns + 1
            batch, count = (batch, count + 1) if here == batch else (here, 0)
            yield record._replace(ts_ns=batch * period_ns + count * apart_ns)

    return stamped


CLOCKS: dict[str, Callable[[Iterable[Record], random.Random], Iterator[Record]]] = {
    "none": _host_stamps,
    "1ms": _quantised(1_000_000),
    "jitter50us": _delayed(50_000),
    "jitter300us": _delayed(300_000),
    "batch5ms": _batched(5_000_000),
}
"""Clocks of recorders, none of which has TSFT."""


def missing(records: Iterable[Record], share: float, burst: float, draws: random.Random) -> Iterator[Record]:
    """The records that a recorder keeps that misses `share` of them, on average `burst` in a row."""
    deaf = draws.random() < share
    for record in records:
        if not deaf:
            yield record
        if burst <= 1:
            deaf = draws.random() < share
        elif deaf:
            deaf = draws.random() >= 1 / burst
        else:
            deaf = draws.random() < share / (burst * (1 - share))


def pausing(records: Iterable[Record], share: float, pause_ms: float, draws: random.Random) -> Iterator[Record]:
    """The records of a recorder that records nothing for `share` of the time, `pause_ms` on average at a time."""
    pause_ns = pause_ms * 1e6
    recorded_ns = pause_ns * (1 - share) / share
    until_ns, pauses = None, True
    for record in records:
        until_ns = float(record.ts_ns) if until_ns is None else until_ns
        while record.ts_ns >= until_ns:
            pauses = not pauses
            until_ns += draws.expovariate(1 / (pause_ns if pauses else recorded_ns))
        if not pauses:
            yield record


def on_channels(records: Iterable[Record], run: ListedRun) -> Iterator[Record]:
    """What a recorder of several channels keeps: one radio that hops, or a radio for each channel.

    On the others is another network, with the same traffic and addresses of its own; or nothing.
    """
    for record in records:
        turn = record.ts_ns // (run.stay_ms * 1_000_000) % run.channels if run.stay_ms else None
        for number in range(run.channels):
            if turn not in (None, number) or (number and run.silent):
                continue
            yield _of_another_network(record, number) if number else record


def _of_another_network(record: Record, number: int) -> Record:
    """The record on another channel, as many channels above, of stations with other addresses."""
    octets = bytearray(record.octets)
    length, present = struct.unpack_from("<HI", octets, 2)
    # TSFT, Flags and Rate come before the channel.
    offset = 16 + 1 + (present >> 2 & 1)
    offset += offset % 2
    mhz = struct.unpack_from("<H", octets, offset)[0]
    struct.pack_into("<H", octets, offset, mhz + (20 if mhz > 5000 else 5) * number)
    for begin in range(length + 4, min(length + 22, len(octets) - 5), 6):
        if not octets[begin] & 1:
            octets[begin + 1] ^= number
    return record._replace(octets=bytes(octets))


def _unheard_addresses(run: ListedRun, stations: dict[str, list]) -> set[bytes]:
    """Whoever sends on the unheard links, and in ad hoc networks who receives on them."""
    nodes = [node for link in run.unheard for node in stations["links"][link]]
    if run.topology == "bss":
        access_point = 0 if run.direction == "down" else 1
        nodes = [node for node in nodes if node != access_point]
    return {bytes.fromhex(stations["addresses"][node].replace(":", "")) for node in nodes}


def _without_links(records: Iterable[Record], unheard: set[bytes], access_point: bool) -> Iterator[Record]:
    """Drops what these stations send; in ad hoc networks the answers to them too, which come from one another."""
    for record in records:
        mac = record.octets[struct.unpack_from("<H", record.octets, 2)[0] :]
        receiver, transmitter = mac[4:10], mac[10:16] if len(mac) >= 16 and not _is_answer(mac) else b""
        if transmitter not in unheard and (access_point or receiver not in unheard):
            yield record


def _is_answer(mac: bytes) -> bool:
    """Whether it is a CTS or an ACK, which name no transmitter."""
    return mac[0] in (0xC4, 0xD4)


def read_stations(path: Path) -> dict[str, list]:
    """`addresses` of the nodes and `links` as pairs of nodes."""
    stations: dict[str, list] = json.loads(path.read_text(encoding="utf-8"))
    return stations
