"""How sure an answer is.

::

    bounds    how far off the model may be
    refusals  why there is no answer, and what limits those that there are
"""
