"""Settings: what an operator may say, and where each value comes from.

A flag wins over an environment variable, that over the file named by `--config`, that over the
default. `tls.key` is the flag `--tls.key`, the variable `BGBOTD_TLS_KEY` and the key `key` of the
table `[tls]`. Whatever is unknown or contradicts itself stops the start, by its name.
"""

from bgbotd.config.addresses import parted
from bgbotd.config.settings import Settings, WrongSettings, leaves, usable_cores
from bgbotd.config.sources import Sources, as_toml
from bgbotd.config.tables import (
    DEPTHS,
    LARGEST_REQUEST,
    CallLog,
    Cluster,
    Connections,
    Dice,
    EngineLimits,
    Limits,
    Tls,
    Tracing,
    Web,
)

__all__ = [
    "DEPTHS",
    "LARGEST_REQUEST",
    "CallLog",
    "Cluster",
    "Connections",
    "Dice",
    "EngineLimits",
    "Limits",
    "Settings",
    "Sources",
    "Tls",
    "Tracing",
    "Web",
    "WrongSettings",
    "as_toml",
    "leaves",
    "parted",
    "usable_cores",
]
