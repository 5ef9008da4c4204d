"""The protocol without sockets: messages, frames, and what may be said when."""
