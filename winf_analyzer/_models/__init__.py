"""Models of contention for the medium.

::

    bianchi        saturated stations: how often they send and collide
    backoff        the backoff of a packet over its attempts, and what access costs
    attempts       attempts that failed, and which of the failures were collisions
    failure_ewma   failed share of a link's attempts, as a sender in the field keeps it
    saturation     what a backlogged sender gets among stations with a load of their own
"""
