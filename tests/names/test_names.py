"""Vendors of addresses and aliases of stations."""

from __future__ import annotations

import re

import pytest
from folders import ROOT

import winf_analyzer
from winf_analyzer._names import aliases, vendor, vendor_list, vendors
from winf_analyzer._names.aliases import MAX_BYTES


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("00:00:0c:07:ac:01", "Cisco Systems"),
        ("00:00:0C:07:AC:01", "Cisco Systems"),
        ("02:00:0c:07:ac:01", None),  # locally administered
        ("01:00:0c:cc:cc:cc", None),  # a group
        ("ff:ff:ff:ff:ff:ff", None),
        ("node-3", None),
        ("00:00:00:00:00:01", None),  # of a simulator
        ("zz:00:0c:07:ac:01", None),
        (None, None),
    ],
)
def test_vendor_of_an_address(address, name):
    assert vendor(address) == name


def test_the_list_says_of_when_it_is():
    found = vendor_list()
    assert found.date >= "2026-09"
    assert "IEEE" in found.source
    by_block = vendors._by_block()
    assert len(by_block) > 30_000
    assert all(name.isprintable() for name in by_block.values())


def test_few_blocks_are_searched_for_and_many_looked_up(monkeypatch):
    by_block = vendors._by_block()
    blocks = [*list(by_block)[:: len(by_block) // 20], "0000fe", "ffffff", "decade"]
    assert [vendors._searched(block) for block in blocks] == [by_block.get(block) for block in blocks]
    monkeypatch.setattr(vendors, "FEW", 0)
    assert vendor("00:00:0c:07:ac:01") == "Cisco Systems"


def test_aliases_of_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    assert aliases() == {}
    (tmp_path / "config" / "winf").mkdir(parents=True)
    (tmp_path / "config" / "winf" / "aliases.toml").write_text('"02:00:00:00:00:0A" = "everywhere"')
    assert aliases() == {"02:00:00:00:00:0a": "everywhere"}
    (tmp_path / "aliases.toml").write_text('"02:00:00:00:00:0A" = "here"')
    assert aliases() == {"02:00:00:00:00:0a": "here"}


@pytest.mark.parametrize(
    "text", ["x = 1", '"02:00" = "a"', "[", '"02:00:00:00:00:01" = 3', "\xff", "#" * (MAX_BYTES + 1)]
)
def test_what_is_no_list_of_aliases_is_refused(tmp_path, text):
    path = tmp_path / "aliases.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(winf_analyzer.UsageError, match=r"aliases\.toml: "):
        aliases(path)


def test_the_aliases_that_the_documents_show_are_read(tmp_path):
    text = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    shown = re.findall(r"```toml\n(.*?)```", text.partition("## Names of stations")[2], flags=re.DOTALL)
    (tmp_path / "aliases.toml").write_text("".join(shown), encoding="utf-8")
    assert aliases(tmp_path / "aliases.toml")["02:00:00:00:01:01"] == "my laptop"
