"""What the settings say of a cluster, and its worker as a program."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bgbotd.config import WrongSettings, usable_cores
from bgbotd.evaluation import ClusterSettings
from bgbotd.service.signals import on_stop

if TYPE_CHECKING:
    from bgbotd.config import Cluster, Settings


def cluster_settings(cluster: Cluster) -> ClusterSettings | None:
    """Give what the evaluator wants to know of a cluster; None where there is none.

    Raises:
        WrongSettings: if a file cannot be used.

    """
    if not cluster.scheduler:
        return None
    settings = ClusterSettings(cluster.scheduler, cluster.ca, cluster.certificate, cluster.key)
    try:
        settings.check()
    except (OSError, ValueError) as error:
        raise WrongSettings([f"cluster: {error}"]) from None
    return settings


def work_for_cluster(settings: Settings) -> None:
    """Be a cluster worker until SIGTERM or SIGINT.

    Raises:
        WrongSettings: if no cluster is named, or a file cannot be used.
        EngineFailed: if the engine cannot be loaded.

    """
    cluster = cluster_settings(settings.cluster)
    if cluster is None:
        raise WrongSettings(["cluster.scheduler: needed, for a cluster worker works for it"])
    from bgbotd.evaluation.cluster.worker import work  # noqa: PLC0415 - needs the extra

    engines = settings.engine.processes or usable_cores()

    async def run() -> None:
        stopping = asyncio.Event()
        on_stop(stopping.set)
        await work(cluster, engines, settings.cluster.worker_listen, stopping)

    asyncio.run(run())
