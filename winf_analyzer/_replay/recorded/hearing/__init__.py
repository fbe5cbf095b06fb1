"""Who hears whom, as far as a recording shows it.

::

    audibility         which node decodes which node
    unheard_cts        stations that do not hear each other, by CTS that a sniffer missed
    ack_only_stations  stations known only by their CTS and ACK
"""
