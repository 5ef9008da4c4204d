"""``python -m paiute_server`` is ``paiute-server``."""

from __future__ import annotations

import sys

from paiute_server.cli import main

sys.exit(main())
