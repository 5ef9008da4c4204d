"""Check that a wheel holds every file of the three packages, and nothing else."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = (ROOT / "paiute_net", ROOT / "server" / "paiute_server", ROOT / "client" / "paiute_client")


def files_in_tree() -> set[str]:
    """The packages' files as they are named once installed."""
    return {
        path.relative_to(package.parent).as_posix()
        for package in PACKAGES
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def files_in_wheel(wheel: Path) -> set[str]:
    """What the wheel installs, without its own metadata."""
    with zipfile.ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if not name.split("/")[0].endswith(".dist-info")}


def main(arguments: list[str]) -> str | None:
    """Say what is wrong with the one wheel named, or nothing."""
    if len(arguments) != 1:
        return "usage: check_wheel.py WHEEL"
    expected, found = files_in_tree(), files_in_wheel(Path(arguments[0]))
    if expected != found:
        return f"missing in the wheel: {sorted(expected - found)}; too many: {sorted(found - expected)}"
    print(f"{len(found)} files")
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
