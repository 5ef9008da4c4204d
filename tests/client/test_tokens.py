from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from paiute_client.tokens import TokenKeeper, token_folder

HOME = "home.example:7000"
CLUB = "club.example:7000"


def keeper(folder: Path, *, address: str = HOME, name: str = "Keala") -> TokenKeeper:
    return TokenKeeper(folder, address=address, name=name)


def kept(folder: Path, token: str, *, server: str = "s-1", address: str = HOME, name: str = "Keala") -> None:
    """A client was here before, and has ended."""
    with keeper(folder, address=address, name=name) as before:
        assert before.keep(server, token)


def test_a_token_is_recalled_by_address_and_name(tmp_path: Path) -> None:
    kept(tmp_path, "token-1")
    kept(tmp_path, "token-2", name="Noa")
    kept(tmp_path, "token-3", server="s-2", address=CLUB)
    for token, address, name in (
        ("token-1", HOME, "Keala"),
        ("token-2", HOME, "Noa"),
        ("token-3", CLUB, "Keala"),
        (None, CLUB, "Noa"),
        (None, HOME, "keala"),
    ):
        with keeper(tmp_path, address=address, name=name) as now:
            assert now.recall() == token


def test_a_newer_token_of_a_server_takes_the_place_of_the_older(tmp_path: Path) -> None:
    kept(tmp_path, "token-1")
    kept(tmp_path, "token-2", address=CLUB)
    with keeper(tmp_path) as now:
        assert now.recall() is None
    with keeper(tmp_path, address=CLUB) as now:
        assert now.recall() == "token-2"
    assert len(list(tmp_path.glob("*.json"))) == 1


def test_of_two_servers_met_at_one_address_the_later_is_recalled(tmp_path: Path) -> None:
    kept(tmp_path, "token-1", server="s-1")
    kept(tmp_path, "token-2", server="s-2")
    with keeper(tmp_path) as now:
        assert now.recall() == "token-2"


def test_a_second_client_is_another_player(tmp_path: Path) -> None:
    kept(tmp_path, "token-1")
    with keeper(tmp_path) as first, keeper(tmp_path) as second:
        assert first.recall() == "token-1"
        assert second.recall() is None
        assert not second.keep("s-1", "token-2")
    with keeper(tmp_path) as later:
        assert later.recall() == "token-1"


def test_a_token_in_use_by_another_process_is_not_recalled_and_freed_by_its_death(tmp_path: Path) -> None:
    kept(tmp_path, "token-1")
    program = (
        "import pathlib, sys\n"
        "from paiute_client.tokens import TokenKeeper\n"
        "keeper = TokenKeeper(pathlib.Path(sys.argv[1]), address=sys.argv[2], name='Keala')\n"
        "print(keeper.recall(), flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path), HOME],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "token-1\n"
        with keeper(tmp_path) as now:
            assert now.recall() is None
        other.kill()
    with keeper(tmp_path) as now:
        assert now.recall() == "token-1"


def test_a_forgotten_token_is_gone(tmp_path: Path) -> None:
    kept(tmp_path, "token-1")
    with keeper(tmp_path) as now:
        assert now.recall() == "token-1"
        now.forget()
        assert now.keep("s-2", "token-2")
    with keeper(tmp_path) as later:
        assert later.recall() == "token-2"


def test_forgetting_nothing_is_harmless(tmp_path: Path) -> None:
    with keeper(tmp_path) as now:
        now.forget()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"server": 1}', b"\xff\xfe", b'{"server":"s","name":"Keala"}']
)
def test_a_file_that_cannot_be_read_is_passed_over(tmp_path: Path, content: bytes) -> None:
    kept(tmp_path, "token-1")
    (tmp_path / "other.json").write_bytes(content)
    with keeper(tmp_path) as now:
        assert now.recall() == "token-1"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a user's folders from others by itself")
def test_only_the_owner_may_read_them(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "tokens"
    kept(folder, "token-1")
    assert folder.stat().st_mode & 0o077 == 0
    assert [path.stat().st_mode & 0o077 for path in folder.iterdir()] == [0, 0]


def test_a_folder_that_cannot_be_had_costs_only_the_memory(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")
    with keeper(tmp_path / "taken") as now:
        assert now.recall() is None
        assert not now.keep("s-1", "token-1")
        now.forget()


def test_nothing_is_left_behind_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path, __: Path) -> Path:
        raise OSError("the disk is full")

    kept(tmp_path, "token-1")
    monkeypatch.setattr(Path, "replace", fail)
    with keeper(tmp_path) as now:
        assert not now.keep("s-1", "token-2")
        assert now.recall() == "token-1"
    assert len(list(tmp_path.iterdir())) == 2


def test_names_and_servers_are_no_paths(tmp_path: Path) -> None:
    folder = tmp_path / "tokens"
    kept(folder, "token-1", server="../../s", name="../x\x00y")
    assert [path.parent for path in tmp_path.rglob("*.json")] == [folder]


def test_tokens_are_kept_in_a_folder_of_their_own() -> None:
    assert token_folder().name == "tokens"
    assert "paiute" in token_folder().parts
