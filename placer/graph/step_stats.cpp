#include "placer/graph/step_stats.hpp"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>

#include "placer/graph/read.hpp"
#include "step_stats.pb.h"

namespace tarry {
namespace {

using tensorflow::NodeExecStats;
using tensorflow::RunMetadata;

constexpr std::int64_t kMicro = 1000;

class Silent : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

// A text starts with a field's name; a binary one with the tag of field 1, which is no letter.
bool is_text(std::string_view bytes) {
  return !bytes.empty() && (std::isalpha(static_cast<unsigned char>(bytes[0])) != 0 || bytes[0] == '#');
}

template <class Message>
bool parse(std::string_view bytes, Message& message) {
  const google::protobuf::LogSilencer protobuf_does_not_talk_to_the_user;
  if (!is_text(bytes)) return message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  Silent nobody_listens;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&nobody_listens);
  parser.AllowUnknownField(true);  // cost graphs and what releases to come may add
  return parser.ParseFromString(std::string(bytes), &message);
}

// StepStats alone read as RunMetadata would have names of devices for messages: that fails, or finds no statistics.
bool parse_either(std::string_view bytes, RunMetadata& metadata) {
  if (parse(bytes, metadata) && metadata.step_stats().dev_stats_size() > 0) return true;
  metadata.Clear();
  return parse(bytes, *metadata.mutable_step_stats()) && metadata.step_stats().dev_stats_size() > 0;
}

// New releases write both, old ones microseconds only. The difference of two of them has room.
std::int64_t nanos(std::int64_t nanos, std::int64_t micros) {
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  if (nanos == 0) nanos = std::clamp(micros, -kMost / kMicro, kMost / kMicro) * kMicro;
  return std::clamp(nanos, -kMost, kMost);
}

NodeExecTime time_of(const std::string& device, const NodeExecStats& s) {
  const std::int64_t start = nanos(s.op_start_rel_nanos(), s.op_start_rel_micros()),
                     end = nanos(s.op_end_rel_nanos(), s.op_end_rel_micros());
  return {device, s.node_name(), s.timeline_label(), nanos(s.all_start_nanos(), s.all_start_micros()) + start,
          std::max<std::int64_t>(0, end - start)};
}

void fill(NodeExecStats& s, const NodeExecTime& t) {
  s.set_node_name(t.node);
  s.set_timeline_label(t.label);
  s.set_all_start_nanos(t.start_ns);
  s.set_scheduled_nanos(t.start_ns);
  s.set_op_end_rel_nanos(t.duration_ns);
  s.set_all_end_rel_nanos(t.duration_ns);
  s.set_all_start_micros(t.start_ns / kMicro);
  s.set_scheduled_micros(t.start_ns / kMicro);
  s.set_op_end_rel_micros(t.duration_ns / kMicro);
  s.set_all_end_rel_micros(t.duration_ns / kMicro);
}

RunMetadata metadata_of(const std::vector<NodeExecTime>& times) {
  RunMetadata metadata;
  auto& devices = *metadata.mutable_step_stats()->mutable_dev_stats();
  for (const NodeExecTime& t : times) {
    auto device = std::find_if(devices.begin(), devices.end(),
                               [&](const tensorflow::DeviceStepStats& d) { return d.device() == t.device; });
    if (device == devices.end()) devices.Add()->set_device(t.device), device = devices.end() - 1;
    fill(*device->add_node_stats(), t);
  }
  return metadata;
}

}  // namespace

StatusOr<std::vector<NodeExecTime>> parse_step_stats(std::string_view bytes, std::string_view name) {
  RunMetadata metadata;
  if (!parse_either(bytes, metadata))
    return invalid("{}: not step statistics; expected TensorFlow's RunMetadata or StepStats, binary or text", name);
  std::vector<NodeExecTime> times;
  for (const auto& device : metadata.step_stats().dev_stats())
    for (const NodeExecStats& s : device.node_stats()) times.push_back(time_of(device.device(), s));
  if (times.empty()) return invalid("{}: step statistics without an executed node", name);
  return times;
}

StatusOr<std::vector<NodeExecTime>> read_step_stats(const std::string& path) {
  TARRY_ASSIGN(const std::string bytes, read_file(path));
  return parse_step_stats(bytes, path);
}

std::string run_metadata_binary(const std::vector<NodeExecTime>& times) {
  return metadata_of(times).SerializeAsString();
}

std::string run_metadata_text(const std::vector<NodeExecTime>& times) {
  std::string text;
  google::protobuf::TextFormat::PrintToString(metadata_of(times), &text);
  return text;
}

}  // namespace tarry
