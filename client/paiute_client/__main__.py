"""``python -m paiute_client`` is ``paiute-client``."""

from __future__ import annotations

import sys

from paiute_client.cli import main

sys.exit(main())
