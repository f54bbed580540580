"""A game as an example prints it, played again by the rules."""

from __future__ import annotations

from bgbot import draw_board

from bgbotd.rules import (
    STARTING_POSITION,
    CubeAction,
    Decision,
    Dice,
    Finish,
    GameSide,
    MatchState,
    NextTurn,
    Position,
    apply_cube_action,
    apply_play,
    parse_play,
)
from bgbotd.service import render

LENGTH = 5
_RESULTS = {Finish.SINGLE: "a single game", Finish.GAMMON: "a gammon", Finish.BACKGAMMON: "a backgammon"}
_CUBE_WORDS = {"doubles": CubeAction.DOUBLE, "takes": CubeAction.TAKE}


def replay(output: str) -> str:
    """Give what an example has to print for the dice, plays and cube actions of `output`.

    Whose turn it is, canonical notation, every board, the cube and the score come from the rules alone.
    Raises `RulesError` if a play or a cube action is not allowed.
    """
    said = [line.split() for line in output.splitlines() if line.startswith(("you ", "MEDIUM "))]
    yours = said[0][0] == "you"
    turn = NextTurn(STARTING_POSITION, MatchState(length=LENGTH), Decision.PLAY, None)
    lines = [_board(turn.position, yours=yours)]
    for _, *words in said[:-1]:
        name = "you" if yours else "MEDIUM"
        if words[0] in _CUBE_WORDS:
            value = 2 * turn.match.cube.value
            lines.append(f"{name:<6}  {f'doubles to {value}' if words[0] == 'doubles' else 'takes'}")
            following = apply_cube_action(turn.position, turn.match, turn.decision, _CUBE_WORDS[words[0]])
        else:
            if turn.decision is Decision.DOUBLE_OR_ROLL:
                turn = apply_cube_action(turn.position, turn.match, turn.decision, CubeAction.ROLL)
            dice = Dice(*map(int, words[0].split("-")))
            play = parse_play(turn.position, dice, " ".join(words[1:]))
            lines += [
                f"{name:<6}  {dice.die1}-{dice.die2}  {play.notation}",
                _board(play.result, yours=yours),
            ]
            following = apply_play(turn.position, dice, turn.match, play)
        if following.result is None and following.side is GameSide.OPPONENT:
            yours = not yours
        turn = following
    return "\n".join([*lines, _ending(turn, yours=yours), ""])


def _ending(turn: NextTurn, *, yours: bool) -> str:
    """Say who has won what."""
    assert turn.result is not None
    scores = [turn.match.player_score, turn.match.opponent_score]
    you, other = scores if yours else reversed(scores)
    winner = "you" if (turn.result.winner is GameSide.PLAYER) is yours else "MEDIUM"
    return (
        f"{winner} won {_RESULTS[turn.result.finish]}, points: {turn.result.points}, "
        f"score: you {you}, MEDIUM {other}, match to {LENGTH}"
    )


def _board(position: Position, *, yours: bool) -> str:
    """Draw a position, seen by the side whose turn it is, as you see it."""
    seen = position if yours else Position(position.opponent, position.player)
    return draw_board(render.position(seen))
