"""What a backlogged station gets among others, solved and simulated.

::

    fixed_point      the stations as a table, and Bianchi's fixed point among stations with a load of their own
    dcf_monte_carlo  a short simulation of DCF, for what the fixed point leaves out
"""
