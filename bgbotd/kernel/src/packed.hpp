// Packed positions: the 52 bytes in which a position crosses into Python.
//
// Bytes 0-25 are the player's points 1 to 24, bar and borne-off checkers, bytes 26-51 the
// opponent's in its own numbering.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "board.hpp"
#include "plays.hpp"

namespace kernel {

inline constexpr std::size_t PACKED = 52, PACKED_SIDE = 26;
inline constexpr std::size_t STEP_BYTES = 4, PACKED_STEPS = 4 * STEP_BYTES;

static_assert(std::endian::native == std::endian::little, "counts are read eight at a time");

struct ReadSide {
    Side side;
    int checkers, pips;
    bool counts_fit;  // none above 15; the rest means nothing otherwise
};

// Reads one side. With `turn` its points are numbered from the other side, as a board needs them
// for the opponent.
template <bool turn>
ReadSide read_side(const std::uint8_t* counts) {
    constexpr int BAR_BYTE = 24, OFF_BYTE = 25;
    constexpr std::uint64_t EACH = 0x0101010101010101;
    // A product with the first two gathers the lowest bits of eight bytes in its top byte, in
    // order or reversed; with EACH and the last it sums the bytes plain or times 1 to 8.
    constexpr std::uint64_t GATHER = turn ? 0x8040201008040201 : 0x0102040810204080;
    constexpr std::uint64_t TIMES_1_TO_8 = 0x0102030405060708;
    const unsigned bar = counts[BAR_BYTE], off = counts[OFF_BYTE];
    Mask planes[4];
    for (unsigned k = 0; k < 4; ++k) {
        planes[k] = (bar >> k & 1) << (turn ? 0 : 25) | (off >> k & 1) << (turn ? 25 : 0);
    }
    std::uint64_t all = bar | off;
    int checkers = int(bar + off), pips = 25 * int(bar);
    for (int group = 0; group < 3; ++group) {
        std::uint64_t eight;
        std::memcpy(&eight, counts + 8 * group, sizeof eight);
        all |= eight;
        const int in_group = int(eight * EACH >> 56);
        checkers += in_group;
        pips += 8 * group * in_group + int(eight * TIMES_1_TO_8 >> 56);
        for (int k = 0; k < 4; ++k) {
            const Mask bits = Mask((eight >> k & EACH) * GATHER >> 56);
            planes[k] |= bits << (turn ? 17 - 8 * group : 8 * group + 1);
        }
    }
    return {{planes[0], planes[1], planes[2], planes[3]}, checkers, pips, (all & 0xf0 * EACH) == 0};
}

// Why bytes are no position, or nullptr.
inline const char* read_board(const std::uint8_t* bytes, Board& board) {
    const ReadSide player = read_side<false>(bytes);
    const ReadSide opponent = read_side<true>(bytes + PACKED_SIDE);
    if (!player.counts_fit || !opponent.counts_fit) return "a count is above 15";
    if (player.checkers != 15 || opponent.checkers != 15) return "a side has not 15 checkers";
    board = {player.side, opponent.side, opponent.pips - player.pips};
    if (board.player.occupied() & board.opponent.occupied() & POINTS)
        return "both sides hold a point";
    if (board.player_has_won() && board.opponent_has_won()) return "both sides have borne off";
    return nullptr;
}

// Plays `steps` on packed bytes, in place, and writes them as (from, to, die, hit) to `written`.
inline void write_play(std::uint8_t* bytes, Steps steps, std::uint8_t* written) {
    std::memset(written, 0, PACKED_STEPS);
    for (; steps; steps <<= 8, written += STEP_BYTES) {
        const int from = int(steps >> 27), die = int(steps >> 24 & 7);
        const int to = from > die ? from - die : 0;
        --bytes[from - 1];
        ++bytes[to == 0 ? 25 : to - 1];
        // The opponent's checkers on the player's point p are on its own 25 - p.
        std::uint8_t* opposing = bytes + PACKED_SIDE;
        const bool hit = to != 0 && opposing[24 - to] == 1;
        if (hit) {
            opposing[24 - to] = 0;
            ++opposing[24];
        }
        written[0] = std::uint8_t(from);
        written[1] = std::uint8_t(to);
        written[2] = std::uint8_t(die);
        written[3] = hit;
    }
}

}  // namespace kernel
