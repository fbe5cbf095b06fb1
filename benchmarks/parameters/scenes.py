"""The scenes: what is simulated, and the parameters that are true in it."""

from __future__ import annotations

from typing import NamedTuple


class Truth(NamedTuple):
    """MAC parameters of the sending stations."""

    access_category: str
    slot_us: float
    aifs_us: float
    cw_min: float


class Scene(NamedTuple):
    """A simulation: its name, the options of `scene` without their dashes, and the truth."""

    name: str
    options: str
    truth: Truth


G_LONG = Truth("dcf", 20, 50, 15)
G_SHORT = Truth("dcf", 9, 28, 15)
B = Truth("dcf", 20, 50, 31)
A = Truth("dcf", 9, 34, 15)
N = Truth("be", 9, 43, 15)

SCENES = (
    Scene("g, IBSS, saturated, 1", "standard=g load_bps=4e7 seconds=3", G_LONG),
    Scene("g, IBSS, saturated, 3", "standard=g stations=3 load_bps=2e7 seconds=3", G_LONG),
    Scene("g, IBSS, saturated, 8", "standard=g stations=8 load_bps=1e7 seconds=3", G_LONG),
    Scene("g, IBSS, 2 Mb/s, 1", "standard=g load_bps=2e6", G_LONG),
    Scene("g, IBSS, 2 Mb/s, 3", "standard=g stations=3 load_bps=2e6", G_LONG),
    Scene("g, IBSS, 1 Mb/s random, 8", "standard=g stations=8 load_bps=1e6 poisson=1", G_LONG),
    Scene("g, IBSS, CWmin 63, 2", "standard=g stations=2 load_bps=2e7 cw_min=63 seconds=3", G_LONG._replace(cw_min=63)),
    Scene("g, BSS, saturated, 1", "standard=g infrastructure=1 load_bps=4e7 seconds=3", G_SHORT),
    Scene("g, BSS, 2 Mb/s, 3", "standard=g infrastructure=1 stations=3 load_bps=2e6", G_SHORT),
    Scene(
        "g, BSS, long slot, saturated, 2",
        "standard=g infrastructure=1 stations=2 load_bps=2e7 short_slot=0 seconds=3",
        G_LONG,
    ),
    Scene("b, saturated, 1", "standard=b load_bps=1e7 seconds=3", B),
    Scene("b, RTS, saturated, 3", "standard=b stations=3 load_bps=5e6 rts=1 seconds=3", B),
    Scene("b, saturated, 8", "standard=b stations=8 load_bps=2e6 seconds=3", B),
    Scene("b, 1 Mb/s, 1", "standard=b load_bps=1e6", B),
    Scene("b, 1 Mb/s random, 2", "standard=b stations=2 load_bps=1e6 poisson=1", B),
    Scene("a, saturated, 1", "standard=a load_bps=4e7 seconds=3", A),
    Scene("a, RTS, saturated, 4", "standard=a stations=4 load_bps=1e7 rts=1 seconds=3", A),
    Scene("a, 3 Mb/s random, 2", "standard=a stations=2 load_bps=3e6 poisson=1", A),
    Scene(
        "a, 13 us slot, saturated, 2",
        "standard=a stations=2 load_bps=2e7 slot_us=13 seconds=3",
        Truth("dcf", 13, 42, 15),
    ),
    Scene("n, saturated, 1", "standard=n load_bps=8e7 seconds=3", N),
    Scene("n, saturated, 3", "standard=n stations=3 load_bps=3e7 seconds=3", N),
    Scene("n, 5 Mb/s, 1", "standard=n load_bps=5e6", N),
    Scene("n, BSS, 3 Mb/s random, 4", "standard=n infrastructure=1 stations=4 load_bps=3e6 poisson=1", N),
    Scene(
        "n, BSS, AIFSN 2, CWmin 3, 3 Mb/s random, 4",
        "standard=n infrastructure=1 stations=4 load_bps=3e6 poisson=1 aifsn=2 cw_min=3",
        Truth("be", 9, 34, 3),
    ),
    Scene(
        "n, AIFSN 7, CWmin 31, 2",
        "standard=n stations=2 load_bps=4e7 aifsn=7 cw_min=31 seconds=3",
        Truth("be", 9, 79, 31),
    ),
    Scene(
        "n, BSS, voice, saturated, 2",
        "standard=n infrastructure=1 stations=2 load_bps=3e7 tos=192 seconds=3",
        Truth("vo", 9, 34, 3),
    ),
    Scene(
        "n, BSS, video, saturated, 2",
        "standard=n infrastructure=1 stations=2 load_bps=3e7 tos=184 seconds=3",
        Truth("vi", 9, 34, 7),
    ),
    Scene("n, 2.4 GHz, IBSS, saturated, 2", "standard=n2 stations=2 load_bps=4e7 seconds=3", Truth("be", 20, 70, 15)),
    Scene(
        "n, 2.4 GHz, BSS, saturated, 2",
        "standard=n2 infrastructure=1 stations=2 load_bps=4e7 seconds=3",
        Truth("be", 9, 37, 15),
    ),
    Scene("ac, saturated, 1", "standard=ac load_bps=3e8 seconds=3", N),
    Scene("ac, saturated, 4", "standard=ac stations=4 load_bps=8e7 seconds=3", N),
)
"""Loads and standards; the last number of a name is how many stations send."""
