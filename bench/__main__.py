"""All measurements, one after the other: ``python -m bench``."""

from __future__ import annotations

import argparse

from bench import steps, values


def main() -> None:
    """Measure everything as each module does by itself, and print the tables."""
    argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure everything. Each table by itself takes options: python -m bench.values --help, "
        "python -m bench.steps --help.",
    ).parse_args()
    values.main([])
    steps.main([])


if __name__ == "__main__":
    main()
