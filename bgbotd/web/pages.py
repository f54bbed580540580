"""Files that the edge serves: the built pages, or one that says what is here, and the description of the JSON form."""

from __future__ import annotations

import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

_HERE = Path(__file__).parent
BUILT = _HERE / "pages"
"""Where `make web` puts the built pages."""
OPENAPI = _HERE / "openapi.json"
"""Description of the JSON form; `make proto` writes it."""
_TYPES = {".js": "text/javascript", ".map": "application/json", ".webmanifest": "application/manifest+json"}
"""Where the machine's own list may say otherwise, or nothing."""
_HASHED = "assets"
"""Folder of files whose names change with their content."""


@dataclass(frozen=True, slots=True)
class Page:
    """A file that is served."""

    path: str
    """Where, such as /assets/board.js."""
    file: Path
    content_type: str
    etag: str
    lasting: bool
    """Whether its content never changes, because its name would."""


def pages() -> list[Page]:
    """List the files that are served: a page that says what is here, where none are built."""
    found = sorted(file for file in BUILT.rglob("*") if file.is_file() and not file.name.startswith("."))
    served = [_page(f"/{file.relative_to(BUILT).as_posix()}", file) for file in found]
    index = BUILT / "index.html" if BUILT / "index.html" in found else _HERE / "index.html"
    return [_page("/", index), _page("/openapi.json", OPENAPI), *served]


def _page(path: str, file: Path) -> Page:
    """Describe a file. Its tag is a weak one, for it is sent compressed to whoever reads that."""
    kind = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    is_text = kind.startswith("text/") or kind in {"application/json", "image/svg+xml"}
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    return Page(
        path=path,
        file=file,
        content_type=f"{kind}; charset=utf-8" if is_text else kind,
        etag=f'W/"{digest}"',
        lasting=path.startswith(f"/{_HASHED}/"),
    )
