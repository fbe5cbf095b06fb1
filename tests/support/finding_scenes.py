"""For each finding a recording that has it, and one like it that has not."""

from __future__ import annotations

from collections.abc import Callable

from air import ALL, CONTROL_US, DIFS_US, FROM_DS, SIFS_US, Air, airtime_us, beacon, mac, operating, tcp

AP, OTHER_AP = "02:00:00:00:00:01", "02:00:00:00:01:01"
A, B, C = (f"02:00:00:00:00:0{n}" for n in "abc")
BACKOFFS = (40, 320, 160, 560, 80, 440, 240, 600)


def _links(
    air: Air, count: int, gap_us: float, senders: tuple[str, ...] = (A, B), rates: tuple[float, ...] = (11, 11)
) -> None:
    """Exchanges with the access point in turn, with idle time behind each."""
    for number in range(count):
        place = number % len(senders)
        backoff = BACKOFFS[number % len(BACKOFFS)]
        air.exchange(senders[place], AP, AP, seq=number // len(senders), rate_mbps=rates[place], backoff_us=backoff)
        air.wait(gap_us)


def light(air: Air) -> None:
    """Two stations that send little."""
    _links(air, 200, 8_000)


def beacons(air: Air) -> None:
    for number in range(40):
        for place in range(20):
            air.until(number * 102_400 + place * 5_000)
            air.wait(50)
            air.send(beacon(f"02:00:00:00:02:{place:02x}", seq=number), 1)
        for place in range(4):
            air.exchange((A, B)[place % 2], AP, AP, seq=2 * number + place // 2)


def full(air: Air) -> None:
    _links(air, 1200, 0)


def retries(air: Air, share: int = 2) -> None:
    for number in range(200):
        backoff = BACKOFFS[number % len(BACKOFFS)]
        if share and number % share == 0:
            air.exchange(A, AP, AP, seq=number, answered=False, backoff_us=backoff)
            air.exchange(A, AP, AP, seq=number, retry=True, backoff_us=backoff)
        else:
            air.exchange(A, AP, AP, seq=number, backoff_us=backoff)
        air.exchange(B, AP, AP, seq=number)
        air.wait(5_000)


def few_retries(air: Air) -> None:
    retries(air, 12)


def slow(air: Air) -> None:
    _links(air, 300, 3_000, rates=(11, 1))


def unanswered(air: Air) -> None:
    for number in range(100):
        air.exchange(A, AP, AP, seq=number, answered=False)
        air.wait(5_000)


def chatter(air: Air, every: int = 1) -> None:
    """Multicast at 1 Mb/s beside data at 11."""
    for number in range(200):
        if number % every == 0:
            air.wait(DIFS_US + BACKOFFS[number % len(BACKOFFS)])
            air.send(mac(0x08, ALL, AP, AP, bytes(500), seq=number, flags=FROM_DS), 1)
        air.exchange(AP, A, AP, seq=200 + number)
        air.wait(5_000)


def hardly_any_chatter(air: Air) -> None:
    chatter(air, 20)


def overlapping(air: Air, every: int = 1) -> None:
    for bssid in (AP, OTHER_AP):
        air.wait(50)
        air.send(beacon(bssid), 1)
    for number in range(200):
        air.exchange(A, AP, AP, seq=number)
        if number % every == 0:
            air.exchange(C, OTHER_AP, OTHER_AP, seq=number // every, body=bytes(700))
        air.wait(2_000)


def little_overlap(air: Air) -> None:
    overlapping(air, 20)


def protected(air: Air, payload: int = 200) -> None:
    protected_us = SIFS_US + airtime_us(28 + payload, 11) + SIFS_US + CONTROL_US
    for number in range(300):
        air.wait(DIFS_US + BACKOFFS[number % len(BACKOFFS)])
        air.rts(A, AP, protected_us)
        air.wait(-DIFS_US)
        air.exchange(A, AP, AP, seq=number, body=bytes(payload), backoff_us=0)
        air.wait(500 if payload < 1000 else 20_000)


def protected_long(air: Air) -> None:
    protected(air, 1500)


def single_frames(air: Air, gap_us: float = 0) -> None:
    for number in range(600):
        air.exchange(
            A,
            AP,
            AP,
            seq=number,
            kind=0x88,
            body=b"\0\0" + bytes(500),
            mcs=7,
            rate_mbps=24,
            backoff_us=9 * (number % 8),
            channel_mhz=5180,
        )
        air.wait(gap_us)


def sparse_frames(air: Air) -> None:
    single_frames(air, 10_000)


def sleepy(air: Air, every: int = 1) -> None:
    for number in range(300):
        if number % every == 0:
            air.exchange(B, AP, AP, seq=number, kind=0x48, body=b"", rate_mbps=1)
        air.exchange(A, AP, AP, seq=number)
        air.wait(2_000)


def hardly_sleepy(air: Air) -> None:
    sleepy(air, 30)


def far(air: Air, dbm: int = -82) -> None:
    for number in range(150):
        air.exchange(A, AP, AP, seq=number, dbm=dbm, rate_mbps=2)
        air.exchange(AP, B, AP, seq=number)
        air.wait(3_000)


def nearer(air: Air) -> None:
    far(air, -60)


def sticky(air: Air, dbm: int = -50) -> None:
    for number in range(60):
        air.until(number * 102_400)
        air.send(beacon(AP, b"office", number), 1, dbm=-72)
        air.wait(200)
        air.send(beacon(OTHER_AP, b"office", number), 1, dbm=dbm)
        air.exchange(A, AP, AP, seq=number)
        air.exchange(AP, A, AP, seq=number, dbm=-72)


def settled(air: Air) -> None:
    sticky(air, -75)


def segments(air: Air, wait_us: Callable[[int], float], together: int = 2) -> None:
    """Segments, so many at a time, that are acknowledged after a wait."""
    for number in range(80):
        for place in range(number * together, (number + 1) * together):
            air.exchange(A, AP, AP, seq=place, body=tcp(1, 2, 1 + 100 * place, 100))
        air.wait(wait_us(number))
        back = tcp(2, 1, 1, 0, 1 + 100 * together * (number + 1), ports=(5001, 5000))
        air.exchange(AP, A, AP, seq=number, body=back)
        air.wait(1_000)


def bloated(air: Air) -> None:
    segments(air, lambda number: 5_000 + 4_000 * min(number, 60))


def prompt(air: Air) -> None:
    segments(air, lambda number: 5_000 + 20_000 * (number % 2))


def stalled(air: Air, wait_us: float = 400_000) -> None:
    for number in range(80):
        air.exchange(A, AP, AP, seq=2 * number, body=tcp(1, 2, 1 + 100 * number, 100))
        if number % 10 == 0:
            air.wait(wait_us)
            air.exchange(A, AP, AP, seq=2 * number + 1, body=tcp(1, 2, 1 + 100 * number, 100))
        air.wait(2_000)


def repaired(air: Air) -> None:
    stalled(air, 60_000)


def unfair(air: Air, ratio: int = 6) -> None:
    for number in range(130):
        for more in range(ratio):
            body = tcp(1, 9, 1 + 1000 * (ratio * number + more), 1000)
            air.exchange(A, AP, AP, seq=ratio * number + more, body=body)
        air.exchange(B, AP, AP, seq=number, body=tcp(3, 9, 1 + 1000 * number, 1000, ports=(6000, 5001)))


def fair(air: Air) -> None:
    unfair(air, 2)


def _management(air: Air, kind: int, ta: str, ra: str, bssid: str, seq: int, body: bytes = bytes(10)) -> None:
    air.exchange(ta, ra, bssid, seq=seq, kind=kind, body=body, rate_mbps=1)


def roams(air: Air, times: int = 6) -> None:
    for number in range(times):
        bssid = (AP, OTHER_AP)[number % 2]
        _management(air, 0x20, A, bssid, bssid, number)
        _links(air, 20, 5_000)


def roams_once(air: Air) -> None:
    roams(air, 2)


def thrown_out(air: Air, times: int = 8) -> None:
    for number in range(times):
        _management(air, 0xB0, A, AP, AP, number)
        _management(air, 0x00, A, AP, AP, number + 100)
        _links(air, 20, 5_000)
        _management(air, 0xC0, AP, A, AP, number, b"\x07\0")


def leaves_once(air: Air) -> None:
    thrown_out(air, 1)


def flooded(air: Air, asked: bool = False) -> None:
    """Deauthentications in the names of an access point and a station, which sends data before each if it `asked`."""
    for number in range(60):
        if asked:
            air.exchange(A, AP, AP, seq=number, body=bytes(60), answered=False)
        _management(air, 0xC0, AP, A, AP, number, b"\x07\0")
        if not asked:
            _management(air, 0xC0, A, AP, AP, number, b"\x07\0")


def answered_with_it(air: Air) -> None:
    flooded(air, asked=True)


def interfered(air: Air, wait_us: float = 30_000) -> None:
    for number in range(150):
        air.exchange(A, AP, AP, seq=number, answered=False)
        air.wait(wait_us)
        air.exchange(A, AP, AP, seq=number, retry=True)
        air.wait(2_000)


def prompt_retries(air: Air) -> None:
    interfered(air, 0)


def hopping(air: Air, channels: tuple[int, ...] = (2412, 2437, 2462)) -> None:
    for number in range(90):
        for _ in range(5):
            air.wait(400)
            air.send(beacon(AP, seq=number), 1, channel_mhz=channels[number // 5 % len(channels)])


def steady(air: Air) -> None:
    hopping(air, (2412,))


def switched(air: Air, channels: tuple[int, int] = (5260, 5180)) -> None:
    for number in range(60):
        air.until(number * 102_400)
        air.send(mac(0x80, "ff:ff:ff:ff:ff:ff", AP, AP, bytes(60)), 6, channel_mhz=channels[number >= 30])


def not_switched(air: Air) -> None:
    switched(air, (5180, 5180))


def leaves(air: Air, switch: tuple[int, int] = (100, 5)) -> None:
    """Ten beacons on channel 52, five more that count down to another, and 2 s of a neighbour who stays."""
    number, count = switch
    for beat in range(35):
        air.until(beat * 102_400)
        air.send(beacon(OTHER_AP, seq=beat, told=operating(52)), 6, channel_mhz=5260)
        if beat < 15:
            announcement = bytes([37, 3, 1, number, max(count - (beat - 10), 0)]) if beat >= 10 else b""
            air.send(beacon(AP, seq=beat, told=operating(52) + announcement), 6, channel_mhz=5260)


def becomes_wider(air: Air) -> None:
    """The channel that it announces is its own: only the width changes."""
    leaves(air, (52, 5))


def sent_as_voice(air: Air, octets: int = 1400, priority: int = 6) -> None:
    """Datagrams of A with a user priority, beside those of B without."""
    for number in range(200):
        body = bytes([priority, 0]) + bytes(octets)
        air.exchange(A, AP, AP, seq=number, kind=0x88, body=body, backoff_us=0, rate_mbps=24)
        air.exchange(B, AP, AP, seq=number, kind=0x88, body=bytes(2 + octets), rate_mbps=24)
        air.wait(500)


def calls(air: Air) -> None:
    """Packets of G.711, 20 ms each."""
    sent_as_voice(air, 200)


def announces(air: Air, number: int, cw_min: int = 15) -> None:
    """A beacon at 5 GHz with a WMM Parameter Element: the defaults, but CWmin of best effort."""
    air.wait(34)
    parameters = "03 %02x 0000  27a4 0000  4243 5e00  6232 2f00" % (0xA0 + cw_min.bit_length())
    air.send(beacon(AP, seq=number) + bytes.fromhex("dd18 0050f202 0101 0000" + parameters), 6, channel_mhz=5180)


def contends(
    air: Air,
    cw: int = 3,
    *,
    cw_min: int = 15,
    space_us: Callable[[int], int] | None = None,
    priority: int = 0,
    count: int = 600,
    alone: bool = False,
) -> None:
    """Data of A with all backoffs from 0 to `cw` behind AIFS, where `cw_min` is announced, and some of the AP between.

    `space_us`: of a backoff, SIFS included, in place of that at AIFSN 3.
    """
    for number in range(count):
        if number % 100 == 0:
            announces(air, number, cw_min)
        for ta, ra in ((A, AP), (AP, A))[: 2 if number % 4 == 0 and not alone else 1]:
            slots = 7 * number % (cw + 1)
            idle_us = 43 + 9 * slots if ta == AP or space_us is None else space_us(slots)
            sent_at_5_ghz(air, ta, ra, number, idle_us, priority)


def sent_at_5_ghz(air: Air, ta: str, ra: str, number: int, idle_us: int, priority: int = 0) -> None:
    """QoS data at 26 Mb/s behind so much idle medium."""
    # At 5 GHz the ACK before it ends without the 6 us of a signal extension.
    body, backoff_us = bytes([priority, 0]) + bytes(900), idle_us - 6 - DIFS_US
    air.exchange(
        ta,
        ra,
        AP,
        seq=number,
        kind=0x88,
        body=body,
        mcs=3,
        rate_mbps=24,
        backoff_us=backoff_us,
        channel_mhz=5180,
    )


def contends_fairly(air: Air) -> None:
    contends(air, 15)


def walks_away(air: Air, rates: tuple[float, ...] = (54, 36, 12), signals: tuple[int, ...] = (-60, -72, -84)) -> None:
    """Data of A, at 20 frames a second, of which one in ten is a probe at another rate."""
    for number in range(300):
        part = number // 100
        air.until(number * 50_000)
        rate_mbps = 6 if number % 10 == 0 else rates[part]
        air.exchange(A, AP, AP, seq=number, rate_mbps=rate_mbps, dbm=signals[part])


def stays(air: Air) -> None:
    """Probes at a third of the rate and below, among others that go as before."""
    walks_away(air, (54, 54, 54), (-60, -62, -64))


def lost_behind(air: Air, *, delivered: bool = True, sent: bool = True, every: int = 40, answers: int = 4) -> None:
    """Segments from A, of which each so many are lost once, and which their receiver then asks for.

    `delivered`: the lost one was acknowledged on the air. `sent`: it was on the air at all.
    """
    numbers = {A: 0, AP: 0}

    def send(ta: str, ra: str, body: bytes, *, answered: bool = True) -> None:
        air.exchange(ta, ra, AP, seq=numbers[ta], body=body, answered=answered)
        numbers[ta] += 1

    def answer(number: int) -> None:
        send(AP, A, tcp(2, 1, 1, 0, 1 + 100 * number, ports=(5001, 5000)))

    for number in range(0, 400, 8):
        lost = number if every and number % every == 0 else None
        for each in range(number, number + 8):
            if each != lost or sent:
                send(A, AP, tcp(1, 2, 1 + 100 * each, 100), answered=delivered or each != lost)
        air.wait(5_000)
        if lost is not None:
            for _ in range(1 + answers):
                answer(lost)
            send(A, AP, tcp(1, 2, 1 + 100 * lost, 100))
            air.wait(5_000)
        answer(number + 8)


def lost_on_the_air(air: Air) -> None:
    lost_behind(air, delivered=False)


SCENES: dict[str, tuple[Callable[[Air], None], Callable[[Air], None]]] = {
    "bufferbloat": (bloated, prompt),
    "bulk_in_voice": (sent_as_voice, calls),
    "channel_hopping": (hopping, steady),
    "channel_switch": (switched, not_switched),
    "deauthentication_flood": (flooded, answered_with_it),
    "deauthentication_loop": (thrown_out, leaves_once),
    "edca_misuse": (contends, contends_fairly),
    "falling_rate": (walks_away, stays),
    "far_client": (far, nearer),
    "group_traffic": (chatter, hardly_any_chatter),
    "management_overhead": (beacons, light),
    "missing_aggregation": (single_frames, sparse_frames),
    "overlapping_bss": (overlapping, little_overlap),
    "power_save": (sleepy, hardly_sleepy),
    "protection_overhead": (protected, protected_long),
    "rate_anomaly": (slow, light),
    "recording_unfit": (unanswered, light),
    "retry_storm": (retries, few_retries),
    "roaming": (roams, roams_once),
    "saturated_channel": (full, light),
    "silent_interference": (interfered, prompt_retries),
    "sticky_client": (sticky, settled),
    "switch_announced": (leaves, becomes_wider),
    "tcp_losses_elsewhere": (lost_behind, lost_on_the_air),
    "tcp_stalls": (stalled, repaired),
    "unfair_share": (unfair, fair),
}
"""By finding: a recording that has it, and one that has not. hidden_pair has samples of its own."""

OBSERVERS = {"far_client": AP, "sticky_client": A}
"""Whose recording it is, where that matters."""
