"""Parts of a replay are named so that the dataset can be read again, whatever the replay is called."""

from __future__ import annotations

import pytest

from winf_analyzer._dataset.manifest import _PART
from winf_analyzer._replay.storing import prefix


@pytest.mark.parametrize("name", ["run", "(x)", "(lab)", "Übung", "../../../tmp/x", "", "-", "é" * 99, "a" * 99])
def test_a_part_may_have_that_name(name):
    assert _PART.fullmatch(f"{prefix(name)}00000.parquet")
    assert prefix(name) != prefix(name + "'")
