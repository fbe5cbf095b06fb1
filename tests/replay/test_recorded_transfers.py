"""Which traffic of a recording becomes bulk transfers, and what their full queues do."""

from __future__ import annotations

import polars as pl
import pytest
from exchange_builder import A, B, C

from winf_analyzer._replay.recorded.flows import conversations
from winf_analyzer._replay.recorded.flows.studied import select_flows
from winf_analyzer._schema import complete


@pytest.mark.parametrize(
    ("columns", "is_transfer"),
    [
        ({"sa": A, "da": "02:00:00:00:00:09"}, True),
        ({"sa": A, "da": "ff:ff:ff:ff:ff:ff"}, False),
        ({"sa": A, "da": "09:00:07:ff:ff:ff"}, False),
        ({"da": C, "flow": "udp 10.0.0.1:9 224.0.0.251:9", "src_ip": "10.0.0.1", "dst_ip": "224.0.0.251"}, False),
        ({"da": C, "flow": "udp [fe80::1]:9 [ff02::fb]:9", "src_ip": "fe80::1", "dst_ip": "ff02::fb"}, False),
        ({"da": C, "flow": "udp 10.0.0.1:9 10.0.0.2:9", "src_ip": "10.0.0.1", "dst_ip": "10.0.0.2"}, True),
        ({"da": "n1", "flow": "udp 0:1 1:1", "src_ip": "0", "dst_ip": "1"}, True),
    ],
)
def test_what_goes_to_a_group_is_no_bulk_transfer(columns, is_transfer):
    """A station sends it to its access point, which acknowledges it."""
    row = {"source": "s", "layer": "mac", "kind": "data", "is_group": False, "payload_bytes": 200, "ta": A, "ra": B}
    rows = [row | columns | {"retry": False, "start_ns": number} for number in range(20)]
    hops = conversations.conversation_hops(complete(pl.DataFrame(rows).lazy(), "frames"))
    (flow,) = select_flows(hops, None, "run.winf", transfers=True)
    assert (flow.transfer, flow.fills) == (is_transfer, is_transfer)
    assert flow.links == ({(A, B), (B, A)} if is_transfer else {(A, B)})
