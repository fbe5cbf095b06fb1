"""Where keys come from: not only from the command line, which others can see."""

from __future__ import annotations

import pytest

from winf_analyzer._util.errors import UsageError
from winf_analyzer.cli.keys import given_keys

FIRST, SECOND = "wep:0102030405", "wpa-pwd:pass phrase # 1:home"


def test_from_a_file_and_the_environment(tmp_path, monkeypatch, capsys):
    file = tmp_path / "keys"
    file.write_text(f"# lab\n{FIRST}\n\n{SECOND}\n")
    assert given_keys(None, file, "native") == [FIRST, SECOND]
    monkeypatch.setenv("WINF_KEY", FIRST)
    assert given_keys(None, None, "tshark") == [FIRST]
    assert given_keys(None, None, "native") == []
    assert capsys.readouterr().err == ""


def test_on_the_command_line_they_are_seen(capsys):
    assert given_keys([FIRST], None, "tshark") == [FIRST]
    assert "can see --key" in capsys.readouterr().err
    assert FIRST not in capsys.readouterr().err


@pytest.mark.parametrize("content", [None, b"\xff\xfe", b"x" * (2 << 20)])
def test_a_file_that_is_none_is_refused(tmp_path, content):
    file = tmp_path / "keys"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UsageError, match="--key-file"):
        given_keys(None, file, "tshark")


def test_nobody_to_ask(winf_process, sample, tmp_path):
    done = winf_process("ingest", sample("ns3_sniffer"), "-o", tmp_path / "a", "--key", "-", input="")
    assert done.returncode == 2
    assert "no terminal" in done.stderr
