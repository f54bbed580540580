// Packed positions: the 52 bytes in which a position crosses into Python.
//
// Bytes 0-25 are the player's points 1 to 24, bar and borne-off checkers, bytes 26-51 the
// opponent's in its own numbering.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "board.hpp"
#include "plays.hpp"

namespace kernel {

inline constexpr std::size_t PACKED = 52, PACKED_SIDE = 26;
inline constexpr std::size_t STEP_BYTES = 4, PACKED_STEPS = 4 * STEP_BYTES;

static_assert(std::endian::native == std::endian::little, "counts are read eight at a time");

// The number of checkers in all, or any other number than 15 where a count is above 15.
inline int checkers(const Side& side) {
    return std::popcount(side.ones) + 2 * std::popcount(side.twos) +
           4 * std::popcount(side.fours) + 8 * std::popcount(side.eights);
}

// Reads one side with byte i as bit i. Returns false if a count is above 15.
inline bool read_side(const std::uint8_t* counts, Side& side) {
    Mask planes[4] = {};
    std::uint64_t all = 0;
    for (int at : {0, 8, 16, 18}) {  // the last group overlaps: there are 26 counts
        std::uint64_t eight;
        std::memcpy(&eight, counts + at, 8);
        all |= eight;
        for (int k = 0; k < 4; ++k) {
            // The multiplication gathers the lowest bits of the eight bytes in the top byte.
            const std::uint64_t bits = eight >> k & 0x0101010101010101;
            planes[k] |= Mask(bits * 0x0102040810204080 >> 56) << at;
        }
    }
    side = {planes[0], planes[1], planes[2], planes[3]};
    return (all & 0xf0f0f0f0f0f0f0f0) == 0;
}

inline int pips(const Side& side) {
    int total = 0;
    for (int point = 1; point <= 25; ++point) total += point * side.count(point);
    return total;
}

// Why bytes are no position, or nullptr.
inline const char* read_board(const std::uint8_t* bytes, Board& board) {
    Side sides[2];
    for (int i = 0; i < 2; ++i) {
        Side raw;
        if (!read_side(bytes + i * PACKED_SIDE, raw)) return "a count is above 15";
        if (checkers(raw) != 15) return "a side has not 15 checkers";
        // Byte i is point i + 1 and the last byte, the borne-off checkers, is bit 0.
        const auto numbered = [](Mask m) { return (m << 1 | m >> 25) & 0x3ffffff; };
        sides[i] = {numbered(raw.ones), numbered(raw.twos), numbered(raw.fours),
                    numbered(raw.eights)};
    }
    board.player = sides[0];
    board.opponent = mirrored(sides[1]);
    board.lead = pips(sides[1]) - pips(sides[0]);
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
