#include "scenarios/file/feed_resolve.hpp"

#include <utility>

namespace tarry {

InputFileSpec resolve_input_file(Reader& in, const Lookup& names, const RawInputFile& raw, std::string from) {
  if (raw.records.has_value() != raw.from.text.empty())
    in.fail(raw.at, "expected either 'records' or 'from', which say what is in the file");
  InputFileSpec spec{{.name = raw.name, .records = raw.records.value_or(0)}, "", raw.at};
  if (!raw.task.text.empty()) spec.file.task = names.task_of(raw.task);
  if (!raw.from.text.empty()) spec.from = std::move(from);
  return spec;
}

}  // namespace tarry
