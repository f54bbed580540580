"""The daemon's answers in lines for a person to read."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from bgbot import v1
from bgbot._board import draw_board
from bgbot._words import word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bgbot._errors import BgbotError


def plays_lines(answer: v1.ListLegalPlaysResponse) -> Iterator[str]:
    """Say every play, and what the rules leave of the freedom to choose."""
    yield from (play.notation for play in answer.plays)
    dice, restriction = answer.dice, word(v1.Restriction, answer.restriction)
    yield f"{len(answer.plays)} legal with {dice.die1}-{dice.die2}, {answer.dice_played} dice played, {restriction}"


def choice_lines(answer: v1.ChoosePlayResponse) -> Iterator[str]:
    """Say the play, then the candidates beside it."""
    yield answer.play.notation
    yield from (f"{candidate.value:+10.3f}  {candidate.play.notation}" for candidate in answer.candidates)
    if answer.stamp.HasField("seed"):
        yield f"seed {answer.stamp.seed}"


def evaluation_lines(answer: v1.EvaluateResponse) -> Iterator[str]:
    """Say the chances, the equities and the cube."""
    chances, cube = answer.probabilities, answer.cube
    yield f"win {chances.win:.1%}, gammon {chances.win_gammon:.1%}, backgammon {chances.win_backgammon:.1%}"
    yield f"lose {1 - chances.win:.1%}, gammon {chances.lose_gammon:.1%}, backgammon {chances.lose_backgammon:.1%}"
    yield f"equity {answer.cubeful_equity:+.3f}, without the cube {answer.cubeless_equity:+.3f}"
    yield f"no double {cube.no_double:+.3f}, take {cube.double_take:+.3f}, pass {cube.double_pass:+.3f}"
    yield f"cube: {word(v1.CubeVerdict, cube.verdict)}"
    if answer.HasField("match_winning_chance"):
        yield f"wins the match {answer.match_winning_chance:.1%}"
    yield f"by {answer.stamp.engine} {answer.stamp.engine_version}, {word(v1.Depth, answer.stamp.depth)}"


def pips_lines(answer: v1.CountPipsResponse) -> Iterator[str]:
    """Say the pips of both sides and the phase."""
    yield f"player {answer.player_pips}, opponent {answer.opponent_pips}, {word(v1.Phase, answer.phase)}"


def conversion_lines(answer: v1.ConvertPositionResponse) -> Iterator[str]:
    """Say the IDs, and what each cannot carry."""
    yield answer.xgid
    yield f"{answer.gnubg_position_id}:{answer.gnubg_match_id}"
    for loss in answer.lost:
        yield f"not in {word(v1.Notation, loss.notation)}: {loss.field} ({loss.explanation})"


def board_lines(answer: v1.ConvertPositionResponse) -> Iterator[str]:
    """Draw the position, in ASCII where the output knows no more."""
    yield draw_board(
        answer.position,
        dice=answer.dice if answer.HasField("dice") else None,
        match=answer.match,
        pips=(answer.player_pips, answer.opponent_pips),
        ascii_only=not _can_print("●○┌"),
    )


def actions_lines(answer: v1.ListCubeActionsResponse) -> Iterator[str]:
    """Say every action, and why the others are not allowed."""
    for status in answer.actions:
        verdict = "yes" if status.allowed else f"no, {status.explanation} ({status.reason})"
        yield f"{word(v1.CubeAction, status.action)}: {verdict}"


def bots_lines(answer: v1.ListBotsResponse) -> Iterator[str]:
    """Say how each bot decides and how strong it is."""
    for bot in answer.bots:
        yield f"{word(v1.Level, bot.level)}: {bot.description if bot.available else bot.unavailable_because}"
        if bot.HasField("strength"):
            strength = bot.strength
            yield (
                f"    {strength.points_per_game:+.3f} points a game against {word(v1.Level, strength.opponent)} "
                f"({strength.points_per_game_low:+.3f} to {strength.points_per_game_high:+.3f}, "
                f"{strength.games} games), wins {strength.win_rate:.1%}"
            )


def error_lines(error: BgbotError, address: str) -> Iterator[str]:
    """Say what went wrong: field by field where the daemon did."""
    reason = f" ({error.reason})" if error.reason else f" from {address}"
    if error.violations:
        yield f"bgbot: refused{reason}"
        yield from (f"  {field}: {description}" for field, description, _ in error.violations)
    else:
        yield f"bgbot: {error.code.name}{reason}: {error.message}"


def _can_print(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True
