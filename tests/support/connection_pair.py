"""A client's and a server's connection back to back, without a socket."""

from __future__ import annotations

from paiute_net.wire.codec import Message
from paiute_net.wire.connection import Connection, Received, Role, State, Timing
from paiute_net.wire.messages import Hello, Ok, Pong

HELLO = Hello(id="hello", versions=(1,), name="Keala")


class ConnectionPair:
    """Both ends, at one time ``now``; whatever one says is heard by the other at once."""

    def __init__(self, timing: Timing | None = None) -> None:
        self.now = 0.0
        self.ends = {role: Connection(role, now=self.now, timing=timing or Timing()) for role in Role}

    @property
    def client(self) -> Connection:
        return self.ends[Role.CLIENT]

    @property
    def server(self) -> Connection:
        return self.ends[Role.SERVER]

    @property
    def state(self) -> State:
        """The state, on which both ends must agree."""
        assert self.client.state is self.server.state
        return self.client.state

    def greet(self) -> ConnectionPair:
        """Say hello and have it answered."""
        self.say(Role.CLIENT, HELLO)
        self.say(Role.SERVER, Ok(re=HELLO.id))
        assert self.state is State.GREETED
        return self

    def say(self, speaker: Role, message: Message) -> None:
        """One says ``message``, and the other hears just that (a pong is not handed on)."""
        data = self.ends[speaker].send(message, self.now)
        expected = [] if isinstance(message, Pong) else [message]
        assert self.hear(other(speaker), data) == expected

    def hear(self, hearer: Role, data: bytes) -> list[Received]:
        return self.ends[hearer].receive(data, self.now)

    def wait(self, seconds: float) -> None:
        """Let time pass, and both ends do what is due and hear of it."""
        self.now += seconds
        for end in self.ends.values():
            end.tick(self.now)
        for speaker in (Role.SERVER, Role.CLIENT):
            if data := self.ends[speaker].data_to_send():
                self.hear(other(speaker), data)


def other(role: Role) -> Role:
    return Role.SERVER if role is Role.CLIENT else Role.CLIENT
