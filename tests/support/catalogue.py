"""The template of the catalogue: every message that the client can say, for translators to start from.

``python -m tests.support.catalogue`` writes it anew.
"""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import write_po

__all__ = ["PATH", "template"]

_CODE: Final = Path(__file__).resolve().parents[2] / "client"
PATH: Final = _CODE / "paiute_client" / "locale" / "paiute.pot"
_METHODS: Final = [("**.py", "python")]
_KEYWORDS: Final = {"tr": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
"""The functions that look messages up, and which of their arguments are messages or contexts."""
_HEADER: Final = r"""# What paiute-client says: each message is a whole sentence, a label or a word.
msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\n"
"Content-Transfer-Encoding: 8bit\n"

"""


def template() -> str:
    """The template as it follows from the code; the same messages always give the same."""
    catalog = Catalog()
    for file, _, message, comments, context in extract_from_dir(_CODE, _METHODS, keywords=_KEYWORDS):
        catalog.add(message, locations=[(file, 0)], auto_comments=comments, context=context)
    written = BytesIO()
    write_po(written, catalog, width=0, omit_header=True, sort_by_file=True, include_lineno=False)
    return _HEADER + written.getvalue().decode()


def main() -> None:
    """Write the template anew."""
    PATH.write_text(template(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
