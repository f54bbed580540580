"""When each level doubles, takes, beavers and resigns."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bgbotd.bots import Level
from bgbotd.bots.cube_choices import CubeChoice, choose_cube_action, choose_resignation
from bgbotd.evaluation import CubeEquities, CubeVerdict, Depth, Evaluation, Probabilities, Source, may_double
from bgbotd.rules import (
    STARTING_POSITION,
    CrawfordState,
    Cube,
    CubeAction,
    CubeOwner,
    Decision,
    Finish,
    GameSide,
    InvalidState,
    MatchState,
    Position,
    list_cube_actions,
)
from tests.evaluation.states import MONEY, match_states, money_states, positions, read_position
from tests.reference_cases import read_cases
from tests.rules.boards import MIDDLE_GAME, side

if TYPE_CHECKING:
    from bgbotd.evaluation import Evaluator

BY_EQUITIES = (Level.HARD, Level.EXPERT, Level.MASTER, Level.GRANDMASTER)
DEPTHS = dict(zip(Level, (Depth.STATIC, Depth.STATIC, Depth.STATIC, Depth.STATIC, Depth.PLY2, Depth.PLY3), strict=True))
OWNED = MatchState(cube=Cube(2, CubeOwner.PLAYER))
BEAVERS = MatchState(beavers=True)
CRAWFORD = MatchState(5, 4, 2, CrawfordState.CRAWFORD_GAME)
DOUBLE_MATCH_POINT = MatchState(5, 4, 4, CrawfordState.POST_CRAWFORD)
TWO_AWAY = MatchState(5, 3, 3)

# The rolls of 36 that bear off what is left, as every table of two-checker bear-offs has them. The
# opponent's last checker is off with any roll, so that the chance of winning is that of this roll.
LAST_ROLLS = {
    36: {1: 2},
    29: {4: 1, 1: 1},
    27: {6: 1},
    26: {2: 2},
    25: {3: 1, 2: 1},
    19: {5: 1, 2: 1},
    17: {3: 2},
    10: {6: 1, 3: 1},
    8: {6: 1, 4: 1},
}
GAMMON = Position(side({1: 2}), side({6: 10, 8: 5}))
"""The player bears off its last two before the opponent can bear off one: a gammon for certain."""
BACKGAMMON = Position(side({1: 2}), side({6: 10, 23: 5}))
"""The same with five of the opponent's checkers in the player's home board."""


def last_roll(good: int) -> Position:
    """Give the position in which the player wins with that many rolls of 36, and else loses a single game."""
    return Position(side(LAST_ROLLS[good]), side({1: 1}))


@dataclass
class FixedEvaluator:
    """Gives one evaluation whatever it is asked, and notes what that was."""

    evaluator: Evaluator
    evaluation: Evaluation
    asked: list[tuple[Position, MatchState, Depth]] = field(default_factory=list)

    @property
    def engine(self) -> object:
        """Give the engine, whose match equities are the real ones."""
        return self.evaluator.engine

    def evaluate(self, position: Position, match: MatchState, depth: Depth) -> Future[Evaluation]:
        """Note the question and answer it."""
        self.asked.append((position, match, depth))
        future: Future[Evaluation] = Future()
        future.set_result(self.evaluation)
        return future


def knowing(evaluator: Evaluator, *chances: float, cube: tuple[float, float] = (0.0, 0.0)) -> FixedEvaluator:
    """Give an evaluator that knows these chances, and equities of not doubling and of being taken."""
    return FixedEvaluator(evaluator, Evaluation(Probabilities(*chances), CubeEquities(*cube, 1.0)))


def choose(
    evaluator: Evaluator | FixedEvaluator, level: Level, position: Position, match: MatchState, decision: Decision
) -> CubeChoice:
    """Have a level decide."""
    return asyncio.run(choose_cube_action(cast("Evaluator", evaluator), level, position, match, decision))


def doubles(evaluator: Evaluator | FixedEvaluator, level: Level, position: Position, match: MatchState = MONEY) -> bool:
    """Tell whether a level doubles."""
    action = choose(evaluator, level, position, match, Decision.DOUBLE_OR_ROLL).action
    assert action in {CubeAction.DOUBLE, CubeAction.ROLL}
    return action is CubeAction.DOUBLE


def answer(
    evaluator: Evaluator | FixedEvaluator, level: Level, position: Position, match: MatchState = MONEY
) -> CubeAction:
    """Give a level's answer to the double of the side on roll, both given as that side sees them."""
    return choose(evaluator, level, position.mirrored(), match.mirrored(), Decision.TAKE_OR_PASS).action


@pytest.mark.parametrize("good", LAST_ROLLS)
def test_easy_never_doubles(evaluator: Evaluator, good: int) -> None:
    """Not even what is won for certain."""
    assert not doubles(evaluator, Level.EASY, last_roll(good))


@pytest.mark.parametrize(("match", "least"), [(MONEY, 26), (OWNED, 27)], ids=["double", "redouble"])
def test_medium_doubles_from_0_40_and_redoubles_from_0_50(evaluator: Evaluator, match: MatchState, least: int) -> None:
    """25 rolls of 36 are an equity of 0.39, 26 of 0.44, and 27 of 0.50 exactly."""
    found = {good for good in LAST_ROLLS if doubles(evaluator, Level.MEDIUM, last_roll(good), match)}
    assert {good for good in LAST_ROLLS if good >= least} == found


@pytest.mark.parametrize("level", BY_EQUITIES)
@pytest.mark.parametrize("match", [MONEY, OWNED, BEAVERS], ids=["centred", "owned", "beavers"])
def test_from_hard_up_a_last_roll_that_leads_is_doubled(evaluator: Evaluator, level: Level, match: MatchState) -> None:
    """There is no later turn to wait for: 19 rolls of 36 are enough."""
    found = {good for good in LAST_ROLLS if doubles(evaluator, level, last_roll(good), match)}
    assert {good for good in LAST_ROLLS if good >= 19} == found


@pytest.mark.parametrize("level", Level)
def test_every_level_takes_with_a_quarter(evaluator: Evaluator, level: Level) -> None:
    """9 rolls of 36 that miss are exactly enough, 7 are too few."""
    found = {good for good in LAST_ROLLS if answer(evaluator, level, last_roll(good)) is CubeAction.TAKE}
    assert {good for good in LAST_ROLLS if good <= 27} == found
    assert CubeAction.PASS is answer(evaluator, level, last_roll(29))


@pytest.mark.parametrize("level", Level)
def test_from_hard_up_a_double_that_trails_is_beavered_where_that_is_agreed(evaluator: Evaluator, level: Level) -> None:
    """17 rolls of 36 trail and 19 lead; without the agreement, or past the cube's limit, it is a take."""
    trailing = answer(evaluator, level, last_roll(17), BEAVERS)
    assert (CubeAction.BEAVER if level in BY_EQUITIES else CubeAction.TAKE) is trailing
    assert CubeAction.TAKE is answer(evaluator, level, last_roll(19), BEAVERS)
    assert CubeAction.TAKE is answer(evaluator, level, last_roll(17))
    assert CubeAction.TAKE is answer(evaluator, level, last_roll(17), MatchState(beavers=True, cube_limit=2))


@pytest.mark.parametrize("level", Level)
def test_a_beaver_is_passed_below_a_quarter(evaluator: Evaluator, level: Level) -> None:
    """Passing loses half the beavered cube: 10 rolls of 36 play on, 8 do not."""
    found = [
        choose(evaluator, level, last_roll(good), BEAVERS, Decision.BEAVER_RESPONSE).action for good in (17, 10, 8)
    ]
    assert [CubeAction.TAKE, CubeAction.TAKE, CubeAction.PASS] == found


@pytest.mark.parametrize("level", Level)
def test_a_beaver_is_judged_with_the_cube_it_leaves(evaluator: Evaluator, level: Level) -> None:
    """Four times the value before the double, in the other side's hands; there are no equities of a double."""
    fixed = knowing(evaluator, 0.4)
    match = MatchState(beavers=True, cube=Cube(2, CubeOwner.PLAYER))
    choice = choose(fixed, level, MIDDLE_GAME, match, Decision.BEAVER_RESPONSE)
    beavered = MatchState(beavers=True, cube=Cube(8, CubeOwner.OPPONENT))
    assert [(MIDDLE_GAME, beavered, DEPTHS[level])] == fixed.asked
    assert (None, GameSide.PLAYER) == (choice.equities, choice.equities_of)


def _is_clear(case: dict[str, float]) -> bool:
    """Tell whether no decision of a case hangs on the four digits it is given with."""
    no_double, taken = case["equity_cube_centred"], 2 * case["equity_cube_opponent"]
    return min(abs(min(taken, 1) - no_double), abs(taken - 1)) > 0.001


@pytest.mark.parametrize("level", BY_EQUITIES)
def test_from_hard_up_exact_bear_offs_are_doubled_and_taken_rightly(evaluator: Evaluator, level: Level) -> None:
    """As GNU Backgammon's database has it: being taken is worth twice the opponent's cube."""
    cases = [case for case in read_cases("bearoff_exact.jsonl") if _is_clear(case)]
    assert len(cases) > 60
    for case in cases:
        position = read_position(case["position"])
        taken = 2 * case["equity_cube_opponent"]
        assert (min(taken, 1) > case["equity_cube_centred"]) == doubles(evaluator, level, position)
        assert (CubeAction.TAKE if taken < 1 else CubeAction.PASS) is answer(evaluator, level, position)


def test_easy_and_medium_judge_exact_bear_offs_without_the_cube(evaluator: Evaluator) -> None:
    """Medium by the equity, Easy by the chance that follows from it: no gammons are left."""
    cases = [case for case in read_cases("bearoff_exact.jsonl") if abs(case["cubeless_equity"]) < 0.9999]
    assert len(cases) > 100
    for case in cases:
        position, equity = read_position(case["position"]), case["cubeless_equity"]
        assert (equity >= 0.4) == doubles(evaluator, Level.MEDIUM, position)
        assert (equity >= 0.5) == doubles(evaluator, Level.MEDIUM, position, OWNED)
        for level in (Level.EASY, Level.MEDIUM):
            assert (CubeAction.TAKE if equity <= 0.5 else CubeAction.PASS) is answer(evaluator, level, position)


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        pytest.param(MONEY, False, id="gammons count"),
        pytest.param(MatchState(jacoby=True), True, id="Jacoby holds them off"),
        pytest.param(MatchState(jacoby=True, cube=Cube(2, CubeOwner.PLAYER)), False, id="Jacoby, cube turned"),
        pytest.param(MatchState(jacoby=True, cube=Cube(2)), True, id="Jacoby, automatic double"),
        pytest.param(TWO_AWAY, False, id="a gammon wins the match"),
        pytest.param(MatchState(5, 4, 3, CrawfordState.POST_CRAWFORD), False, id="any win wins the match"),
    ],
)
@pytest.mark.parametrize("level", [level for level in Level if level is not Level.EASY])
def test_a_sure_gammon_is_played_on_for_where_it_counts(
    evaluator: Evaluator, level: Level, match: MatchState, *, expected: bool
) -> None:
    """It is worth 2, passing is worth 1; where it counts single, cashing at once is as good as it gets."""
    if level is Level.MEDIUM and match.player_away == 1 and not match.is_money:
        expected = True  # by its own rule: an equity of 1 is not above 1
    assert expected == doubles(evaluator, level, GAMMON, match)


@pytest.mark.parametrize(
    ("chances", "match", "expected"),
    [
        pytest.param((0.60, 0.25), MONEY, True, id="0.45"),
        pytest.param((0.60, 0.15), MONEY, False, id="0.35"),
        pytest.param((0.60, 0.25), OWNED, False, id="0.45 is too little to redouble"),
        pytest.param((0.60, 0.25, 0.10), OWNED, True, id="0.55"),
        pytest.param((0.60, 0.25), MatchState(jacoby=True), False, id="0.20 under Jacoby"),
        pytest.param((0.90, 0.15), MONEY, True, id="0.95"),
        pytest.param((0.90, 0.30), MONEY, False, id="1.10 is played on"),
        pytest.param((0.90, 0.30), MatchState(jacoby=True), True, id="0.80 under Jacoby"),
        # 0.4 x 67.736 % + 0.2 + 0.4 x 32.264 % = 60 % of the match, an equity of 0.56.
        pytest.param((0.60, 0.20), TWO_AWAY, True, id="0.56 at 2 away each"),
        pytest.param((0.60, 0.30), DOUBLE_MATCH_POINT, False, id="0.20 at double match point"),
    ],
)
def test_medium_doubles_by_its_equity(
    evaluator: Evaluator, chances: tuple[float, ...], match: MatchState, *, expected: bool
) -> None:
    """Gammons count as score and Jacoby rule have it, normalised in a match."""
    assert expected == doubles(knowing(evaluator, *chances), Level.MEDIUM, MIDDLE_GAME, match)


@pytest.mark.parametrize(
    ("chances", "match", "easy", "medium"),
    [
        pytest.param((0.70, 0.10), MONEY, CubeAction.TAKE, CubeAction.TAKE, id="-0.50"),
        pytest.param((0.70, 0.20), MONEY, CubeAction.TAKE, CubeAction.PASS, id="-0.60"),
        pytest.param((0.70, 0.20), MatchState(jacoby=True), CubeAction.TAKE, CubeAction.PASS, id="a take ends Jacoby"),
        pytest.param((0.77, 0.00, 0.00, 0.10), MONEY, CubeAction.PASS, CubeAction.TAKE, id="-0.44 with gammons won"),
        pytest.param((0.70, 0.60), DOUBLE_MATCH_POINT, CubeAction.TAKE, CubeAction.TAKE, id="gammons worth nothing"),
    ],
)
def test_easy_takes_by_its_chance_and_medium_by_its_equity(
    evaluator: Evaluator, chances: tuple[float, ...], match: MatchState, easy: CubeAction, medium: CubeAction
) -> None:
    """The chances are the doubler's; the taker's are what is left."""
    fixed = knowing(evaluator, *chances)
    found = [answer(fixed, level, MIDDLE_GAME, match) for level in (Level.EASY, Level.MEDIUM)]
    assert [easy, medium] == found


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(
    ("position", "match"),
    [
        pytest.param(MIDDLE_GAME, CRAWFORD, id="Crawford game"),
        pytest.param(MIDDLE_GAME, MatchState(cube=Cube(2, CubeOwner.OPPONENT)), id="opponent's cube"),
        pytest.param(MIDDLE_GAME, MatchState(cube=Cube(64, CubeOwner.PLAYER), cube_limit=64), id="limit"),
        pytest.param(STARTING_POSITION, MONEY, id="opening turn"),
    ],
)
def test_nobody_doubles_where_the_rules_forbid_it(
    evaluator: Evaluator, level: Level, position: Position, match: MatchState
) -> None:
    """However good a double would be, as it is for all but Easy in an ordinary turn."""
    fixed = knowing(evaluator, 0.75, cube=(0.6, 0.9))
    assert (level is not Level.EASY) == doubles(fixed, level, MIDDLE_GAME)
    assert not doubles(fixed, level, position, match)


@pytest.mark.parametrize("level", Level)
def test_an_answer_to_a_double_shows_the_doublers_equities(evaluator: Evaluator, level: Level) -> None:
    """The evaluator is asked once, as the doubler would ask it."""
    match = MatchState(7, 3, 5, cube=Cube(2, CubeOwner.PLAYER))
    fixed = knowing(evaluator, 0.6, cube=(0.3, 0.5))
    asking = choose(fixed, level, MIDDLE_GAME, match, Decision.DOUBLE_OR_ROLL)
    answering = choose(fixed, level, MIDDLE_GAME.mirrored(), match.mirrored(), Decision.TAKE_OR_PASS)
    assert [(MIDDLE_GAME, match, DEPTHS[level])] * 2 == fixed.asked
    assert (GameSide.PLAYER, GameSide.OPPONENT) == (asking.equities_of, answering.equities_of)
    for choice in (asking, answering):
        assert (CubeEquities(0.3, 0.5, 1.0), CubeVerdict.REDOUBLE_TAKE) == (choice.equities, choice.verdict)
        assert (DEPTHS[level], Source.ENGINE) == (choice.depth, choice.source)


@pytest.mark.parametrize("decision", [Decision.TAKE_OR_PASS, Decision.BEAVER_RESPONSE])
def test_a_decision_that_cannot_stand_is_refused(evaluator: Evaluator, decision: Decision) -> None:
    """Nobody can have doubled, let alone beavered, in the Crawford game."""
    with pytest.raises(InvalidState):
        choose(evaluator, Level.HARD, MIDDLE_GAME, CRAWFORD, decision)


_states = money_states | match_states()


@given(positions, _states, st.sampled_from([Level.EASY, Level.MEDIUM, Level.HARD, Level.EXPERT]))
def test_what_is_chosen_is_allowed_and_follows_from_the_equities(
    evaluator: Evaluator, position: Position, match: MatchState, level: Level
) -> None:
    """From Hard up nothing contradicts the verdict, on either side of the cube."""
    choice = choose(evaluator, level, position, match, Decision.DOUBLE_OR_ROLL)
    statuses = list_cube_actions(position, match, Decision.DOUBLE_OR_ROLL)
    allowed = {status.action for status in statuses if status.allowed}
    assert choice.action in allowed
    assert choice.verdict is not None
    if level in BY_EQUITIES:
        right = choice.verdict.name.startswith(("DOUBLE", "REDOUBLE"))
        assert (right and CubeAction.DOUBLE in allowed) == (choice.action is CubeAction.DOUBLE)
    if CubeAction.DOUBLE not in allowed:
        return
    assert may_double(match)
    answering = choose(evaluator, level, position.mirrored(), match.mirrored(), Decision.TAKE_OR_PASS)
    assert (choice.equities, choice.verdict) == (answering.equities, answering.verdict)
    assert answering.equities is not None
    if answering.action is CubeAction.BEAVER:
        assert match.beavers
        assert answering.equities.double_take < 0
    elif level in BY_EQUITIES:
        takes = answering.equities.double_take <= answering.equities.double_pass
        assert takes == (answering.action is CubeAction.TAKE)


def accepts(
    evaluator: Evaluator | FixedEvaluator, level: Level, position: Position, offered: Finish, match: MatchState = MONEY
) -> bool:
    """Tell whether a level accepts an offer, which has it offer nothing."""
    choice = asyncio.run(choose_resignation(cast("Evaluator", evaluator), level, position, match, offered))
    assert choice.offer is None
    return choice.accepted


def offer(
    evaluator: Evaluator | FixedEvaluator, level: Level, position: Position, match: MatchState = MONEY
) -> Finish | None:
    """Give what a level offers."""
    choice = asyncio.run(choose_resignation(cast("Evaluator", evaluator), level, position, match, None))
    assert not choice.accepted
    return choice.offer


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(
    ("position", "match", "least"),
    [
        pytest.param(last_roll(36), MONEY, Finish.SINGLE, id="a sure single game"),
        pytest.param(last_roll(8), MONEY, Finish.SINGLE, id="a game that trails"),
        pytest.param(GAMMON, MONEY, Finish.GAMMON, id="a sure gammon"),
        pytest.param(BACKGAMMON, MONEY, Finish.BACKGAMMON, id="a sure backgammon"),
        pytest.param(BACKGAMMON, MatchState(jacoby=True), Finish.SINGLE, id="Jacoby"),
        pytest.param(
            BACKGAMMON, MatchState(jacoby=True, cube=Cube(2, CubeOwner.OPPONENT)), Finish.BACKGAMMON, id="turned"
        ),
        pytest.param(GAMMON, TWO_AWAY, Finish.GAMMON, id="a gammon wins the match"),
        pytest.param(BACKGAMMON, TWO_AWAY, Finish.GAMMON, id="more than a gammon is no use"),
        pytest.param(GAMMON, MatchState(9, 5, 1, cube=Cube(4, CubeOwner.PLAYER)), Finish.SINGLE, id="enough"),
    ],
)
def test_what_is_offered_is_accepted_from_its_worth_up(
    evaluator: Evaluator, level: Level, position: Position, match: MatchState, least: Finish
) -> None:
    """A sure result is not given away for less, and nothing is played for that is worth no more."""
    for offered in Finish:
        assert (offered.value >= least.value) == accepts(evaluator, level, position, offered, match)


@given(positions, match_states(), st.sampled_from([Level.EASY, Level.MEDIUM, Level.HARD, Level.EXPERT]))
def test_an_offer_that_wins_the_match_is_accepted(
    evaluator: Evaluator, position: Position, match: MatchState, level: Level
) -> None:
    """Nothing on the board is worth more."""
    for offered in Finish:
        if offered.value * match.cube.value >= match.player_away:
            assert accepts(evaluator, level, position, offered, match)


@pytest.mark.parametrize(
    ("chances", "match", "expected"),
    [
        pytest.param((0.0009,), MONEY, Finish.SINGLE, id="0.09 % to win"),
        pytest.param((0.0011,), MONEY, None, id="0.11 % to win"),
        pytest.param((0.0, 0.0, 0.0, 0.9991), MONEY, Finish.GAMMON, id="0.09 % to save the gammon"),
        pytest.param((0.0, 0.0, 0.0, 0.9989), MONEY, Finish.SINGLE, id="0.11 % to save the gammon"),
        pytest.param((0.0, 0.0, 0.0, 1.0, 0.9991), MONEY, Finish.BACKGAMMON, id="0.09 % to save the backgammon"),
        pytest.param((0.0, 0.0, 0.0, 1.0, 0.9991), MatchState(jacoby=True), Finish.SINGLE, id="Jacoby"),
        pytest.param((0.0, 0.0, 0.0, 1.0, 0.5), TWO_AWAY, Finish.GAMMON, id="match"),
    ],
)
@pytest.mark.parametrize("level", Level)
def test_a_loss_is_offered_when_doing_better_is_all_but_impossible(
    evaluator: Evaluator, level: Level, chances: tuple[float, ...], match: MatchState, expected: Finish | None
) -> None:
    """The largest such loss, and never by Easy."""
    fixed = knowing(evaluator, *chances, cube=(-1.0, -2.0))
    assert (None if level is Level.EASY else expected) is offer(fixed, level, MIDDLE_GAME, match)
    assert [(MIDDLE_GAME, match, DEPTHS[level])] == fixed.asked


@pytest.mark.parametrize(
    ("position", "expected"), [(GAMMON, Finish.GAMMON), (BACKGAMMON, Finish.BACKGAMMON)], ids=["gammon", "backgammon"]
)
def test_a_lost_gammon_is_resigned_as_one(evaluator: Evaluator, position: Position, expected: Finish) -> None:
    """Grandmaster sees it for certain; a single game would be refused."""
    assert expected is offer(evaluator, Level.GRANDMASTER, position.mirrored())


def test_a_resignation_is_judged_by_cubeless_equity_up_to_medium_and_by_the_cube_above(evaluator: Evaluator) -> None:
    """Doubled and passed the game is worth 1; played on without the cube 1.1, too much for a single."""
    fixed = knowing(evaluator, 0.9, 0.3, cube=(0.9, 1.2))
    found = [accepts(fixed, level, MIDDLE_GAME, Finish.SINGLE) for level in Level]
    assert [False, False, True, True, True, True] == found


@given(positions)
def test_a_finished_game_is_refused(evaluator: Evaluator, position: Position) -> None:
    """There is nothing left to decide on."""
    assume(any(position.player.points))
    over = Position(position.player, side({}))
    with pytest.raises(InvalidState):
        choose(evaluator, Level.EASY, over, MONEY, Decision.DOUBLE_OR_ROLL)
    with pytest.raises(InvalidState):
        accepts(evaluator, Level.EASY, over, Finish.SINGLE)
