// What a scenario says of the files that readers read, with its names resolved.
#pragma once

#include "scenarios/file/lookup.hpp"
#include "scenarios/file/raw.hpp"
#include "scenarios/file/schema.hpp"
#include "scenarios/file/spec.hpp"

namespace tarry {

// `from`: the path of the file that `raw` names. Tells `in` of an unknown task, and of an entry that has neither or
// both of `records` and `from`.
[[nodiscard]] InputFileSpec resolve_input_file(Reader& in, const Lookup& names, const RawInputFile& raw,
                                               std::string from);

}  // namespace tarry
