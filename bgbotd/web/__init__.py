"""The web edge: an Envoy that the daemon configures, starts and keeps.

It turns gRPC-Web and JSON over plain HTTP into calls of the daemon, and serves the pages.
"""

from bgbotd.web.edge import Edge, envoy_program
from bgbotd.web.envoy import bootstrap
from bgbotd.web.methods import JSON_SUFFIX
from bgbotd.web.metrics import WebCollector
from bgbotd.web.routes import PEER_HEADER

__all__ = ["JSON_SUFFIX", "PEER_HEADER", "Edge", "WebCollector", "bootstrap", "envoy_program"]
