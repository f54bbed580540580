// The field numbers are those of the messages in proto/bgbot/v1.
#include "answers.hpp"

#include <chrono>

#include "restriction.hpp"
#include "search.hpp"
#include "wire.hpp"

namespace kernel {
namespace {

// Appends play, position and dice, which every answer about a roll has.
void append_played(std::string& answer, const Request& request, const Play* plays,
                   std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        std::uint8_t result[PACKED], steps[PACKED_STEPS];
        std::memcpy(result, request.position, PACKED);
        write_play(result, plays[i].steps, steps);
        append_message(answer, 1, [&] { append_play(answer, result, steps); });
    }
    append_asked(answer, request.position, request.die1, request.die2);
}

}  // namespace

std::string pips_answer(const Request& request) {
    std::string answer;
    append_varint(answer, 1, read_side<false>(request.position).pips);
    append_varint(answer, 2, read_side<false>(request.position + PACKED_SIDE).pips);
    append_varint(answer, 3, phase(request.board));
    append_message(answer, 4, [&] { append_position(answer, request.position); });
    return answer;
}

std::string plays_answer(const Request& request) {
    const auto& [position, board, die1, die2, rest] = request;
    PlayList plays;
    const int dice_played = list_plays(board, die1, die2, plays);
    const Restriction how = restriction(board, die1, die2, dice_played, plays);
    sort_canonically(plays);
    std::string answer;
    answer.reserve(128 * (plays.size + 1));
    append_played(answer, request, plays.begin(), plays.size);
    append_varint(answer, 2, dice_played);
    append_varint(answer, 3, how);
    return answer;
}

std::string choice_answer(const Request& request, bool hard, std::string_view match,
                          std::string_view stamp) {
    const auto started = std::chrono::steady_clock::now();
    PlayList plays;
    Play best;
    if (hard) {
        best = best_by_hard(request.board, request.die1, request.die2, plays);
    } else {
        rank_by_medium(request.board, request.die1, request.die2, 1, plays);
        best = *plays.begin();
    }
    std::string answer;
    answer.reserve(512);
    append_played(answer, request, &best, 1);
    append_message(answer, 6, [&] { answer.append(match); });
    append_message(answer, 7, [&] {
        answer.append(stamp);
        const std::chrono::nanoseconds elapsed = std::chrono::steady_clock::now() - started;
        append_message(answer, 7, [&] {
            append_varint(answer, 1, elapsed.count() / 1'000'000'000);
            append_varint(answer, 2, elapsed.count() % 1'000'000'000);
        });
    });
    return answer;
}

}  // namespace kernel
