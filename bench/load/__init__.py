"""The server under load, beside two bare servers that only pass frames on: ``python -m bench.load``."""
