"""The game as a pure function of its inputs: no sockets, no clock, no chance of its own."""
