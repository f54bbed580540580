"""Hold the kernel's legal plays against bgsage's and the oracle's on millions of position-rolls.

Run it from the top of the repository: ``python -m tests.verify_rules``. Half of
the position-rolls come from games between random and Medium play, half are
thrown at random. bgsage is asked about all of them, resulting positions compared
as sets; the oracle about a sample, everything compared: the order, the steps,
the dice played and the restriction. The same seed gives the same position-rolls
whatever the number of processes.

The exit status is 1 when a disagreement is not explained by the rules.
"""

from __future__ import annotations

import argparse
import multiprocessing
import struct
import sys
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

import bgsage
from rich.console import Console
from rich.progress import Progress, TimeRemainingColumn

from bgbotd import kernel
from tests import oracle
from tests.oracle.thrown import throw_dice, throw_position

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

LAST_CHECKER = (
    "one checker left: bgsage also lists bearing it off with one die where both can be played, "
    "and the rules demand both"
)
COUNTED = ("position-rolls", "from games", "thrown", "doubles", "nothing playable", "plays", "compared with the oracle")

_CHUNK = 10_000
_SHOWN = 3

# A signed byte's own or opposing checkers, by bytes.translate.
_PLAYER = bytes(count if count < 128 else 0 for count in range(256))
_OPPONENT = bytes(256 - count if count >= 128 else 0 for count in range(256))


@dataclass(frozen=True, slots=True)
class PositionRoll:
    """A packed position and the dice to play there."""

    position: bytes
    die1: int
    die2: int

    def __str__(self) -> str:
        """Name the position by its GNU Position ID, which every program reads."""
        position = oracle.Position.from_packed(self.position)
        return f"{position.gnu_position_id()} rolling {self.die1}-{self.die2}"


@dataclass(frozen=True, slots=True)
class Chunk:
    """One worker's task: its number, and how many position-rolls of either kind."""

    seed: int
    number: int
    size: int
    oracle_every: int


@dataclass(slots=True)
class Tally:
    """What was compared and what came of it."""

    counts: Counter[str] = field(default_factory=Counter)
    explained: dict[str, list[str]] = field(default_factory=dict)
    unexplained: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Take another tally's figures in."""
        self.counts += other.counts
        for reason, cases in other.explained.items():
            self.explained.setdefault(reason, []).extend(cases)
        self.unexplained += other.unexplained


def main(arguments: list[str] | None = None) -> int:
    """Run the campaign and print its figures; returns the exit status."""
    options = _parse(arguments)
    console = Console(highlight=False)
    started = time.monotonic()
    tally = Tally()
    chunks = [
        Chunk(options.seed, number, min(_CHUNK, options.position_rolls - first), options.oracle_every)
        for number, first in enumerate(range(0, options.position_rolls, _CHUNK))
    ]
    with multiprocessing.Pool(options.processes) as pool, _progress(console) as progress:
        bar = progress.add_task("position-rolls", total=len(chunks)) if progress else None
        for done, part in enumerate(pool.imap_unordered(verify_chunk, chunks), start=1):
            tally.add(part)
            if progress and bar is not None:
                progress.advance(bar)
            elif done % max(1, len(chunks) // 10) == 0:
                console.print(f"{tally.counts['position-rolls']:,} position-rolls compared")
    _report(console, tally, time.monotonic() - started)
    return 1 if tally.unexplained else 0


def verify_chunk(chunk: Chunk) -> Tally:
    """Compare one chunk of position-rolls, drawn from its own seed."""
    random = Random(f"{chunk.seed} {chunk.number}")
    tally = Tally()
    from_games = chunk.size // 2
    for source, rolls in (
        ("from games", games(random, from_games)),
        ("thrown", thrown(random, chunk.size - from_games)),
    ):
        for number, roll in enumerate(rolls):
            tally.counts[source] += 1
            compare_with_bgsage(roll, tally)
            if number % chunk.oracle_every == 0:
                compare_with_oracle(roll, tally)
    return tally


def games(random: Random, count: int) -> Iterator[PositionRoll]:
    """Yield position-rolls of games in which each side plays at random or as Medium."""
    opening = oracle.OPENING.packed()
    position = opening
    plays_medium = [True, False]
    for _ in range(count):
        if position == opening:
            plays_medium = random.choices((True, False), k=2)
        die1, die2 = throw_dice(random)
        yield PositionRoll(position, die1, die2)
        if plays_medium[0]:
            result = kernel.choose_medium(position, die1, die2)[0]
        else:
            _, _, results, _ = kernel.legal_plays(position, die1, die2)
            first = random.randrange(len(results) // 52) * 52
            result = results[first : first + 52]
        over = result[25] == oracle.CHECKERS
        position = opening if over else result[26:] + result[:26]
        plays_medium.reverse()


def thrown(random: Random, count: int) -> Iterator[PositionRoll]:
    """Yield position-rolls that games seldom or never reach."""
    for _ in range(count):
        yield PositionRoll(throw_position(random).packed(), *throw_dice(random))


def bgsage_results(roll: PositionRoll) -> set[bytes]:
    """Return the positions bgsage's move generator finds, packed as the kernel packs them.

    Its board has the player's numbering, own checkers positive and the other's
    negative; 25 is the player's bar and 0 the opponent's, both positive.
    """
    start = roll.position
    board = [start[50], *start[:25]]
    for point in range(1, 25):
        board[point] -= start[50 - point]
    results = set()
    for result in bgsage.possible_moves(board, roll.die1, roll.die2):
        signed = struct.pack("26b", *result)
        player = signed.translate(_PLAYER)[1:]
        opponent = signed.translate(_OPPONENT)[24:0:-1]
        borne_off = (oracle.CHECKERS - sum(player), start[51])
        results.add(b"%b%c%b%c%c" % (player, borne_off[0], opponent, result[0], borne_off[1]))
    return results


def compare_with_bgsage(roll: PositionRoll, tally: Tally) -> None:
    """Compare resulting positions as sets."""
    played, _, packed, _ = kernel.legal_plays(roll.position, roll.die1, roll.die2)
    listed = [packed[first : first + 52] for first in range(0, len(packed), 52)]
    results = set(listed)
    expected = bgsage_results(roll)
    tally.counts["position-rolls"] += 1
    tally.counts["plays"] += len(listed)
    tally.counts["doubles"] += roll.die1 == roll.die2
    tally.counts["nothing playable"] += played == 0
    if len(results) < len(listed):
        tally.unexplained.append(f"{roll}: the kernel lists a result twice")
    if results == expected:
        return
    if is_last_checker_case(roll, results, expected):
        tally.explained.setdefault(LAST_CHECKER, []).append(str(roll))
        return
    only = f"{len(results - expected)} only of the kernel, {len(expected - results)} only of bgsage"
    tally.unexplained.append(f"{roll}: {only}")


def is_last_checker_case(roll: PositionRoll, results: set[bytes], expected: set[bytes]) -> bool:
    """Say whether the oracle sides with the kernel, for the known reason and no other."""
    start = oracle.Position.from_packed(roll.position)
    turn = oracle.legal_plays(start, roll.die1, roll.die2)
    one_left = start.player[oracle.OFF] == oracle.CHECKERS - 1
    both_played = turn.dice_played == 2 and roll.die1 != roll.die2
    with_one_die = {
        after.packed()
        for die in (roll.die1, roll.die2)
        for step in oracle.open_steps(start, die)
        if (after := oracle.apply_step(start, *step)).is_over()
    }
    return (
        one_left
        and both_played
        and results == {play.result.packed() for play in turn.plays}
        and results < expected
        and expected - results <= with_one_die
    )


def compare_with_oracle(roll: PositionRoll, tally: Tally) -> None:
    """Compare everything the kernel says of a roll."""
    start = oracle.Position.from_packed(roll.position)
    turn = oracle.legal_plays(start, roll.die1, roll.die2)
    expected = (
        turn.dice_played,
        turn.restriction,
        b"".join(play.result.packed() for play in turn.plays),
        b"".join(play.packed_steps(start) for play in turn.plays),
    )
    tally.counts["compared with the oracle"] += 1
    actual = kernel.legal_plays(roll.position, roll.die1, roll.die2)
    for name, right, found in zip(("dice played", "restriction", "results", "steps"), expected, actual, strict=True):
        if right != found:
            tally.unexplained.append(f"{roll}: the oracle has other {name}")


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="verify_rules", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--position-rolls", type=int, default=2_000_000, help="default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--processes", type=int, default=2, help="default: %(default)s")
    parser.add_argument(
        "--oracle-every",
        type=int,
        default=200,
        metavar="N",
        help="ask the oracle, which is slow, about every Nth; default: %(default)s",
    )
    return parser.parse_args(arguments)


def _progress(console: Console) -> AbstractContextManager[Progress | None]:
    if not console.is_terminal:
        return nullcontext()
    return Progress(*Progress.get_default_columns(), TimeRemainingColumn(), console=console)


def _report(console: Console, tally: Tally, seconds: float) -> None:
    for name in COUNTED:
        console.print(f"{name:<24}{tally.counts[name]:>13,}")
    console.print(f"{'seconds':<24}{seconds:>13,.0f}")
    for reason, cases in tally.explained.items():
        console.print(f"{len(cases):,} disagreements explained: {reason}; such as:", soft_wrap=True)
        for case in sorted(cases)[:_SHOWN]:
            console.print(f"  {case}")
    console.print(f"{len(tally.unexplained):,} disagreements not explained")
    for case in sorted(tally.unexplained):
        console.print(f"  {case}", soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
