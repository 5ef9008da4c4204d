"""The keys in sentences, for the help that ``?`` opens."""

from __future__ import annotations

from paiute_client.words import tr

__all__ = ["key_lines"]


def key_lines(*, seated: bool) -> list[str]:
    """What the keys do, at a table or in the lobby."""
    return [*(_at_table() if seated else _in_lobby()), *_everywhere()]


def _at_table() -> list[str]:
    return [
        tr("d draws from the stock, and t takes the top discard."),
        tr(
            "To discard, choose a card with ← and →, or with the letter on it, and press Enter; 1 is the ten."
        ),
        tr("c shows what you can call, and Enter then lays it down."),
        tr("s sorts your cards by rank or by suit, w chooses a wild card, and h gives hints."),
        tr("n deals a hand, x cuts the pack, r shows the rules in force, and l leaves the table."),
        tr(
            "Where there is no room for the word, a letter stands beside a name: "
            "D for the dealer, B for a bot, A for away, N for no link, and L for left."
        ),
        tr("A * marks a wild card, and a card apart from the others is the one you have just drawn."),
    ]


def _in_lobby() -> list[str]:
    return [
        tr("Choose a table with ↑ and ↓, and press Enter to sit down at it; n opens a new one."),
    ]


def _everywhere() -> list[str]:
    return [
        tr(
            "Tab goes to the chat and : to typed commands, such as :accounts for who owes whom; "
            "Esc comes back."
        ),
        tr("PageUp and PageDown look back in the log, o opens the settings, and Ctrl-Q quits."),
    ]
