"""What waits where, as far as a recording shows it.

::

    limits           limits of queues
    standing_queues  limits of queues that stand full of acknowledgements
    disciplines      what waits above the queues of interfaces
    lifetimes        how long packets may wait in queues
"""
