"""Worlds written as TOML: the documented example, and errors that name the line."""

from __future__ import annotations

import re

import pytest
from folders import ROOT

from winf_analyzer import UsageError, replay
from winf_analyzer._replay.worlds import load_topology

EXAMPLE = ROOT / "docs" / "examples" / "hidden_senders.toml"


def test_the_example_runs():
    result = replay(topology=EXAMPLE, controllers=["new_reno"], seeds=2)
    assert result.replay_id == "hidden_senders"
    flows = dict(result.summary.group_by("flow").agg("completion_ms").rows())
    assert set(flows) == {"upload", "page", "call"}
    assert all(flows["page"])
    assert result.flows.collect()["width_ns"].unique().to_list() == [200_000_000]


def test_a_world_without_a_name_has_that_of_its_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(EXAMPLE.read_text().replace('name = "hidden_senders"', ""))
    assert load_topology(path)["name"] == "mine"


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("loss = 0.02", "lost = 0.02", "unknown field `lost`"),
        ("duration_ns = 20_000_000_000", 'duration_ns = "long"', "invalid type: string"),
        ("nodes]]", "nodes]", "unclosed array table"),
    ],
)
def test_errors_name_file_and_line(tmp_path, right, wrong, says):
    text = EXAMPLE.read_text()
    assert right in text
    path = tmp_path / "world.toml"
    path.write_text(text.replace(right, wrong, 1))
    line = text[: text.index(right)].count("\n") + 1
    with pytest.raises(UsageError, match=says) as caught:
        load_topology(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert f"line {line}" in str(caught.value)


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("loss = 0.02", "loss = 1.2", 'the link from "left" to "gateway": loss is 1.2; it must be a probability'),
        ("loss = 0.02", "loss = -0.02", "loss is -0.02; it must be a probability"),
        ("rate_bps = 11_000_000", "rate_bps = -1", "invalid value: integer `-1`"),
        ('path = ["right", "gateway", "server"]', 'path = ["right", "left", "server"]', "there is no such link"),
        ('from = "gateway"', 'from = "gatway"', 'names the node "gatway", which does not exist'),
        ("rate_bps = 100_000_000", "rate_bps = 100", "1 kbit/s to 1 Tbit/s"),
        ("rts_threshold_bytes = 400", "slot_ns = 0", "slot_ns is 0"),
        ("duration_ns = 20_000_000_000", "duration_ns = 0", "duration_ns is 0; it must be at least 1"),
        ('["right", "gateway"]]', '["rihgt", "gateway"]]', 'hearing names the node "rihgt"'),
        ('path = ["right", "gateway", "server"]', 'path = ["right", "gateway"]\ncontroller = 3', "controller is 3"),
    ],
)
def test_a_world_that_cannot_be_run_is_said_with_its_line(tmp_path, right, wrong, says):
    text = EXAMPLE.read_text()
    wanted = text.replace(right, wrong, 1)
    assert wanted != text
    path = tmp_path / "world.toml"
    path.write_text(wanted)
    at = wanted.index(wrong) + wrong.rindex("\n") + 1 if "\n" in wrong else wanted.index(wrong)
    line = wanted[:at].count("\n") + 1
    with pytest.raises(UsageError, match=re.escape(says)) as caught:
        replay(topology=path, controllers=["new_reno"])
    assert str(caught.value).startswith(f"{path}: ")
    assert re.search(rf"line {line}\b", str(caught.value)), caught.value


def test_what_is_asked_for_counts_rather_than_what_the_file_says(tmp_path):
    path = tmp_path / "world.toml"
    path.write_text(EXAMPLE.read_text().replace("duration_ns = 20_000_000_000", "duration_ns = 0"))
    assert replay(topology=path, controllers=["new_reno"], duration="1s").summary.height == 3
    with pytest.raises(UsageError, match="rows of the binned results"):
        replay(topology=EXAMPLE, controllers=["new_reno"], bin_width=1)


def test_a_controller_that_a_world_does_not_have_is_an_error():
    world = load_topology(EXAMPLE)
    world["flows"][0]["controller"] = 2
    with pytest.raises(UsageError, match="controller is 2; it must be the index of one of the run's controllers"):
        replay(topology=world, controllers=["new_reno"])
