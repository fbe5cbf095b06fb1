"""What counts as an address of the original."""

from __future__ import annotations

import pytest

from winf_analyzer._anonymize import scan


@pytest.mark.parametrize("sql", ["count(*)::double as value", "null::bigint", "x::date"])
def test_a_cast_in_sql_is_no_address(sql):
    assert scan._addresses(iter([sql]), scan._WHOLE_ADDRESS) == set()


@pytest.mark.parametrize(
    "text", ["fe80::d", "tcp fe80::d 5000", "02:00:00:00:00:0D > x", "02-00-00-00-00-0d", "10.0.0.13:5"]
)
def test_an_address_in_a_text_is_one(text):
    assert len(scan._addresses(iter([text]), scan._WHOLE_ADDRESS)) == 1


def test_in_octets_an_address_may_be_followed_by_anything():
    assert scan._addresses(iter(["fe80::dx"])) == {"fe80::d"}
