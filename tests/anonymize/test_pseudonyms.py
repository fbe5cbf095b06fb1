"""Pseudonyms: keyed, the same each time, different for different addresses, and alike where prefixes are."""

import ipaddress

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from properties import examples

from winf_analyzer._anonymize.pseudonyms import BROADCAST, NULL_ADDRESS, Pseudonyms, names_no_host

KEY, OTHER = b"0123456789abcdef", b"another key of ours"
macs = st.binary(min_size=6, max_size=6).map(lambda octets: octets.hex(":"))
ips = st.ip_addresses(v=4).map(str) | st.ip_addresses(v=6).map(str)


def common_bits(one: str, other: str) -> int:
    first, second = ipaddress.ip_address(one), ipaddress.ip_address(other)
    return first.max_prefixlen - (int(first) ^ int(second)).bit_length()


def is_group(address: str) -> bool:
    return bool(int(address[:2], 16) & 1)


@examples(100)
@given(macs)
def test_a_mac_address_becomes_a_locally_administered_one_of_its_kind(address):
    made = Pseudonyms(KEY).mac(address)
    assert is_group(made) == is_group(address)
    if address not in (NULL_ADDRESS, BROADCAST):
        assert made != address
        assert made == Pseudonyms(KEY).mac(address) != Pseudonyms(OTHER).mac(address)
        assert is_group(made) or int(made[:2], 16) & 2


def test_addresses_that_name_nobody_stay():
    assert [Pseudonyms(KEY).mac(address) for address in (NULL_ADDRESS, BROADCAST)] == [NULL_ADDRESS, BROADCAST]


def test_kept_vendors_have_as_many_stations_as_before():
    pseudonyms = Pseudonyms(KEY, keep_vendor=True)
    made = {pseudonyms.mac(f"00:1b:21:{n >> 8 & 255:02x}:{n & 255:02x}:07") for n in range(20_000)}
    assert len(made) == 20_000
    assert {address[:8] for address in made} == {"00:1b:21"}


@examples(50)
@given(ips, st.integers(0, 128), st.integers(0, 2**128 - 1))
def test_ip_addresses_share_as_many_leading_bits_as_before(address, length, noise):
    parsed = ipaddress.ip_address(address)
    width = parsed.max_prefixlen
    other = str(type(parsed)(int(parsed) ^ (noise & ((1 << width) - 1)) >> min(length, width)))
    assume(not any(each.is_multicast or names_no_host(each) for each in map(ipaddress.ip_address, (address, other))))
    pseudonyms = Pseudonyms(KEY)
    assert common_bits(pseudonyms.ip(address), pseudonyms.ip(other)) == common_bits(address, other)


def test_every_bit_of_an_ip_address_counts():
    """No more leading bits stay than chance leaves, and the last bit is not simply kept."""
    kept = [common_bits(Pseudonyms(bytes([n]) * 16).ip("10.0.0.1"), "10.0.0.1") for n in range(64)]
    assert 16 < sum(bits == 0 for bits in kept) < 48
    assert len({Pseudonyms(bytes([n]) * 16).ip("10.0.0.1").rsplit(".")[-1] for n in range(64)}) > 40


@pytest.mark.parametrize(
    "text", ["udp 10.0.0.1:5000 10.0.0.2:5000", "tcp [fe80::1]:443 [fe80::2]:1", "00:00:00:00:00:01 > node-2", "node-3"]
)
def test_of_a_flow_only_the_addresses_change(text):
    made = Pseudonyms(KEY).composed(text, "flow")
    assert [word for word in made.split() if word.isalpha()] == [word for word in text.split() if word.isalpha()]
    assert not any(address in made for address in ("10.0.0", "fe80", "00:00:00:00:00:01"))
    assert ("node-" in made) == ("node-" in text)


@examples(100)
@given(st.text(min_size=1))
def test_another_text_becomes_a_name(text):
    made = Pseudonyms(KEY).composed(f"host {text}x", "flow")
    assert made.startswith("flow-")
    assert text not in made[5:] or len(text) < 3


def test_a_short_key_is_refused():
    with pytest.raises(ValueError, match="at least 16"):
        Pseudonyms(b"secret")


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0", "255.255.255.255", "224.0.0.251", "239.255.255.250", "::", "ff02::fb", "ff02::1", "ff0e::101"],
)
def test_what_names_no_host_stays_and_tells_nothing_of_others(address):
    assert Pseudonyms(KEY).ip(address) == address
    assert Pseudonyms(KEY).composed(f"udp 10.0.0.1:5353 [{address}]:5353", "flow").endswith(f" [{address}]:5353")


@pytest.mark.parametrize("address", ["234.192.0.2", "233.252.0.1", "ff32:40:2001:db8::1", "ff12::1", "255.255.255.254"])
def test_a_group_whose_number_is_made_of_a_network_does_not_stay(address):
    assert len({Pseudonyms(bytes([n]) * 16).ip(address) for n in range(8)} - {address}) == 8


def test_the_group_of_those_who_look_for_a_host_hides_the_host():
    made = Pseudonyms(KEY).ip("ff02::1:ff12:3456")
    assert made.startswith("ff02::1:ff")
    assert made not in ("ff02::1:ff12:3456", Pseudonyms(OTHER).ip("ff02::1:ff12:3456"))
