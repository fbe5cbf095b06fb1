"""Chunked aggregation: exchanges of any number turned into sums per window, in bounded memory.

::

    settings         what a user may set
    reader           reads `exchanges`, prepares them and cuts them into chunks of time: one pass for all aggregates
      first_scan     mean backoffs of the senders, and which rows lie where
      preparation    columns of an exchange: airtime, window, access
      mac_profiles   MAC parameters, once per combination of sender, receiver and PHY
    chunks           one chunk, and what is known of the whole recording
    aggregate        what to compute of each chunk, and how partial results combine
    windows          tumbling, sliding, running and per-exchange windows
    idle             idle share of the windows
    states           sums per link to rows per node and state
    nodes            estimates of a node's links joined to one of the node
    head_of_line     when each packet came to the head of its sender's queue; packet pairs

An exchange belongs to the chunk in which it ends. State that crosses a chunk boundary is carried, so chunking never
changes results. Every sum has a fixed order, so neither do threads or other recordings in the same dataset.
"""
