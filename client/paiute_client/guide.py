"""What help says: the commands, how the game goes, how to name a card, and every switch of the rules."""

from __future__ import annotations

from typing import Final

from paiute_client import rulebook
from paiute_client.commands import COMMANDS, Spec, spec_of
from paiute_client.model import Model
from paiute_client.refusals import as_typed, value_as_typed
from paiute_client.table_settings import SETTINGS
from paiute_client.words import alternatives, listing, tr
from paiute_net.game.house_rules import STANDARD

__all__ = ["guide"]

_SWITCHES: Final = {as_typed(switch): switch for switch in rulebook.SWITCHES}


def guide(topic: str | None, model: Model) -> list[str]:
    """The lines about a topic or a command; with None, about all that can be typed."""
    if topic is None:
        return _overview(model)
    if topic == "game":
        return [*rulebook.game(), tr("Type help combinations for what can be called.")]
    if topic == "combinations":
        rules = STANDARD if model.picture is None else model.picture.rules
        return rulebook.combinations(royal_on_top=rules.royal_on_top)
    if topic == "cards":
        return _cards()
    if topic in _SWITCHES:
        return _switch(topic)
    spec = spec_of(topic)
    return [] if spec is None else _command(spec)


def _overview(model: Model) -> list[str]:
    now = [spec for spec in COMMANDS if spec.open(model)]
    later = [spec.name for spec in COMMANDS if not spec.open(model)]
    return [
        tr("This is what you can type now:"),
        *map(_line, now),
        tr("At other times there are also {commands}.").format(commands=listing(later)),
        tr("For more, type help and one of these words."),
        tr(
            "Type help game for how the game goes, help combinations for what can be called, "
            "and help cards for how to name a card."
        ),
    ]


def _line(spec: Spec) -> str:
    return tr("{usage}: {meaning}").format(usage=spec.usage, meaning=spec.meaning)


def _command(spec: Spec) -> list[str]:
    lines = [_line(spec), *spec.details]
    if spec.name == "create":
        lines += _settings()
    if spec.others:
        message = tr("Instead of {command} you can also type {others}.")
        lines.append(message.format(command=spec.name, others=alternatives(spec.others)))
    return lines


def _settings() -> list[str]:
    line = tr("{name}: {meaning}")
    return [
        tr("For example: create family stake=50 seats=4."),
        tr("These are the rule sets:"),
        *(line.format(name=name, meaning=meaning) for name, meaning in rulebook.RULE_SETS.items()),
        tr("These are the settings:"),
        *(line.format(name=name, meaning=meaning) for name, meaning in SETTINGS.items()),
        tr("Every rule can be set too: {switches}; type help and one of these for its values.").format(
            switches=listing(list(_SWITCHES))
        ),
    ]


def _switch(typed: str) -> list[str]:
    return [
        tr("{switch}={value}: {meaning}").format(switch=typed, value=value_as_typed(value), meaning=meaning)
        for value, meaning in rulebook.meanings(_SWITCHES[typed]).items()
    ]


def _cards() -> list[str]:
    return [
        tr("A card is named by its rank and its suit, for example Qh, 10c, or queen of hearts."),
        tr("The ranks are 2 to 10, J for jack, Q for queen, K for king and A for ace."),
        tr("The suits are c for clubs, d for diamonds, h for hearts and s for spades."),
        tr("The rank alone will do if you hold only one card of it."),
        tr("A joker is simply called joker."),
    ]
