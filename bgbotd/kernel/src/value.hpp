// Medium's value of a position, in 36ths so that it is an integer: the pips, made points, runs, blots
// and checkers on the bar of one side, less the same of the other.
#pragma once

#include <bit>
#include <climits>

#include "board.hpp"
#include "shots.hpp"

namespace kernel {

inline constexpr int SCALE = 36;
inline constexpr int WON = 10000 * SCALE;

// A made point is worth 8 on the side's points 1 to 7 and 4 elsewhere, on 19 to 24 6 more.
inline int made_points_bonus(Mask made, Mask first_seven, Mask last_six) {
    return SCALE * (4 * std::popcount(made) + 4 * std::popcount(made & first_seven) +
                    6 * std::popcount(made & last_six));
}

// The longest run of three or more made points counts its length squared.
inline int run_bonus(Mask made) {
    Mask starts = made & made >> 1 & made >> 2;
    if (starts == 0) return 0;
    int length = 3;
    while (starts &= starts >> 1) ++length;
    return SCALE * length * length;
}

inline int bar_charge(int on_bar, Mask made_in_home_against) {
    return on_bar == 0 ? 0 : SCALE * on_bar * (8 + 3 * std::popcount(made_in_home_against));
}

// What the blots of a side lose it. All masks in that side's own numbering; `attackers` are the
// other side's checkers with its bar as bit 0, `open` the points where these can land.
inline int blot_charge(Mask blots, Mask attackers, int attackers_on_bar, Mask open) {
    int charge = 0;
    for (blots &= -(attackers & -attackers); blots; blots &= blots - 1) {
        const int point = std::countr_zero(blots);
        charge += shots(attackers, attackers_on_bar, open, point) * (70 - point);
    }
    return charge;
}

// No checker can be hit any more: the player's rearmost checker has passed all of the opponent's.
// Includes games that are over.
inline bool is_race(Mask player, Mask opponent) {
    return (opponent & -opponent) - 1 >= player;
}

inline bool is_race(const Board& board) {
    return is_race(board.player_occupied(), board.opponent_occupied());
}

inline int race_value(const Board& board) {
    if (board.player_has_won()) return WON;
    if (board.opponent_has_won()) return -WON;
    return SCALE * (board.lead + 3 * (board.player.count(0) - board.opponent.count(25)));
}

// The value of a position with contact without anybody's blots.
inline int structure_value(const Board& board, Mask player, Mask opponent) {
    const Mask made = board.player_made(), opponent_made = board.opponent_made();
    int value = SCALE * board.lead;
    value += made_points_bonus(made, 0xfe, OPPONENT_HOME);
    value -= made_points_bonus(opponent_made, POINTS & ~0x3ffff, HOME);
    // A run counts only with an opposing checker behind it: below it for the player, above it for
    // the opponent.
    value += run_bonus(made & -(opponent & -opponent));
    value -= run_bonus(opponent_made & (std::bit_floor(player) - 1));
    value -= bar_charge(board.player.count(25), opponent_made & OPPONENT_HOME);
    value += bar_charge(board.opponent.count(0), made & HOME);
    return value;
}

inline int player_blot_charge(const Board& board, Mask opponent) {
    return blot_charge(board.player.single() & POINTS, opponent, board.opponent.count(0),
                       ~board.player_made());
}

// Medium's value for the player.
inline int medium_value(const Board& board) {
    const Mask player = board.player_occupied(), opponent = board.opponent_occupied();
    if (is_race(player, opponent)) return race_value(board);
    int value = structure_value(board, player, opponent) - player_blot_charge(board, opponent);
    if (const Mask blots = board.opponent_blots() & (std::bit_floor(player) - 1)) {
        value += blot_charge(mirrored(blots), mirrored(player), board.player.count(25),
                             mirrored(~board.opponent_made() & POINTS));
    }
    return value;
}

// The same, but only the blots of the player, who has just moved, are charged. A value that turns
// out not to be above `floor` may be returned as any value up to `floor`.
inline int reply_value(const Board& board, int floor = INT_MIN) {
    const Mask player = board.player_occupied(), opponent = board.opponent_occupied();
    if (is_race(player, opponent)) return race_value(board);
    const int value = structure_value(board, player, opponent);
    return value <= floor ? value : value - player_blot_charge(board, opponent);
}

}  // namespace kernel
