#include "properties/conform/graph_match.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/vf2_sub_graph_iso.hpp>
#include <map>
#include <set>
#include <vector>

#include "placer/core/hash.hpp"
#include "placer/graph/validate.hpp"

namespace tarry {
namespace {

using Colour = std::uint64_t;

std::size_t digits_end(const std::string& s, std::size_t from) {
  while (from < s.size() && s[from] >= '0' && s[from] <= '9') ++from;
  return from;
}

// Without what counters made: "/_12" anywhere, and the number of "edge_12_".
std::string uncounted(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const bool suffix = text.compare(i, 2, "/_") == 0, edge = i == 0 && text.starts_with("edge_");
    const std::size_t start = i + (suffix ? 2 : 5), end = suffix || edge ? digits_end(text, start) : i;
    if (end > start && (suffix || edge)) {
      if (edge) out += "edge_";
      i = end;
    } else {
      out += text[i++];
    }
  }
  return out;
}

// What rewrites after the cut leave behind: notes for XLA, and ops of oneDNN in place of plain ones.
constexpr std::string_view kOneDnn = "_Mkl";
bool is_afterthought(std::string_view attr) {
  return attr == "_output_shapes" || attr == "send_device_incarnation" || attr == "_XlaHasReferenceVars" ||
         attr == "_kernel";
}

std::string label_of(const NodeSpec& n, MatchNames names) {
  std::string label = (names == MatchNames::yes ? uncounted(n.name) : "") + "|" +
                      (n.op.starts_with(kOneDnn) ? n.op.substr(kOneDnn.size()) : n.op) + "|" + n.device;
  for (const auto& [name, value] : n.attrs) {
    if (is_afterthought(name) || (name == "_class" && names == MatchNames::no)) continue;
    const auto* text = value.get<std::string>();
    label += "|" + name + "=" + (text != nullptr ? uncounted(*text) : summarize(value));
  }
  return label;
}

struct Link {  // an edge, seen from one end
  std::size_t other = 0;
  std::uint64_t slots = 0;  // of both ends; control edges have their own
};

struct Coloured {
  Coloured(const GraphSpec& g, MatchNames names);
  void link_colocated(const std::map<std::string, std::size_t, std::less<>>& index);
  void refine();
  [[nodiscard]] std::size_t classes() const { return std::set<Colour>(colours.begin(), colours.end()).size(); }

  const GraphSpec& spec;
  std::vector<Colour> colours;
  std::vector<std::vector<Link>> in, out;
};

Coloured::Coloured(const GraphSpec& g, MatchNames names) : spec(g), in(g.nodes.size()), out(g.nodes.size()) {
  std::map<std::string, std::size_t, std::less<>> index;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    index.emplace(g.nodes[i].name, i);
    colours.push_back(hash64(label_of(g.nodes[i], names)));
  }
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    std::uint64_t slot = 1;
    std::set<std::string_view>
        controls;  // said twice is as good as once: TensorFlow drops repeats when it imports a cut
    for (const std::string& text : g.nodes[i].inputs) {
      const InputName input = parse_input(text);
      const auto from = index.find(input.node);
      if (from == index.end() || (input.slot < 0 && !controls.insert(text).second)) continue;
      const std::uint64_t slots = input.slot < 0 ? 0 : slot++ << 32 | static_cast<std::uint64_t>(input.slot + 1);
      in[i].push_back({from->second, slots});
      out[from->second].push_back({i, slots});
    }
  }
  if (names == MatchNames::no) link_colocated(index);
}

void Coloured::link_colocated(const std::map<std::string, std::size_t, std::less<>>& index) {
  constexpr std::uint64_t kBeside = std::uint64_t{1} << 63;
  constexpr std::size_t kPrefix = 5;  // "loc:@"
  for (std::size_t i = 0; i < spec.nodes.size(); ++i)
    if (const auto* list = spec.nodes[i].attrs.get<AttrList>("_class"))
      for (const std::string& text : list->s)
        if (const auto with = index.find(text.substr(std::min(kPrefix, text.size()))); with != index.end()) {
          in[i].push_back({with->second, kBeside});
          out[with->second].push_back({i, kBeside});
        }
}

Colour mix(const std::vector<Link>& links, const std::vector<Colour>& colours, Colour seed) {
  std::vector<Colour> seen;
  for (const Link& l : links) seen.push_back(colours[l.other] * 0x9e3779b97f4a7c15ULL + l.slots);
  std::ranges::sort(seen);
  return hash64({reinterpret_cast<const char*>(seen.data()), seen.size() * sizeof(Colour)}, seed);
}

void Coloured::refine() {
  std::vector<Colour> next(colours.size());
  for (std::size_t i = 0; i < next.size(); ++i) next[i] = mix(out[i], colours, mix(in[i], colours, colours[i]));
  colours = std::move(next);
}

std::map<Colour, std::vector<std::size_t>> by_colour(const Coloured& g) {
  std::map<Colour, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < g.colours.size(); ++i) rows[g.colours[i]].push_back(i);
  return rows;
}

// The nodes of `a` for whose colour `b` has fewer.
std::string only_in(const Coloured& a, const Coloured& b, const char* who) {
  const auto rows = by_colour(a), others = by_colour(b);
  std::string text;
  int shown = 0;
  for (const auto& [colour, nodes] : rows) {
    const auto it = others.find(colour);
    if ((it != others.end() && it->second.size() >= nodes.size()) || ++shown > 3) continue;
    const NodeSpec& n = a.spec.nodes[nodes[0]];
    text += fmt::format(" only {}: {} ({}", who, n.name, n.op);
    for (const std::string& input : n.inputs) text += " " + input;
    text += ");";
  }
  return text;
}

using Small = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Colour, std::uint64_t>;

// What refinement left together: the nodes whose colour others share, and the edges among them.
Small undecided(const Coloured& g) {
  Small small;
  std::map<std::size_t, std::size_t> vertex;
  for (const auto& [colour, nodes] : by_colour(g))
    for (const std::size_t n : nodes)
      if (nodes.size() > 1) vertex[n] = boost::add_vertex(colour, small);
  for (const auto& [n, v] : vertex)
    for (const Link& l : g.in[n])
      if (const auto from = vertex.find(l.other); from != vertex.end())
        boost::add_edge(from->second, v, l.slots, small);
  return small;
}

bool same_rest(const Coloured& a, const Coloured& b) {
  const Small x = undecided(a), y = undecided(b);
  if (boost::num_edges(x) != boost::num_edges(y)) return false;
  if (boost::num_vertices(x) == 0) return true;
  bool found = false;
  boost::vf2_graph_iso(
      x, y, [&](auto&&, auto&&) { return found = true, false; }, boost::vertex_order_by_mult(x),
      boost::edges_equivalent([&](auto e, auto f) { return x[e] == y[f]; }).vertices_equivalent([&](auto u, auto v) {
        return x[u] == y[v];
      }));
  return found;
}

// A colour does not change any more: as many classes as the round before.
void refine_both(Coloured& a, Coloured& b) {
  for (std::size_t before = 0; a.classes() > before;) {
    before = a.classes();
    a.refine();
    b.refine();
  }
}

}  // namespace

std::string difference(const GraphSpec& ours, const GraphSpec& theirs, MatchNames names) {
  if (ours.nodes.size() != theirs.nodes.size()) {
    Coloured a(ours, names), b(theirs, names);
    return fmt::format("{} nodes, theirs has {};{}{}", ours.nodes.size(), theirs.nodes.size(), only_in(a, b, "ours"),
                       only_in(b, a, "theirs"));
  }
  Coloured a(ours, names), b(theirs, names);
  if (const std::string labels = only_in(a, b, "ours"); !labels.empty())
    return "nodes differ;" + labels + only_in(b, a, "theirs");
  refine_both(a, b);
  if (const std::string edges = only_in(a, b, "ours"); !edges.empty())
    return "edges differ;" + edges + only_in(b, a, "theirs");
  return same_rest(a, b) ? "" : "the edges between nodes that look alike differ";
}

}  // namespace tarry
