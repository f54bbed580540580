"""Positions and match states for tests of the evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.position import Position, Side
from tests.kernel_oracle.strategies import positions as oracle_positions

if TYPE_CHECKING:
    from collections.abc import Iterator

MONEY = MatchState()
"""Money play with a centred cube, without Jacoby and beavers."""

_OWNERS = st.sampled_from(CubeOwner)


def read_position(position: dict[str, Any]) -> Position:
    """Give the position of a reference case."""
    player, opponent = (
        Side(tuple(side["points"]), side["bar"], side["off"]) for side in (position["player"], position["opponent"])
    )
    return Position(player, opponent)


positions = st.builds(lambda thrown: Position.unpacked(thrown.packed()), oracle_positions)
"""Positions of games still being played."""


def _money(owner: CubeOwner, doublings: int, jacoby: bool, beavers: bool) -> MatchState:
    value = 1 if owner is CubeOwner.CENTERED else 2**doublings
    return MatchState(jacoby=jacoby, beavers=beavers, cube=Cube(value, owner))


money_states = st.builds(_money, _OWNERS, st.integers(1, 3), st.booleans(), st.booleans())
"""Money play by every rule and with every owner of the cube."""


def crawford_states(player_away: int, opponent_away: int) -> Iterator[CrawfordState]:
    """List the Crawford states that can be at a score of a match longer than one point."""
    if 1 not in (player_away, opponent_away):
        yield CrawfordState.NOT_REACHED
    else:
        yield CrawfordState.POST_CRAWFORD
        if player_away != opponent_away:
            yield CrawfordState.CRAWFORD_GAME


@st.composite
def match_states(draw: st.DrawFn, most_away: int = 25) -> MatchState:
    """Draw a state of a match in which no side needs more than `most_away` points."""
    player_away, opponent_away = draw(st.integers(1, most_away)), draw(st.integers(1, most_away))
    length = max(player_away, opponent_away, 2)
    crawford = draw(st.sampled_from(list(crawford_states(player_away, opponent_away))))
    owner = CubeOwner.CENTERED if crawford is CrawfordState.CRAWFORD_GAME else draw(_OWNERS)
    value = 1 if owner is CubeOwner.CENTERED else 2 ** draw(st.integers(1, 3))
    return MatchState(length, length - player_away, length - opponent_away, crawford, cube=Cube(value, owner))
