"""What a user may write for MAC parameters."""

import pytest

from winf_analyzer._mac.override import parse


def said(rows):
    return [(row.station, row.access_category, row.parameter, row.value) for row in rows]


def test_assignments_hold_for_all_or_for_one_access_category():
    rows = parse("slot_us=20, vo.cw_min=3")
    assert said(rows) == [(None, None, "slot_us", 20.0), (None, "vo", "cw_min", 3.0)]
    assert {row.origin for row in rows} == {"given"}
    assert parse(None) == []


def test_a_file_may_name_stations(tmp_path):
    path = tmp_path / "mac.toml"
    path.write_text('slot_us = 9\n[be]\ncw_min = 15\n[station."AA:00:00:00:00:01"]\nslot_us = 20\nvo = { aifsn = 1 }\n')
    assert (
        said(parse(path))
        == said(parse(str(path)))
        == [
            (None, None, "slot_us", 9.0),
            (None, "be", "cw_min", 15.0),
            ("aa:00:00:00:00:01", None, "slot_us", 20.0),
            ("aa:00:00:00:00:01", "vo", "aifsn", 1.0),
        ]
    )


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ("slot=20", "'slot' is not one of slot_us"),
        ("slot_us=fast", "not a parameter and a number"),
        ("slot_us=nan", "from 1 to 1000"),
        ("slot_us=0", "from 1 to 1000"),
        ("xx.cw_min=3", "not one of be, bk, vi, vo, dcf"),
        ("nowhere.toml", "No such file"),
        ({"slot_us": True}, "from 1 to 1000"),
        ({"station": {"aa": 3}}, "not a table"),
        ({"station": {"aa": {"station": {}}}}, "'station' is not one of"),
    ],
)
def test_mistakes_are_named(wrong, told):
    with pytest.raises(ValueError, match=told.replace("(", r"\(")):
        parse(wrong)


def test_a_file_that_is_no_toml_is_named(tmp_path):
    path = tmp_path / "mac.toml"
    path.write_text("slot_us =")
    with pytest.raises(ValueError, match=r"mac\.toml: not read"):
        parse(path)
