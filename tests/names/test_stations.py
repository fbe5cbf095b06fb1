"""Names of stations, and BSSIDs that are one radio."""

from __future__ import annotations

from winf_analyzer._names import Names

OFFICE, GUESTS, ALONE, PHONE = (f"02:00:00:00:00:{last}" for last in ("10", "11", "40", "99"))
NODES = [
    {"node": OFFICE, "role": "ap", "ssid": "office", "alias": None, "radio": OFFICE},
    {"node": GUESTS, "role": "ap", "ssid": "guests of the house", "alias": None, "radio": OFFICE},
    {"node": ALONE, "role": "ap", "ssid": None, "alias": None, "radio": ALONE},
    {"node": PHONE, "role": "station", "ssid": "office", "alias": "Ann's phone", "radio": PHONE},
]


def test_an_alias_or_an_announced_network_stands_before_the_address():
    name = Names(NODES)
    assert name(PHONE) == f"Ann's phone ({PHONE})"
    assert name(GUESTS) == f"guests of the … ({GUESTS})"
    assert name(ALONE) == ALONE  # locally administered: no vendor
    assert name(None) == "unknown station"
    assert (
        Names([{**NODES[3], "alias": None}])(PHONE) == PHONE
    )  # a station that looks for a network is not that network


def test_a_radio_has_the_lowest_of_its_bssids():
    name = Names(NODES)
    assert name.radios == {OFFICE: [OFFICE, GUESTS]}
    assert [name.radio(address) for address in (GUESTS, ALONE, PHONE, None)] == [OFFICE, ALONE, PHONE, None]
    assert name.of_radio(OFFICE) == f"office +1 ({OFFICE})"
    assert name.of_radio(ALONE) == ALONE


def test_tables_of_before_are_read():
    name = Names([{"node": OFFICE, "role": "ap", "ssid": "office"}])
    assert name(OFFICE) == f"office ({OFFICE})"
    assert name.radios == {}


def test_addresses_in_a_text_get_their_names_once():
    name = Names(NODES)
    assert name.in_text(f"{PHONE} > {OFFICE}, 3 times") == f"{name(PHONE)} > {name(OFFICE)}, 3 times"
    assert name.in_text(name.in_text(f"from {OFFICE}.")) == f"from office ({OFFICE})."
    assert name.in_text(f"no {OFFICE}:22 address") == f"no {OFFICE}:22 address"
