// Reading recorded cases of real TensorFlow: JSON lines, attribute values, op and kernel tables, graphs and device
// sets.
//
// The forms are those of the recordings' README. A file may be compressed, with `.zst` or `.gz` added to its name.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "placer/device/device_set.hpp"
#include "placer/graph/graph.hpp"
#include "placer/graph/op_def.hpp"
#include "placer/place/rules.hpp"

namespace tarry {

using Json = nlohmann::ordered_json;  // a kernel's constraints are printed in the order of its registration

// How far our answers agree with recorded ones.
struct Agreement {
  std::string what;  // "placer 2.15.1"
  int agreed = 0, total = 0;
  int skipped = 0;                       // answered with UNIMPLEMENTED; not in `total`
  std::vector<std::string> differences;  // the first few: id, theirs, ours

  void note(bool same, const std::string& id, const std::string& theirs, const std::string& ours);
};
[[nodiscard]] std::string to_string(const Agreement& a);  // "placer 2.15.1: agree 10 of 12" and the differences

// Judges every answer in FOLDER/outcomes-RELEASE.jsonl together with its case in FOLDER/cases.jsonl (each perhaps with
// .zst or .gz added). Fails: a file is missing or malformed; INVALID_ARGUMENT for two cases with one id, and for an
// answer without a case.
using Judge = std::function<void(const Json& the_case, const Json& outcome, Agreement& agreement)>;
[[nodiscard]] StatusOr<Agreement> judge_outcomes(const std::string& what, const std::string& folder,
                                                 std::string_view release, const Judge& judge);
// Judges every row {"case", "outcome"} of FOLDER/vectors-RELEASE.jsonl in the same way.
[[nodiscard]] StatusOr<Agreement> judge_vectors(const std::string& what, const std::string& folder,
                                                std::string_view release, const Judge& judge);

// FOLDER/NAME, or FOLDER/NAME.zst or .gz when only that exists.
[[nodiscard]] std::string recorded_file(const std::string& folder, const std::string& name);

// Calls `each` with every line of a file of JSON lines. Fails: NOT_FOUND, INVALID_ARGUMENT with file and line; with the
// errors of `each`.
[[nodiscard]] Status for_each_line(const std::string& path, const std::function<Status(const Json&)>& each);

[[nodiscard]] AttrValue attr_from(const Json& value);
[[nodiscard]] Attrs attrs_from(const Json& object);

// `ops-VERSION.jsonl`, `kernels-VERSION.jsonl` and the ops that exist in tests only, `testops.json`.
struct RecordedTables {
  std::vector<OpDef> ops;
  std::vector<KernelDef> kernels;
};
[[nodiscard]] StatusOr<RecordedTables> read_tables(const std::string& folder, std::string_view version);
// Device types and their priorities, `types-VERSION.txt`.
[[nodiscard]] StatusOr<std::map<std::string, int, std::less<>>> read_type_priorities(const std::string& folder,
                                                                                     std::string_view version);

[[nodiscard]] GraphSpec graph_from(const Json& nodes);
[[nodiscard]] StatusOr<DeviceSet> devices_from(const Json& devices, DeviceLookup lookup = DeviceLookup::canonical);

}  // namespace tarry
