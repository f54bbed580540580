// Positions and plays as protobuf messages, and plays in standard notation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "board.hpp"

namespace kernel {

inline constexpr std::size_t MOST_STEPS = 4;

// Reads the bytes of a `bgbot.v1.Position` into 52 packed bytes. False for whatever is not plainly
// one that can exist: who wants to know what is wrong with it has to look elsewhere.
bool read_position(const std::uint8_t* message, std::size_t size, std::uint8_t* packed);

// Appends a number as it is written everywhere: seven bits a byte, the lowest first.
inline void append_number(std::string& message, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) message.push_back(char(number | 0x80));
    message.push_back(char(number));
}

// Appends a field that is a number; zero is what its absence means. Negative ones take ten bytes.
inline void append_varint(std::string& message, int field, std::int64_t number) {
    if (number == 0) return;
    append_number(message, std::uint64_t(field) << 3);
    append_number(message, std::uint64_t(number));
}

// Appends the bytes of a `bgbot.v1.Position`.
void append_position(std::string& message, const std::uint8_t* packed);

// Appends what was asked, position and dice, as fields 4 and 5 of an answer.
void append_asked(std::string& message, const std::uint8_t* packed, int die1, int die2);

// Appends the bytes of a `bgbot.v1.Play`: steps of 4 bytes up to the first of zeros, at most four,
// and the packed position they lead to.
void append_play(std::string& message, const std::uint8_t* result, const std::uint8_t* steps);

// Appends a play in standard notation, such as `24/18*/13 6/5(2)`; no steps are `(no play)`. The
// steps of one checker are joined. A point on its way is left out unless it hits there, or could
// have hit one of `blots` by the dice in the other order: `24/13` could then be read as either.
// `blots` are points with an opposing blot before and after the play.
void append_notation(std::string& text, const std::uint8_t* steps, std::size_t count, Mask blots);

// Appends a field that is a message; `write` appends what is in it, and so its length is known last.
template <class Write>
void append_message(std::string& message, int field, Write write) {
    append_number(message, std::uint64_t(field) << 3 | 2);
    message.push_back(0);
    const std::size_t start = message.size();
    write();
    const std::size_t size = message.size() - start;
    if (size < 0x80) {
        message[start - 1] = char(size);
        return;
    }
    std::string length;
    append_number(length, size);
    message.replace(start - 1, 1, length);
}

}  // namespace kernel
