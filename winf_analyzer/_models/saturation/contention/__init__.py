"""The stations around a link, and what the saturated flow does to them.

::

    contention_domain    the stations around each link, as the solvers take them
    presumed             what is presumed of stations of which only the answers to them are heard
    batches              packets of others that come together
    explained_losses     whether stations that seem hidden explain what is lost beside them
    expected_collisions  how many attempts should have collided at the recorded load
    correction           ratio of simulation and fixed point
    carry_over           backlogs that the saturated flow leaves behind
    other_readings       single frames where aggregates are presumed, longer ones where a window or limit is
    hidden_losses        losses of data behind a CTS beside hidden stations
    pieces               links and the stations around them, as many as memory has room for
    own_links            what packets of the sender's other links take of one of its links
    tcp_acks             which packets are TCP ACKs, and of which data
    tcp_flows            both ends of TCP flows beside the saturated flow: their loads and aggregates
"""
