"""What counts as an attempt."""

from __future__ import annotations

import struct

from air import Air
from finding_scenes import AP, A
from pcaps import address

import winf_analyzer
from winf_analyzer._sql.named_queries import named_query


def test_control_frames_without_an_answer_are_no_data_without_ack(tmp_path):
    air = Air()
    for number in range(10):
        air.exchange(A, AP, AP, seq=number, kind=0x88, body=b"\0\0" + bytes(200), answered=number > 0)
        air.send(struct.pack("<BBH", 0x84, 0, 0) + address(AP) + address(A) + struct.pack("<HH", 4, 16 * number), 1)
        air.wait(2_000)
        air.send(struct.pack("<BBH", 0xA4, 0, 0xC001) + address(AP) + address(A), 1)
        air.wait(2_000)
    (tmp_path / "a.pcap").write_bytes(air.capture())
    dataset = winf_analyzer.ingest([tmp_path / "a.pcap"], tmp_path / "run.winf")
    assert set(dataset.scan("exchanges").collect()["data_kind"]) == {"qos_data", "block_ack_req", "ps_poll"}
    (row,) = winf_analyzer.sql(dataset, named_query("failed_attempts")).to_dicts()
    assert (row["sender"], row["attempts"], row["data_without_ack"]) == (A, 10, 1)
