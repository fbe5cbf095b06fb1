"""The list of kinds of world that the accuracy study has not."""

import hashlib
import re

import pytest

from benchmarks.accuracy.worlds.__main__ import FOLDER, LISTS, worlds

NS3 = re.compile(r"OPTION\((\w+)\)")
NS2 = re.compile(r"array set option \{(.*?)\}", re.DOTALL)


def test_the_lists_are_those_that_were_written_down():
    """Whatever is added goes into a list of its own."""
    digests = [
        "7f472106a75a75e1c15e34c862bf3742fc8e3e9e86f0c8ad01120fd3011d5ba4",
        "ccaef3ed1d377e252ac3b3da77361833d58bf44b7f37a24cb0d017cf199a97b2",
        "d488b4dba58b0326c7bb950b952315b0d572bbe9961d81aa41b4afb812a77641",
        "cd56fabbb015646c3f73b2c21353bb8f86e6e0e788ab6b0b0ec27e678b18ec9a",
        "c7a38b9329bc926a728d35aa6c24029bbc93caa75cac41786e9abc0d158e6456",
        "348934411d41a0557c3442d857510056f90cbf63d11d4931fd837eac89ef47e8",
    ]
    assert [hashlib.sha256(path.read_bytes()).hexdigest() for path in LISTS] == digests


@pytest.mark.parametrize("world", worlds(), ids=lambda world: world["name"])
def test_every_option_is_one_of_the_simulator_s(world):
    if world.get("simulator") == "ns2":
        declared = NS2.search((FOLDER / "ns2_world.tcl").read_text(encoding="utf-8"))
        known = set(declared[1].split()[::2])
    else:
        known = set(NS3.findall((FOLDER / "world.cc").read_text(encoding="utf-8"))) - {"name"}
    assert set(world["options"]) <= known


def test_names_are_different():
    names = [world["name"] for world in worlds()]
    assert len(names) == len(set(names))
