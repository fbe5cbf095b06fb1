"""What stations sent, what their accesses cost, and what of it the recorder missed.

::

    categories     links that carry several access categories
    exchange_sums  what each exchange adds to the sums of its link
    own_views      of a trace, each sender's exchanges as it saw them itself
    queues         which of a station's links wait in one queue
    stations       load and costs of each station in a window
    txop           what a sender sends in one go
    ampdu          how much a backlogged sender puts into one PPDU
    sender_limits  where a sender ends its A-MPDUs though more waits
    aggregation    whether a sender that could aggregate does
    bursts         how fast packets come while they come
    on_off         how long bursts last, and the pauses after them
    rate_changes   rates of a sender whose queue is never empty
    near_misses    collisions that there were, by accesses that almost were some
    completeness   what the recorder missed
    audibility     whether a station is hidden from the recorder
"""
