"""Rollouts: a stream of progress that ends with the answer."""

from __future__ import annotations

import math

import pytest
from bgbot import position_source, v1

from tests.service.questions import BEFORE_ROLL, CRAWFORD, DOUBLE_MATCH_POINT, board
from tests.service.refusals import refusal

SHORT = v1.RolloutSettings(trials=36, truncate_after_plies=2, cubeful=True, seed=5)


def roll_out(
    evaluation: v1.EvaluationServiceStub, position: v1.PositionSource | None = None, **fields: object
) -> list[v1.RolloutResponse]:
    """Roll out to the end; the position is that of tests.service.questions unless said."""
    asked = {"position": position or position_source(BEFORE_ROLL), **fields}
    return list(evaluation.Rollout(v1.RolloutRequest(**asked), timeout=60))  # type: ignore[arg-type]


def numbers(answer: v1.RolloutResponse) -> v1.RolloutResponse:
    """Give an answer without what time and place it was made."""
    found = v1.RolloutResponse()
    found.CopyFrom(answer)
    found.ClearField("stamp")
    found.ClearField("time_left")
    return found


def test_progress_grows_until_the_last_message_is_final(evaluation: v1.EvaluationServiceStub) -> None:
    """Games come in full sets of the 36 rolls; nothing is left to do at the end."""
    settings = v1.RolloutSettings(trials=400, truncate_after_plies=2, cubeful=True, seed=11)
    states = roll_out(evaluation, settings=settings)
    assert [*range(36, 433, 36)] == [state.trials_done for state in states]
    assert [False] * 11 + [True] == [state.finished for state in states]
    assert all(state.time_left.ToTimedelta() for state in states[:-1])
    last = states[-1]
    assert (432, 432) == (last.trials_done, last.trials_wanted)
    assert not last.time_left.ToTimedelta()
    assert 0 < last.standard_errors.win < 0.1
    assert 0 < last.cubeful_equity_standard_error < 0.2
    chances = last.probabilities
    assert 0 <= chances.win_backgammon <= chances.win_gammon <= chances.win <= 1


@pytest.mark.parametrize("cubeful", [False, True])
def test_the_same_seed_rolls_the_same_dice(evaluation: v1.EvaluationServiceStub, *, cubeful: bool) -> None:
    """Whoever plays the games in whatever order; another seed has other numbers."""
    settings = v1.RolloutSettings(trials=144, truncate_after_plies=2, cubeful=cubeful, seed=-7)
    first, again = (roll_out(evaluation, settings=settings)[-1] for _ in range(2))
    assert numbers(first) == numbers(again)
    settings.seed = 8
    other = roll_out(evaluation, settings=settings)[-1]
    assert other.cubeless_equity != first.cubeless_equity
    assert (-7, 8) == (first.stamp.seed, other.stamp.seed)


def test_a_seed_that_was_drawn_is_said_and_repeats(evaluation: v1.EvaluationServiceStub) -> None:
    """No two rollouts without a seed are the same."""
    settings = v1.RolloutSettings(trials=36, truncate_after_plies=2)
    first, second = (roll_out(evaluation, settings=settings)[-1] for _ in range(2))
    assert first.settings.seed == first.stamp.seed != second.stamp.seed
    again = roll_out(evaluation, settings=first.settings)[-1]
    assert numbers(first) == numbers(again)


def test_settings_left_out_are_said(evaluation: v1.EvaluationServiceStub) -> None:
    """A target that the first games reach keeps the 1,296 that are the default from being played."""
    settings = v1.RolloutSettings(target_standard_error=10, truncate_after_plies=1)
    last = roll_out(evaluation, settings=settings)[-1]
    assert last.settings.HasField("seed")
    expected = v1.RolloutSettings(
        trials=1296,
        target_standard_error=10,
        truncate_after_plies=1,
        cubeful=False,
        seed=last.settings.seed,
        depth=v1.DEPTH_STATIC,
    )
    assert expected == last.settings
    assert (1296, True) == (last.trials_wanted, last.finished)
    assert last.trials_done < 1296


def test_what_was_rolled_out_is_said(evaluation: v1.EvaluationServiceStub) -> None:
    """Position, state and engine; trials are rounded up to sets of 36."""
    settings = v1.RolloutSettings(trials=37, truncate_after_plies=1, depth=v1.DEPTH_PLY2)
    last = roll_out(evaluation, settings=settings)[-1]
    assert (5, 2, 1, 1024) == (
        last.match.length,
        last.match.player_score,
        last.match.opponent_score,
        last.match.cube_limit,
    )
    assert ("bgsage", v1.DEPTH_PLY2) == (last.stamp.engine, last.stamp.depth)
    assert (72, 72, v1.DEPTH_PLY2) == (last.trials_done, last.settings.trials, last.settings.depth)
    assert 139 == sum(point * count for point, count in enumerate(last.position.opponent.points, 1))


def test_a_target_error_stops_early(evaluation: v1.EvaluationServiceStub) -> None:
    """As soon as the equity is that precise, and not before."""
    settings = v1.RolloutSettings(
        trials=100_000, target_standard_error=0.02, truncate_after_plies=2, cubeful=True, seed=3
    )
    *before, last = roll_out(evaluation, settings=settings)
    assert last.finished
    assert last.trials_done < 100_000
    assert last.cubeful_equity_standard_error <= 0.02
    # Fewer than 144 games are not trusted to say how precise they are.
    assert all(state.cubeful_equity_standard_error > 0.02 for state in before if state.trials_done >= 144)


def test_without_a_cube_there_is_no_cubeful_equity(evaluation: v1.EvaluationServiceStub) -> None:
    """With one there is, and it is another."""
    settings = v1.RolloutSettings()
    settings.CopyFrom(SHORT)
    with_cube = roll_out(evaluation, settings=settings)[-1]
    settings.cubeful = False
    without = roll_out(evaluation, settings=settings)[-1]
    for name in ("cubeful_equity", "cubeful_equity_standard_error"):
        assert (True, False) == (with_cube.HasField(name), without.HasField(name))
    assert with_cube.cubeful_equity != with_cube.cubeless_equity


def test_a_race_of_one_roll_each_comes_out_exactly(evaluation: v1.EvaluationServiceStub) -> None:
    """A set of games begins with each of the 36 rolls once: 27 of them win."""
    last = roll_out(evaluation, board({6: 1}, {1: 1}), settings=v1.RolloutSettings(trials=36))[-1]
    assert (27 / 36, 0.5) == pytest.approx((last.probabilities.win, last.cubeless_equity), abs=1e-6)
    assert 0 == last.probabilities.win_gammon


@pytest.mark.parametrize("match", [DOUBLE_MATCH_POINT, CRAWFORD], ids=["double match point", "Crawford game"])
@pytest.mark.parametrize("cubeful", [False, True])
def test_without_use_of_the_cube_a_score_is_rolled_out_as_it_counts(
    evaluation: v1.EvaluationServiceStub, match: v1.MatchState, *, cubeful: bool
) -> None:
    """Normalised, an equity with the cube is one without; at double match point it is that of winning alone."""
    settings = v1.RolloutSettings(trials=72, truncate_after_plies=2, cubeful=cubeful, seed=2)
    last = roll_out(evaluation, position_source("4HPwATDgc/ABMA"), match=match, settings=settings)[-1]
    if cubeful:
        assert last.cubeful_equity == pytest.approx(last.cubeless_equity, abs=0.02)
    if match is DOUBLE_MATCH_POINT:
        assert 2 * last.probabilities.win - 1 == pytest.approx(last.cubeless_equity, abs=1e-6)


@pytest.mark.parametrize(
    ("settings", "fields"),
    [
        (v1.RolloutSettings(trials=35), {"trials"}),
        (v1.RolloutSettings(trials=1_000_009), {"trials"}),
        (v1.RolloutSettings(trials=-36), {"trials"}),
        (v1.RolloutSettings(target_standard_error=-0.1), {"target_standard_error"}),
        (v1.RolloutSettings(target_standard_error=math.inf), {"target_standard_error"}),
        (v1.RolloutSettings(truncate_after_plies=1001), {"truncate_after_plies"}),
        (v1.RolloutSettings(depth=v1.DEPTH_TRUNCATED_ROLLOUT), {"depth"}),
        (v1.RolloutSettings(depth=9), {"depth"}),  # type: ignore[arg-type]
        (
            v1.RolloutSettings(trials=5, truncate_after_plies=-1, target_standard_error=math.nan, depth=v1.DEPTH_PLY4),
            {"trials", "truncate_after_plies", "target_standard_error", "depth"},
        ),
    ],
)
def test_bad_settings_are_refused_field_by_field(
    evaluation: v1.EvaluationServiceStub, settings: v1.RolloutSettings, fields: set[str]
) -> None:
    """Every setting out of its range is named, all at once."""
    request = v1.RolloutRequest(position=position_source(), settings=settings)
    refused = refusal(lambda request, timeout: list(evaluation.Rollout(request, timeout=timeout)), request)
    assert {f"settings.{name}" for name in fields} == set(refused.fields)
