"""Data that fail behind a CTS beside a hidden station: the channel loses them, whatever the station sends."""

import random
import struct

import pytest
from air import DIFS_US, SIFS_US, Air
from pcaps import ack, address

import winf_analyzer

A, C, AP = "02:00:00:00:00:0a", "02:00:00:00:00:0c", "02:00:00:00:00:01"
SECONDS, OWN_PER_S, HIDDEN_PER_S = 10, 40.0, 60.0
QOS_DATA = 0x88


def available(folder, loss, mcs):
    """The answer about A, which recorded itself; of C it hears what is answered. `loss`: of its data behind a CTS."""
    folder.mkdir()
    draw, air, number = random.Random(3), Air(), 0
    arrivals = []
    for station, per_s in ((A, OWN_PER_S), (C, HIDDEN_PER_S)):
        at = draw.expovariate(per_s)
        while at < SECONDS:
            arrivals.append((at * 1e6, station))
            at += draw.expovariate(per_s)
    for at_us, station in sorted(arrivals):
        air.until(at_us)
        if station == C:
            hidden_exchange(air)
            continue
        number += 1
        for attempt in range(7):
            air.wait(DIFS_US + 20 * draw.randrange(min(32 << attempt, 1024)))
            # A sixth of its RTS meet what C sends.
            heard = draw.random() > 1 / 6
            air.rts(A, AP, 2000, cts=heard)
            answered = heard and draw.random() >= loss
            if heard:
                air.now_us -= DIFS_US  # the data follow after SIFS
                air.exchange(
                    *(A, AP, AP),
                    body=bytes(2) + bytes(1000),
                    seq=number,
                    kind=QOS_DATA,
                    answered=answered,
                    retry=attempt > 0,
                    backoff_us=0,
                    mcs=mcs,
                )
            if answered:
                break
    (folder / "recording.pcap").write_bytes(air.capture())
    dataset = winf_analyzer.ingest([folder / "recording.pcap"], folder / "run.winf", observer=A)
    winf_analyzer.estimate(dataset, estimators=["saturation"], mode="corrected")
    rows = dataset.scan("recommended").collect()
    rows = rows.filter(rows["whole"] & (rows["sender"] == A))
    return rows["available_bps"].item()


def hidden_exchange(air):
    """The CTS and the ACK of what C sends, 1000 octets at 11 Mb/s behind an RTS."""
    air.wait(DIFS_US + 352 + SIFS_US)
    air.send(struct.pack("<BBH", 0xC4, 0, 2000) + address(C), 1)
    air.wait(SIFS_US + 960 + SIFS_US)
    air.send(ack(C), 1)


@pytest.mark.parametrize(("mcs", "left"), [(None, 0.57), (4, 0.7)])
def test_what_is_lost_behind_a_cts_is_not_available(mcs, left, tmp_path):
    """Of aggregates as large a share arrives; single frames are sent again with a larger backoff, behind an RTS."""
    whole, lossy = (available(tmp_path / f"{loss}", loss, mcs) for loss in (0.0, 0.3))
    assert lossy / whole == pytest.approx(left, abs=0.05)
