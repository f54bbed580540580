// The Python face of wire.hpp.
#include "wire_bindings.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <optional>
#include <string>

#include "packed.hpp"
#include "wire.hpp"

namespace nb = nanobind;

namespace kernel {
namespace {

const std::uint8_t* bytes_of(const nb::bytes& bytes) {
    return static_cast<const std::uint8_t*>(bytes.data());
}

nb::bytes made(const std::string& message) { return nb::bytes(message.data(), message.size()); }

void check(const nb::bytes& bytes, std::size_t size) {
    if (bytes.size() != size)
        throw nb::value_error((std::to_string(size) + " bytes are needed, not " +
                               std::to_string(bytes.size())).c_str());
}

nb::object position_of(const nb::bytes& message) {
    std::array<std::uint8_t, PACKED> packed;
    if (!read_position(bytes_of(message), message.size(), packed.data())) return nb::none();
    return nb::bytes(packed.data(), packed.size());
}

nb::bytes position_message(const nb::bytes& position) {
    check(position, PACKED);
    std::string message;
    append_position(message, bytes_of(position));
    return made(message);
}

nb::bytes play_message(const nb::bytes& result, const nb::bytes& steps) {
    check(result, PACKED);
    check(steps, PACKED_STEPS);
    std::string message;
    append_play(message, bytes_of(result), bytes_of(steps));
    return made(message);
}

nb::bytes plays_message(const nb::bytes& results, const nb::bytes& steps, const nb::bytes& position,
                        int die1, int die2) {
    const std::size_t count = results.size() / PACKED;
    check(results, count * PACKED);
    check(steps, count * PACKED_STEPS);
    check(position, PACKED);
    std::string message;
    message.reserve(128 * (count + 1));
    for (std::size_t i = 0; i < count; ++i) {
        append_message(message, 1, [&] {
            append_play(message, bytes_of(results) + i * PACKED,
                        bytes_of(steps) + i * PACKED_STEPS);
        });
    }
    append_message(message, 4, [&] { append_position(message, bytes_of(position)); });
    append_message(message, 5, [&] {
        append_varint(message, 1, std::uint8_t(die1));
        append_varint(message, 2, std::uint8_t(die2));
    });
    return made(message);
}

nb::str format_play(const nb::bytes& steps, Mask blots) {
    const std::size_t count = steps.size() / STEP_BYTES;
    if (steps.size() % STEP_BYTES || count > MOST_STEPS)
        throw nb::value_error("at most four steps of 4 bytes are a play");
    std::string text;
    append_notation(text, bytes_of(steps), count, blots);
    return nb::str(text.data(), text.size());
}

}  // namespace

void bind_wire(nb::module_& module) {
    using namespace nb::literals;
    module.def("read_position", &position_of, "message"_a);
    module.def("position_message", &position_message, "position"_a);
    module.def("play_message", &play_message, "result"_a, "steps"_a);
    module.def("plays_message", &plays_message, "results"_a, "steps"_a, "position"_a, "die1"_a,
               "die2"_a);
    module.def("format_play", &format_play, "steps"_a, "blots"_a);
}

}  // namespace kernel
