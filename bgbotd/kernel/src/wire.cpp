// The field numbers are those of proto/bgbot/v1/position.proto, and of the requests' first two fields.
#include "wire.hpp"

#include <algorithm>
#include <array>

#include "answers.hpp"
#include "packed.hpp"

namespace kernel {
namespace {

constexpr int BAR_POINT = 25, OFF_POINT = 0;

// What begins a field: its number and how it is written.
constexpr std::uint8_t varint_field(int number) { return std::uint8_t(number << 3); }
constexpr std::uint8_t bytes_field(int number) { return std::uint8_t(number << 3 | 2); }

// A stretch of bytes that is being read; once something is wrong it stays so.
struct Reader {
    const std::uint8_t* at;
    const std::uint8_t* end;
    bool good = true;

    bool more() const { return good && at < end; }

    std::uint8_t byte() {
        if (at == end) good = false;
        return good ? *at++ : 0;
    }
    // A number that takes one byte, as every count and length of a position does.
    std::uint8_t small() {
        const std::uint8_t number = byte();
        good &= number < 0x80;
        return number;
    }
    // Passes what a field holds, of those kinds and numbers that requests have.
    void skip(std::uint8_t field) {
        if (field < 0x80 && (field & 7) == 2)
            inner();
        else if (field < 0x80 && (field & 7) == 0)
            while (byte() >= 0x80) {
            }
        else
            good = false;
    }
    Reader inner() {
        const std::size_t size = small();
        if (!good || size > std::size_t(end - at)) return {at, at, good = false};
        at += size;
        return {at - size, at};
    }
};

bool read_side(Reader message, std::uint8_t* packed) {
    std::fill_n(packed, PACKED_SIDE, std::uint8_t(0));
    unsigned seen = 0;
    while (message.more()) {
        const std::uint8_t field = message.byte();
        if (seen >> (field >> 3) & 1) return false;
        seen |= 1u << (field >> 3);
        if (field == bytes_field(1)) {
            Reader points = message.inner();
            if (points.end - points.at != 24) return false;
            for (int i = 0; i < 24; ++i) packed[i] = points.small();
            message.good &= points.good;
        } else if (field == varint_field(2)) {
            packed[24] = message.small();
        } else if (field == varint_field(3)) {
            packed[25] = message.small();
        } else {
            return false;
        }
    }
    return message.good && (seen & 1u << 1);
}

bool read_position(Reader reader, std::uint8_t* packed, Board& board) {
    unsigned seen = 0;
    while (reader.more()) {
        const std::uint8_t field = reader.byte();
        if (field != bytes_field(1) && field != bytes_field(2)) return false;
        const unsigned side = (field >> 3) - 1;
        if (seen >> side & 1 || !read_side(reader.inner(), packed + side * PACKED_SIDE))
            return false;
        seen |= 1u << side;
    }
    return reader.good && seen == 3 && read_board(packed, board) == nullptr;
}

bool read_dice(Reader message, int& die1, int& die2) {
    die1 = die2 = 0;
    while (message.more()) {
        const std::uint8_t field = message.byte();
        int* die = field == varint_field(1) ? &die1 : field == varint_field(2) ? &die2 : nullptr;
        if (die == nullptr || *die) return false;
        *die = message.small();
    }
    return message.good && 1 <= die1 && die1 <= 6 && 1 <= die2 && die2 <= 6;
}

void append_side(std::string& message, int field, const std::uint8_t* packed) {
    append_message(message, field, [&] {
        message.push_back(char(bytes_field(1)));
        message.push_back(24);
        message.append(reinterpret_cast<const char*>(packed), 24);
        append_varint(message, 2, packed[24]);
        append_varint(message, 3, packed[25]);
    });
}

struct Step {
    int from, to, die;
    bool hit;
};

// The steps of one checker.
struct Trail {
    std::array<Step, MOST_STEPS> steps;
    std::size_t size = 0;

    bool goes_like(const Trail& other) const {
        return size == other.size &&
               std::equal(steps.begin(), steps.begin() + size, other.steps.begin(),
                          [](const Step& a, const Step& b) {
                              return a.from == b.from && a.to == b.to;
                          });
    }
};

void append_point(std::string& text, int point) {
    if (point == BAR_POINT)
        text += "bar";
    else if (point == OFF_POINT)
        text += "off";
    else
        text += std::to_string(point);
}

}  // namespace

bool read_position(const std::uint8_t* message, std::size_t size, std::uint8_t* packed) {
    Board board;
    return read_position({message, message + size}, packed, board);
}

bool read_request(const std::uint8_t* message, std::size_t size, Request& request) {
    Reader reader{message, message + size};
    bool positioned = false;
    while (reader.more()) {
        const std::uint8_t* begin = reader.at;
        const std::uint8_t field = reader.byte();
        if (field == bytes_field(1)) {
            Reader source = reader.inner();
            if (positioned || source.byte() != bytes_field(1)) return false;
            const Reader position = source.inner();
            if (source.more() || !source.good) return false;
            positioned = read_position(position, request.position, request.board);
            if (!positioned) return false;
        } else if (field == bytes_field(2)) {
            if (request.die1 || !read_dice(reader.inner(), request.die1, request.die2)) return false;
        } else {
            reader.skip(field);
            request.rest.append(begin, reader.at);
        }
    }
    return reader.good && positioned;
}

void append_position(std::string& message, const std::uint8_t* packed) {
    append_side(message, 1, packed);
    append_side(message, 2, packed + PACKED_SIDE);
}

void append_asked(std::string& message, const std::uint8_t* packed, int die1, int die2) {
    append_message(message, 4, [&] { append_position(message, packed); });
    append_message(message, 5, [&] {
        append_varint(message, 1, die1);
        append_varint(message, 2, die2);
    });
}

void append_play(std::string& message, const std::uint8_t* result, const std::uint8_t* steps) {
    std::size_t count = 0;
    for (; count < MOST_STEPS && steps[count * STEP_BYTES]; ++count) {
        append_message(message, 1, [&] {
            for (int i = 0; i < 4; ++i)
                append_varint(message, i + 1, steps[count * STEP_BYTES + i]);
        });
    }
    Mask blots = 0;
    for (int point = 1; point <= 24; ++point)
        blots |= Mask(result[PACKED_SIDE + 24 - point] == 1) << point;
    append_message(message, 2, [&] { append_notation(message, steps, count, blots); });
    append_message(message, 3, [&] { append_position(message, result); });
}

void append_notation(std::string& text, const std::uint8_t* bytes, std::size_t count, Mask blots) {
    if (count == 0) {
        text += "(no play)";
        return;
    }
    std::array<Step, MOST_STEPS> steps;
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint8_t* step = bytes + i * STEP_BYTES;
        steps[i] = {step[0], step[1], step[2], step[3] != 0};
    }
    std::sort(steps.begin(), steps.begin() + count, [](const Step& a, const Step& b) {
        return a.from != b.from ? a.from > b.from : a.die > b.die;
    });
    std::array<Trail, MOST_STEPS> trails;
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
        Trail* trail = std::find_if(trails.begin(), trails.begin() + size, [&](const Trail& each) {
            return each.steps[each.size - 1].to == steps[i].from;
        });
        if (trail == trails.begin() + size) ++size;
        trail->steps[trail->size++] = steps[i];
    }
    const std::size_t begin = text.size();
    for (std::size_t i = 0; i < size; ++i) {
        const Trail& trail = trails[i];
        const auto alike = [&](const Trail& other) { return other.goes_like(trail); };
        if (std::any_of(trails.begin(), trails.begin() + i, alike)) continue;
        if (text.size() != begin) text.push_back(' ');
        const int source = trail.steps[0].from;
        append_point(text, source);
        const int other_way = source - trail.steps[trail.size - 1].die;
        const bool spelt_out = other_way >= 0 && (blots >> other_way & 1);
        for (std::size_t k = 0; k < trail.size; ++k) {
            const bool hit = std::any_of(trails.begin(), trails.begin() + size, [&](const Trail& other) {
                return alike(other) && other.steps[k].hit;
            });
            if (!hit && !spelt_out && k + 1 != trail.size) continue;
            text.push_back('/');
            append_point(text, trail.steps[k].to);
            if (hit) text.push_back('*');
        }
        const auto times = std::count_if(trails.begin(), trails.begin() + size, alike);
        if (times > 1) text.append("(").append(std::to_string(times)).append(")");
    }
}

}  // namespace kernel
