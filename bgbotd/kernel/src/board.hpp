// The board as the kernel sees it, and one step of one checker.
//
// Everything is in the player's frame: bit p stands for the player's point p. The player moves
// down and the opponent up, so the player's bar is bit 25 and its borne-off checkers are bit 0,
// while the opponent's bar is bit 0 and its borne-off checkers are bit 25. With that, entering
// and bearing off are ordinary shifts and need no branch of their own.
#pragma once

#include <bit>
#include <cstdint>

namespace kernel {

using Mask = std::uint32_t;

inline constexpr Mask OFF = 1u << 0;         // the player's borne-off checkers
inline constexpr Mask BAR = 1u << 25;        // the player's bar
inline constexpr Mask POINTS = 0x1fffffe;    // points 1 to 24
inline constexpr Mask HOME = 0x7e;           // the player's points 1 to 6
inline constexpr Mask OPPONENT_BAR = 1u << 0;
inline constexpr Mask OPPONENT_HOME = 0x1f80000;  // the player's points 19 to 24

// A side's checkers: the binary digits of the count on every point, as four planes.
// "Made point" and "blot" are then one line for the whole board.
struct Side {
    Mask ones, twos, fours, eights;

    Mask occupied() const { return ones | twos | fours | eights; }
    Mask several() const { return twos | fours | eights; }
    Mask single() const { return ones & ~several(); }

    int count(int point) const {
        return int((ones >> point & 1) | (twos >> point & 1) << 1 | (fours >> point & 1) << 2 |
                   (eights >> point & 1) << 3);
    }
    // Takes a checker off `from` and puts one on `to`. A digit carries on to the next plane if it
    // was 1 where a checker comes and 0 where one goes.
    void move(Mask from, Mask to) {
        const Mask first = from | to;
        const Mask second = first & (ones ^ from);
        const Mask third = second & (twos ^ from);
        ones ^= first;
        twos ^= second;
        eights ^= third & (fours ^ from);
        fours ^= third;
    }
};

struct Board {
    Side player, opponent;
    int lead;  // the opponent's pips minus the player's, carried along because every value needs it

    Mask player_occupied() const { return player.occupied() & ~OFF; }
    Mask opponent_occupied() const { return opponent.occupied() & ~BAR; }
    Mask player_made() const { return player.several() & POINTS; }
    Mask opponent_made() const { return opponent.several() & POINTS; }
    Mask opponent_blots() const { return opponent.single() & POINTS; }
    Mask open_points() const { return ~opponent.several() & POINTS; }
    bool player_has_won() const { return player_occupied() == 0; }
    bool opponent_has_won() const { return opponent_occupied() == 0; }

    // Moves the checker on `from` by one die. The step must be one of `step_sources`.
    void step(Mask from, int die) {
        Mask to = from >> die;
        lead += die;
        if (to == 0) {  // borne off with a die larger than needed: only the pips it had are gone
            lead += std::countr_zero(from) - die;
            to = OFF;
        }
        player.move(from, to);
        if (opponent_blots() & to) {
            opponent.move(to, OPPONENT_BAR);
            lead += std::countr_zero(to);
        }
    }
};

// The points from which one step with `die` is legal by itself (not minding the duty to use as
// many dice as possible). `occupied` is `player_occupied()`, `open` is `open_points()`.
inline Mask step_sources(Mask occupied, Mask open, int die) {
    Mask sources = occupied & (open << die);
    if (occupied & BAR) return sources & BAR;
    if (occupied <= HOME && occupied != 0) {
        if (occupied >> die)
            sources |= occupied & (1u << die);
        else
            sources |= std::bit_floor(occupied);  // none on the die's point or above: the rearmost
    }
    return sources;
}

inline Mask step_sources(const Board& board, int die) {
    return step_sources(board.player_occupied(), board.open_points(), die);
}

// Point p becomes point 25 - p: the same mask as the other side numbers it.
inline Mask mirrored(Mask mask) {
    mask = (mask & 0x55555555) << 1 | (mask >> 1 & 0x55555555);
    mask = (mask & 0x33333333) << 2 | (mask >> 2 & 0x33333333);
    mask = (mask & 0x0f0f0f0f) << 4 | (mask >> 4 & 0x0f0f0f0f);
    mask = mask << 24 | (mask & 0xff00) << 8 | (mask >> 8 & 0xff00) | mask >> 24;
    return mask >> 6;
}

inline Side mirrored(const Side& side) {
    return {mirrored(side.ones), mirrored(side.twos), mirrored(side.fours), mirrored(side.eights)};
}

// The same board with the other side on roll.
inline Board turned(const Board& board) {
    return {mirrored(board.opponent), mirrored(board.player), -board.lead};
}

// The canonical order of positions, which also breaks every tie: the player's
// checkers read from the bar down, fewer first; then more opposing checkers on the bar; then the
// opponent's checkers from its 24-point down, fewer first.
inline bool canonically_before(const Board& a, const Board& b) {
    const auto differing = [](const Side& x, const Side& y) {
        return (x.ones ^ y.ones) | (x.twos ^ y.twos) | (x.fours ^ y.fours) | (x.eights ^ y.eights);
    };
    if (const Mask own = differing(a.player, b.player) & ~OFF) {
        const int point = std::bit_width(own) - 1;
        return a.player.count(point) < b.player.count(point);
    }
    if (const Mask other = differing(a.opponent, b.opponent) & ~BAR) {
        const int point = std::countr_zero(other);
        const bool fewer = a.opponent.count(point) < b.opponent.count(point);
        return point == 0 ? !fewer : fewer;
    }
    return false;
}

inline bool same_checkers(const Board& a, const Board& b) {
    return ((a.player.ones ^ b.player.ones) | (a.player.twos ^ b.player.twos) |
            (a.player.fours ^ b.player.fours) | (a.player.eights ^ b.player.eights) |
            (a.opponent.ones ^ b.opponent.ones) | (a.opponent.twos ^ b.opponent.twos) |
            (a.opponent.fours ^ b.opponent.fours) |
            (a.opponent.eights ^ b.opponent.eights)) == 0;
}

}  // namespace kernel
