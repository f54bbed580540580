// All plays of a roll, each distinct resulting position once.
#pragma once

#include <array>
#include <cstddef>

#include "board.hpp"

namespace kernel {

// The steps of a play, first step in the highest byte, each byte `from << 3 | die`, unused bytes
// zero. Comparing two of these as numbers compares the sequences of (from, die).
using Steps = std::uint32_t;

inline Steps encoded_step(Mask from, int die) {
    return Steps(std::countr_zero(from)) << 3 | Steps(die);
}

struct Play {
    Board board;
    Steps steps;
    int value;
};

// Each play shares four steps out among fifteen checkers, so there are at most C(18, 4) = 3060.
struct PlayList {
    std::size_t size = 0;
    std::array<Play, 3060> plays;

    Play* begin() { return plays.data(); }
    Play* end() { return plays.data() + size; }

    void operator()(const Board& board, Steps steps, bool may_repeat) {
        if (may_repeat) {
            for (Play& play : *this) {
                if (!same_checkers(play.board, board)) continue;
                if (steps > play.steps) play.steps = steps;
                return;
            }
        }
        Play& play = plays[size++];
        play.board = board;
        play.steps = steps;
    }
};

// How many of `left` equal dice can be played, at most, from points not above `highest`. Any
// order of such steps can be sorted rearmost first and stays legal, so no other order is tried.
inline int most_equal_dice(const Board& board, int die, int left, Mask highest = BAR) {
    int most = 0;
    Mask sources = step_sources(board, die) & (2 * highest - 1);
    while (sources && most < left) {
        const Mask from = std::bit_floor(sources);
        sources ^= from;
        Board after = board;
        after.step(from, die);
        const int played = 1 + (left > 1 ? most_equal_dice(after, die, left - 1, from) : 0);
        if (played > most) most = played;
    }
    return most;
}

// Plays exactly `left` more equal dice, rearmost first. Sequences of this form that differ end in
// different positions: the counts, read from the rearmost point, give the sources back. `open` is
// that of the start: no step of the player opens or closes a point to it.
template <int left, class Emit>
void play_equal_dice(const Board& board, Mask open, int die, Mask highest, Steps steps, int shift,
                     Emit& emit) {
    Mask sources = step_sources(board.player_occupied(), open, die) & (2 * highest - 1);
    for (; sources; sources &= sources - 1) {
        const Mask from = sources & -sources;
        Board after = board;
        after.step(from, die);
        const Steps so_far = steps | encoded_step(from, die) << shift;
        if constexpr (left == 1)
            emit(after, so_far, false);
        else
            play_equal_dice<left - 1>(after, open, die, from, so_far, shift - 8, emit);
    }
}

template <class Emit>
int each_play_of_double(const Board& board, int die, Emit& emit) {
    const Mask open = board.open_points();
    const int dice = most_equal_dice(board, die, 4);
    if (dice == 4) play_equal_dice<4>(board, open, die, BAR, 0, 24, emit);
    if (dice == 3) play_equal_dice<3>(board, open, die, BAR, 0, 24, emit);
    if (dice == 2) play_equal_dice<2>(board, open, die, BAR, 0, 24, emit);
    if (dice == 1) play_equal_dice<1>(board, open, die, BAR, 0, 24, emit);
    return dice;
}

// Where both dice cannot be played: the larger if it can be, else the smaller.
template <class Emit>
int each_single_step(const Board& board, Mask with_larger, int larger, Mask with_smaller,
                     int smaller, Emit& emit) {
    const int die = with_larger ? larger : smaller;
    Mask sources = with_larger ? with_larger : with_smaller;
    const int played = sources != 0;
    for (; sources; sources &= sources - 1) {
        const Mask from = sources & -sources;
        Board after = board;
        after.step(from, die);
        emit(after, encoded_step(from, die) << 24, false);
    }
    return played;
}

// Every play with `first` and then `second`, but for second steps from `known(first source)`, whose
// results are emitted elsewhere. Returns whether there is any.
template <bool near_off, class Known, class Emit>
bool each_pair_of_steps(const Board& board, Mask sources, int first, int second, Known known,
                        Emit& emit) {
    bool any = false;
    for (; sources; sources &= sources - 1) {
        const Mask from = sources & -sources;
        Board between = board;
        between.step(from, first);
        const Steps head = encoded_step(from, first);
        Mask next_sources = step_sources(between, second);
        any |= next_sources != 0;
        next_sources &= ~known(from);
        for (; next_sources; next_sources &= next_sources - 1) {
            const Mask next = next_sources & -next_sources;
            Board after = between;
            after.step(next, second);
            const Steps tail = encoded_step(next, second);
            // Away from bearing off, a step from further back could as well have come first.
            const bool as_played = near_off || from >= next;
            emit(after, as_played ? head << 24 | tail << 16 : tail << 24 | head << 16, near_off);
        }
    }
    return any;
}

template <class Emit>
int each_play_of_two_dice(const Board& board, int larger, int smaller, Emit& emit) {
    const Mask occupied = board.player_occupied();
    const Mask open = board.open_points();
    const Mask with_larger = step_sources(occupied, open, larger);
    const Mask with_smaller = step_sources(occupied, open, smaller);
    const Mask outside = occupied & ~HOME;
    const Mask blots = board.opponent_blots();
    bool both;
    if ((outside & (outside - 1)) == 0 && (outside & board.player.several()) == 0) {
        // Bearing off may come into this roll. There the order of the dice matters in many ways,
        // so both orders are tried and repeated results dropped.
        const auto none = [](Mask) { return Mask(0); };
        both = each_pair_of_steps<true>(board, with_larger, larger, smaller, none, emit);
        both |= each_pair_of_steps<true>(board, with_smaller, smaller, larger, none, emit);
        return both ? 2 : each_single_step(board, with_larger, larger, with_smaller, smaller, emit);
    }
    // From these points one checker playing both dice ends alike whichever die comes first: both
    // ways are open as far as the larger die first is concerned, and neither hits. The same end
    // is reached when the smaller die takes it to a checker that then goes on in its stead.
    const Mask alike = with_larger & ~(blots << larger | blots << smaller);
    both = each_pair_of_steps<false>(board, with_larger, larger, smaller,
                                     [=](Mask from) { return from << smaller & alike; }, emit);
    if (occupied & BAR) {
        // Either die may enter, unless both have to; then the order does not matter.
        if ((board.player.several() & BAR) == 0) {
            both |= each_pair_of_steps<false>(
                board, with_smaller, smaller, larger,
                [=](Mask from) { return (from & alike) >> smaller; }, emit);
        }
    } else {
        // Steps of two checkers end alike in either order, so the smaller die first can only add
        // one checker going on from a point where none of its side stood.
        Mask sources = with_smaller & ~(occupied << smaller) & open << (larger + smaller) & ~alike;
        both |= sources != 0;
        for (; sources; sources &= sources - 1) {
            const Mask from = sources & -sources;
            const Mask between = from >> smaller;
            Board after = board;
            after.step(from, smaller);
            after.step(between, larger);
            emit(after, encoded_step(from, smaller) << 24 | encoded_step(between, larger) << 16,
                 false);
        }
    }
    return both ? 2 : each_single_step(board, with_larger, larger, with_smaller, smaller, emit);
}

// Calls `emit(board after, steps, may_repeat)` for every play that uses as many dice as possible
// and returns how many that is; with none it emits nothing. `steps` is the largest sequence that
// leads there, except that repeated results (`may_repeat`) come with each of theirs.
template <class Emit>
int each_play(const Board& board, int die1, int die2, Emit& emit) {
    if (die1 == die2) return each_play_of_double(board, die1, emit);
    if (die1 < die2) return each_play_of_two_dice(board, die2, die1, emit);
    return each_play_of_two_dice(board, die1, die2, emit);
}

}  // namespace kernel
