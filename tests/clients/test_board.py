"""Tests of `bgbot.draw_board`."""

from __future__ import annotations

from bgbot import draw_board, starting_position, v1

CENTERED = v1.Cube(value=1, owner=v1.CUBE_OWNER_CENTERED)


def test_starting_position_is_drawn_from_the_players_side() -> None:
    """The player is at the bottom and moves from 24 at the top right to 1 at the bottom right."""
    expected = """\
Match to 5
┌─13─14─15─16─17─18─┬───┬─19─20─21─22─23─24─┐  ○ opponent
│  ●           ○    │   │  ○              ● │  167 pips
│  ●           ○    │   │  ○              ● │  score 1
│  ●           ○    │   │  ○                │
│  ●                │   │  ○                │
│  ●                │   │  ○                │
│                   │BAR│                   │  cube 1   roll 3-1
│  ○                │   │  ●                │
│  ○                │   │  ●                │
│  ○           ●    │   │  ●                │
│  ○           ●    │   │  ●              ○ │  score 2
│  ○           ●    │   │  ●              ○ │  167 pips
└─12─11─10──9──8──7─┴───┴──6──5──4──3──2──1─┘  ● player"""
    match = v1.MatchState(length=5, player_score=2, opponent_score=1, cube=CENTERED)
    dice = v1.Dice(die1=3, die2=1)
    assert expected == draw_board(starting_position(), dice=dice, match=match, pips=(167, 167))


def test_tall_stack_bar_and_borne_off_are_told_in_numbers() -> None:
    """Seven checkers on a point end in a 7; the bar stands in the middle, and what is off beside the board."""
    player, opponent = v1.Side(points=[0] * 24, bar=2, off=6), v1.Side(points=[0] * 24, bar=8)
    player.points[0] = 7
    opponent.points[5] = 7
    expected = """\
+-13-14-15-16-17-18-+---+-19-20-21-22-23-24-+  O opponent
|                   | 8 |  O                |
|                   | O |  O                |
|                   | O |  O                |
|                   | O |  O                |
|                   | O |  7                |
|                   |BAR|                   |
|                   | X |                 7 |
|                   | X |                 X |
|                   |   |                 X |
|                   |   |                 X |
|                   |   |                 X |  6 off
+-12-11-10--9--8--7-+---+--6--5--4--3--2--1-+  X player"""
    assert expected == draw_board(v1.Position(player=player, opponent=opponent), ascii_only=True)


def test_owned_cube_stands_on_its_owners_side() -> None:
    """An opponent's cube is above the middle, a player's below."""

    def line_of_cube(owner: v1.CubeOwner.ValueType) -> int:
        match = v1.MatchState(cube=v1.Cube(value=4, owner=owner))
        lines = draw_board(starting_position(), match=match).splitlines()
        return next(number for number, line in enumerate(lines) if line.endswith("cube 4"))

    middle = line_of_cube(v1.CUBE_OWNER_CENTERED)
    assert middle - 1 == line_of_cube(v1.CUBE_OWNER_OPPONENT)
    assert middle + 1 == line_of_cube(v1.CUBE_OWNER_PLAYER)


def test_title_names_the_agreements() -> None:
    """Jacoby and beavers in money play, the Crawford game in a match."""

    def title(match: v1.MatchState) -> str:
        return draw_board(starting_position(), match=match).splitlines()[0]

    assert "Money game, Jacoby, beavers" == title(v1.MatchState(jacoby=True, beavers=True))
    assert "Match to 3, Crawford game" == title(v1.MatchState(length=3, crawford=v1.CRAWFORD_STATE_CRAWFORD_GAME))
