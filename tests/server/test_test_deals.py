"""Deals from a file: what they give, and that a file is right or refused."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from trio.testing import MockClock

from paiute_net.game.cards import PACK, PACK_WITH_JOKERS, Card, parse_cards
from paiute_net.game.seen import HandDealt, HandStarted
from paiute_net.statements import BadStatement
from paiute_net.wire.messages import MakeCut
from paiute_server.test_deals import BadDeals, Deals, ListedChance, Order, parse_deals, read_deals
from tests.support.server import memory_server

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "test-deals.md"


def example() -> str:
    found = re.search(r"```\n(test-deals 1.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


async def test_the_example_deals_what_its_text_says(autojump_clock: MockClock) -> None:
    async with memory_server(chance=ListedChance(parse_deals(example()))) as running:
        ann, ben = await running.client("Ann"), await running.client("Ben")
        table = await ann.open_table()
        await ben.sit(table)
        await ann.start(table)
        asked = await ann.own_decision()
        await ann.ask(MakeCut, table=table, decision=asked.decision, position=20)
        dealt, to_ben = await ann.hear(HandDealt), await ben.hear(HandDealt)
    assert (dealt.cards, dealt.turned) == (parse_cards("Qh 3c Th 4d Jh"), "3s")
    assert to_ben.cards == parse_cards("9h 8s 2c Kd 6s")
    [started] = [event for event in ann.heard if isinstance(event, HandStarted)]
    assert started.dealer == 1


def test_each_kind_is_given_in_order_and_then_again() -> None:
    text = "test-deals 1\ncloser 1\ncut 7\npack Qh\ncloser 0\npack Td\ncut 90\nreshuffle 3c\n"
    chance = ListedChance(parse_deals(text))
    assert [chance.lot([0, 1]) for _ in range(3)] == [1, 0, 1]
    assert [chance.pack(PACK)[0] for _ in range(3)] == ["Qh", "Td", "Qh"]
    assert [chance.cut(1, 51) for _ in range(3)] == [7, 51, 7]
    assert chance.reshuffle(parse_cards("2c 4d 3c")) == [*parse_cards("3c 2c 4d")]


@pytest.mark.parametrize("cards", [PACK, PACK_WITH_JOKERS, PACK[:7]])
@pytest.mark.parametrize("cut", [0, 3, 53])
def test_a_pack_is_the_same_cards_and_lies_as_listed_once_cut(cards: Sequence[Card], cut: int) -> None:
    listed = parse_cards("4c X1 2c")
    order = list(Order(listed, cut).of(cards))
    assert sorted(order) == sorted(cards)
    position = min(cut, len(cards))
    there = [card for card in listed if card in cards]
    assert [*order[position:], *order[:position]][: len(there)] == there


def test_without_a_list_it_is_always_the_same() -> None:
    chance = ListedChance(Deals())
    assert chance.lot([0, 2]) == 2
    assert list(chance.pack(PACK)) == list(PACK)
    assert chance.cut(1, 51) == 1
    assert list(chance.reshuffle(PACK[:3])) == list(PACK[:3])


def test_a_closer_who_is_not_there_is_the_highest_seat() -> None:
    assert ListedChance(Deals(closers=(4,))).lot([0, 1]) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: 'test-deals 1' must stand here"),
        ("test-deals 2", "line 1: 'test-deals 1' must stand here"),
        ("# so far\npack Qh", "line 2: 'test-deals 1' must stand here"),
        (" test-deals 1", "line 1: an indented line goes on with the one before it, and there is none"),
        ("test-deals 1\nstock Qh", "line 2: no statement is called 'stock': closer, pack, cut, reshuffle"),
        ("test-deals 1\npack", "line 2: this is written 'pack [cut=POSITION] CARD ...'"),
        ("test-deals 1\npack cut=5", "line 2: this is written 'pack [cut=POSITION] CARD ...'"),
        ("test-deals 1\npack cut=x Qh", "line 2: 'x' is no whole number from 0 on"),
        ("test-deals 1\npack cut=54 Qh", "line 2: no pack has the 54 cards and more that are to be cut"),
        ("test-deals 1\nreshuffle cut=5 Qh", "line 2: 'cut=5' is no card"),
        ("test-deals 1\npack Qh\n     qh", "line 2: 'qh' is no card"),
        ("test-deals 1\npack Qh\n     Td Qh", "line 2: Qh is there twice, and a pack has it once"),
        ("test-deals 1\ncloser", "line 2: this is written 'closer SEAT'"),
        ("test-deals 1\ncloser 0 1", "line 2: this is written 'closer SEAT'"),
        ("test-deals 1\ncloser -1", "line 2: '-1' is no whole number from 0 on"),
        ("test-deals 1\ncut 1234567", "line 2: '1234567' is no whole number from 0 on"),
    ],
)
def test_what_lists_no_deals_is_refused(text: str, said: str) -> None:
    with pytest.raises(BadStatement, match=f"^{re.escape(said)}"):
        parse_deals(text)


def test_a_file_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    with pytest.raises(BadDeals, match="missing cannot be read: No such file"):
        read_deals(missing)
    with pytest.raises(BadDeals, match="cannot be read"):
        read_deals(tmp_path)
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(BadDeals, match="is no text in UTF-8"):
        read_deals(binary)
    bad = tmp_path / "bad"
    bad.write_text("pack Qh")
    with pytest.raises(BadDeals, match=r"bad, line 1: 'test-deals 1' must stand here"):
        read_deals(bad)
