from __future__ import annotations

import msgspec
import pytest

from paiute_net.wire.describe import Description, describe
from paiute_server.cli import main


def test_the_protocol_is_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ending:
        main(["--describe"])
    assert not ending.value.code
    assert msgspec.json.decode(capsys.readouterr().out, type=Description) == describe()
