"""The list of kinds of world that the accuracy study has not."""

import hashlib
import itertools
import json
import random
import re
import struct
import subprocess

import polars as pl
import pytest

from benchmarks.accuracy.recorders import FILE_HEADER, NANOSECOND_MAGIC, Record, read, write
from benchmarks.accuracy.runs import ns3_version
from benchmarks.accuracy.worlds import document
from benchmarks.accuracy.worlds.answers import Answer, miss
from benchmarks.accuracy.worlds.listed import FOLDER, LISTS, WITHOUT_TRUTH, worlds
from benchmarks.accuracy.worlds.simulation import build

NS3 = re.compile(r"OPTION\((\w+)\)")
FLOW = re.compile(
    r"(?P<from>\d+|w\d)>(?P<to>\d+|w\d|\*):(?P<kind>poisson|constant|frames|pages|slow|ramp|tcp|chunks|(burst|beat)\d+)"
    r":(?P<rate>[\d.]+):(?P<payload>\d+)(:(BK|BE|VI|VO)(:(?P<begin>[\d.]+)(:(?P<end>[\d.]+))?)?)?"
)
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
        "4881aa08f453550104074431d6ebb9497bdf8537f37c99fb221103f87f125474",
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


@pytest.mark.parametrize(
    "world", [world for world in worlds() if "flows" in world["options"]], ids=lambda world: world["name"]
)
def test_flows_that_are_declared_are_of_stations_that_are_there(world):
    options = world["options"]
    wired = options["wired"].split(",") if "wired" in options else []
    outside = options["outsiders"] + 1 if "outsiders" in options else 0
    own = 2 * options["links"] if options.get("topology") == "adhoc" else options["links"] + 1
    for text in options["flows"].split(";"):
        flow = FLOW.fullmatch(text)
        assert flow, text
        for end in (flow["from"], flow["to"]):
            if end.startswith("w"):
                assert 1 <= int(end[1:]) <= len(wired)
            elif end != "*":
                assert int(end) < own + outside
        assert flow["from"] != flow["to"]
        assert float(flow["end"] or 0) <= options.get("seconds", 6)


@pytest.mark.parametrize("world", [world for world in worlds() if "recorder" in world], ids=lambda world: world["name"])
def test_what_is_recorded_is_within_the_measured_time(world):
    recorder = world["recorder"]
    assert set(recorder) <= {"begin", "seconds", "missed", "burst"}
    assert recorder.get("begin", 0) + recorder.get("seconds", 0) <= world["options"].get("seconds", 6)


def test_a_recorder_behind_a_wall_misses_its_share_in_a_row(tmp_path):
    source, capture = tmp_path / "whole.pcap", tmp_path / "sniffer.pcap"
    source.write_bytes(struct.pack("<I", NANOSECOND_MAGIC) + bytes(FILE_HEADER - 4))
    write(source, capture, [Record(number, b"frame", 5) for number in range(20_000)])
    miss(source, capture, {"missed": 0.25, "burst": 8}, random.Random(1))
    heard = [record.ts_ns for record in read(capture)]
    gaps = [after - before - 1 for before, after in itertools.pairwise(heard) if after - before > 1]
    assert len(heard) == pytest.approx(15_000, rel=0.05)
    assert sum(gaps) / len(gaps) == pytest.approx(8, rel=0.15)
    miss(source, capture, {"seconds": 1}, random.Random(1))
    assert len(list(read(capture))) == len(heard)


def test_the_page_counts_what_holds_and_names_what_is_wrong(tmp_path):
    def answer(world, recorder, truth, interval, grade, value=10.0):
        low, high = interval or (None, None)
        return Answer(world, 5, recorder, truth, value, low, high, grade, "")

    found = [
        answer("beacons_1mbps", "own", 10.5, (9.0, 11.0), "good"),
        answer("beacons_1mbps", "sniffer", 12.5, (8.0, 10.0), "fair"),
        answer("ns2_hidden", "whole", 40.0, (9.0, 11.0), "poor"),
        answer("ns2_hidden", "cut", 10.0, None, "unknown", None),
        answer(WITHOUT_TRUTH[0], "own", 1.0, (9.0, 11.0), "good"),
    ]
    document.write(found, ["far_outsiders_n"], 5, tmp_path / "page.md")
    lines = (tmp_path / "page.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    assert ["all", "2", "3", "1, 33 %", "1 of 1", "0 of 1", "0 of 1", "1", "20 %, 64 %"] in rows
    assert ["`beacons_1mbps`", "sniffer", "12.5", "10.0 [8.00, 10.0] fair", "-20 %"] in rows
    assert ["`ns2_hidden`", "40.0", "**10.0 [9.00, 11.0] poor**", "no answer"] in rows
    assert not any(WITHOUT_TRUTH[0] in row[0] for row in rows)
    assert "`far_outsiders_n`, which is left out." in "\n".join(lines)
    assert sum(row[0] == "`beacons_1mbps`" for row in rows) == 2  # its list, and what is wrong: no poor one is there


@pytest.mark.nightly("a compiler and a simulator")
def test_declared_flows_arrive_and_their_hosts_are_as_far_as_they_say(tmp_path):
    if ns3_version() is None:
        pytest.skip("ns-3 or g++ is not installed")
    program = build(tmp_path)

    def delivered(flows: str, **options: str) -> dict[str, float]:
        words = [f"--{name}={value}" for name, value in options.items()]
        command = [str(program), f"--directory={tmp_path}", "--seconds=3", "--links=3", f"--flows={flows}", *words]
        subprocess.run(command, check=True, capture_output=True)
        table = pl.read_csv(tmp_path / "goodput.csv").group_by("flow").agg(pl.col("bytes").sum())
        return dict(table.iter_rows())

    # MSDUs of 100 octets and 36 of headers; a ramp has twice its rate in the end, and its rate on the average.
    assert delivered("2>1:constant:100:100")["background"] == pytest.approx(100 * 3 * 136, rel=0.02)
    assert delivered("2>3:constant:100:100:VI:1:2")["background"] == pytest.approx(100 * 136, rel=0.03)
    assert delivered("1>2:ramp:200:100:BE:0.001:3")["background"] == pytest.approx(200 * 3 * 136, rel=0.1)
    assert delivered("1>2:beat10:100:100")["background"] == pytest.approx(100 * 3 * 136, rel=0.1)
    # The access point listens as well, and gets each broadcast of a station once.
    assert delivered("2>*:constant:100:100")["background"] == pytest.approx(100 * 3 * 136, rel=0.02)
    near, far = (delivered("w1>2:tcp:0:0", wired=wired)["background_tcp"] for wired in ("5", "400"))
    assert near > 3 * far > 0
    stations = json.loads((tmp_path / "stations.json").read_text(encoding="utf-8"))["addresses"]
    assert len(stations) == 4
