// Requests in their plainest form answered from bytes to bytes: no object is made of what lies between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "packed.hpp"

namespace kernel {

// What a request says of a position, its fields 1 and 2 as all requests have them, and the rest.
struct Request {
    std::uint8_t position[PACKED];
    Board board;
    int die1 = 0, die2 = 0;  // zeros where it says no dice
    std::string rest;        // its other fields as they are written

    bool asks_for_a_play() const {
        return die1 && !board.player_has_won() && !board.opponent_has_won();
    }
};

// Reads the bytes of a request. False for whatever is not plainly right, such as a position that
// comes as an ID: who wants to know what it says has to look elsewhere.
bool read_request(const std::uint8_t* message, std::size_t size, Request& request);

// The bytes of a `CountPipsResponse`.
std::string pips_answer(const Request& request);

// The bytes of a `ListLegalPlaysResponse`; the request must ask for a play, here and below.
std::string plays_answer(const Request& request);

// The bytes of a `ChoosePlayResponse` by Hard or Medium. `match` is its serialized match, `stamp`
// that of a stamp without the time taken, which is written here.
std::string choice_answer(const Request& request, bool hard, std::string_view match,
                          std::string_view stamp);

}  // namespace kernel
