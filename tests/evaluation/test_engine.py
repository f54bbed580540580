"""Values an engine answers with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgbotd.evaluation.engine import CubeEquities, Depth, Probabilities, RankedPlay, RolloutSettings

_EVEN = Probabilities(0.5, 0.25, 0.125, 0.125, 0.0)


def test_cubeless_equity_counts_gammons_twice_and_backgammons_three_times() -> None:
    """0.5 - 0.5 + 0.25 + 0.125 - 0.125."""
    assert _EVEN.cubeless_equity == pytest.approx(0.25)


def test_the_other_side_sees_the_same_chances_the_other_way_round() -> None:
    """Equity changes its sign."""
    assert Probabilities(0.5, 0.125, 0.0, 0.25, 0.125) == _EVEN.mirrored()
    assert -_EVEN.cubeless_equity == pytest.approx(_EVEN.mirrored().cubeless_equity)


@given(st.floats(-3, 3), st.floats(-3, 3))
def test_the_best_action_is_never_worse_than_waiting(no_double: float, double_take: float) -> None:
    """And a double never wins more than its pass."""
    cube = CubeEquities(no_double, double_take, 1.0)
    assert cube.after_best_action >= no_double
    assert cube.after_best_action in {no_double, double_take, 1.0}


def test_a_ranked_play_loses_what_it_falls_short_of_the_best() -> None:
    """The best loses nothing."""
    play = RankedPlay(3, _EVEN, 0.25, Depth.STATIC)
    assert (2, 0.5) == (play.ranked(2, 0.75).rank, play.ranked(2, 0.75).loss)
    assert play.ranked(1, 0.25).loss == 0


@pytest.mark.parametrize(("asked", "played"), [(1, 36), (36, 36), (37, 72), (1296, 1296)])
def test_a_rollout_plays_full_chunks(asked: int, played: int) -> None:
    """Each chunk begins with all 36 rolls."""
    assert played == RolloutSettings(trials=asked).trials


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("trials", 0),
        ("trials", 1_000_009),
        ("target_standard_error", -0.1),
        ("truncate_after_plies", -1),
        ("depth", Depth.PLY4),
    ],
)
def test_settings_that_cannot_be_played_are_refused(field: str, value: float) -> None:
    """The message names the field."""
    with pytest.raises(ValueError, match=field):
        RolloutSettings(**{field: value})  # type: ignore[arg-type]
