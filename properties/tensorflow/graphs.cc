#include "graphs.h"

#if TFV >= 112
#include "google/protobuf/text_format.h"
#endif

#if TFV >= 112
tf::GraphDef read_graph(const Value& c) {
  tf::GraphDef g;
  g.mutable_versions()->set_producer(TF_GRAPH_DEF_VERSION);
  for (const Value& n : c["nodes"].a) graph_json::put_node(n, g.add_node());
  if (c["lib"].is(Value::kString) && !google::protobuf::TextFormat::ParseFromString(c["lib"].s, g.mutable_library()))
    throw std::runtime_error("bad function library");
  return g;
}
std::string graph_text(const tf::GraphDef& g) { return graph_json::graph_text(g); }
#else
tf::GraphDef read_graph(const Value& c) { return graph_bytes::parse<tf::GraphDef>(graph_bytes::unbase64(c["gd"].s)); }
std::string graph_text(const tf::GraphDef& g) { return json::quote(graph_bytes::base64(graph_bytes::bytes(g))); }
#endif

std::unique_ptr<tf::Graph> import(tf::GraphDef g, bool placed) {
#if TFV >= 112
  tf::FunctionLibraryDefinition lib(tf::OpRegistry::Global(), g.library());
  std::unique_ptr<tf::Graph> graph(new tf::Graph(lib));
  must(tf::AddDefaultAttrsToGraphDef(&g, lib, 0), "import");
#else
  std::unique_ptr<tf::Graph> graph(new tf::Graph(tf::OpRegistry::Global()));
  must(tf::AddDefaultAttrsToGraphDef(&g, *tf::OpRegistry::Global(), 0), "import");
#endif
  tf::GraphConstructorOptions o;
  o.allow_internal_ops = true;
  o.expect_device_spec = placed;
  must(tf::ConvertGraphDefToGraph(o, g, graph.get()), "import");
  return graph;
}
