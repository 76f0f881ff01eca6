#include "workers/worker/request_text.hpp"

#include <absl/strings/escaping.h>

#include "placer/graph/types.hpp"
#include "workers/env.hpp"

namespace tarry {
namespace {

std::string in_quotes(std::string_view value) { return "\"" + absl::CEscape({value.data(), value.size()}) + "\""; }

// The field that holds elements of this type.
const char* value_field(DataType t) {
  switch (t) {
    case DataType::kFloat:
      return "float_val";
    case DataType::kDouble:
      return "double_val";
    case DataType::kInt64:
      return "int64_val";
    case DataType::kBool:
      return "bool_val";
    case DataType::kString:
      return "string_val";
    default:
      return "int_val";
  }
}

std::string one_value(const TensorBody& t) {
  switch (t.dtype()) {
    case DataType::kFloat:
      return fmt::format("{}", t.as<float>()[0]);
    case DataType::kDouble:
      return fmt::format("{}", t.as<double>()[0]);
    case DataType::kInt32:
      return fmt::format("{}", t.as<std::int32_t>()[0]);
    case DataType::kInt64:
      return fmt::format("{}", t.as<std::int64_t>()[0]);
    case DataType::kBool:
      return t.as<bool>()[0] ? "true" : "false";
    case DataType::kString:
      return in_quotes(t.strings()[0]);
    default:
      return "0";
  }
}

}  // namespace

void ProtoText::add(std::string_view field, std::string_view rest) {
  if (!out_.empty()) out_ += ' ';
  out_ += field;
  out_ += rest;
}

ProtoText& ProtoText::text(std::string_view field, std::string_view value) {
  return value.empty() ? *this : item(field, value);
}
ProtoText& ProtoText::number(std::string_view field, std::uint64_t value) {
  if (value != 0) add(field, fmt::format(": {}", value));
  return *this;
}
ProtoText& ProtoText::flag(std::string_view field, bool value) {
  if (value) add(field, ": true");
  return *this;
}
ProtoText& ProtoText::word(std::string_view field, std::string_view value) {
  add(field, fmt::format(": {}", value));
  return *this;
}
ProtoText& ProtoText::item(std::string_view field, std::string_view value) {
  add(field, ": " + in_quotes(value));
  return *this;
}
ProtoText& ProtoText::message(std::string_view field, std::string_view body) {
  add(field, body.empty() ? std::string(" { }") : fmt::format(" {{ {} }}", body));
  return *this;
}

std::string text_of(const TensorBody& t) {
  std::string dims;
  for (const std::int64_t d : t.shape().dims) dims += fmt::format("{}dim {{ size: {} }}", dims.empty() ? "" : " ", d);
  std::string out = fmt::format("dtype: {} tensor_shape {}", summarize(AttrValue(t.dtype())),
                                dims.empty() ? "{ }" : fmt::format("{{ {} }}", dims));
  if (!t.has_data() || t.elements() == 0) return out;
  if (t.elements() == 1) return out + fmt::format(" {}: {}", value_field(t.dtype()), one_value(t));
  if (t.dtype() == DataType::kString) {
    for (const std::string& s : t.strings()) out += " string_val: " + in_quotes(s);
    return out;
  }
  const auto raw = t.raw();
  return out + " tensor_content: " + in_quotes({reinterpret_cast<const char*>(raw.data()), raw.size()});
}

std::string text_of(const Env& env, const RunGraphRequest& r) {
  ProtoText exec, out;
  exec.flag("record_costs", r.exec.record_costs).flag("record_timeline", r.exec.record_timeline);
  exec.flag("record_partition_graphs", r.exec.record_partition_graphs)
      .flag("report_tensor_allocations_upon_oom", r.exec.report_allocations);
  out.text("graph_handle", r.graph.get()).number("step_id", r.step.value);
  const std::string exec_text = exec.take();
  if (!exec_text.empty()) out.message("exec_opts", exec_text);
  for (const NamedTensor& t : r.sends)
    out.message("send", ProtoText().text("name", env.text(t.key)).message("tensor", text_of(*t.tensor)).take());
  for (const NameId key : r.receives) out.item("recv_key", env.text(key));
  out.flag("is_partial", r.is_partial)
      .flag("is_last_partial_run", r.is_last_partial)
      .text("session_handle", r.session.get());
  out.flag("store_errors_in_response_body", r.errors_in_body)
      .flag("create_worker_session_called", r.session_was_created);
  return out.number("request_id", r.request_id).take();
}

std::string text_of(const Env& env, const RecvTensorRequest& r) {
  return ProtoText()
      .number("step_id", r.step.value)
      .text("rendezvous_key", key_text(env, r.key))
      .number("request_id", r.request_id)
      .take();
}

Status received_twice(std::string_view method, std::string_view text) {
  return error(Code::kAborted, "The same {} request was received twice. {}", method, text);
}

}  // namespace tarry
