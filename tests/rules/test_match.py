"""Score, cube and agreements: what they mean and which contradictions are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.violations import InvalidState, Reason

if TYPE_CHECKING:
    from collections.abc import Mapping


def refusals(fields: Mapping[str, Any]) -> list[tuple[str, Reason]]:
    """Give field and reason of everything that is wrong with a match."""
    with pytest.raises(InvalidState) as refused:
        MatchState(**fields)
    return [(violation.field, violation.reason) for violation in refused.value.violations]


def test_nothing_said_is_money_play_with_a_centred_cube_of_one() -> None:
    """The default is a money game without Jacoby and beavers, cube limit 4096."""
    match = MatchState()
    assert match.is_money
    assert not match.is_over
    assert not match.is_one_away
    assert CrawfordState.NOT_PLAYED is match.crawford
    assert Cube(1, CubeOwner.CENTERED) == match.cube
    assert (False, False, 4096) == (match.jacoby, match.beavers, match.cube_limit)


@pytest.mark.parametrize("value", [0, -2, 3, 6, 8192])
def test_cube_is_a_power_of_two_up_to_4096(value: int) -> None:
    """A cube of 3 does not exist, nor one of 8192."""
    with pytest.raises(InvalidState) as refused:
        Cube(value)
    assert [("value", Reason.CUBE_VALUE)] == [(each.field, each.reason) for each in refused.value.violations]


@pytest.mark.parametrize("owner", [CubeOwner.PLAYER, CubeOwner.OPPONENT])
def test_a_cube_of_one_is_nobodys(owner: CubeOwner) -> None:
    """Who owns the cube has been doubled, so it is at least 2."""
    with pytest.raises(InvalidState) as refused:
        Cube(1, owner)
    assert [("owner", Reason.CUBE_OWNER)] == [(each.field, each.reason) for each in refused.value.violations]


@pytest.mark.parametrize(
    ("length", "player", "opponent", "settled"),
    [
        (0, 3, -7, CrawfordState.NOT_PLAYED),
        (5, 3, 0, CrawfordState.NOT_REACHED),
        (5, 5, 4, CrawfordState.NOT_REACHED),
    ],
)
def test_crawford_is_settled_where_it_is_certain(
    length: int, player: int, opponent: int, settled: CrawfordState
) -> None:
    """Money play has no Crawford game, and before one point away it has not been reached."""
    assert settled is MatchState(length, player, opponent).crawford


@pytest.mark.parametrize(("player", "opponent"), [(4, 0), (0, 4), (4, 4)])
def test_crawford_must_be_said_once_a_side_is_one_point_away(player: int, opponent: int) -> None:
    """At 4-0 to 5 this can be the Crawford game or a later one, and guessing would be silent."""
    assert [("crawford", Reason.CRAWFORD_UNSPECIFIED)] == refusals(
        {"length": 5, "player_score": player, "opponent_score": opponent}
    )


@pytest.mark.parametrize(
    ("length", "player", "opponent", "crawford"),
    [
        (0, 0, 0, CrawfordState.CRAWFORD_GAME),
        (0, 0, 0, CrawfordState.POST_CRAWFORD),
        (5, 3, 2, CrawfordState.CRAWFORD_GAME),
        (5, 3, 2, CrawfordState.POST_CRAWFORD),
        (5, 4, 2, CrawfordState.NOT_REACHED),
        (5, 4, 4, CrawfordState.NOT_REACHED),
        (5, 4, 4, CrawfordState.CRAWFORD_GAME),
        (1, 0, 0, CrawfordState.NOT_REACHED),
    ],
)
def test_crawford_state_that_cannot_be_at_the_score_is_refused(
    length: int, player: int, opponent: int, crawford: CrawfordState
) -> None:
    """There is one Crawford game, the first with a side one away, so never with both but in a match to 1."""
    assert [("crawford", Reason.CRAWFORD_CONTRADICTS_SCORE)] == refusals(
        {"length": length, "player_score": player, "opponent_score": opponent, "crawford": crawford}
    )


@pytest.mark.parametrize(
    ("length", "player", "opponent", "crawford"),
    [
        (5, 4, 2, CrawfordState.CRAWFORD_GAME),
        (5, 2, 4, CrawfordState.POST_CRAWFORD),
        (5, 4, 4, CrawfordState.POST_CRAWFORD),
        (5, 4, 4, CrawfordState.NOT_PLAYED),
        (5, 0, 0, CrawfordState.NOT_PLAYED),
        (1, 0, 0, CrawfordState.CRAWFORD_GAME),
    ],
)
def test_crawford_state_that_fits_the_score_is_kept(
    length: int, player: int, opponent: int, crawford: CrawfordState
) -> None:
    """What was said about Crawford stays as it was said."""
    assert crawford is MatchState(length, player, opponent, crawford).crawford


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"length": -1}, [("length", Reason.MATCH_LENGTH_OUT_OF_RANGE)]),
        ({"length": 32_768}, [("length", Reason.MATCH_LENGTH_OUT_OF_RANGE)]),
        ({"length": 5, "player_score": 6}, [("player_score", Reason.SCORE_OUT_OF_RANGE)]),
        ({"length": 5, "opponent_score": -1}, [("opponent_score", Reason.SCORE_OUT_OF_RANGE)]),
        ({"player_score": 1_000_000_001}, [("player_score", Reason.SCORE_OUT_OF_RANGE)]),
        (
            {"length": 5, "player_score": 7, "jacoby": True},
            [("player_score", Reason.SCORE_OUT_OF_RANGE), ("jacoby", Reason.JACOBY_IN_MATCH)],
        ),
        ({"length": 7, "jacoby": True}, [("jacoby", Reason.JACOBY_IN_MATCH)]),
        ({"length": 7, "beavers": True}, [("beavers", Reason.BEAVERS_IN_MATCH)]),
        ({"cube_limit": 0}, [("cube_limit", Reason.CUBE_LIMIT)]),
        ({"cube_limit": 48}, [("cube_limit", Reason.CUBE_LIMIT)]),
        ({"cube": Cube(8), "cube_limit": 4}, [("cube.value", Reason.CUBE_LIMIT)]),
        ({"length": 7, "cube": Cube(2)}, [("cube.owner", Reason.CUBE_OWNER)]),
        (
            {
                "length": 5,
                "player_score": 4,
                "crawford": CrawfordState.CRAWFORD_GAME,
                "cube": Cube(2, CubeOwner.OPPONENT),
            },
            [("cube", Reason.CUBE_TURNED_IN_CRAWFORD_GAME)],
        ),
    ],
)
def test_contradiction_names_its_field(fields: dict[str, Any], expected: list[tuple[str, Reason]]) -> None:
    """Whatever a match state contradicts, the field and the rule are said."""
    assert expected == refusals(fields)


def test_all_contradictions_are_reported_at_once() -> None:
    """Nobody has to mend a request one error at a time."""
    assert [
        ("jacoby", Reason.JACOBY_IN_MATCH),
        ("beavers", Reason.BEAVERS_IN_MATCH),
        ("crawford", Reason.CRAWFORD_UNSPECIFIED),
        ("cube.value", Reason.CUBE_LIMIT),
    ] == refusals(
        {
            "length": 3,
            "player_score": 2,
            "jacoby": True,
            "beavers": True,
            "cube": Cube(4, CubeOwner.PLAYER),
            "cube_limit": 2,
        }
    )


def test_automatic_doubles_leave_a_turned_cube_in_the_middle_in_money_play() -> None:
    """A centred cube above 1 is legal in money play only."""
    assert Cube(4) == MatchState(cube=Cube(4)).cube


def test_money_scores_are_a_tally_that_ends_nothing() -> None:
    """Money play goes on at any score, below zero too."""
    match = MatchState(player_score=-40, opponent_score=40)
    match.refuse_over()
    assert not match.is_over


@pytest.mark.parametrize(("player", "opponent", "field"), [(5, 3, "player_score"), (3, 5, "opponent_score")])
def test_a_finished_match_is_refused_where_play_goes_on(player: int, opponent: int, field: str) -> None:
    """A match whose target is reached can be said, and no further game be played in it."""
    match = MatchState(5, player, opponent)
    assert match.is_over
    with pytest.raises(InvalidState) as refused:
        match.refuse_over()
    assert [(field, Reason.SCORE_OUT_OF_RANGE)] == [(each.field, each.reason) for each in refused.value.violations]


@pytest.mark.parametrize(
    ("jacoby", "cube", "count"),
    [
        (False, Cube(), True),
        (True, Cube(), False),
        (True, Cube(2), False),
        (True, Cube(2, CubeOwner.PLAYER), True),
        (True, Cube(2, CubeOwner.OPPONENT), True),
    ],
)
def test_jacoby_holds_gammons_off_while_the_cube_is_centred(jacoby: bool, cube: Cube, count: bool) -> None:
    """An automatic double does not turn the cube for Jacoby, since it stays in the middle."""
    assert count is MatchState(jacoby=jacoby, cube=cube).gammons_count


def test_the_other_side_sees_scores_and_cube_the_other_way_round() -> None:
    """Length, Crawford and agreements are the same from both sides."""
    match = MatchState(7, 6, 2, CrawfordState.POST_CRAWFORD, cube=Cube(4, CubeOwner.PLAYER), cube_limit=64)
    mirrored = MatchState(7, 2, 6, CrawfordState.POST_CRAWFORD, cube=Cube(4, CubeOwner.OPPONENT), cube_limit=64)
    assert mirrored == match.mirrored()
    assert match == mirrored.mirrored()
    assert (1, 5) == (match.player_away, match.opponent_away)
