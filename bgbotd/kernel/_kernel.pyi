# ruff: noqa: PYI021 - the functions are compiled, so this is where their documentation is.
"""The compiled kernel.

Packed positions, steps and the canonical order are described in the package ``bgbotd.kernel``; the
errors named there are raised by every function here.
"""

def legal_plays(position: bytes, die1: int, die2: int) -> tuple[int, int, bytes, bytes]:
    """Return all plays of a roll, one for each distinct resulting position, in canonical order.

    The answer is ``(dice_played, restriction, results, steps)``: ``results`` holds 52 bytes and
    ``steps`` 16 bytes a play. The steps are the lexicographically largest legal sequence of
    (source, die) that leads to the result.

    ``restriction`` is 1 FREE, 2 BOTH_DICE_FORCED (all dice are played, but some first step that
    looks open is excluded), 3 LARGER_DIE_FORCED (either die alone, not both), 4 PARTIAL (some but
    not all dice, otherwise), 5 DANCE (on the bar and nothing enters) or 6 BLOCKED (nothing on the
    bar and no step). A first step that ends the game in the position of a legal play is not
    counted as excluded.

    With nothing to play there is one empty play: the position itself, steps of zeros and
    ``dice_played`` 0.

    Raises ``ValueError`` where the game is over.
    """

def legal_steps(position: bytes, dice: bytes) -> bytes:
    """Return the steps that begin a play of the remaining dice which keeps the duty.

    The duty is to play as many dice as possible, and the larger die where only one of two can be
    played. ``dice`` are the one to four dice still to be played: two may differ, otherwise all are
    equal. 4 bytes a step, descending by (source, die); empty when nothing can be played or the
    game is over.

    A step that ends the game early without beginning such a play (6/off where 6/5/off plays both
    dice) is not among them.
    """

def apply_step(position: bytes, from_: int, die: int) -> bytes:
    """Return the position after a single step of the player's checker on ``from_`` (25 is the bar).

    The duty to play other dice is not minded.

    Raises ``ValueError`` where the step is not legal by itself: no checker there, a checker on the
    bar that has to enter first, a blocked point, bearing off too early or over a checker further
    back, or a game that is over.
    """

def count_plays(positions: bytes, dice: bytes) -> int:
    """Return the total number of distinct plays of many positions with a roll each.

    52 bytes a position and 2 bytes a roll. A roll with nothing to play counts one, the empty play.

    Raises ``ValueError`` where one of the games is over.
    """

def phase(position: bytes) -> int:
    """Return 1 where some checker can still be hit, 2 in a race, 3 where all in it are at home, 4 when over."""

def pips(side: bytes) -> int:
    """Return the pips of one side, the first or the last 26 bytes of a position: 25 for a checker on the bar."""

def medium_value(position: bytes) -> int:
    """Return Medium's value of a position for the player, in 36ths of a point.

    A won game is 360,000, a lost one -360,000.
    """

def medium_values(positions: bytes) -> bytes:
    """Return ``medium_value`` of many positions (52 bytes each) as little-endian 32-bit integers."""

def rank_medium(position: bytes, die1: int, die2: int) -> tuple[bytes, bytes, list[int]]:
    """Return all plays with Medium's values, best first, ties in canonical order.

    The answer is ``(results, steps, values)``: 52 and 16 bytes a play, values as ``medium_value``.

    Raises ``ValueError`` where the game is over.
    """

def choose_medium(position: bytes, die1: int, die2: int) -> tuple[bytes, bytes, int]:
    """Return the first play of ``rank_medium``: result (52 bytes), steps (16 bytes) and value.

    Raises ``ValueError`` where the game is over.
    """

def rank_hard(position: bytes, die1: int, die2: int) -> tuple[bytes, bytes, list[int]]:
    """Return Medium's six best plays as Hard ranks them, best first, ties in canonical order.

    The values are the averages over the opponent's 36 rolls of the best reply, for the player, in
    1296ths of a point. In a pure race they are Medium's values, likewise in 1296ths.

    Raises ``ValueError`` where the game is over.
    """

def choose_hard(position: bytes, die1: int, die2: int) -> tuple[bytes, bytes, int]:
    """Return the first play of ``rank_hard``: result (52 bytes), steps (16 bytes) and value.

    Faster than ranking, because plays that cannot be the best are not valued to the end.

    Raises ``ValueError`` where the game is over.
    """

def bearoff_index(points: bytes) -> int:
    """Return a side's row or column in the table of ``solve_bearoff``, 0 to 923.

    ``points`` are 6 bytes, the checkers on the 1-point to the 6-point, at most six in all. Read as
    (6-point, ... 1-point), the positions are in ascending order: 0 is everything borne off, 923
    six checkers on the 6-point.

    Raises ``ValueError`` for another number of points or more than six checkers.
    """

def solve_bearoff() -> bytes:
    """Return the exact equities of all bear-offs with at most six checkers a side, all at home.

    The player's 924 positions are the rows, the opponent's the columns, by ``bearoff_index``. Each
    pair holds four little-endian 32-bit floats, 16 bytes: the money equities of the player, who is
    on roll, per unit of the cube: cubeless, then with the cube owned by the player, centred and
    owned by the opponent. These three are the value of not doubling now, with perfect cube play
    afterwards. There are no gammons, as both sides have borne off checkers. Games that are over
    have 1 (won) or -1; the pair 0, 0 is no position and has 0.

    Takes about a tenth of a second and 14 MB for the answer, as much again while it runs.
    """

def read_position(message: bytes) -> bytes | None:
    """Return the packed position that a serialized ``bgbot.v1.Position`` holds.

    None for whatever is not plainly one that can exist; what is wrong with it is not looked for.
    """

class Request:
    """What a request says of a position, and of the dice where it says any."""

    @property
    def rest(self) -> bytes:
        """The fields of the request but for the first two, as they are written."""

    def count_pips(self) -> bytes:
        """Return a serialized ``bgbot.v1.CountPipsResponse``."""

    def list_legal_plays(self) -> bytes | None:
        """Return a serialized ``bgbot.v1.ListLegalPlaysResponse``; None without dice and when the game is over."""

    def choose_play(self, hard: bool, match: bytes, stamp: bytes) -> bytes | None:
        """Return a serialized ``bgbot.v1.ChoosePlayResponse`` by Hard, or else by Medium; None as above.

        ``match`` and ``stamp`` are serialized messages; the stamp gets the time taken. The interpreter's lock
        is kept: handing it over in a busy server costs more than a choice, which takes 10 us.
        """

def read_request(message: bytes) -> Request | None:
    """Return a request whose fields 1 and 2 are its position and its dice, as far as it has them.

    None for whatever is not plainly right, such as a position that comes as an ID.
    """

def position_message(position: bytes) -> bytes:
    """Return a packed position as a serialized ``bgbot.v1.Position``, unchecked.

    Raises ``ValueError`` only for another length, as the two functions below do.
    """

def play_message(result: bytes, steps: bytes) -> bytes:
    """Return a play of 52 and 16 bytes as a serialized ``bgbot.v1.Play``, with its notation."""

def plays_message(results: bytes, steps: bytes, position: bytes, die1: int, die2: int) -> bytes:
    """Return plays, of 52 and 16 bytes each, and what was asked, as the fields of a serialized message.

    Its fields are ``plays`` or ``play`` = 1, ``position`` = 4 and ``dice`` = 5, as
    ``ListLegalPlaysResponse`` and ``ChoosePlayResponse`` have them.
    """

def result_message(number: int, field: int, answer: bytes) -> bytes:
    """Return a serialized ``bgbot.v1.BulkResponse`` with a single result: its id, and the answer under its field.

    Such messages put together are one message with all the results.
    """

def format_play(steps: bytes, blots: int) -> str:
    """Return at most four steps of 4 bytes in standard notation, such as ``24/18*/13 6/5(2)``.

    Bit p of ``blots`` stands for an opposing blot on the player's point p before and after the play:
    a checker's way is spelt out where it could have hit one by the dice in the other order.
    """
