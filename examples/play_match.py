"""Plays a whole match between two levels, with nothing but the daemon's answers.

    python examples/play_match.py [HOST:PORT]

Without an address it takes that of BGBOT_ADDRESS, else 127.0.0.1:50051. Scores are MEDIUM's first.

This is all a game server has to do: throw the dice, carry position and score from each answer to the
next request, and remember whose turn it is.
"""

from __future__ import annotations

import os
import random
import sys
from dataclasses import dataclass

import grpc
from bgbot import BgbotError, Client, v1

LENGTH = 5
THROW = random.SystemRandom()
LEVELS = (v1.LEVEL_MEDIUM, v1.LEVEL_HARD)


@dataclass
class State:
    """Where the match stands; position and match are seen by the side whose turn it is."""

    turn: int
    position: v1.Position
    match: v1.MatchState
    decision: v1.Decision.ValueType
    dice: v1.Dice | None = None

    @property
    def source(self) -> v1.PositionSource:
        """The position as requests want it."""
        return v1.PositionSource(position=self.position)


def play_match(client: Client) -> int:
    """Play a match and give the index of the level that has won it."""
    state = start_game(client, 0, v1.MatchState(length=LENGTH))
    while state.decision != v1.DECISION_MATCH_OVER:
        if state.decision == v1.DECISION_OPENING_ROLL:
            state = start_game(client, state.turn, state.match)
        elif state.decision == v1.DECISION_PLAY:
            state = play_roll(client, state)
        else:
            state = act_on_cube(client, state)
    return state.turn if state.match.player_score >= LENGTH else 1 - state.turn


def start_game(client: Client, player: int, match: v1.MatchState) -> State:
    """Let the daemon throw the opening roll; `match` is seen by `player`."""
    answer = client.rules.StartGame(v1.StartGameRequest(match=match))
    turn = player if answer.beginner == v1.GAME_SIDE_PLAYER else 1 - player
    return State(turn, answer.position, answer.match, answer.next_decision, answer.dice)


def play_roll(client: Client, state: State) -> State:
    """Throw the dice unless they lie there already, and let the level choose its play."""
    dice = state.dice or v1.Dice(die1=THROW.randint(1, 6), die2=THROW.randint(1, 6))
    choice = client.bots.ChoosePlay(
        v1.ChoosePlayRequest(position=state.source, dice=dice, match=state.match, level=LEVELS[state.turn])
    )
    answer = client.rules.ApplyPlay(
        v1.ApplyPlayRequest(position=state.source, dice=dice, match=state.match, play=choice.play)
    )
    return following(state, answer)


def act_on_cube(client: Client, state: State) -> State:
    """Let the level choose among the cube actions that are allowed."""
    request = v1.ListCubeActionsRequest(position=state.source, match=state.match, decision=state.decision)
    allowed = [status.action for status in client.rules.ListCubeActions(request).actions if status.allowed]
    action = allowed[0] if len(allowed) == 1 else choose_action(client, state)
    answer = client.rules.ApplyCubeAction(
        v1.ApplyCubeActionRequest(position=state.source, match=state.match, decision=state.decision, action=action)
    )
    return following(state, answer)


def choose_action(client: Client, state: State) -> v1.CubeAction.ValueType:
    """Ask the level; where the daemon's levels leave the cube to us, count pips."""
    request = v1.ChooseCubeActionRequest(
        position=state.source, match=state.match, level=LEVELS[state.turn], decision=state.decision
    )
    try:
        return client.bots.ChooseCubeAction(request).action
    except BgbotError as error:
        if error.code not in (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.FAILED_PRECONDITION):
            raise
    count = client.evaluation.CountPips(v1.CountPipsRequest(position=state.source))
    if count.phase == v1.PHASE_CONTACT:
        return v1.CUBE_ACTION_ROLL if state.decision == v1.DECISION_DOUBLE_OR_ROLL else v1.CUBE_ACTION_TAKE
    # In a race: double with a lead of 8 % of one's own count, take until 12 % behind (the 8-9-12 rule).
    if state.decision == v1.DECISION_DOUBLE_OR_ROLL:
        return v1.CUBE_ACTION_DOUBLE if count.opponent_pips >= 1.08 * count.player_pips else v1.CUBE_ACTION_ROLL
    return v1.CUBE_ACTION_TAKE if count.player_pips <= 1.12 * count.opponent_pips else v1.CUBE_ACTION_PASS


def following(state: State, answer: v1.ApplyPlayResponse | v1.ApplyCubeActionResponse) -> State:
    """Give the state that follows. Where nobody decides, it stays in the view of the side that has acted."""
    outcome, turn = answer.outcome, state.turn
    if outcome.game_over:
        winner = turn if outcome.winner == v1.GAME_SIDE_PLAYER else 1 - turn
        scores = answer.next_match.player_score, answer.next_match.opponent_score
        score = "-".join(map(str, scores if turn == 0 else reversed(scores)))
        name = v1.Level.Name(LEVELS[winner]).removeprefix("LEVEL_")
        print(f"{name:<8}wins {outcome.points}{' by a pass' if outcome.passed else '':<10}  score {score}")
    elif answer.next_side == v1.GAME_SIDE_OPPONENT:
        turn = 1 - turn
    return State(turn, answer.next, answer.next_match, answer.next_decision)


if __name__ == "__main__":
    address = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BGBOT_ADDRESS", "127.0.0.1:50051")
    with Client(address) as client:
        try:
            winner = play_match(client)
        except BgbotError as error:
            sys.exit(f"{error.code.name} from {address}: {error.message}")
        print(f"{v1.Level.Name(LEVELS[winner]).removeprefix('LEVEL_')} wins the match")
