"""The written figures: the one file that `ListBots` and the README's tables come from."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgbotd.bots import Level, Strength
from bgbotd.bots.contest import strength

if TYPE_CHECKING:
    from benchmarks.strength.losses import MeanLoss
    from bgbotd.bots.contest import GameScore

    Pairs = list[tuple[GameScore, GameScore]]

_FILE = Path(str(resources.files("bgbotd.bots").joinpath("strength.json")))
_LEVELS = [level.value for level in Level]


@dataclass(slots=True)
class Written:
    """What has been measured, as the file holds it."""

    levels: dict[str, Any]
    """For each level its strengths by opponent, and the typical seconds of a choice."""
    gnubg: dict[str, Any]
    """For each level that played gnubg its strengths by opponent."""
    losses: dict[str, Any]
    """Mean losses by level, the number of decisions and the command that repeats them."""

    @classmethod
    def read(cls) -> Written:
        """Read the file."""
        return cls(**json.loads(_FILE.read_text()))

    def write(self) -> None:
        """Write the file, the weakest level first."""
        self.levels = dict(sorted(self.levels.items(), key=lambda item: _LEVELS.index(item[0])))
        _FILE.write_text(json.dumps(dataclasses.asdict(self), indent=2) + "\n")

    def add_contest(self, first: str, second: str, pairs: Pairs, measured_by: str) -> None:
        """Hold the outcome of a contest, in place of an older one: between levels, from both sides."""
        if second not in _LEVELS:
            self.gnubg.setdefault(first, {})[second] = dataclasses.asdict(strength(pairs, measured_by))
            return
        turned = [(one.turned(), other.turned()) for one, other in pairs]
        for name, opponent, seen in ((first, second, pairs), (second, first, turned)):
            self._level(name)["strengths"][opponent] = dataclasses.asdict(strength(seen, measured_by))

    def add_losses(self, measured: dict[Level, MeanLoss], decisions: int, measured_by: str) -> None:
        """Hold the mean losses, in place of older ones."""
        levels = {level.value: dataclasses.asdict(loss) for level, loss in measured.items()}
        self.losses = {"decisions": decisions, "measured_by": measured_by, "levels": levels}

    def add_time(self, level: Level, seconds: float) -> None:
        """Hold the typical time of a level's choice."""
        self._level(level.value)["typical_seconds"] = seconds

    def _level(self, name: str) -> dict[str, Any]:
        """Give what is held of a level, to be changed."""
        found: dict[str, Any] = self.levels.setdefault(name, {"typical_seconds": None, "strengths": {}})
        return found

    def tables(self) -> str:
        """Write the figures as the README's tables."""
        contests = [
            (name, opponent, found)
            for name, level in self.levels.items()
            for opponent, found in level["strengths"].items()
            if _LEVELS.index(opponent) < _LEVELS.index(name)
        ]
        contests += [(name, opponent, found) for name, level in self.gnubg.items() for opponent, found in level.items()]
        lines = [
            "| level | against | games | wins | of them gammons | points a game | luck taken out |",
            "|---|---|---:|---:|---:|---:|---:|",
            *(_contest_line(name, opponent, Strength(**found)) for name, opponent, found in contests),
        ]
        if self.losses:
            lines += [
                "",
                "| level | equity lost per decision | more than the next level |",
                "|---|---:|---:|",
                *(_loss_line(name, loss) for name, loss in self.losses["levels"].items()),
            ]
        return "\n".join(lines)


def _contest_line(name: str, opponent: str, strength: Strength) -> str:
    """Write one contest as a line of the table."""
    adjusted, margin = strength.adjusted_points_per_game, strength.adjusted_points_per_game_margin
    return (
        f"| {name.title()} | {opponent if 'gnubg' in opponent else opponent.title()} | {strength.games:,} "
        f"| {100 * strength.win_rate:.1f} ± {100 * strength.win_rate_margin:.1f} % "
        f"| {100 * strength.gammon_rate / strength.win_rate:.0f} % "
        f"| {strength.points_per_game:+.3f} ± {strength.points_per_game_margin:.3f} "
        f"| {'' if adjusted is None else f'{adjusted:+.3f} ± {margin:.3f}'} |"
    )


def _loss_line(name: str, loss: dict[str, Any]) -> str:
    """Write one level's loss as a line of the table."""
    more = loss["more_than_next"]
    return (
        f"| {name.title()} | {loss['mean']:.4f} ± {loss['margin']:.4f} "
        f"| {'' if more is None else f'{more:+.4f} ± ' + format(loss['more_than_next_margin'], '.4f')} |"
    )
