#include "search.hpp"

#include <algorithm>
#include <climits>

#include "value.hpp"

namespace kernel {
namespace {

struct Roll {
    int larger, smaller, weight;
};

// Doubles last: they have the most plays, and a candidate dropped before them costs little.
constexpr auto ROLLS = [] {
    std::array<Roll, 21> rolls{};
    int i = 0;
    for (int larger = 2; larger <= 6; ++larger)
        for (int smaller = 1; smaller < larger; ++smaller) rolls[i++] = {larger, smaller, 2};
    for (int die = 1; die <= 6; ++die) rolls[i++] = {die, die, 1};
    return rolls;
}();

// The best reply to one roll: its value for the side that replies, and its steps if it plays all
// dice of the roll (else zero). Those steps are a legal play wherever each of them is possible.
struct Reply {
    int value = INT_MIN;
    Steps steps = 0;

    void operator()(const Board& after, Steps played, bool) {
        const int found = reply_value(after, value);
        if (found <= value) return;
        value = found;
        steps = played;
    }
};

// Raises `reply` to the best reply, if there is a better one.
void find_best_reply(const Board& board, const Roll& roll, Reply& reply) {
    const int dice = each_play(board, roll.larger, roll.smaller, reply);
    if (dice == 0) reply(board, 0, false);
    if (dice < (roll.larger == roll.smaller ? 4 : 2)) reply.steps = 0;
}

// The value of replying with these steps, or INT_MIN where they are not possible.
int replayed_value(Board board, Steps steps) {
    for (; steps; steps <<= 8) {
        const Mask from = 1u << (steps >> 27);
        const int die = steps >> 24 & 7;
        if ((step_sources(board, die) & from) == 0) return INT_MIN;
        board.step(from, die);
    }
    return reply_value(board);
}

using Replies = std::array<Reply, ROLLS.size()>;

// Hard's value of a candidate, or any value below `enough` if it cannot reach that. `replies` are
// those to the last candidate on entry and those to this one on return.
int hard_value(const Board& candidate, int enough, Replies& replies) {
    if (candidate.player_has_won()) return WON * HARD_SCALE;
    const Board board = turned(candidate);
    // What answered the last candidate mostly answers this one too, so its value here is a good
    // lower bound of what the opponent gets, hence an upper bound of the candidate's value.
    int bound = 0;
    std::array<bool, ROLLS.size()> exact{};
    for (std::size_t i = 0; i < ROLLS.size(); ++i) {
        Reply& reply = replies[i];
        reply.value = reply.steps ? replayed_value(board, reply.steps) : INT_MIN;
        if (reply.value == INT_MIN) {
            find_best_reply(board, ROLLS[i], reply);
            exact[i] = true;
        }
        bound -= ROLLS[i].weight * reply.value;
    }
    for (std::size_t i = 0; i < ROLLS.size() && bound >= enough; ++i) {
        if (exact[i]) continue;
        Reply& reply = replies[i];
        const int before = reply.value;
        find_best_reply(board, ROLLS[i], reply);
        bound -= ROLLS[i].weight * (reply.value - before);
    }
    return bound;
}

bool ranks_before(const Play& a, const Play& b) {
    if (a.value != b.value) return a.value > b.value;
    return canonically_before(a.board, b.board);
}

}  // namespace

int list_plays(const Board& board, int die1, int die2, PlayList& plays) {
    const int dice = each_play(board, die1, die2, plays);
    if (dice == 0) plays(board, 0, false);
    return dice;
}

void rank_by_medium(const Board& board, int die1, int die2, std::size_t best, PlayList& plays) {
    list_plays(board, die1, die2, plays);
    for (Play& play : plays) play.value = medium_value(play.board);
    std::partial_sort(plays.begin(), plays.begin() + std::min(best, plays.size), plays.end(),
                      ranks_before);
}

void rank_by_hard(const Board& board, int die1, int die2, PlayList& plays) {
    rank_by_medium(board, die1, die2, HARD_CANDIDATES, plays);
    plays.size = std::min(plays.size, HARD_CANDIDATES);
    const bool race = is_race(board);
    Replies replies;
    for (Play& play : plays)
        play.value = race ? play.value * HARD_SCALE : hard_value(play.board, INT_MIN, replies);
    std::sort(plays.begin(), plays.end(), ranks_before);
}

Play best_by_hard(const Board& board, int die1, int die2, PlayList& plays) {
    const bool race = is_race(board);
    rank_by_medium(board, die1, die2, race ? 1 : HARD_CANDIDATES, plays);
    Play best = *plays.begin();
    if (race) {
        best.value *= HARD_SCALE;
        return best;
    }
    Replies replies;
    best.value = hard_value(best.board, INT_MIN, replies);
    for (std::size_t i = 1; i < std::min(plays.size, HARD_CANDIDATES); ++i) {
        Play& play = plays.plays[i];
        play.value = hard_value(play.board, best.value, replies);
        if (ranks_before(play, best)) best = play;
    }
    return best;
}

}  // namespace kernel
