"""What a backlogged sender gets among stations with a load of their own; `estimators/saturation.py` puts it together.

::

    solvers     the fixed point of stations, and a simulation of DCF
    recorded    what stations sent, what their accesses cost, and what of it the recorder missed
    failures    why attempts failed: the channel, or a collision
    waits       how long stations waited, and for what
    contention  the stations around a link, and what the saturated flow does to them
    interval    how sure an answer is
    unheard     what is on the air besides what the recorder heard

    loads       what the links carry, and why attempts on them fail
    rates       capacity, available bandwidth and interval, of what a sender delivers
    backlogged  what the sender of each link delivers with a full queue

A folder or module takes from those above it. docs/saturation.md explains the model.
"""
