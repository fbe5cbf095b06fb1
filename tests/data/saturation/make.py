"""Makes the recordings of this folder again, with the simulation of the accuracy study (ns-3 3.37).

    python tests/data/saturation/make.py

Of each scenario `NAME.pcap.gz` is what the sender of the link under study recorded, or the sniffer of a scenario that
has one, and `NAME.csv` the goodput of a flow that saturates it, from a run of its own. The scenarios are none of the
study's. `far_outsiders.pcap.gz` is what the third station of a world of `benchmarks/accuracy/worlds` recorded.
"""

import gzip
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2]))

from benchmarks.accuracy.recorders import SECOND_NS, cut  # noqa: E402
from benchmarks.accuracy.runs import run_all  # noqa: E402
from benchmarks.accuracy.scenario_list import ListedRun  # noqa: E402
from benchmarks.accuracy.scenarios import Scenario  # noqa: E402
from benchmarks.accuracy.worlds.listed import worlds  # noqa: E402
from benchmarks.accuracy.worlds.simulation import simulated  # noqa: E402

SAMPLES = {
    "b11_three_links": Scenario(group="sample", phy="b11", topology="adhoc", rts=False, links=3, load=0.5, seconds=4),
    "n26_hidden": Scenario(group="sample", phy="n26", topology="hidden", rts=False, links=2, load=0.3, seconds=3),
    "g54_four_at_equal_intervals": Scenario(
        group="sample", phy="g54", topology="adhoc", rts=False, links=4, load=0.7, seconds=2, constant=True
    ),
    "ac78_edge": ListedRun(
        group="sample", name="edge", seed=1, phy="ac78", topology="adhoc", links=4, load=0.5, seconds=3, sniffer="edge"
    ),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, run in zip(SAMPLES, run_all(list(SAMPLES.values()), Path(folder), 1), strict=True):
            pack(run.capture, name)
            run.truth.write_csv(HERE / f"{name}.csv")
        (world,) = (world for world in worlds() if world["name"] == "far_outsiders_n")
        recorded, capture = simulated(world, 931, Path(folder)) / "recorded", Path(folder) / "sniffer.pcap"
        cut(recorded / "sniffer.pcap", capture, SECOND_NS, 4 * SECOND_NS)
        pack(capture, "far_outsiders")


def pack(capture: Path, name: str) -> None:
    with (HERE / f"{name}.pcap.gz").open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(capture.read_bytes())


if __name__ == "__main__":
    main()
