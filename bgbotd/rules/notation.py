"""Plays in standard notation, out and in (rules.md section 6)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from bgbotd.rules.dice import FACES
from bgbotd.rules.play_out import PlayOut, Way, blots
from bgbotd.rules.plays import Play, duty_violation, legal_plays
from bgbotd.rules.position import BAR, OFF
from bgbotd.rules.steps import format_play, point_name
from bgbotd.rules.violations import AmbiguousNotation, IllegalPlay, InvalidNotation, Reason, Violation

if TYPE_CHECKING:
    from bgbotd.rules.dice import Dice
    from bgbotd.rules.plays import LegalPlays
    from bgbotd.rules.position import Position

__all__ = ["format_play", "parse_play"]

_NO_PLAY = frozenset({"no play", "no move", "cannot move", "can't move", "dance", "dances", "danced", "-"})
_LONGEST_TEXT = 100
"""Three times the longest play, four checkers that all hit."""
_MOVE = re.compile(
    r"(?P<source>bar|b|[0-9]{1,2})(?P<landings>(?:/(?:off|o|[0-9]{1,2})\*?)+)(?:\((?P<times>[1-4])\))?(?P<star>\*?)"
)
_POINTS = {"bar": BAR, "b": BAR, "off": OFF, "o": OFF}


@dataclass(frozen=True, slots=True)
class _Text:
    """What a text says, on whatever board."""

    ways: tuple[Way, ...]
    """The ways of the checkers."""
    stars: frozenset[int]
    """The points on which it says that they hit."""

    def segments(self) -> list[tuple[int, int]]:
        """Give every part of a way that is written out, as source and landing."""
        return [segment for way in self.ways for segment in pairwise((way.source, *way.landings))]


def parse_play(position: Position, dice: Dice, text: str) -> Play:
    """Read a play in any usual form: `24/18 18/13`, `24/13`, `Bar/22*, 6/4(2)`, `25/22`, `6/0`, `no play`.

    The moves may come in any order, even one in which they could not be made: what counts is that
    a legal play leads to the same position. Stars may be missing, but not stand where nothing is hit.

    Raises:
        InvalidNotation: if the text is no play, or has a star where nothing is hit.
        AmbiguousNotation: if it fits legal plays with different results, because a blot can be hit
            on the way or not.
        IllegalPlay: if it is a play but not a legal one, with the rule that is broken.
        InvalidState: if the game is over.

    """
    said = _read(text)
    legal = legal_plays(position, dice)
    readings = _readings(position, dice, legal, said)
    if not readings:
        raise IllegalPlay([_broken_rule(position, dice, legal, said)])
    agreeing = [index for index, hits in readings.items() if said.stars <= hits]
    if not agreeing:
        wrong = max(said.stars - next(iter(readings.values())))
        raise InvalidNotation.of(
            "", f"a star on {point_name(wrong)}, where nothing is hit", "stars for hits only", Reason.CONTRADICTION
        )
    if len(agreeing) > 1:
        raise AmbiguousNotation.of(
            "",
            f"{text.strip()!r} with {dice.die1}-{dice.die2}",
            " or ".join(legal[index].notation for index in agreeing),
            Reason.NOTATION_AMBIGUOUS,
        )
    return legal[agreeing[0]]


def _readings(position: Position, dice: Dice, legal: LegalPlays, said: _Text) -> dict[int, frozenset[int]]:
    """Find the legal plays the text can mean, by their index, with the points on which they hit."""
    lengths = set(dice.moves()) | {sum(dice.moves()[:count]) for count in range(2, len(dice.moves()) + 1)}
    touched, passed = set[int](), set[int]()
    own = list(position.player.counts())
    for source, landing in said.segments():
        if landing != OFF and source - landing not in lengths:
            return {}
        touched.add(landing)
        if source - landing not in dice.moves():
            passed |= {source - length for length in lengths}
    for way in said.ways:
        own[_index(way.source)] -= 1
        own[_index(way.landings[-1])] += 1
    standing = blots(position.packed())
    readings = {}
    for index in range(len(legal)):
        result = legal.packed_result(index)
        hits = standing - blots(result)
        if list(result[: len(own)]) == own and standing & touched <= hits <= touched | passed:
            readings[index] = hits
    return readings


def _broken_rule(position: Position, dice: Dice, legal: LegalPlays, said: _Text) -> Violation:
    """Name the rule broken by a text that no legal play fits."""
    if len(said.segments()) > len(dice.moves()):
        return Violation(
            "",
            f"{len(said.segments())} steps with {dice.die1}-{dice.die2}",
            f"at most {len(dice.moves())}",
            Reason.DIE_NOT_AVAILABLE,
        )
    attempt = PlayOut(position.packed(), dice.moves(), said.ways)
    if attempt.failure is None or attempt.ends:
        return duty_violation(legal, max(attempt.ends.values()))
    return replace(attempt.failure, field="")


def _read(text: str) -> _Text:
    """Read a text.

    Raises:
        InvalidNotation: if it is no play on any board; all its faults are listed.

    """
    text = text.strip().casefold()
    if len(text) > _LONGEST_TEXT:
        raise InvalidNotation.of("", f"{len(text)} characters", f"at most {_LONGEST_TEXT}", Reason.NOTATION_MALFORMED)
    if text.removeprefix("(").removesuffix(")") in _NO_PLAY:
        return _Text((), frozenset())
    tidy = re.sub(r"\s*/\s*", "/", re.sub(r"\s+(?=[*(])", "", text))
    ways: list[Way] = []
    stars = set[int]()
    violations = []
    for move in re.split(r"[\s,;]+", tidy.strip(",;")):
        read = _MOVE.fullmatch(move)
        points = _points(read["source"], read["landings"]) if read else []
        if read is None or not points:
            violations.append(
                Violation(
                    "",
                    f"{move!r}",
                    "moves down the board, such as 8/5, 24/18*/13, bar/22, 6/off or 6/4(2), or (no play)",
                    Reason.NOTATION_MALFORMED,
                )
            )
            continue
        landings = read["landings"].split("/")[1:]
        stars |= {point for point, landing in zip(points[1:], landings, strict=True) if landing.endswith("*")}
        stars |= {points[-1]} if read["star"] else set()
        for _ in range(int(read["times"] or 1)):
            ways.append(Way(len(ways), points[0], tuple(points[1:]), tuple(range(1, FACES + 1))))
    if violations:
        raise InvalidNotation(violations)
    return _Text(tuple(ways), frozenset(stars))


def _points(source: str, landings: str) -> list[int]:
    """Read the points of a way; empty if they do not go down the board, or are not on it."""
    points = [
        _POINTS[name] if name in _POINTS else int(name) for name in (source + landings).replace("*", "").split("/")
    ]
    descending = all(point > after for point, after in pairwise(points))
    return points if descending and points[0] <= BAR else []


def _index(point: int) -> int:
    """Give the place of a point, the bar or off among a side's counts."""
    return point - 1 if point != OFF else BAR
