#include "placer/graph/read.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "meta_graph.pb.h"
#include "placer/graph/compressed.hpp"
#include "placer/graph/wire.hpp"
#include "placer/graph/wire_fields.hpp"

namespace tarry {
namespace {

constexpr std::uintmax_t kMaxFile = std::uintmax_t{512} << 20;
constexpr int kMaxNesting = 100;

// ---- where a binary message stops making sense ----

template <class Message>
bool parse_binary(std::string_view bytes, Message& message) {
  const google::protobuf::LogSilencer protobuf_does_not_talk_to_the_user;
  google::protobuf::io::CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                static_cast<int>(bytes.size()));
  stream.SetRecursionLimit(kMaxNesting);
  return message.ParseFromCodedStream(&stream) && stream.ConsumedEntireMessage();
}

std::string locate_fault(std::string_view bytes) {
  WireField field;
  int nodes = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string fault = step_over_field(bytes, at, field);
    if (!fault.empty()) return fmt::format("at byte {} (after {} nodes): {}", field.at, nodes, fault);
    if (field.number != 1 || field.wire_type != 2) continue;
    tensorflow::NodeDef node;
    if (!parse_binary(bytes.substr(field.body, field.length), node))
      return fmt::format("at byte {}: node {} (counted from 0) is malformed", field.at, nodes);
    ++nodes;
  }
  return "malformed";
}

// Protobuf accepts other messages' bytes as unknown fields; a graph has none of those.
bool looks_like_meta_graph(std::string_view bytes) {
  tensorflow::MetaGraphDef meta;
  return parse_binary(bytes, meta) && meta.has_graph_def() &&
         (meta.has_meta_info_def() || meta.graph_def().node_size() > 0) &&
         meta.graph_def().GetReflection()->GetUnknownFields(meta.graph_def()).empty();
}

bool has_content(const tensorflow::GraphDef& graph) {
  return graph.node_size() > 0 || graph.has_library() || graph.has_versions() || graph.version() != 0;
}

bool is_graph(std::string_view bytes, tensorflow::GraphDef& graph) {
  if (!parse_binary(bytes, graph) || !has_content(graph)) return false;
  return std::ranges::all_of(graph.node(), [](const auto& n) { return !n.name().empty() || !n.op().empty(); });
}

StatusOr<GraphSpec> parse_binary_graph(std::string_view bytes, std::string_view name) {
  tensorflow::GraphDef graph;
  if (is_graph(bytes, graph)) return from_proto(graph);
  if (looks_like_meta_graph(bytes)) {
    tensorflow::MetaGraphDef meta;
    (void)parse_binary(bytes, meta);
    return from_proto(meta.graph_def());
  }
  return invalid("{}: not a GraphDef or MetaGraphDef: {}; expected TensorFlow's binary or text format", name,
                 locate_fault(bytes));
}

// ---- text ----

class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (text.empty()) text = fmt::format("{}:{}: {}", line + 1, column + 1, message);
  }
  std::string text;
};

template <class Message>
std::string parse_text(std::string_view bytes, Message& message) {
  FirstError errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(kMaxNesting);
  const bool parsed = parser.ParseFromString(std::string(bytes), &message);
  return parsed ? "" : errors.text.empty() ? "1:1: malformed" : errors.text;
}

bool starts_like_text(std::string_view bytes) {
  const std::size_t sample = std::min<std::size_t>(bytes.size(), 512);
  return std::ranges::all_of(bytes.substr(0, sample), [](char c) {
    const auto u = static_cast<unsigned char>(c);
    return u >= 32 || c == '\n' || c == '\r' || c == '\t';
  });
}

StatusOr<GraphSpec> parse_text_graph(std::string_view bytes, std::string_view name) {
  tensorflow::GraphDef graph;
  const std::string fault = parse_text(bytes, graph);
  if (fault.empty()) return from_proto(graph);
  tensorflow::MetaGraphDef meta;
  const std::string meta_fault = parse_text(bytes, meta);
  if (meta_fault.empty() && meta.has_graph_def()) return from_proto(meta.graph_def());
  return invalid("{}:{}; expected a GraphDef or MetaGraphDef in text format", name, fault);
}

}  // namespace

StatusOr<std::string> read_file(const std::string& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (failed || !std::filesystem::exists(status)) return error(Code::kNotFound, "{}: no such file", path);
  if (std::filesystem::is_directory(status)) return invalid("{}: is a folder; expected a file", path);
  if (!std::filesystem::is_regular_file(status)) return invalid("{}: is not a regular file", path);
  const std::uintmax_t size = std::filesystem::file_size(path, failed);
  if (failed) return invalid("{}: cannot be read", path);
  if (size > kMaxFile) return invalid("{}: has {} bytes; at most {} are read", path, size, kMaxFile);
  std::ifstream in(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!in.read(bytes.data(), static_cast<std::streamsize>(size))) return invalid("{}: cannot be read", path);
  return decompress_if_needed(std::move(bytes), path);
}

StatusOr<GraphSpec> parse_graph(std::string_view bytes, std::string_view name) {
  if (bytes.empty()) return invalid("{}: is empty; expected a GraphDef or MetaGraphDef", name);
  return starts_like_text(bytes) ? parse_text_graph(bytes, name) : parse_binary_graph(bytes, name);
}

StatusOr<GraphSpec> read_graph(const std::string& path) {
  TARRY_ASSIGN(const std::string bytes, read_file(path));
  return parse_graph(bytes, path);
}

StatusOr<OpDef> parse_op_def(std::string_view bytes) {
  tensorflow::OpDef op;
  if (!parse_binary(bytes, op)) return invalid("not an OpDef");
  return from_proto(op);
}

StatusOr<KernelDef> parse_kernel_def(std::string_view bytes) {
  tensorflow::KernelDef kernel;
  if (!parse_binary(bytes, kernel)) return invalid("not a KernelDef");
  return from_proto(kernel);
}

}  // namespace tarry
