"""What is on the air besides what the recorder heard.

::

    unheard_load     transmissions of which nothing was heard, by the stations that waited for them
    weighing         what the signs of these tell together
    unanswered       stations that a sniffer does not hear, by aggregates that it heard and nobody answered
    lone_pairs       what may be sent beside a pair of stations that is alone in a recording
    unheard_airtime  how long exchanges take of which only the answers are heard
    hidden_senders   senders that do not hear one another
    rts_unheard      whether a station whose RTS are not heard is hidden from the recorder
"""
