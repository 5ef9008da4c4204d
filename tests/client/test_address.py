from __future__ import annotations

import os
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiute_client.address import Address, bot_command, parse_address
from paiute_client.errors import BadAddress


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("localhost:7000", "localhost", 7000),
        ("localhost", "localhost", 7000),
        ("192.0.2.7:1", "192.0.2.7", 1),
        ("192.0.2.7", "192.0.2.7", 7000),
        ("[::1]:65535", "::1", 65_535),
        ("[2001:db8::5]", "2001:db8::5", 7000),
        ("[fe80::1%eth0]:7000", "fe80::1%eth0", 7000),
        ("  club.example:7001 ", "club.example", 7001),
        ("käsekuchen.example", "käsekuchen.example", 7000),
        ("some_host-1", "some_host-1", 7000),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, host: str, port: int) -> None:
    assert parse_address(text) == Address(host, port)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no host"),
        (":7000", "no host"),
        ("host:", "'' is no port"),
        ("host:0", "'0' is no port"),
        ("host:65536", "'65536' is no port"),
        ("host:070000", "'070000' is no port"),
        ("host:-1", "'-1' is no port"),
        ("host:+7", "'+7' is no port"),
        ("host:seven", "'seven' is no port"),
        ("host:7 0", "'7 0' is no port"),
        ("host:\u0667\u0660\u0660\u0660", "is no port"),
        ("::1", "brackets"),
        ("2001:db8::5:7000", "brackets"),
        ("[::1", "no address"),
        ("[::1]7000", "no address"),
        ("host\n:7000\n1", "no address"),
        ("[]:7000", "no IPv6 address"),
        ("[host]:7000", "no IPv6 address"),
        ("[::1]:", "is no port"),
        ("http://host:7000", "web address"),
        ("host/path", "no host"),
        ("me@host", "no host"),
        ("two words", "no host"),
        ("ho\x1bst", "no host"),
        ("ho\u202est", "no host"),
        ("ho\udcffst", "no host"),
        ("h" * 300, "no host"),
    ],
)
def test_what_is_no_address_is_named(text: str, says: str) -> None:
    with pytest.raises(BadAddress) as caught:
        parse_address(text)
    sentence = str(caught.value)
    assert says in sentence
    assert sentence.endswith(".")
    assert sentence.isprintable()


@given(st.text() | st.from_regex(r"[\[\]:.a-f0-9%]{0,40}", fullmatch=True))
def test_any_text_is_an_address_or_is_refused(text: str) -> None:
    try:
        address = parse_address(text)
    except BadAddress:
        return
    assert 1 <= address.port <= 65_535
    assert parse_address(str(address)) == address


@pytest.mark.skipif(os.name == "nt", reason="its shell quotes otherwise")
@pytest.mark.parametrize("table", ["Evening", "Kai's table", "$HOME", "夜のテーブル"])
@pytest.mark.parametrize("address", [Address("localhost", 7010), Address("::1")])
def test_the_command_for_a_bot_can_be_typed_as_it_stands(address: Address, table: str) -> None:
    words = shlex.split(bot_command(address, table))
    assert words == ["paiute-client", "--bot", str(address), "--table", table]


@pytest.mark.parametrize("table", ["-x", "--plain"])
def test_a_table_that_is_called_like_an_option_is_none(table: str) -> None:
    assert bot_command(Address("localhost"), table).endswith(f" --table={table}")
