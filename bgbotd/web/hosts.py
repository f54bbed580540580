"""By which names the edge may be called.

A page of a stranger may have its own name lead to the loopback once a browser has loaded it, and would then be taken
for a page that is served here. It cannot say another name than its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bgbotd.config.addresses import is_loopback, parted

if TYPE_CHECKING:
    from bgbotd.config import Settings

ANY = "*"
_LOOPBACK = ("localhost", "*.localhost", "127.0.0.1", "[::1]")
WRONG_HOST = (
    "Without tokens this daemon answers only who asks by the name or address of the loopback, such as localhost."
    " Ask so, or set tokens, or web.trusted_hops where a proxy asks."
)


def hosts(settings: Settings) -> list[str]:
    """Give the names that callers may call the edge by, whatever the port.

    Any will do where callers need tokens, which a stranger's page has not; where the edge has a certificate, which is
    for no stranger's name; and where other machines or a proxy reach the edge, by names of their own.
    """
    host, _ = parted(settings.web.listen) or ("", 0)
    if settings.tokens or settings.web.certificate or settings.web.trusted_hops or not is_loopback(host):
        return [ANY]
    return sorted({*_LOOPBACK, f"[{host}]" if ":" in host else host})
