"""Controllers in the modes asked for."""

import json

import pytest

from winf_analyzer._replay.controller_runs import controller_runs, registry
from winf_analyzer._replay.topologies import build
from winf_analyzer._util import plugins
from winf_analyzer._util.errors import UsageError

STACK, WIRED = json.dumps(build("stack")), json.dumps(build("mesh_access"))


def taking_part(names, mode, world=STACK):
    found, notes = controller_runs(names, mode, {}, world)
    return [(contender.name, contender.mode) for contender in found], notes


@pytest.mark.parametrize(
    ("mode", "modes"),
    [("paper", ["paper"]), ("both", ["paper", "corrected"]), ("paper_greedy", ["paper_greedy"])],
)
def test_modes(mode, modes):
    assert taking_part(["xcp_winf"], mode) == ([("xcp_winf", mode) for mode in modes], [])


def test_a_mode_that_is_missing_is_replaced_and_said():
    assert taking_part(["wcp_cap", "xcp"], "paper") == (
        [("wcp_cap", "corrected"), ("xcp", "paper")],
        ["wcp_cap has no mode paper: it runs as corrected"],
    )


def test_all_is_the_registry():
    assert {name for name, _ in taking_part(["all"], "both")[0]} == set(registry())
    found, notes = taking_part(None, "corrected", WIRED)
    assert [name for name, _ in found] == [name for name in registry() if name != "max_min"]
    assert notes == [
        "max_min is left out: it requires a world without wired links and changes",
        "wcp_cap does not see bottlenecks on the wires of T1.1, T1.2, T1.3 and 24 more: "
        "its model divides airtime alone",
    ]


class EntryPoint:
    dist = None
    module = "elsewhere"

    def __init__(self, name, made):
        self.name, self.value, self._made = name, f"elsewhere:{name}", made

    def load(self):
        if isinstance(self._made, Exception):
            raise self._made
        return self._made


def test_controllers_of_other_packages(monkeypatch):
    class Window:
        """A fixed window."""

        def __init__(self, segments=2):
            self.segments = segments

    found = [EntryPoint("fixed", Window), EntryPoint("xcp", Window), EntryPoint("broken", ImportError("no such thing"))]
    monkeypatch.setattr("winf_analyzer._util.plugins.entry_points", lambda group: found)
    with pytest.warns(plugins.PluginWarning, match=r"'broken'.*no such thing|'xcp'.*name is taken"):
        rows = registry()
    assert rows["fixed"][1:4] == ("A fixed window", "elsewhere", ["corrected"])
    with pytest.warns(plugins.PluginWarning):
        made, _ = controller_runs(["fixed"], "corrected", {"fixed": {"segments": 5}}, STACK)
    assert made[0].controller.segments == 5


def test_a_controller_that_exits_ends_no_run_as_a_success(monkeypatch):
    class Exits:
        """Leaves."""

        def __init__(self):
            raise SystemExit(0)

    monkeypatch.setattr("winf_analyzer._util.plugins.entry_points", lambda group: [EntryPoint("exits", Exits)])
    with pytest.raises(UsageError, match="'exits' of elsewhere: SystemExit"):
        controller_runs(["exits"], "corrected", {}, STACK)
