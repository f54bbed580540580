"""Who calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bgbotd.web import PEER_HEADER

if TYPE_CHECKING:
    import grpc
    from google.protobuf.message import Message

    Context = grpc.aio.ServicerContext[Message, bytes]


def peer_of(context: Context) -> str:
    """Say who calls, such as `ipv4:192.0.2.7:50321`, or `web:` and whom the web edge was called by.

    Only the edge reaches the unix socket it calls by, so what it says there, and only there, is believed.
    """
    peer: str = context.peer()
    if peer.startswith("unix:"):
        for key, value in context.invocation_metadata() or ():
            if key == PEER_HEADER:
                return f"web:{value!s}"
    return peer
