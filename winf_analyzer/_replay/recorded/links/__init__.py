"""What links do: their rates, airtimes and losses.

::

    facts           rates, attempts and failures
    airtimes        airtimes by packet size
    rate_steps      airtimes one after the other, where rate control settles on other rates
    losses          channel losses, as opposed to collisions
    route_failures  routes that break when the MAC drops a packet
"""
