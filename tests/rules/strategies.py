"""Positions, rolls and match states as Hypothesis draws them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from bgbotd.rules.dice import Dice
from bgbotd.rules.match import HIGHEST_MONEY_SCORE, CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import BAR, CHECKERS, OFF, POINTS, Position, Side

if TYPE_CHECKING:
    from collections.abc import Sequence

dice = st.builds(Dice, st.integers(1, 6), st.integers(1, 6))


@st.composite
def positions(draw: st.DrawFn, *, finished: bool = True) -> Position:
    """Draw any position; without `finished` only those of a game still being played."""
    border = draw(st.lists(st.booleans(), min_size=POINTS, max_size=POINTS))
    mine = [point for point in range(1, BAR) if border[point - 1]]
    theirs = [BAR - point for point in range(1, BAR) if not border[point - 1]]
    most_off = CHECKERS if finished else CHECKERS - 1
    player = _side(draw, mine, most_off)
    return Position(player, _side(draw, theirs, most_off if player.off < CHECKERS else CHECKERS - 1))


@st.composite
def matches(draw: st.DrawFn) -> MatchState:
    """Draw any match state that can exist."""
    limit = 1 << draw(st.integers(0, 12))
    owned = st.builds(Cube, st.sampled_from([1 << n for n in range(1, 13) if 1 << n <= limit] or [2]), _OWNERS)
    if draw(st.booleans()):
        score = st.integers(-HIGHEST_MONEY_SCORE, HIGHEST_MONEY_SCORE) | st.integers(0, 20)
        centred = st.builds(Cube, st.sampled_from([1 << n for n in range(13) if 1 << n <= limit]))
        cube = draw(centred if limit == 1 else centred | owned)
        agreed = (draw(st.booleans()), draw(st.booleans()))
        return MatchState(0, draw(score), draw(score), None, *agreed, cube, limit)
    length = draw(st.integers(1, 7) | st.integers(1, 32_767))
    scores = (draw(st.integers(0, length)), draw(st.integers(0, length)))
    crawford = draw(st.sampled_from(_crawford_states(length, scores)))
    turned = limit > 1 and crawford is not CrawfordState.CRAWFORD_GAME and draw(st.booleans())
    cube = draw(owned) if turned else Cube()
    return MatchState(length, *scores, crawford, cube=cube, cube_limit=limit)


_OWNERS = st.sampled_from([CubeOwner.PLAYER, CubeOwner.OPPONENT])


def _crawford_states(length: int, scores: tuple[int, int]) -> list[CrawfordState]:
    """List what Crawford's rule can be at a score."""
    if length in scores or length - 1 not in scores:
        return [CrawfordState.NOT_REACHED, CrawfordState.NOT_PLAYED]
    later = [CrawfordState.POST_CRAWFORD, CrawfordState.NOT_PLAYED]
    return later if scores[0] == scores[1] and length > 1 else [CrawfordState.CRAWFORD_GAME, *later]


def _side(draw: st.DrawFn, points: Sequence[int], most_off: int) -> Side:
    """Draw a side with checkers on some of its points, on the bar and off."""
    off = draw(st.integers(0, most_off))
    places = draw(st.lists(st.sampled_from([*points, BAR]), min_size=CHECKERS - off, max_size=CHECKERS - off))
    return Side(tuple(places.count(point) for point in range(1, BAR)), places.count(BAR), off + places.count(OFF))
