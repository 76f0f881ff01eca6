#include "properties/conform/recorded.hpp"

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "placer/core/text.hpp"
#include "placer/graph/read.hpp"
#include "properties/conform/checked.hpp"

namespace tarry {
namespace {

constexpr std::size_t kDifferencesKept = 5;

// "DT_FLOAT" or "float".
DataType type_from(std::string_view name) {
  if (name.starts_with("DT_")) name.remove_prefix(3);
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return parse_type_name(lower).value_or(DataType::kInvalid);
}

Shape shape_from(const Json& dims) {
  return dims.is_null() ? Shape::unknown() : Shape(dims.get<std::vector<std::int64_t>>());
}

template <class T>
void append_as(std::string& content, const Json& v) {
  const T value = v.is_boolean() ? static_cast<T>(v.get<bool>()) : v.get<T>();
  content.append(reinterpret_cast<const char*>(&value), sizeof value);  // recordings and tarry are little-endian
}

void append_element(TensorSpec& t, const Json& v) {
  switch (t.dtype) {
    case DataType::kString:
      return t.strings.push_back(v.get<std::string>());
    case DataType::kDouble:
      return append_as<double>(t.content, v);
    case DataType::kFloat:
      return append_as<float>(t.content, v);
    case DataType::kInt64:
      return append_as<std::int64_t>(t.content, v);
    case DataType::kBool:
      return append_as<std::uint8_t>(t.content, v);
    default:
      return append_as<std::int32_t>(t.content, v);
  }
}

AttrValue tensor_from(const Json& parts) {
  auto t = std::make_shared<TensorSpec>();
  t->dtype = type_from(parts.at(0).get<std::string>());
  t->shape = shape_from(parts.at(1));
  for (const Json& v : parts.at(2)) append_element(*t, v);
  return AttrValue(std::shared_ptr<const TensorSpec>(std::move(t)));
}

AttrValue list_from(const Json& items) {
  AttrList list;
  for (const Json& v : items) {
    if (v.is_number())
      list.i.push_back(v.get<std::int64_t>());
    else if (v.get<std::string>().starts_with("DT_"))
      list.type.push_back(type_from(v.get<std::string>()));
    else
      list.s.push_back(v.get<std::string>());
  }
  return AttrValue(std::move(list));
}

AttrValue object_from(const Json& value) {
  if (value.contains("s")) return AttrValue(value.at("s").get<std::string>());
  if (value.contains("f")) return AttrValue(value.at("f").get<float>());
  if (value.contains("shape")) return AttrValue(shape_from(value.at("shape")));
  if (value.contains("func")) return AttrValue(FuncRef{value.at("func").get<std::string>(), nullptr});
  if (value.contains("tensor")) return tensor_from(value.at("tensor"));
  AttrList list;
  for (const Json& dims : value.at("shapes")) list.shape.push_back(shape_from(dims));
  return AttrValue(std::move(list));
}

// "ref N*T", "Ts...", "DT_FLOAT", "T".
ArgDef arg_from(std::string name, std::string_view type) {
  ArgDef arg{.name = std::move(name)};
  if (type.starts_with("ref ")) {
    arg.is_ref = true;
    type.remove_prefix(4);
  }
  if (const auto star = type.find('*'); star != std::string_view::npos) {
    arg.number_attr = std::string(type.substr(0, star));
    type.remove_prefix(star + 1);
  }
  if (type.ends_with("..."))
    arg.type_list_attr = std::string(type.substr(0, type.size() - 3));
  else if (type.starts_with("DT_"))
    arg.type = type_from(type);
  else
    arg.type_attr = std::string(type);
  return arg;
}

std::vector<ArgDef> args_from(const Json& pairs) {
  std::vector<ArgDef> args;
  for (const Json& pair : pairs) args.push_back(arg_from(pair.at(0).get<std::string>(), pair.at(1).get<std::string>()));
  return args;
}

AttrDef attr_def_from(const std::string& name, const Json& pair) {
  AttrDef attr{.name = name, .type = pair.at(0).get<std::string>()};
  if (!pair.at(1).is_null()) attr.default_value = attr_from(pair.at(1));
  return attr;
}

OpDef op_from(const Json& row) {
  OpDef op{.name = row.at(0).get<std::string>(), .inputs = args_from(row.at(1)), .outputs = args_from(row.at(2))};
  for (const auto& [name, pair] : row.at(3).items()) op.attrs.push_back(attr_def_from(name, pair));
  op.is_stateful = row.at(4).get<bool>();
  return op;
}

std::vector<KernelConstraint> constraints_from(const Json& object) {
  std::vector<KernelConstraint> constraints;
  for (const auto& [attr, types] : object.items()) {
    KernelConstraint c{.attr = attr};
    for (const Json& t : types) c.allowed.type.push_back(type_from(t.get<std::string>()));
    constraints.push_back(std::move(c));
  }
  return constraints;
}

// [device type, priority, label, constraints, host-memory arguments]; the last may be left out.
KernelDef kernel_from(const std::string& op, const Json& row, std::size_t first) {
  KernelDef k{.op = op, .device_type = row.at(first).get<std::string>()};
  if (k.device_type == "C") k.device_type = "CPU";
  if (k.device_type == "G") k.device_type = "GPU";
  if (row.size() > first + 1) k.priority = row.at(first + 1).get<int>();
  if (row.size() > first + 2) k.label = row.at(first + 2).get<std::string>();
  if (row.size() > first + 3) k.constraints = constraints_from(row.at(first + 3));
  if (row.size() > first + 4) k.host_memory_args = row.at(first + 4).get<std::vector<std::string>>();
  return k;
}

// "f", "i", "rf", "R", or an attribute's name.
ArgDef test_arg(std::string name, const std::string& type) {
  const std::string known = type == "f"    ? "DT_FLOAT"
                            : type == "i"  ? "DT_INT32"
                            : type == "rf" ? "ref DT_FLOAT"
                            : type == "R"  ? "DT_RESOURCE"
                                           : type;
  return arg_from(std::move(name), known);
}

std::vector<ArgDef> test_args(const Json& op, const char* field, char prefix) {
  std::vector<ArgDef> args;
  if (op.contains(field))
    for (const Json& type : op.at(field))
      args.push_back(test_arg(fmt::format("{}{}", prefix, args.size()), type.get<std::string>()));
  return args;
}

OpDef test_op(const Json& row) {
  OpDef op{.name = row.at("op").get<std::string>(),
           .inputs = test_args(row, "in", 'i'),
           .outputs = test_args(row, "out", 'o')};
  if (row.contains("attr"))
    for (const Json& text : row.at("attr")) {
      const std::string attr = text.get<std::string>();
      const bool is_list = attr.find("list(") != std::string::npos;
      op.attrs.push_back({.name = attr.substr(0, attr.find(':')), .type = is_list ? "list(type)" : "type"});
    }
  return op;
}

Status read_test_ops(const std::string& path, RecordedTables& tables) {
  TARRY_ASSIGN(const std::string text, read_file(path));
  const auto file = parse_recording<Json>(text);
  if (!file.ok()) return with_prefix(file.status(), path + ": ");
  return refused(path, [&]() -> Status {
    for (const Json& row : file->at("ops")) {
      tables.ops.push_back(test_op(row));
      for (const Json& k : row.at("k")) tables.kernels.push_back(kernel_from(tables.ops.back().name, k, 0));
    }
    return {};
  });
}

NodeSpec node_from(const Json& row) {
  NodeSpec n{.name = row.at(0).get<std::string>(), .op = row.at(1).get<std::string>()};
  if (row.size() > 2) n.inputs = row.at(2).get<std::vector<std::string>>();
  if (row.size() > 3) n.device = row.at(3).get<std::string>();
  if (row.size() > 4) n.attrs = attrs_from(row.at(4));
  return n;
}

Status each_or_malformed(const Json& row, const std::function<Status(const Json&)>& each) try {
  return each(row);
} catch (const Malformed& e) {
  return invalid("{}", e.what());
} catch (const Json::exception& e) {
  return invalid("not of the recordings' form (properties/conform/data/README.md): {}", e.what());
}

}  // namespace

void Agreement::note(bool same, const std::string& id, const std::string& theirs, const std::string& ours) {
  ++total;
  agreed += same ? 1 : 0;
  if (!same && differences.size() < kDifferencesKept)
    differences.push_back(fmt::format("{}\n  theirs: {}\n  ours:   {}", id, theirs, ours));
}

std::string to_string(const Agreement& a) {
  std::string out = fmt::format("{}: agree {} of {}", a.what, a.agreed, a.total);
  if (a.skipped != 0) out += fmt::format(" ({} more need what tarry does not do)", a.skipped);
  for (const std::string& d : a.differences) out += "\n" + d;
  return out + "\n";
}

std::string recorded_file(const std::string& folder, const std::string& name) {
  const std::string plain = fmt::format("{}/{}", folder, name);
  for (const char* behind : {"", ".zst", ".gz"})
    if (std::filesystem::exists(plain + behind)) return plain + behind;
  return plain;
}

Status for_each_line(const std::string& path, const std::function<Status(const Json&)>& each) {
  TARRY_ASSIGN(const std::string text, read_file(path));
  std::istringstream in(text);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto row = parse_recording<Json>(line);
    const Status s = row.ok() ? each_or_malformed(*row, each) : row.status();
    if (!s.ok()) return Status(s.code(), fmt::format("{}:{}: {}", path, number, text_of(s)));
  }
  return {};
}

StatusOr<Agreement> judge_outcomes(const std::string& what, const std::string& folder, std::string_view release,
                                   const Judge& judge) {
  std::map<std::string, Json> cases;
  TARRY_RETURN_IF_ERROR(for_each_line(recorded_file(folder, "cases.jsonl"), [&](const Json& c) {
    const std::string id = c.at("id").get<std::string>();
    return cases.emplace(id, c).second ? Status() : invalid("case {} is here already; ids must differ", id);
  }));
  Agreement agreement{.what = fmt::format("{} {}", what, release)};
  TARRY_RETURN_IF_ERROR(
      for_each_line(recorded_file(folder, fmt::format("outcomes-{}.jsonl", release)), [&](const Json& outcome) {
        const auto it = cases.find(outcome.at("id").get<std::string>());
        if (it == cases.end()) return invalid("outcome of an unknown case {}", outcome.at("id").get<std::string>());
        judge(it->second, outcome, agreement);
        return Status();
      }));
  return agreement;
}

StatusOr<Agreement> judge_vectors(const std::string& what, const std::string& folder, std::string_view release,
                                  const Judge& judge) {
  Agreement agreement{.what = fmt::format("{} {}", what, release)};
  TARRY_RETURN_IF_ERROR(
      for_each_line(recorded_file(folder, fmt::format("vectors-{}.jsonl", release)), [&](const Json& row) {
        judge(row.at("case"), row.at("outcome"), agreement);
        return Status();
      }));
  return agreement;
}

AttrValue attr_from(const Json& value) {
  if (value.is_string()) return AttrValue(type_from(value.get<std::string>()));
  if (value.is_boolean()) return AttrValue(value.get<bool>());
  if (value.is_number_float()) return AttrValue(value.get<float>());
  if (value.is_number()) return AttrValue(value.get<std::int64_t>());
  return value.is_array() ? list_from(value) : object_from(value);
}

Attrs attrs_from(const Json& object) {
  std::vector<AttrEntry> entries;
  for (const auto& [name, value] : object.items()) entries.emplace_back(name, attr_from(value));
  return Attrs(std::move(entries));
}

StatusOr<RecordedTables> read_tables(const std::string& folder, std::string_view version) {
  RecordedTables tables;
  TARRY_RETURN_IF_ERROR(read_test_ops(recorded_file(folder, "testops.json"), tables));
  std::set<std::string> test_only;
  for (const OpDef& op : tables.ops) test_only.insert(op.name);
  TARRY_RETURN_IF_ERROR(
      for_each_line(recorded_file(folder, fmt::format("ops-{}.jsonl", version)), [&](const Json& row) {
        if (!test_only.contains(row.at(0).get<std::string>())) tables.ops.push_back(op_from(row));
        return Status();
      }));
  TARRY_RETURN_IF_ERROR(
      for_each_line(recorded_file(folder, fmt::format("kernels-{}.jsonl", version)), [&](const Json& row) {
        const std::string op = row.at(0).get<std::string>();
        if (!test_only.contains(op)) tables.kernels.push_back(kernel_from(op, row, 1));
        return Status();
      }));
  return tables;
}

StatusOr<std::map<std::string, int, std::less<>>> read_type_priorities(const std::string& folder,
                                                                       std::string_view version) {
  TARRY_ASSIGN(const std::string text, read_file(recorded_file(folder, fmt::format("types-{}.txt", version))));
  std::istringstream in(text);
  std::map<std::string, int, std::less<>> priorities;
  std::string type;
  for (int priority = 0; in >> type >> priority;) priorities[type] = priority;
  return priorities;
}

GraphSpec graph_from(const Json& nodes) {
  GraphSpec graph;
  for (const Json& row : nodes) graph.nodes.push_back(node_from(row));
  return graph;
}

StatusOr<DeviceSet> devices_from(const Json& devices, DeviceLookup lookup) {
  DeviceSet set(lookup);
  for (const Json& d : devices) {
    const bool plain = d.is_string();
    const StatusOr<DeviceId> id = plain ? set.add(d.get<std::string>())
                                        : set.add(d.at(0).get<std::string>(), d.at(1).get<std::string>(),
                                                  d.size() > 2 ? d.at(2).get<std::uint64_t>() : 0);
    if (!id.ok()) return id.status();
  }
  return set;
}

}  // namespace tarry
