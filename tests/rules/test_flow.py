"""The course of a game and a match: openings, turns, results, scores and whole matches."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import pytest

from bgbotd.rules.cube_actions import CubeAction, apply_cube_action, list_cube_actions
from bgbotd.rules.dice import Dice
from bgbotd.rules.flow import (
    Decision,
    GameResult,
    GameSide,
    NextTurn,
    OpeningTurn,
    apply_play,
    score_game,
    start_game,
)
from bgbotd.rules.match import CrawfordState, Cube, CubeOwner, MatchState
from bgbotd.rules.plays import Play, legal_plays
from bgbotd.rules.position import STARTING_POSITION, Finish, Position
from bgbotd.rules.violations import IllegalPlay, InvalidState, Reason, RulesError
from tests.rules.boards import side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bgbotd.rules.position import Side

NOT_REACHED = CrawfordState.NOT_REACHED
CRAWFORD_GAME = CrawfordState.CRAWFORD_GAME
POST_CRAWFORD = CrawfordState.POST_CRAWFORD
NOT_PLAYED = CrawfordState.NOT_PLAYED


def pairs(error: RulesError) -> list[tuple[str, Reason]]:
    """Give field and reason of each violation."""
    return [(violation.field, violation.reason) for violation in error.violations]


def rolling(*rolls: tuple[int, int]) -> Callable[[], Dice]:
    """Give a source of dice that throws these rolls and then no more."""
    source = iter(rolls)
    return lambda: Dice(*next(source))


def only_play(position: Position, dice: Dice) -> Play:
    """Give the play where there is but one."""
    (play,) = legal_plays(position, dice)
    return play


@pytest.mark.parametrize(
    ("before", "winner", "kind", "after", "points"),
    [
        (MatchState(7), GameSide.PLAYER, Finish.SINGLE, MatchState(7, 1, 0), 1),
        (MatchState(7), GameSide.OPPONENT, Finish.GAMMON, MatchState(7, 0, 2), 2),
        (MatchState(7), GameSide.PLAYER, Finish.BACKGAMMON, MatchState(7, 3, 0), 3),
        (
            MatchState(11, 1, 2, cube=Cube(2, CubeOwner.OPPONENT)),
            GameSide.PLAYER,
            Finish.GAMMON,
            MatchState(11, 5, 2),
            4,
        ),
        (
            MatchState(0, 4, -4, cube=Cube(8, CubeOwner.PLAYER), cube_limit=64),
            GameSide.OPPONENT,
            Finish.BACKGAMMON,
            MatchState(0, 4, 20, cube_limit=64),
            24,
        ),
    ],
)
def test_a_game_is_worth_cube_times_kind(
    before: MatchState, winner: GameSide, kind: Finish, after: MatchState, points: int
) -> None:
    """The winner's score grows, the loser's stays, and the next game has a centred cube of 1."""
    assert (after, points) == score_game(before, winner, kind)


@pytest.mark.parametrize(
    ("cube", "kind", "points"),
    [
        (Cube(), Finish.GAMMON, 1),
        (Cube(), Finish.BACKGAMMON, 1),
        (Cube(4), Finish.BACKGAMMON, 4),
        (Cube(2, CubeOwner.PLAYER), Finish.GAMMON, 4),
        (Cube(2, CubeOwner.OPPONENT), Finish.BACKGAMMON, 6),
    ],
)
def test_jacoby_counts_gammons_single_while_the_cube_is_centred(cube: Cube, kind: Finish, points: int) -> None:
    """An automatic double is no turn of the cube for Jacoby, though its stake counts."""
    match = MatchState(jacoby=True, cube=cube)
    assert (MatchState(0, points, 0, jacoby=True), points) == score_game(match, GameSide.PLAYER, kind)


def test_points_past_the_target_do_not_carry() -> None:
    """A gammon with the cube on 4 wins a match that lacked two points; the game was still worth 8."""
    match = MatchState(5, 3, 1, cube=Cube(4, CubeOwner.PLAYER))
    assert (MatchState(5, 5, 1), 8) == score_game(match, GameSide.PLAYER, Finish.GAMMON)


@pytest.mark.parametrize(
    ("length", "score", "crawford", "winner", "after"),
    [
        (5, (0, 0), NOT_REACHED, GameSide.PLAYER, NOT_REACHED),
        (5, (3, 1), NOT_REACHED, GameSide.PLAYER, CRAWFORD_GAME),
        (5, (1, 3), NOT_REACHED, GameSide.OPPONENT, CRAWFORD_GAME),
        (5, (4, 1), CRAWFORD_GAME, GameSide.OPPONENT, POST_CRAWFORD),
        (5, (4, 1), POST_CRAWFORD, GameSide.OPPONENT, POST_CRAWFORD),
        (5, (4, 3), CRAWFORD_GAME, GameSide.OPPONENT, POST_CRAWFORD),
        (5, (4, 3), POST_CRAWFORD, GameSide.OPPONENT, POST_CRAWFORD),
        (5, (4, 1), POST_CRAWFORD, GameSide.PLAYER, POST_CRAWFORD),
        (5, (3, 1), NOT_PLAYED, GameSide.PLAYER, NOT_PLAYED),
        (2, (0, 0), NOT_REACHED, GameSide.OPPONENT, CRAWFORD_GAME),
        (2, (0, 1), CRAWFORD_GAME, GameSide.PLAYER, POST_CRAWFORD),
        (1, (0, 0), NOT_PLAYED, GameSide.PLAYER, NOT_PLAYED),
        (0, (0, 0), NOT_PLAYED, GameSide.PLAYER, NOT_PLAYED),
    ],
)
def test_the_crawford_game_follows_the_first_score_one_point_away(
    length: int, score: tuple[int, int], crawford: CrawfordState, winner: GameSide, after: CrawfordState
) -> None:
    """It is one game only; later ones are post-Crawford, and without the rule there is none."""
    following, _ = score_game(MatchState(length, *score, crawford), winner, Finish.SINGLE)
    assert after is following.crawford


def test_a_finished_match_cannot_be_scored_again() -> None:
    """The side that has reached the target is named."""
    with pytest.raises(InvalidState) as refused:
        score_game(MatchState(3, 1, 3), GameSide.PLAYER, Finish.SINGLE)
    assert [("match.opponent_score", Reason.SCORE_OUT_OF_RANGE)] == pairs(refused.value)


def test_a_money_tally_past_its_range_is_refused() -> None:
    """A tally that no longer fits is an error that names the score."""
    with pytest.raises(InvalidState) as refused:
        score_game(MatchState(0, 999_999_999, 0), GameSide.PLAYER, Finish.GAMMON)
    assert [("match.player_score", Reason.SCORE_OUT_OF_RANGE)] == pairs(refused.value)


@pytest.mark.parametrize(("dice", "beginner"), [(Dice(6, 1), GameSide.PLAYER), (Dice(2, 3), GameSide.OPPONENT)])
def test_the_higher_die_begins_and_plays_both_numbers(dice: Dice, beginner: GameSide) -> None:
    """The score is seen by the side that begins, whose position is the starting position."""
    match = MatchState(7, 2, 4)
    seen = match if beginner is GameSide.PLAYER else MatchState(7, 4, 2)
    assert OpeningTurn(beginner, STARTING_POSITION, dice, (), seen) == start_game(match, dice, (), 0, rolling())


def test_equal_opening_dice_are_rolled_again() -> None:
    """The ties are reported in their order, and without agreement they double nothing."""
    assert OpeningTurn(
        GameSide.OPPONENT, STARTING_POSITION, Dice(1, 6), (Dice(3, 3), Dice(5, 5)), MatchState()
    ) == start_game(MatchState(), None, (), 0, rolling((3, 3), (5, 5), (1, 6), (6, 1)))


@pytest.mark.parametrize(
    ("ties", "agreed", "limit", "value"),
    [
        (0, 1, 4096, 1),
        (1, 1, 4096, 2),
        (3, 1, 4096, 2),
        (3, 2, 4096, 4),
        (12, 12, 4096, 4096),
        (13, 12, 4096, 4096),
        (5, 5, 8, 8),
        (2, 2, 1, 1),
    ],
)
def test_automatic_doubles_double_a_cube_that_stays_centred(ties: int, agreed: int, limit: int, value: int) -> None:
    """Each tie doubles once, up to the number agreed and the cube limit, given or rolled alike."""
    match = MatchState(cube_limit=limit)
    equal = [Dice(4, 4)] * ties
    rolled = start_game(match, None, (), agreed, rolling(*[(4, 4)] * ties, (2, 1)))
    assert Cube(value, CubeOwner.CENTERED) == rolled.match.cube
    assert rolled == start_game(match, Dice(2, 1), equal, agreed, rolling())


@pytest.mark.parametrize(
    ("match", "dice", "ties", "agreed", "expected"),
    [
        (MatchState(), Dice(3, 3), (), 0, [("dice.die2", Reason.OPENING_DOUBLE)]),
        (MatchState(), Dice(3, 1), (Dice(2, 2), Dice(2, 4)), 0, [("ties[1]", Reason.TIE_NOT_EQUAL)]),
        (MatchState(), None, (Dice(2, 2),), 0, [("ties", Reason.TIE_NOT_EQUAL)]),
        (MatchState(7), None, (), 1, [("automatic_doubles", Reason.AUTOMATIC_DOUBLES_IN_MATCH)]),
        (MatchState(), None, (), -1, [("automatic_doubles", Reason.AUTOMATIC_DOUBLES_OUT_OF_RANGE)]),
        (MatchState(), None, (), 13, [("automatic_doubles", Reason.AUTOMATIC_DOUBLES_OUT_OF_RANGE)]),
        (MatchState(cube=Cube(2)), None, (), 0, [("match.cube.value", Reason.CUBE_VALUE)]),
        (
            MatchState(7, cube=Cube(2, CubeOwner.PLAYER)),
            Dice(6, 6),
            (Dice(1, 2),),
            1,
            [
                ("dice.die2", Reason.OPENING_DOUBLE),
                ("ties[0]", Reason.TIE_NOT_EQUAL),
                ("match.cube.value", Reason.CUBE_VALUE),
                ("automatic_doubles", Reason.AUTOMATIC_DOUBLES_IN_MATCH),
            ],
        ),
        (MatchState(7, 7, 2), None, (), 0, [("match.player_score", Reason.SCORE_OUT_OF_RANGE)]),
    ],
)
def test_an_opening_that_cannot_be_is_refused_with_every_reason(
    match: MatchState, dice: Dice | None, ties: Iterable[Dice], agreed: int, expected: list[tuple[str, Reason]]
) -> None:
    """Nothing is rolled for an opening that cannot take place."""
    with pytest.raises(InvalidState) as refused:
        start_game(match, dice, tuple(ties), agreed, rolling())
    assert expected == pairs(refused.value)


@pytest.mark.parametrize(
    ("match", "decision"),
    [
        (MatchState(), Decision.DOUBLE_OR_ROLL),
        (MatchState(cube=Cube(2, CubeOwner.OPPONENT)), Decision.DOUBLE_OR_ROLL),
        (MatchState(cube=Cube(2, CubeOwner.PLAYER)), Decision.PLAY),
        (MatchState(cube=Cube(4), cube_limit=4), Decision.PLAY),
        (MatchState(5, 4, 0, CRAWFORD_GAME), Decision.PLAY),
        (MatchState(5, 4, 0, POST_CRAWFORD), Decision.DOUBLE_OR_ROLL),
    ],
)
def test_the_turn_passes_to_the_other_side_with_its_own_view(match: MatchState, decision: Decision) -> None:
    """The next side decides on the cube where it may double, else it plays."""
    play = legal_plays(STARTING_POSITION, Dice(3, 1))[0]
    assert NextTurn(play.result.mirrored(), match.mirrored(), decision, GameSide.OPPONENT) == apply_play(
        STARTING_POSITION, Dice(3, 1), match, play
    )


def test_a_side_that_cannot_move_hands_the_turn_over() -> None:
    """Two checkers on the bar against a closed board: the one empty play changes nothing but the side."""
    position = Position(side({6: 13}, bar=2), side({1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 13: 3}))
    play = only_play(position, Dice(6, 5))
    assert NextTurn(position.mirrored(), MatchState(), Decision.DOUBLE_OR_ROLL, GameSide.OPPONENT) == apply_play(
        position, Dice(6, 5), MatchState(), play
    )


@pytest.mark.parametrize(
    ("loser", "kind"),
    [
        (side({6: 14}), Finish.SINGLE),
        (side({24: 14}), Finish.SINGLE),
        (side({6: 15}), Finish.GAMMON),
        (side({18: 15}), Finish.GAMMON),
        (side({6: 14, 19: 1}), Finish.BACKGAMMON),
        (side({6: 14, 22: 1}), Finish.BACKGAMMON),
        (side({6: 14}, bar=1), Finish.BACKGAMMON),
    ],
)
def test_the_fifteenth_checker_ends_the_game_by_what_the_loser_has_left(loser: Side, kind: Finish) -> None:
    """None off is a gammon, and one on the bar or in the winner's home board besides a backgammon."""
    position = Position(side({2: 1}), loser)
    play = only_play(position, Dice(6, 6))
    cube = Cube(2, CubeOwner.OPPONENT)
    assert NextTurn(
        STARTING_POSITION,
        MatchState(9, 2 * kind.value, 0),
        Decision.OPENING_ROLL,
        None,
        GameResult(GameSide.PLAYER, kind, 2 * kind.value, passed=False),
    ) == apply_play(position, Dice(6, 6), MatchState(9, cube=cube), play)


def test_the_last_game_leaves_the_final_position() -> None:
    """Where the match is over, position and score keep the winner's view."""
    position = Position(side({1: 2}), side({6: 12}))
    play = only_play(position, Dice(4, 2))
    match = MatchState(3, 2, 2, POST_CRAWFORD)
    assert NextTurn(
        Position(side({}), side({6: 12})),
        MatchState(3, 3, 2, POST_CRAWFORD),
        Decision.MATCH_OVER,
        None,
        GameResult(GameSide.PLAYER, Finish.SINGLE, 1, passed=False),
    ) == apply_play(position, Dice(4, 2), match, play)


def test_a_play_of_other_dice_is_refused() -> None:
    """A play is judged by the dice it is said to be made with, whatever result it claims."""
    play = legal_plays(STARTING_POSITION, Dice(3, 1))[0]
    with pytest.raises(IllegalPlay) as refused:
        apply_play(STARTING_POSITION, Dice(6, 5), MatchState(), play)
    assert all(violation.field.startswith("play.steps") for violation in refused.value.violations)


def test_a_play_leads_where_its_steps_lead() -> None:
    """A result that does not belong to the steps has no say."""
    first, second = legal_plays(STARTING_POSITION, Dice(3, 1))[:2]
    false = Play(first.steps, second.result)
    assert first.result.mirrored() == apply_play(STARTING_POSITION, Dice(3, 1), MatchState(), false).position


def test_a_play_needs_a_game_and_a_match_still_being_played() -> None:
    """A finished game in a finished match is refused with both problems at once."""
    play = legal_plays(STARTING_POSITION, Dice(3, 1))[0]
    with pytest.raises(InvalidState) as refused:
        apply_play(Position(side({}), side({6: 2})), Dice(3, 1), MatchState(5, 5, 0), play)
    assert [("position.player.off", Reason.GAME_OVER), ("match.player_score", Reason.SCORE_OUT_OF_RANGE)] == pairs(
        refused.value
    )


@dataclass
class Ledger:
    """A match kept by hand beside the one the rules keep; sides are 0 and 1 and never change seats."""

    length: int
    scores: list[int]
    cube: int = 1
    owner: int | None = None
    decider: int = 0
    """The side whose view the rules should give."""
    games: int = 0
    crawford_games: int = 0

    def expect(self, match: MatchState) -> None:
        """Check score and cube as the side that decides should see them."""
        own, other = self.decider, 1 - self.decider
        assert (self.scores[own], self.scores[other]) == (match.player_score, match.opponent_score)
        owner = {None: CubeOwner.CENTERED, own: CubeOwner.PLAYER, other: CubeOwner.OPPONENT}[self.owner]
        assert Cube(self.cube, owner) == match.cube

    def record(self, turn: NextTurn, winner: int, stake: int) -> None:
        """Check the result of a game that `winner` has won, and begin the next."""
        result = turn.result
        assert result is not None
        assert (GameSide.PLAYER if winner == self.decider else GameSide.OPPONENT) is result.winner
        assert stake * result.finish.value == result.points
        self.scores[winner] += result.points
        if self.length:
            self.scores[winner] = min(self.length, self.scores[winner])
        self.cube, self.owner = 1, None
        over = bool(self.length) and self.scores[winner] == self.length
        assert (Decision.MATCH_OVER if over else Decision.OPENING_ROLL) is turn.decision


def play_game(match: MatchState, ledger: Ledger, random: Random, results: Counter[str]) -> NextTurn:
    """Play one game with random legal choices through the rules alone, held against the ledger."""

    def roll() -> Dice:
        return Dice(random.randint(1, 6), random.randint(1, 6))

    ledger.games += 1
    ledger.crawford_games += match.crawford is CRAWFORD_GAME
    doubling = match.crawford is not CRAWFORD_GAME
    opening = start_game(match, None, (), 1 if match.is_money else 0, roll)
    if opening.beginner is GameSide.OPPONENT:
        ledger.decider = 1 - ledger.decider
    if match.is_money and opening.ties:
        ledger.cube = 2
    turn = NextTurn(opening.position, opening.match, Decision.PLAY, None)
    dice = opening.dice
    while turn.result is None:
        ledger.expect(turn.match)
        decider, other = ledger.decider, 1 - ledger.decider
        if turn.decision is Decision.PLAY:
            play = random.choice(legal_plays(turn.position, dice))
            following = apply_play(turn.position, dice, turn.match, play)
            if following.result:
                results[following.result.finish.name] += 1
                ledger.record(following, decider, ledger.cube)
            else:
                assert play.result.mirrored() == following.position
                assert GameSide.OPPONENT is following.side
                may = doubling and ledger.owner != decider and ledger.cube * 2 <= match.cube_limit
                assert (Decision.DOUBLE_OR_ROLL if may else Decision.PLAY) is following.decision
                ledger.decider = other
                dice = roll()
            turn = following
            continue
        statuses = list_cube_actions(turn.position, turn.match, turn.decision)
        # Rolling is listed first and weighs most, lest every game end with a pass.
        actions = [status.action for status in statuses if status.allowed]
        action = random.choices(actions, [20 if each is CubeAction.ROLL else 2 for each in actions])[0]
        results[action.name] += 1
        following = apply_cube_action(turn.position, turn.match, turn.decision, action)
        if action is CubeAction.PASS:
            stake = ledger.cube * (2 if turn.decision is Decision.BEAVER_RESPONSE else 1)
            ledger.record(following, other, stake)
        elif action is CubeAction.TAKE:
            beavered = turn.decision is Decision.BEAVER_RESPONSE
            ledger.cube *= 4 if beavered else 2
            ledger.owner = other if beavered else decider
            ledger.decider = decider if beavered else other
        elif action is not CubeAction.ROLL:
            ledger.decider = other
        sides = {decider: GameSide.PLAYER, other: GameSide.OPPONENT}
        assert (None if following.result else sides[ledger.decider]) is following.side
        turn = following
    return turn


@pytest.mark.parametrize("length", [1, 2, 3, 5, 7, 11])
def test_whole_matches_of_random_legal_choices_keep_every_rule(length: int) -> None:
    """Scores, cube and views agree with a ledger kept by hand, and the Crawford game comes once."""
    random = Random(length)
    results: Counter[str] = Counter()
    for _ in range(12):
        crawford = CRAWFORD_GAME if length == 1 else NOT_REACHED
        turn = NextTurn(
            STARTING_POSITION, MatchState(length, crawford=crawford, cube_limit=8), Decision.OPENING_ROLL, None
        )
        ledger = Ledger(length, [0, 0])
        crawford_due = length == 1
        while turn.decision is not Decision.MATCH_OVER:
            assert crawford_due is (turn.match.crawford is CRAWFORD_GAME)
            reached = length - 1 in ledger.scores
            turn = play_game(turn.match, ledger, random, results)
            ledger.expect(turn.match)
            crawford_due = not reached and length - 1 in ledger.scores
        assert length == max(ledger.scores)
        assert ledger.scores[0] != ledger.scores[1]
        one_away = length == 1 or turn.match.crawford is POST_CRAWFORD
        assert (1 if one_away else 0) == ledger.crawford_games
    assert 0 < results["SINGLE"]


def test_money_sessions_of_random_legal_choices_keep_every_rule() -> None:
    """With beavers and automatic doubles the tally goes on, and every kind of ending occurs."""
    random = Random(0)
    results: Counter[str] = Counter()
    turn = NextTurn(STARTING_POSITION, MatchState(beavers=True), Decision.OPENING_ROLL, None)
    ledger = Ledger(0, [0, 0])
    for _ in range(150):
        turn = play_game(turn.match, ledger, random, results)
        ledger.expect(turn.match)
    assert 150 == ledger.games
    assert {"SINGLE", "GAMMON", "BACKGAMMON", "ROLL", "DOUBLE", "TAKE", "PASS", "BEAVER"} == set(results)
