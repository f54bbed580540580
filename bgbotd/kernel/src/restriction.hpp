// How the rules limit a roll, and how far a game has come.
#pragma once

#include <algorithm>
#include <utility>

#include "plays.hpp"
#include "value.hpp"

namespace kernel {

enum Phase { CONTACT = 1, RACE, BEAROFF, OVER };

enum Restriction { FREE = 1, BOTH_DICE_FORCED, LARGER_DIE_FORCED, PARTIAL, DANCE, BLOCKED };

inline Phase phase(const Board& board) {
    if (board.player_has_won() || board.opponent_has_won()) return OVER;
    if (!is_race(board)) return CONTACT;
    const bool home =
        !(board.player_occupied() & ~HOME) && !(board.opponent_occupied() & ~OPPONENT_HOME);
    return home ? BEAROFF : RACE;
}

// Whether a step that looks open does not begin a legal play, when all dice can be played.
inline bool some_step_excluded(const Board& board, int die1, int die2, PlayList& plays) {
    for (const auto& [die, other] : {std::pair{die1, die2}, std::pair{die2, die1}}) {
        for (Mask sources = step_sources(board, die); sources; sources &= sources - 1) {
            Board after = board;
            after.step(sources & -sources, die);
            const bool goes_on = die1 == die2 ? most_equal_dice(after, die, 3) == 3
                                              : step_sources(after, other) != 0;
            if (goes_on) continue;
            // A step that ends the game is as good as the play it ends like.
            if (after.player_has_won() && std::any_of(plays.begin(), plays.end(), [&](Play& play) {
                    return same_checkers(play.board, after);
                }))
                continue;
            return true;
        }
        if (die1 == die2) break;
    }
    return false;
}

inline Restriction restriction(const Board& board, int die1, int die2, int dice_played, PlayList& plays) {
    if (dice_played == 0) return board.player_occupied() & BAR ? DANCE : BLOCKED;
    if (dice_played == (die1 == die2 ? 4 : 2))
        return some_step_excluded(board, die1, die2, plays) ? BOTH_DICE_FORCED : FREE;
    if (die1 != die2 && step_sources(board, die1) && step_sources(board, die2))
        return LARGER_DIE_FORCED;
    return PARTIAL;
}

inline void sort_canonically(PlayList& plays) {
    std::sort(plays.begin(), plays.end(), [](const Play& a, const Play& b) {
        return canonically_before(a.board, b.board);
    });
}

}  // namespace kernel
