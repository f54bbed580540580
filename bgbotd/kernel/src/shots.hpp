// Shots: how many of the 36 rolls bring an opposing checker onto a blot.
//
// All distances are seen from the blot: distance k is the point k pips before it on the attackers'
// way. A mask of attackers and a mask of open points are cut into four groups of six distances,
// and one table per group answers for all rolls at once. The answers are 54-bit words:
//   bits  0-14  the 15 rolls of two different dice: either die hits by itself
//   bits 15-20  the 6 doubles: one step hits
//   bits 21-35  the 15 rolls of two different dice: one checker hits with both
//   bits 36-41  the 6 doubles: two steps hit
//   bits 42-47  three steps, bits 48-53 four steps
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "board.hpp"

namespace kernel {

using Rolls = std::uint64_t;

namespace shot {

inline constexpr Rolls MIXED = 0x7fff;           // bits of the rolls of two different dice
inline constexpr int DOUBLES = 15;               // first bit of the doubles, one step
inline constexpr int BOTH_DICE = 21;             // first bit of one checker with both dice
inline constexpr int TWO_STEPS = 36, THREE_STEPS = 42, FOUR_STEPS = 48;

struct MixedRoll {
    int a, b;
};

inline constexpr auto MIXED_ROLLS = [] {
    std::array<MixedRoll, 15> rolls{};
    int i = 0;
    for (int a = 1; a <= 6; ++a)
        for (int b = a + 1; b <= 6; ++b) rolls[i++] = {a, b};
    return rolls;
}();

// The ways in which an attacker at this distance can hit, if every point between is open.
constexpr Rolls ways_to_hit(int distance) {
    Rolls ways = 0;
    for (int i = 0; i < 15; ++i) {
        const auto [a, b] = MIXED_ROLLS[i];
        if (distance == a || distance == b) ways |= Rolls(1) << i;
        if (distance == a + b) ways |= Rolls(1) << (BOTH_DICE + i);
    }
    for (int d = 1; d <= 6; ++d) {
        if (distance == d) ways |= Rolls(1) << (DOUBLES + d - 1);
        if (distance == 2 * d) ways |= Rolls(1) << (TWO_STEPS + d - 1);
        if (distance == 3 * d) ways |= Rolls(1) << (THREE_STEPS + d - 1);
        if (distance == 4 * d) ways |= Rolls(1) << (FOUR_STEPS + d - 1);
    }
    return ways;
}

// The ways left open when only the points of `open` (bit k = distance k) can be landed on.
constexpr Rolls ways_open(std::uint32_t open) {
    const auto is_open = [open](int distance) { return (open >> distance & 1) != 0; };
    Rolls ways = ~Rolls(0);
    for (int i = 0; i < 15; ++i) {
        const auto [a, b] = MIXED_ROLLS[i];
        if (!is_open(a) && !is_open(b)) ways &= ~(Rolls(1) << (BOTH_DICE + i));
    }
    for (int d = 1; d <= 6; ++d) {
        if (!is_open(d)) ways &= ~(Rolls(1) << (TWO_STEPS + d - 1));
        if (!is_open(d) || !is_open(2 * d)) ways &= ~(Rolls(1) << (THREE_STEPS + d - 1));
        if (!is_open(d) || !is_open(2 * d) || !is_open(3 * d))
            ways &= ~(Rolls(1) << (FOUR_STEPS + d - 1));
    }
    return ways;
}

using Table = std::array<Rolls, 64>;

// The index holds the six distances of a group from far (lowest bit) to near, because that is how
// a mask shifted up to the blot presents them.
constexpr std::uint32_t distances(int index, int group) {
    std::uint32_t mask = 0;
    for (int bit = 0; bit < 6; ++bit)
        if (index >> bit & 1) mask |= 1u << (6 * group + 6 - bit);
    return mask;
}

inline constexpr auto HITS = [] {
    std::array<Table, 4> tables{};
    for (int group = 0; group < 4; ++group)
        for (int index = 0; index < 64; ++index)
            for (int k = 1; k <= 24; ++k)
                if (distances(index, group) >> k & 1) tables[group][index] |= ways_to_hit(k);
    return tables;
}();

// Beyond distance 18 no landing point lies between an attacker and a blot.
inline constexpr auto OPEN = [] {
    std::array<Table, 3> tables{};
    for (int group = 0; group < 3; ++group)
        for (int index = 0; index < 64; ++index)
            tables[group][index] =
                ways_open(~distances(63, group) | distances(index, group));
    return tables;
}();

// The same for a single attacker, by its distance.
inline constexpr auto HITS_FROM = [] {
    std::array<Rolls, 25> ways{};
    for (int distance = 1; distance <= 24; ++distance) ways[distance] = ways_to_hit(distance);
    return ways;
}();

// The rolls of two different dice whose smaller (larger) die is in a set. Sets of dice are masks,
// die 1 the lowest bit.
inline constexpr auto SMALLER_IN = [] {
    Table table{};
    for (int set = 0; set < 64; ++set)
        for (int i = 0; i < 15; ++i)
            if (set >> (MIXED_ROLLS[i].a - 1) & 1) table[set] |= Rolls(1) << i;
    return table;
}();
inline constexpr auto LARGER_IN = [] {
    Table table{};
    for (int set = 0; set < 64; ++set)
        for (int i = 0; i < 15; ++i)
            if (set >> (MIXED_ROLLS[i].b - 1) & 1) table[set] |= Rolls(1) << i;
    return table;
}();

inline Rolls hits_by(Mask attackers_up) {
    return HITS[0][attackers_up >> 26] | HITS[1][attackers_up >> 20 & 63] |
           HITS[2][attackers_up >> 14 & 63] | HITS[3][attackers_up >> 8 & 63];
}

inline int rolls_of(Rolls ways) {
    const Rolls once = ways | ways >> BOTH_DICE |
                       ((ways >> THREE_STEPS | ways >> FOUR_STEPS) & 63) << DOUBLES;
    return std::popcount(once & 0x1fffff) + std::popcount(once & MIXED);
}

// Against attackers of whom some are on the bar: those enter first, and only what dice are left
// then can hit otherwise.
inline Rolls ways_from_bar(Mask attackers, int on_bar, Mask open, int blot) {
    constexpr Rolls SINGLE_STEP = Rolls(63) << DOUBLES;
    // The ways on doubles that take at most 0 to 4 steps.
    constexpr Rolls WITHIN[] = {0, SINGLE_STEP, SINGLE_STEP | Rolls(63) << TWO_STEPS,
                                SINGLE_STEP | Rolls(0xfff) << TWO_STEPS,
                                SINGLE_STEP | Rolls(0x3ffff) << TWO_STEPS};
    const std::uint32_t entering_dice = open >> 1 & 63;
    const Rolls doubles_entering = Rolls(entering_dice) *
        (Rolls(1) << DOUBLES | Rolls(1) << TWO_STEPS | Rolls(1) << THREE_STEPS);
    const int left = on_bar < 4 ? 4 - on_bar : 0;  // dice of a double left after all have entered
    const Mask up = (attackers & ~OPPONENT_BAR) << (32 - blot);

    Rolls entering = WITHIN[left + 1] | MIXED;
    Rolls others = hits_by(up) & doubles_entering & WITHIN[left];
    if (on_bar == 1) {
        entering |= MIXED << BOTH_DICE;
        // One die enters, the other one hits. Die 1 is the nearest distance, the highest bit.
        std::uint32_t hitting_dice = 0;
        for (int die = 1; die <= 6; ++die) hitting_dice |= (up >> (32 - die) & 1) << (die - 1);
        others |= (SMALLER_IN[entering_dice] & LARGER_IN[hitting_dice]) |
                  (SMALLER_IN[hitting_dice] & LARGER_IN[entering_dice]);
    }
    return (entering & HITS_FROM[blot]) | others;
}

}  // namespace shot

// How many of the 36 rolls hit the blot on `blot`. `attackers` are the opposing checkers and may
// include those on the bar (bit 0), `on_bar` counts these, `open` are the points they can land on.
inline int shots(Mask attackers, int on_bar, Mask open, int blot) {
    const Mask up = attackers << (32 - blot);
    const Mask open_up = open << (32 - blot);
    const Rolls ways = on_bar == 0 ? shot::hits_by(up)
                                   : shot::ways_from_bar(attackers, on_bar, open, blot);
    return shot::rolls_of(ways & shot::OPEN[0][open_up >> 26] & shot::OPEN[1][open_up >> 20 & 63] &
                          shot::OPEN[2][open_up >> 14 & 63]);
}

}  // namespace kernel
