from __future__ import annotations

from pathlib import Path

import pytest

from paiute_client import cli, crash


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_a_fault_is_told_in_a_sentence_and_kept_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "crash.log"
    told = crash.told(raised(LookupError("no such card")), file)
    assert "(LookupError: no such card)" in told
    assert "start it again in the same way" in told
    assert told.endswith(f"is kept in {file}.")
    assert "raise error\nLookupError: no such card\n" in file.read_text(encoding="utf-8")


def test_the_first_fault_of_a_group_is_named(tmp_path: Path) -> None:
    inner = ExceptionGroup("tasks", [KeyError("first"), ValueError("second")])
    told = crash.told(raised(ExceptionGroup("tasks", [inner])), tmp_path / "crash.log")
    assert "(KeyError: 'first')" in told


def test_only_the_last_fault_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "crash.log"
    for fault in ("the fault before", "the last fault"):
        crash.told(raised(RuntimeError(fault)), file)
    kept = file.read_text(encoding="utf-8")
    assert "the last fault" in kept
    assert "the fault before" not in kept


def test_where_no_file_can_be_written_the_fault_is_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "logs").write_text("no folder")
    told = crash.told(raised(RuntimeError("a fault")), tmp_path / "logs" / "crash.log")
    assert told.endswith("you come back to it.")
    assert capsys.readouterr().err.endswith("RuntimeError: a fault\n")


@pytest.mark.parametrize("way", [("--plain",), ("--bot",), ()], ids=["plain", "bot", "screen"])
def test_every_way_to_play_tells_its_faults(
    way: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: object) -> int:
        raise RuntimeError("a fault")

    def no_other(_: object) -> int:
        raise AssertionError("this is another way to play")

    for name, options in (("_run_plain", ("--plain",)), ("_run_bot", ("--bot",)), ("_run_screen", ())):
        monkeypatch.setattr(cli, name, fail if options == way else no_other)
    monkeypatch.setattr(cli, "_is_screen", lambda: True)
    monkeypatch.setattr(crash, "log_file", lambda: tmp_path / "crash.log")
    assert cli.main(["localhost", *way]) == 1
    told = capsys.readouterr().err
    assert told.startswith(
        "paiute-client: This program has broken down over a fault of its own (RuntimeError: "
    )
    assert told.count("\n") == 1
