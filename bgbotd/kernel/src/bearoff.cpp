#include "bearoff.hpp"

#include <algorithm>
#include <vector>

#include "search.hpp"

namespace kernel {
namespace {

constexpr int ROLLS = 21, EQUITIES = 4;

constexpr int choose(int n, int k) {
    int result = 1;
    for (int i = 1; i <= k; ++i) result = result * (n - k + i) / i;
    return result;
}
static_assert(choose(BEAROFF_POINTS + BEAROFF_CHECKERS, BEAROFF_POINTS) == BEAROFF_POSITIONS);

std::size_t index_of(const Side& side) {
    std::array<int, BEAROFF_POINTS> counts;
    for (int point = 1; point <= BEAROFF_POINTS; ++point) counts[point - 1] = side.count(point);
    return bearoff_index(counts);
}

// For every position of one side and every roll, the positions its plays lead to.
struct PlaysOfAll {
    std::vector<std::uint16_t> results;
    std::vector<std::uint32_t> first;  // where in `results` those of a position and roll begin

    PlaysOfAll() : first(BEAROFF_POSITIONS * ROLLS + 1) {
        std::vector<Board> boards(BEAROFF_POSITIONS);
        std::array<int, BEAROFF_POINTS> counts{};
        place(boards, counts, BEAROFF_POINTS, BEAROFF_CHECKERS);
        PlayList plays;
        std::size_t at = 0;
        for (const Board& board : boards) {
            for (int larger = 1; larger <= 6; ++larger) {
                for (int smaller = 1; smaller <= larger; ++smaller) {
                    plays.size = 0;
                    list_plays(board, larger, smaller, plays);
                    for (const Play& play : plays)
                        results.push_back(std::uint16_t(index_of(play.board.player)));
                    first[++at] = std::uint32_t(results.size());
                }
            }
        }
    }

    // Puts every way to have checkers on the points up to `point` in its place. The other side
    // bears off undisturbed, so its checkers do not matter.
    static void place(std::vector<Board>& boards, std::array<int, BEAROFF_POINTS>& counts,
                      int point, int left) {
        if (point == 0) {
            Board board{};
            for (int p = 1; p <= BEAROFF_POINTS; ++p)
                for (int i = 0; i < counts[p - 1]; ++i) board.player.move(0, 1u << p);
            boards[bearoff_index(counts)] = board;
            return;
        }
        for (int count = 0; count <= left; ++count) {
            counts[point - 1] = count;
            place(boards, counts, point - 1, left - count);
        }
    }
};

// What a position is worth to the side that is not on roll in it, in the order of
// `BearoffEquities` seen from that side. The side on roll first decides whether to double.
using Waiting = std::array<float, EQUITIES>;

Waiting waiting(const BearoffEquities& rolling) {
    const float double_now = std::min(2 * rolling.cube_opponent, 1.0f);
    return {-rolling.cubeless, -rolling.cube_opponent, -std::max(rolling.cube_centred, double_now),
            -std::max(rolling.cube_owned, double_now)};
}

}  // namespace

std::size_t bearoff_index(const std::array<int, BEAROFF_POINTS>& counts) {
    int index = 0, left = BEAROFF_CHECKERS;
    for (int point = BEAROFF_POINTS; point >= 1; --point) {
        // Those with fewer checkers on this point come before, whatever is on the lower ones.
        index += choose(left + point, point);
        left -= counts[point - 1];
        index -= choose(left + point, point);
    }
    return std::size_t(index);
}

void solve_bearoff(BearoffEquities* table) {
    const PlaysOfAll plays;
    std::vector<Waiting> waits(BEAROFF_POSITIONS * BEAROFF_POSITIONS);
    const auto solve = [&](std::size_t player, std::size_t opponent) {
        const std::size_t at = player * BEAROFF_POSITIONS + opponent;
        std::array<float, EQUITIES> sum{};
        if (player == 0 || opponent == 0) {
            sum.fill(float(opponent != 0) - float(player != 0));
        } else {
            // After a play the opponent is on roll.
            const Waiting* after = &waits[opponent * BEAROFF_POSITIONS];
            const std::uint32_t* first = &plays.first[player * ROLLS];
            for (int larger = 1; larger <= 6; ++larger) {
                for (int smaller = 1; smaller <= larger; ++smaller, ++first) {
                    // Each state of the cube may have a best play of its own.
                    Waiting best = after[plays.results[*first]];
                    for (std::uint32_t play = first[0] + 1; play < first[1]; ++play) {
                        const Waiting& other = after[plays.results[play]];
                        for (int i = 0; i < EQUITIES; ++i) best[i] = std::max(best[i], other[i]);
                    }
                    const float weight = larger == smaller ? 1 : 2;
                    for (int i = 0; i < EQUITIES; ++i) sum[i] += weight * best[i];
                }
            }
            for (float& equity : sum) equity /= 36;
        }
        table[at] = {sum[0], sum[1], sum[2], sum[3]};
        waits[at] = waiting(table[at]);
    };
    // Each play lowers the mover's index and leaves the opponent on roll, so in this order
    // everything a position leads to has been solved before it.
    for (std::size_t highest = 0; highest < BEAROFF_POSITIONS; ++highest) {
        for (std::size_t lower = 0; lower < highest; ++lower) solve(highest, lower);
        for (std::size_t lower = 0; lower <= highest; ++lower) solve(lower, highest);
    }
}

}  // namespace kernel
