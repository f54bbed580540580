"""The compiled kernel: legal plays, Medium's value, Hard's search, exact bear-offs and what goes over the wire.

A packed position is 52 bytes, each a count of 0 to 15. Bytes 0-23 are the player's points, its own
1-point first, byte 24 its bar, byte 25 its borne-off checkers; bytes 26-51 are the same for the
opponent in the opponent's own numbering. ``player`` is the side that plays the roll and stays the
player in every result.

A step is 4 bytes: source (25 is the bar), destination (0 is off), die, and 1 if it hits. A play
has room for four steps, 16 bytes; steps it does not use are four zero bytes.

Lists of plays are in canonical order, which also breaks every tie: the player's checkers read as
(bar, 24-point, ... 1-point) come in ascending order; where these are equal, more opposing checkers
on the bar come first; then the opponent's checkers (its 24-point ... 1-point) in ascending order.

Every function that takes positions raises ``TypeError`` for arguments of another type, and ``ValueError`` for buffers
of another length, dice outside 1 to 6 and bytes that are no position (a side without exactly 15
checkers, a point held by both sides, both sides borne off).
"""

from bgbotd.kernel._kernel import (
    Request,
    apply_step,
    bearoff_index,
    choose_hard,
    choose_medium,
    count_plays,
    format_play,
    legal_plays,
    legal_steps,
    medium_value,
    medium_values,
    phase,
    pips,
    play_message,
    plays_message,
    position_message,
    rank_hard,
    rank_medium,
    read_position,
    read_request,
    result_message,
    solve_bearoff,
)

__all__ = [
    "Request",
    "apply_step",
    "bearoff_index",
    "choose_hard",
    "choose_medium",
    "count_plays",
    "format_play",
    "legal_plays",
    "legal_steps",
    "medium_value",
    "medium_values",
    "phase",
    "pips",
    "play_message",
    "plays_message",
    "position_message",
    "rank_hard",
    "rank_medium",
    "read_position",
    "read_request",
    "result_message",
    "solve_bearoff",
]
