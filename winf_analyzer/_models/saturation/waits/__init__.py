"""How long stations waited, and for what.

::

    idle_times        idle times of stations that waited for transmissions of which nothing was heard
    blackouts         time in which something that is no Wi-Fi holds the medium
    late_repetitions  repetitions that came later than their backoff allows
    retry_limits      whether a station keeps its contention window at the retry limit
    one_more          the recorded stations beside one more that sends more and more: what waits that makes
"""
