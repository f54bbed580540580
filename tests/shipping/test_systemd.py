"""Systemd itself has nothing against the unit, and says how much it keeps away."""

from __future__ import annotations

import re
import shutil
from typing import TYPE_CHECKING

from tests.shipping.bare_root import run
from tests.shipping.conftest import ROOT

if TYPE_CHECKING:
    from tests.shipping.image import Image

UNIT = str(ROOT / "deploy/systemd/bgbotd.service")
INSTALLED = """
mount -t tmpfs opt /opt
mkdir /opt/bgbotd
mount --bind "$0/opt/bgbotd" /opt/bgbotd
systemd-analyze verify "$1"
"""
MOST_EXPOSURE = 1.3
"""What systemd 252 counts; 10 is everything."""


def test_systemd_has_nothing_against_the_unit(image: Image) -> None:
    """With the program where the unit says, from the image, which has it at the same place."""
    assert shutil.which("systemd-analyze"), "make test-shipping needs systemd-analyze: apt-get install systemd"
    assert "" == run(["unshare", "--mount", "sh", "-euc", INSTALLED, str(image.root), UNIT])


def test_systemd_counts_little_exposure() -> None:
    """No setting of the unit has been lost."""
    said = run(["systemd-analyze", "security", "--offline=true", UNIT])
    [exposure] = re.findall(r"exposure level for bgbotd\.service: ([0-9.]+)", said)
    assert float(exposure) <= MOST_EXPOSURE
