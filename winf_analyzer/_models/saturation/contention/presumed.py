"""What is presumed of stations of which only the answers to them are heard."""

import polars as pl

from winf_analyzer._models.saturation.recorded import completeness

GIVING_WAY = 16.0
"""CWmin + 1 from which on stations wait up to 1023 slots where they collide: that of best effort with an OFDM PHY."""

VOICE_WINDOW = 6.0
"""CWmin + 1 below which a station sends voice with an OFDM PHY (9.4.2.28)."""

MAX_ALONE = 1.5
"""MPDUs per aggregate below which most of a station in light traffic hold one."""

_UNANNOUNCED = ("access_s", "first_s", "tail_s")
_COSTS = ("packets_max", "packet_s", "first_packet_s", "request_s", *_UNANNOUNCED)


def of_unheard(stations: pl.DataFrame) -> pl.DataFrame:
    """Stations whose data is not heard, as ones that send what the subject sends, in aggregates if it does.

    How long they take is known where a CTS announced it, or where one answer follows closely on another
    (:mod:`.unheard_airtime`), and how many MPDUs they are where BlockAcks acknowledge them.
    """
    # Whether it is hidden is less sure than that hidden voice destroys nearly all: taken for one that gives way.
    giving_way = pl.when(pl.col("hidden") & ~pl.col("subject")).then(pl.col("window").clip(GIVING_WAY))
    window = giving_way.otherwise("window").alias("window")
    # A trace shows what they send.
    unheard = pl.col("data_unheard") & ~completeness.is_traced()
    if not stations.select((completeness.is_put_back() | unheard).any()).item():
        return stations.with_columns(window)
    of_subject = {name: pl.col(f"subject_{name}") for name in (*_COSTS, "aggregates")}
    columns = stations.columns
    subjects = stations.filter("subject").unique("case", keep="first", maintain_order=True)
    subjects = subjects.select("case", pl.col(*of_subject, "aifs_s").name.prefix("subject_"))
    stations = stations.join(subjects, on="case", how="left", maintain_order="left")
    # What nothing was heard of sends what the subject sends as well, if that aggregates.
    put_back = completeness.is_put_back() & of_subject["aggregates"]
    data_unheard = unheard | put_back
    like_subject = data_unheard & of_subject["aggregates"] & ~pl.col("subject")
    # Voice does not aggregate unless it was seen to.
    aggregated = like_subject & (pl.col("window") >= VOICE_WINDOW)
    unannounced = data_unheard & ~pl.col("rts")
    announced = (pl.col("access_s") - of_subject["access_s"]) / of_subject["packet_s"]
    known = (pl.col("rts") | put_back) & announced.is_finite()
    mpdus = pl.when(known).then(announced.clip(1)).otherwise("unheard_mpdus")
    costs = {
        name: pl.when(aggregated | unannounced & pl.lit(name in _UNANNOUNCED)).then(value).otherwise(name)
        for name, value in of_subject.items()
        if name != "aggregates"
    }
    # Each waits for its own AIFS, which is part of these times.
    later_s = pl.when(aggregated | unannounced).then(pl.col("aifs_s") - pl.col("subject_aifs_s")).otherwise(0.0)
    for name in _UNANNOUNCED:
        costs[name] += later_s
    # A single frame is what an aggregate of one is.
    alone = like_subject & ~aggregated & unannounced
    for name, packet in {"access_s": "packet_s", "first_s": "first_packet_s"}.items():
        costs[name] += pl.when(alone).then(of_subject[packet]).otherwise(0.0)
    # Of a single frame, from AIFS to the end of the answer.
    shown_s = pl.col("unheard_gap_ns") / 1e9 + pl.col("tail_s") - pl.col("sifs_s") - pl.col("aifs_s")
    shown = unannounced & ~aggregated & (pl.col("unheard_gap_ns") > 0).fill_null(False) & shown_s.is_finite()
    costs["access_s"], costs["first_s"] = (
        pl.when(shown).then(shown_s.clip(1e-6)).otherwise(costs[name]) for name in ("access_s", "first_s")
    )
    # Of one that aggregates the shortest are those of one MPDU, unless most hold more.
    one = aggregated & ~known & (pl.col("unheard_mpdus") < MAX_ALONE) & (pl.col("unheard_gap_ns") > 0).fill_null(False)
    each_s = shown_s - costs["access_s"]
    one &= (each_s > 0).fill_null(False)
    costs["packet_s"], costs["first_packet_s"] = (
        pl.when(one).then(each_s).otherwise(costs[name]) for name in ("packet_s", "first_packet_s")
    )
    return stations.with_columns(
        window,
        packets_per_s=pl.col("packets_per_s") * pl.when(aggregated).then(mpdus).otherwise(1.0),
        aggregates=pl.col("aggregates") | aggregated,
        **costs,
    ).select(columns)
