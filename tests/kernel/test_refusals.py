"""Every function of the kernel refuses what it cannot answer, by the right error."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from bgbotd import kernel
from bgbotd.kernel import _kernel
from tests.oracle import OPENING, Position

START = OPENING.packed()
WON = Position.from_points({}, {6: 2}).packed()
LOST = Position.from_points({6: 2}, {}).packed()

OF_A_ROLL: dict[str, Callable[[bytes, int, int], object]] = {
    "legal_plays": kernel.legal_plays,
    "rank_medium": kernel.rank_medium,
    "choose_medium": kernel.choose_medium,
    "rank_hard": kernel.rank_hard,
    "choose_hard": kernel.choose_hard,
}


def with_a_roll(ask: Callable[[bytes, int, int], object]) -> Callable[[bytes], object]:
    """Leave only the position to be said."""
    return lambda position: ask(position, 2, 1)


OF_A_POSITION: dict[str, Callable[[bytes], object]] = {
    **{name: with_a_roll(ask) for name, ask in OF_A_ROLL.items()},
    "legal_steps": lambda position: kernel.legal_steps(position, b"\2\1"),
    "apply_step": lambda position: kernel.apply_step(position, 6, 1),
    "count_plays": lambda position: kernel.count_plays(position, b"\2\1"),
    "medium_value": kernel.medium_value,
    "medium_values": kernel.medium_values,
}
each_call_of_a_roll = pytest.mark.parametrize("ask", OF_A_ROLL.values(), ids=OF_A_ROLL)
either_way_over = pytest.mark.parametrize("over", [WON, LOST], ids=["won", "lost"])
each_call_of_a_position = pytest.mark.parametrize("ask", OF_A_POSITION.values(), ids=OF_A_POSITION)


def changed(position: bytes, counts: dict[int, int]) -> bytes:
    """Write other counts into a packed position."""
    packed = bytearray(position)
    for index, count in counts.items():
        packed[index] = count
    return bytes(packed)


IMPOSSIBLE = [
    pytest.param(changed(START, {0: 1}), "15 checkers", id="a sixteenth checker"),
    pytest.param(changed(START, {5: 4}), "15 checkers", id="only fourteen checkers"),
    pytest.param(changed(START, {50: 1}), "15 checkers", id="a sixteenth checker on the opponent's bar"),
    pytest.param(changed(START, {0: 16, 5: 4}), "above 15", id="a count of sixteen"),
    pytest.param(changed(START, {0: 255}), "above 15", id="a count of 255"),
    pytest.param(changed(START, {25: 0x80}), "above 15", id="128 checkers borne off"),
    pytest.param(changed(START, {23: 0, 18: 2}), "both sides hold a point", id="a point held by both"),
    pytest.param(bytes(25) + b"\x0f" + bytes(25) + b"\x0f", "both sides have borne off", id="two winners"),
]


def test_package_offers_exactly_what_is_compiled_and_documented() -> None:
    """The public names, the compiled functions and the stub with their docstrings agree."""
    stub = ast.parse(Path(kernel.__file__).with_name("_kernel.pyi").read_text())
    documented = {
        node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node)
    }
    compiled = {name for name in dir(_kernel) if not name.startswith("_")}
    assert documented == compiled == set(kernel.__all__)


@each_call_of_a_position
@pytest.mark.parametrize("length", [1, 51, 53, 103])
def test_buffer_of_another_length_is_refused(ask: Callable[[bytes], object], length: int) -> None:
    """No multiple of 52 bytes holds no packed position, however many are asked about."""
    with pytest.raises(ValueError, match="52 bytes"):
        ask(bytes(length))


@each_call_of_a_position
@pytest.mark.parametrize(("position", "why"), IMPOSSIBLE)
def test_bytes_that_are_no_position_are_refused(ask: Callable[[bytes], object], position: bytes, why: str) -> None:
    """The message says what is wrong with them."""
    with pytest.raises(ValueError, match=why):
        ask(position)


@each_call_of_a_position
def test_text_and_other_buffers_are_not_bytes(ask: Callable[[object], object]) -> None:
    """A bytearray could change while the kernel reads it."""
    for other in (START.decode("latin-1"), bytearray(START), list(START), None):
        with pytest.raises(TypeError):
            ask(other)


@each_call_of_a_roll
@pytest.mark.parametrize("die", [-1, 0, 7, 256 + 1])
def test_die_outside_one_to_six_is_refused(ask: Callable[[bytes, int, int], object], die: int) -> None:
    """Neither die may be, and nothing wraps around to a face."""
    for roll in ((die, 1), (1, die)):
        with pytest.raises(ValueError, match=f"1 to 6, not {die}"):
            ask(START, *roll)


@pytest.mark.parametrize("die", [0, 7, 255])
def test_die_outside_one_to_six_among_many_is_refused(die: int) -> None:
    """Dice in a buffer are checked like the others."""
    with pytest.raises(ValueError, match=f"1 to 6, not {die}"):
        kernel.legal_steps(START, bytes([1, die]))
    with pytest.raises(ValueError, match=f"1 to 6, not {die}"):
        kernel.count_plays(START * 2, bytes([1, 2, die, 2]))
    with pytest.raises(ValueError, match=f"1 to 6, not {die}"):
        kernel.apply_step(START, 6, die)


@each_call_of_a_roll
@either_way_over
def test_finished_game_has_no_plays(ask: Callable[[bytes, int, int], object], over: bytes) -> None:
    """Neither for the side that has won nor for the other."""
    with pytest.raises(ValueError, match="the game is over"):
        ask(over, 2, 1)
    with pytest.raises(ValueError, match="the game is over"):
        kernel.count_plays(START + over, b"\2\1\2\1")
    with pytest.raises(ValueError, match="the game is over"):
        kernel.apply_step(over, 6, 1)


@either_way_over
def test_finished_game_has_no_steps(over: bytes) -> None:
    """A frontend asking for the next step gets none, which is an answer."""
    assert kernel.legal_steps(over, b"\1\1") == b""


@pytest.mark.parametrize("dice", [b"", b"\1" * 5, b"\1\1\2", b"\1\2\2\1"])
def test_dice_that_no_roll_leaves_are_refused(dice: bytes) -> None:
    """Two dice may differ; otherwise they are what is left of a double."""
    with pytest.raises(ValueError, match="dice"):
        kernel.legal_steps(START, dice)


def test_rolls_must_be_as_many_as_positions() -> None:
    """Two bytes of dice to every 52 of positions."""
    for dice in (b"", b"\1", b"\1\2\3", b"\1\2\3\4"):
        with pytest.raises(ValueError, match="as many rolls"):
            kernel.count_plays(START, dice)


@pytest.mark.parametrize(
    ("source", "die"),
    [
        pytest.param(5, 1, id="nobody there"),
        pytest.param(25, 1, id="nobody on the bar"),
        pytest.param(24, 5, id="a blocked point"),
        pytest.param(6, 6, id="bearing off before all are home"),
        pytest.param(0, 1, id="a checker borne off"),
        pytest.param(26, 1, id="beyond the bar"),
        pytest.param(-1, 1, id="a negative point"),
    ],
)
def test_step_that_is_not_open_is_refused(source: int, die: int) -> None:
    """From the opening position."""
    with pytest.raises(ValueError, match=f"from {source} with a {die}"):
        kernel.apply_step(START, source, die)


@pytest.mark.parametrize("counts", [bytes(5), bytes(7), b"\2\2\2\1\0\0", b"\xff" + bytes(5)])
def test_bearoff_index_is_of_six_points_and_at_most_six_checkers(counts: bytes) -> None:
    """Any other bytes are refused."""
    with pytest.raises(ValueError, match="6"):
        kernel.bearoff_index(counts)
