"""The text form of events and checkpoints in a journal: JSON, typed when read back."""

from __future__ import annotations

from typing import Final

import msgspec

from paiute_net.game import events
from paiute_net.game.events import Event
from paiute_net.game.table import TableState

__all__ = ["StoredEvent", "decode_events", "decode_state", "encode_events", "encode_state"]

StoredEvent = (
    events.TableOpened
    | events.PlayerSat
    | events.PlayerLeft
    | events.HandStarted
    | events.PackCut
    | events.HandDealt
    | events.CardDrawn
    | events.CardDiscarded
    | events.CombinationCalled
    | events.StockReshuffled
    | events.HandEnded
    | events.TableClosed
)

_ENCODER: Final = msgspec.json.Encoder()
_EVENTS: Final = msgspec.json.Decoder(tuple[StoredEvent, ...])
_STATE: Final = msgspec.json.Decoder(TableState)


def encode_events(step: tuple[Event, ...]) -> str:
    """The events of one step as a JSON array."""
    return _ENCODER.encode(step).decode()


def decode_events(text: str | bytes) -> tuple[Event, ...]:
    """The events of one step; raises msgspec.MsgspecError where they are none."""
    return _EVENTS.decode(text)


def encode_state(state: TableState) -> str:
    """A checkpoint as a JSON object."""
    return _ENCODER.encode(state).decode()


def decode_state(text: str | bytes) -> TableState:
    """A checkpoint; raises msgspec.MsgspecError where it is none."""
    return _STATE.decode(text)
