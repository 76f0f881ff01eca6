// Graphs from files and bytes: GraphDef and MetaGraphDef, binary or text, plain or compressed with zstd or gzip.
//
// The wire format is TensorFlow's; protobuf stays behind this header. Files are bounded: 512 MB on disk and 512 MB
// decompressed; more, or anything malformed, is INVALID_ARGUMENT with the file's name and what was expected.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "placer/core/status.hpp"
#include "placer/graph/compressed.hpp"
#include "placer/graph/op_def.hpp"
#include "placer/graph/spec.hpp"

namespace tarry {

// The format is recognised by content: a text file starts with a field name, a zstd file with its magic number;
// MetaGraphDef is recognised by its fields. Fails: NOT_FOUND (no such file), INVALID_ARGUMENT (a folder, an empty file,
// not a graph).
[[nodiscard]] StatusOr<GraphSpec> read_graph(const std::string& path);
[[nodiscard]] StatusOr<GraphSpec> parse_graph(std::string_view bytes, std::string_view name);

// A GraphDef in protobuf's own JSON. Fails: INVALID_ARGUMENT with protobuf's words.
[[nodiscard]] StatusOr<GraphSpec> parse_graph_json(std::string_view json);

// The bytes of a file, decompressed when it is zstd or gzip.
[[nodiscard]] StatusOr<std::string> read_file(const std::string& path);

[[nodiscard]] std::string to_binary(const GraphSpec& graph);
[[nodiscard]] std::string to_text(const GraphSpec& graph);
[[nodiscard]] std::string library_text(
    std::span<const FunctionSpec> functions);  // a FunctionDefLibrary, as errors say it

// An op or a kernel in TensorFlow's wire format.
[[nodiscard]] StatusOr<OpDef> parse_op_def(std::string_view bytes);
[[nodiscard]] StatusOr<KernelDef> parse_kernel_def(std::string_view bytes);

}  // namespace tarry
