// Choosing plays: Medium values where each play ends, Hard looks one reply ahead.
#pragma once

#include <array>
#include <cstddef>

#include "plays.hpp"

namespace kernel {

// Hard's values are sums over the 36 rolls of values in 36ths.
inline constexpr int HARD_SCALE = 36;
inline constexpr std::size_t HARD_CANDIDATES = 6;

// All plays of the roll (the empty one if nothing can be played), unsorted and without values.
// Returns the number of dice played.
int list_plays(const Board& board, int die1, int die2, PlayList& plays);

// The same with Medium's values; the best `best` of them sorted to the front.
void rank_by_medium(const Board& board, int die1, int die2, std::size_t best, PlayList& plays);

// Hard's candidates in order, best first, with their values.
void rank_by_hard(const Board& board, int die1, int die2, PlayList& plays);

// Hard's play alone, the same as the first of `rank_by_hard`, without finishing candidates that
// cannot be it.
Play best_by_hard(const Board& board, int die1, int die2, PlayList& plays);

}  // namespace kernel
