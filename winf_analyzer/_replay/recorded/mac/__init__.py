"""The MAC that a recording shows: its parameters, aggregation, and where it deviates from the standard.

::

    parameters             MAC parameters, observed or assumed
    retries                retry limits
    aggregation            A-MPDUs
    contention_deviations  deviations of the MAC from the standard:
    access                 whether forwarded packets skip the backoff
    capture                capture of RTS frames
"""
