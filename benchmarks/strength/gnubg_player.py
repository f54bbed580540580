"""Plays for gnubg: gnubg's own Python runs this, in gnubg's process, and only there.

Each line asked holds the plies to look ahead, the two dice and 2 x 25 numbers: the checkers of the
side to play and of the other one, each on its own points 1 to 24 and its bar. The line answered
holds pairs of points, from and to: 25 is the bar, 0 is off.
"""

import sys

import gnubg  # type: ignore[import-not-found]  # exists inside gnubg only


def serve() -> None:
    """Answer until nothing more is asked."""
    gnubg.command("set jacoby off")
    cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
    for line in sys.stdin:
        plies, die1, die2, *checkers = map(int, line.split())
        # Cubeless, without noise, and with the pruning networks that gnubg uses unless told otherwise.
        context = gnubg.evalcontext(0, plies, 1, 1, 0.0)
        board = (tuple(checkers[25:]), tuple(checkers[:25]))
        points = gnubg.findbestmove(board, cube, context, (die1, die2))
        print("play", *points, flush=True)


serve()
