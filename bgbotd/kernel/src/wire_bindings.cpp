// The Python face of wire.hpp.
#include "wire_bindings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <array>
#include <optional>
#include <string>

#include "answers.hpp"
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
    append_asked(message, bytes_of(position), die1, die2);
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

nb::bytes result_message(std::int64_t number, int field, const nb::bytes& answer) {
    std::string message;
    message.reserve(answer.size() + 24);
    append_message(message, 1, [&] {
        append_varint(message, 1, number);
        append_message(message, field, [&] { message.append(answer.c_str(), answer.size()); });
    });
    return made(message);
}

std::optional<Request> request_of(const nb::bytes& message) {
    Request request;
    if (!read_request(bytes_of(message), message.size(), request)) return std::nullopt;
    return request;
}

nb::object plays_answered(const Request& request) {
    if (!request.asks_for_a_play()) return nb::none();
    return made(plays_answer(request));
}

nb::object choice_answered(const Request& request, bool hard, const nb::bytes& match,
                           const nb::bytes& stamp) {
    if (!request.asks_for_a_play()) return nb::none();
    return made(choice_answer(request, hard, {match.c_str(), match.size()},
                              {stamp.c_str(), stamp.size()}));
}

}  // namespace

void bind_wire(nb::module_& module) {
    using namespace nb::literals;
    module.def("read_position", &position_of, "message"_a);
    module.def("position_message", &position_message, "position"_a);
    module.def("play_message", &play_message, "result"_a, "steps"_a);
    module.def("plays_message", &plays_message, "results"_a, "steps"_a, "position"_a, "die1"_a,
               "die2"_a);
    nb::class_<Request>(module, "Request")
        .def_prop_ro("rest", [](const Request& request) { return made(request.rest); })
        .def("count_pips", [](const Request& request) { return made(pips_answer(request)); })
        .def("list_legal_plays", &plays_answered)
        .def("choose_play", &choice_answered, "hard"_a, "match"_a, "stamp"_a);
    module.def("read_request", &request_of, "message"_a);
    module.def("result_message", &result_message, "number"_a, "field"_a, "answer"_a);
    module.def("format_play", &format_play, "steps"_a, "blots"_a);
}

}  // namespace kernel
