"""How sure an answer is.

::

    blocked   of the time that is left beside what is no Wi-Fi, as of all of it
    bounds    how far off the model may be
    refusals  why there is no answer, and what limits those that there are
"""
