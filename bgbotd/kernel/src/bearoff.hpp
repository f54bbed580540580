// Exact two-sided bear-offs: both sides with at most six checkers left, all in their home boards.
#pragma once

#include <array>
#include <cstddef>

namespace kernel {

inline constexpr int BEAROFF_POINTS = 6, BEAROFF_CHECKERS = 6;
inline constexpr std::size_t BEAROFF_POSITIONS = 924;  // of one side: C(6 + 6, 6)

// A side's rank among all of them, ordered by its checkers on (6-point, ... 1-point), ascending:
// 0 is everything off, 923 six checkers on the 6-point. A play always leads to a lower index.
// `counts` are the checkers on the 1-point to the 6-point, six at most in all.
std::size_t bearoff_index(const std::array<int, BEAROFF_POINTS>& counts);

// Money equities of the player on roll, per unit of the cube, without gammons (both sides have
// borne off checkers): cubeless, and cubeful when not doubling now but with perfect cube play
// afterwards, by who owns the cube.
struct BearoffEquities {
    float cubeless, cube_owned, cube_centred, cube_opponent;
};

// Fills the table: `BEAROFF_POSITIONS` rows by the player's index, each as long by the opponent's.
// Games that are over have 1 or -1, and the pair of empty boards, which is no position, 0.
void solve_bearoff(BearoffEquities* table);

}  // namespace kernel
