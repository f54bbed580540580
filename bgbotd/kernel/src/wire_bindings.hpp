#pragma once

#include <nanobind/nanobind.h>

namespace kernel {

// Adds what speaks protobuf and notation to the module.
void bind_wire(nanobind::module_& module);

}  // namespace kernel
