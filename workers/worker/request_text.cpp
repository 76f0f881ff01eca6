#include "workers/worker/request_text.hpp"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "placer/graph/types.hpp"
#include "workers/env.hpp"

namespace tarry {
namespace {

std::string in_quotes(std::string_view value) { return "\"" + absl::CEscape({value.data(), value.size()}) + "\""; }

template <class T>
std::string first_of(const TensorBody& t) {
  T value{};
  std::memcpy(&value, t.raw().data(), sizeof value);
  return fmt::format("{}", value);
}
std::string first_bool(const TensorBody& t) { return t.as<bool>()[0] ? "true" : "false"; }
std::string first_text(const TensorBody& t) { return in_quotes(t.strings()[0]); }

// The field that holds elements of this type, and what it says of the first.
struct ValueField {
  DataType type;
  const char* name;
  std::string (*first)(const TensorBody&);
};
constexpr ValueField kValueFields[] = {
    {DataType::kFloat, "float_val", first_of<float>},
    {DataType::kDouble, "double_val", first_of<double>},
    {DataType::kInt32, "int_val", first_of<std::int32_t>},
    {DataType::kInt16, "int_val", first_of<std::int16_t>},
    {DataType::kInt8, "int_val", first_of<std::int8_t>},
    {DataType::kUint16, "int_val", first_of<std::uint16_t>},
    {DataType::kUint8, "int_val", first_of<std::uint8_t>},
    {DataType::kInt64, "int64_val", first_of<std::int64_t>},
    {DataType::kUint32, "uint32_val", first_of<std::uint32_t>},
    {DataType::kUint64, "uint64_val", first_of<std::uint64_t>},
    {DataType::kBool, "bool_val", first_bool},
    {DataType::kString, "string_val", first_text},
    {DataType::kHalf, "half_val", first_of<std::uint16_t>},
    {DataType::kBfloat16, "half_val", first_of<std::uint16_t>},
};

// " int_val: 7"; "" of a type that tarry keeps in another way.
std::string one_value(const TensorBody& t) {
  const auto* const field = std::ranges::find(kValueFields, t.dtype(), &ValueField::type);
  return field == std::end(kValueFields) ? "" : fmt::format(" {}: {}", field->name, field->first(t));
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
  for (const std::int64_t d : t.shape().dims)
    dims += (dims.empty() ? "dim {" : " dim {") + (d == 0 ? std::string(" }") : fmt::format(" size: {} }}", d));
  std::string out = fmt::format("dtype: {} tensor_shape {}", summarize(AttrValue(t.dtype())),
                                dims.empty() ? "{ }" : fmt::format("{{ {} }}", dims));
  if (!t.has_data() || t.elements() == 0) return out;
  if (t.elements() == 1) return out + one_value(t);
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
  for (const NamedTensor& t : r.sends)
    out.message("send", ProtoText().text("name", env.text(t.key)).message("tensor", text_of(*t.tensor)).take());
  for (const NameId key : r.receives) out.item("recv_key", env.text(key));
  const std::string exec_text = exec.take();
  if (!exec_text.empty()) out.message("exec_opts", exec_text);
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
