// The Python face of the kernel: checks what comes in, releases the interpreter lock around
// anything that takes more than a few microseconds, and hands out bytes.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bearoff.hpp"
#include "packed.hpp"
#include "restriction.hpp"
#include "search.hpp"
#include "value.hpp"
#include "wire_bindings.hpp"

namespace nb = nanobind;

namespace kernel {
namespace {

const std::uint8_t* bytes_of(const nb::bytes& bytes) {
    return static_cast<const std::uint8_t*>(bytes.data());
}

Board board_from(const std::uint8_t* bytes) {
    Board board;
    if (const char* why = read_board(bytes, board))
        throw nb::value_error((std::string("not a position: ") + why).c_str());
    return board;
}

Board board_from(const nb::bytes& position) {
    if (position.size() != PACKED) {
        throw nb::value_error(
            ("a packed position has 52 bytes, not " + std::to_string(position.size())).c_str());
    }
    return board_from(bytes_of(position));
}

Board unfinished_board_from(const nb::bytes& position) {
    const Board board = board_from(position);
    if (board.player_has_won() || board.opponent_has_won())
        throw nb::value_error("the game is over");
    return board;
}

void check_die(int die) {
    if (die < 1 || die > 6)
        throw nb::value_error(("a die shows 1 to 6, not " + std::to_string(die)).c_str());
}

void check_dice(int die1, int die2) {
    check_die(die1);
    check_die(die2);
}

std::size_t positions_in(const nb::bytes& positions) {
    if (positions.size() % PACKED)
        throw nb::value_error("packed positions have 52 bytes each");
    return positions.size() / PACKED;
}

// A bytes object to be filled before anybody else sees it.
nb::bytes blank_bytes(std::size_t size) {
    PyObject* object = PyBytes_FromStringAndSize(nullptr, Py_ssize_t(size));
    if (!object) throw nb::python_error();
    return nb::steal<nb::bytes>(object);
}

std::uint8_t* writable(const nb::bytes& bytes) {
    return reinterpret_cast<std::uint8_t*>(PyBytes_AS_STRING(bytes.ptr()));
}

std::pair<nb::bytes, nb::bytes> written_plays(const nb::bytes& position, const Play* plays,
                                              std::size_t size) {
    nb::bytes results = blank_bytes(size * PACKED), steps = blank_bytes(size * PACKED_STEPS);
    for (std::size_t i = 0; i < size; ++i) {
        std::uint8_t* result = writable(results) + i * PACKED;
        std::memcpy(result, bytes_of(position), PACKED);
        write_play(result, plays[i].steps, writable(steps) + i * PACKED_STEPS);
    }
    return {std::move(results), std::move(steps)};
}

nb::tuple legal_plays(const nb::bytes& position, int die1, int die2) {
    check_dice(die1, die2);
    const Board board = unfinished_board_from(position);
    PlayList plays;
    const int dice_played = list_plays(board, die1, die2, plays);
    const Restriction how = restriction(board, die1, die2, dice_played, plays);
    sort_canonically(plays);
    auto [results, steps] = written_plays(position, plays.begin(), plays.size);
    return nb::make_tuple(dice_played, int(how), results, steps);
}

// The sources of the steps with `die` that keep the duty to play as many dice as possible.
Mask dutiful_sources(const Board& board, int die, int other, int left) {
    const Mask open = step_sources(board, die);
    if (left == 1) return open;
    const auto going_on = [&](auto goes_on) {
        Mask kept = 0;
        for (Mask sources = open; sources; sources &= sources - 1) {
            const Mask from = sources & -sources;
            Board after = board;
            after.step(from, die);
            if (goes_on(after)) kept |= from;
        }
        return kept;
    };
    if (die == other) {
        const int most = most_equal_dice(board, die, left);
        return going_on([&](const Board& after) {
            return most_equal_dice(after, die, left - 1) == most - 1;
        });
    }
    return going_on([&](const Board& after) { return step_sources(after, other) != 0; });
}

nb::bytes legal_steps(const nb::bytes& position, const nb::bytes& dice) {
    const std::size_t left = dice.size();
    if (left < 1 || left > 4) throw nb::value_error("one to four dice can be left to play");
    const std::uint8_t* faces = bytes_of(dice);
    std::for_each(faces, faces + left, check_die);
    const int larger = std::max(faces[0], faces[left - 1]);
    const int smaller = std::min(faces[0], faces[left - 1]);
    if (std::any_of(faces, faces + left, [&](int die) { return die != faces[0]; }) && left != 2)
        throw nb::value_error("more than two dice, or a single one, must all be equal");
    const Board board = board_from(position);
    if (board.opponent_has_won()) return nb::bytes("", 0);

    Mask with_larger = dutiful_sources(board, larger, smaller, int(left));
    Mask with_smaller = 0;
    if (larger != smaller) {
        with_smaller = dutiful_sources(board, smaller, larger, 2);
        if (with_larger == 0 && with_smaller == 0) {  // only one of the two can be played
            with_larger = step_sources(board, larger);
            if (with_larger == 0) with_smaller = step_sources(board, smaller);
        }
    }
    nb::bytes steps =
        blank_bytes((std::popcount(with_larger) + std::popcount(with_smaller)) * STEP_BYTES);
    std::uint8_t* to = writable(steps);
    for (Mask sources = with_larger | with_smaller; sources;) {
        const Mask from = std::bit_floor(sources);
        sources ^= from;
        for (const auto& [with, die] : {std::pair{with_larger, larger}, {with_smaller, smaller}}) {
            if ((with & from) == 0) continue;
            std::uint8_t bytes[PACKED], written[PACKED_STEPS];
            std::memcpy(bytes, bytes_of(position), PACKED);
            write_play(bytes, encoded_step(from, die) << 24, written);
            std::memcpy(to, written, STEP_BYTES);
            to += STEP_BYTES;
        }
    }
    return steps;
}

nb::bytes apply_step(const nb::bytes& position, int from, int die) {
    check_die(die);
    const Board board = unfinished_board_from(position);
    if (from < 1 || from > 25 || (step_sources(board, die) >> from & 1) == 0) {
        throw nb::value_error(("no checker can be moved from " + std::to_string(from) +
                               " with a " + std::to_string(die)).c_str());
    }
    nb::bytes result = blank_bytes(PACKED);
    std::memcpy(writable(result), bytes_of(position), PACKED);
    std::uint8_t written[PACKED_STEPS];
    write_play(writable(result), encoded_step(1u << from, die) << 24, written);
    return result;
}

std::size_t count_plays(const nb::bytes& positions, const nb::bytes& dice) {
    const std::size_t size = positions_in(positions);
    if (dice.size() != 2 * size)
        throw nb::value_error("as many rolls of 2 bytes are needed as positions of 52 bytes");
    const std::uint8_t* bytes = bytes_of(positions);
    const std::uint8_t* faces = bytes_of(dice);
    std::for_each(faces, faces + 2 * size, check_die);
    nb::gil_scoped_release released;
    std::size_t total = 0;
    PlayList plays;
    for (std::size_t i = 0; i < size; ++i) {
        const Board board = board_from(bytes + i * PACKED);
        if (board.player_has_won() || board.opponent_has_won())
            throw nb::value_error("the game is over");
        plays.size = 0;
        list_plays(board, faces[2 * i], faces[2 * i + 1], plays);
        total += plays.size;
    }
    return total;
}

int pips(const nb::bytes& side) {
    if (side.size() != PACKED_SIDE) throw nb::value_error("a packed side has 26 bytes");
    return read_side<false>(bytes_of(side)).pips;
}

int phase_of(const nb::bytes& position) { return phase(board_from(position)); }

int medium_value_of(const nb::bytes& position) { return medium_value(board_from(position)); }

nb::bytes medium_values(const nb::bytes& positions) {
    const std::size_t size = positions_in(positions);
    nb::bytes values = blank_bytes(size * sizeof(std::int32_t));
    const std::uint8_t* from = bytes_of(positions);
    std::uint8_t* to = writable(values);
    nb::gil_scoped_release released;
    for (std::size_t i = 0; i < size; ++i) {
        const std::int32_t value = medium_value(board_from(from + i * PACKED));
        std::memcpy(to + i * sizeof value, &value, sizeof value);
    }
    return values;
}

nb::tuple ranked(const nb::bytes& position, PlayList& plays) {
    auto [results, steps] = written_plays(position, plays.begin(), plays.size);
    nb::list values;
    for (const Play& play : plays) values.append(play.value);
    return nb::make_tuple(results, steps, values);
}

nb::tuple chosen(const nb::bytes& position, const Play& play) {
    auto [results, steps] = written_plays(position, &play, 1);
    return nb::make_tuple(results, steps, play.value);
}

nb::tuple rank_medium(const nb::bytes& position, int die1, int die2) {
    check_dice(die1, die2);
    const Board board = unfinished_board_from(position);
    PlayList plays;
    rank_by_medium(board, die1, die2, plays.plays.size(), plays);
    return ranked(position, plays);
}

nb::tuple choose_medium(const nb::bytes& position, int die1, int die2) {
    check_dice(die1, die2);
    const Board board = unfinished_board_from(position);
    PlayList plays;
    rank_by_medium(board, die1, die2, 1, plays);
    return chosen(position, *plays.begin());
}

nb::tuple rank_hard(const nb::bytes& position, int die1, int die2) {
    check_dice(die1, die2);
    const Board board = unfinished_board_from(position);
    PlayList plays;
    {
        nb::gil_scoped_release released;
        rank_by_hard(board, die1, die2, plays);
    }
    return ranked(position, plays);
}

nb::tuple choose_hard(const nb::bytes& position, int die1, int die2) {
    check_dice(die1, die2);
    const Board board = unfinished_board_from(position);
    PlayList plays;
    Play best;
    {
        nb::gil_scoped_release released;
        best = best_by_hard(board, die1, die2, plays);
    }
    return chosen(position, best);
}

std::size_t bearoff_index_of(const nb::bytes& points) {
    if (points.size() != BEAROFF_POINTS)
        throw nb::value_error("the counts of points 1 to 6 are 6 bytes");
    std::array<int, BEAROFF_POINTS> counts;
    std::copy_n(bytes_of(points), BEAROFF_POINTS, counts.begin());
    if (std::accumulate(counts.begin(), counts.end(), 0) > BEAROFF_CHECKERS)
        throw nb::value_error("more than 6 checkers");
    return bearoff_index(counts);
}

nb::bytes solved_bearoff() {
    nb::bytes table =
        blank_bytes(BEAROFF_POSITIONS * BEAROFF_POSITIONS * sizeof(BearoffEquities));
    auto* equities = reinterpret_cast<BearoffEquities*>(writable(table));
    nb::gil_scoped_release released;
    solve_bearoff(equities);
    return table;
}

}  // namespace

// Docstrings and types are in _kernel.pyi.
NB_MODULE(_kernel, module) {
    using namespace nb::literals;
    module.def("legal_plays", &legal_plays, "position"_a, "die1"_a, "die2"_a);
    module.def("legal_steps", &legal_steps, "position"_a, "dice"_a);
    module.def("apply_step", &apply_step, "position"_a, "from_"_a, "die"_a);
    module.def("count_plays", &count_plays, "positions"_a, "dice"_a);
    module.def("phase", &phase_of, "position"_a);
    module.def("pips", &pips, "side"_a);
    module.def("medium_value", &medium_value_of, "position"_a);
    module.def("medium_values", &medium_values, "positions"_a);
    module.def("rank_medium", &rank_medium, "position"_a, "die1"_a, "die2"_a);
    module.def("choose_medium", &choose_medium, "position"_a, "die1"_a, "die2"_a);
    module.def("rank_hard", &rank_hard, "position"_a, "die1"_a, "die2"_a);
    module.def("choose_hard", &choose_hard, "position"_a, "die1"_a, "die2"_a);
    module.def("bearoff_index", &bearoff_index_of, "points"_a);
    module.def("solve_bearoff", &solved_bearoff);
    bind_wire(module);
}

}  // namespace kernel
