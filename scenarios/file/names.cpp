#include "scenarios/file/names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "placer/core/text.hpp"
#include "placer/device/name.hpp"
#include "scenarios/file/faults.hpp"

namespace tarry {
namespace {

using Names = std::set<std::string>;

Status wrong(const std::string& place, const std::string& what, const std::string& word, const Names& known) {
  return invalid("{}{}{}", place, what, suggestion(word, std::vector(known.begin(), known.end())));
}

// The graphs of the programs, each once, however many clients have it.
std::vector<const GraphSpec*> graphs_of(const std::vector<TaskProgram>& programs) {
  std::vector<const GraphSpec*> graphs;
  for (const auto& [task, program] : programs)
    if (std::ranges::find(graphs, program.graph.get()) == graphs.end()) graphs.push_back(program.graph.get());
  return graphs;
}

template <class Of>
Names names_in(const std::vector<TaskProgram>& programs, Of of) {
  Names names;
  for (const GraphSpec* graph : graphs_of(programs))
    for (const NodeSpec& n : graph->nodes) names.insert(of(n));
  return names;
}

template <class Fits>
bool any_node(const std::vector<TaskProgram>& programs, Fits fits) {
  return std::ranges::any_of(graphs_of(programs),
                             [&](const GraphSpec* graph) { return std::ranges::any_of(graph->nodes, fits); });
}

// ---- costs ----

// Nodes that cutting a graph adds are called "x_S12" and "x_G12", and their ops are few.
bool is_name_of_a_cut(std::string_view name) {
  const auto mark = name.rfind('_');
  if (mark == name.npos || mark + 2 >= name.size() || (name[mark + 1] != 'S' && name[mark + 1] != 'G')) return false;
  return name.find_first_not_of("0123456789*", mark + 2) == name.npos;
}

bool is_op_of_a_cut(std::string_view op) {
  constexpr std::string_view kOps[] = {"_Send", "_Recv", "_HostSend",      "_HostRecv",
                                       "Cast",  "Const", "ControlTrigger", "Identity"};
  return std::ranges::any_of(kOps, [&](std::string_view o) { return matches_glob(o, op); });
}

bool fits_node(const CostRule& r, const NodeSpec& n) { return r.node.empty() || matches_glob(n.name, r.node); }
bool fits_op(const CostRule& r, const NodeSpec& n) { return r.op.empty() || matches_glob(n.op, r.op); }

Status check_rule(const CostRule& r, const std::string& place, const std::vector<TaskProgram>& programs) {
  if (any_node(programs, [&](const NodeSpec& n) { return fits_node(r, n) && fits_op(r, n); })) return {};
  if (is_name_of_a_cut(r.node) || (r.node.empty() && is_op_of_a_cut(r.op))) return {};
  if (!any_node(programs, [&](const NodeSpec& n) { return fits_node(r, n); }))
    return wrong(place, fmt::format("no node of the job's graphs is called '{}'", r.node), r.node,
                 names_in(programs, [](const NodeSpec& n) { return n.name; }));
  if (!any_node(programs, [&](const NodeSpec& n) { return fits_op(r, n); }))
    return wrong(place, fmt::format("no node of the job's graphs has the op '{}'", r.op), r.op,
                 names_in(programs, [](const NodeSpec& n) { return n.op; }));
  return invalid("{}no node of the job's graphs is called '{}' and has the op '{}'", place, r.node, r.op);
}

// ---- feeds, tasks, ops besides ----

// A graph may have been built for one batch size; then a scenario cannot give it another one.
Status check_batch(const Scenario& s, const std::vector<TaskProgram>& programs) {
  if (s.feeds.batch == FeedSizes().batch) return {};
  const Feed* fixed = nullptr;
  for (const auto& [task, program] : programs)
    for (const Feed& f : program.feeds) {
      if (f.takes_batch) return {};
      if (!f.optional) fixed = &f;
    }
  const std::string because = fixed == nullptr ? "the job's clients feed nothing"
                                               : fmt::format("every feed has its sizes, such as {} with {}",
                                                             fixed->tensor, to_string(fixed->shape));
  return invalid("{}feeds: batch: {} would change nothing: {}; leave it out", place_text(s, s.places.batch),
                 s.feeds.batch, because);
}

Status check_feeds(const Scenario& s, const std::vector<TaskProgram>& programs) {
  Names fed;
  for (const auto& [task, program] : programs)
    for (const Feed& f : program.feeds) fed.insert(f.tensor);
  std::vector<std::string> named;
  for (const auto& [tensor, shape] : s.feeds.shapes) named.push_back(tensor);
  for (const auto& [tensor, spec] : s.fed) named.push_back(tensor);
  for (const std::string& tensor : named)
    if (!fed.contains(tensor))
      return wrong(place_text(s, s.places.feeds.at(tensor)), fmt::format("the job's clients feed no '{}'", tensor),
                   tensor, fed);
  return check_batch(s, programs);
}

// ---- files ----

// Or a table that is filled from a file.
bool has_reader(const std::vector<TaskProgram>& programs) {
  return any_node(programs, [](const NodeSpec& n) {
    return n.op.ends_with("Reader") || n.op.ends_with("ReaderV2") || n.op.starts_with("InitializeTableFromTextFile");
  });
}

// Entries of `feeds.files`, of which readers take the first that fits.
class FileEntries {
 public:
  void add(const InputFile& file) {
    names_.emplace(std::pair(file.name, file.task), &file);
    if (is_pattern(file)) patterns_.emplace_back(&file, InputFiles({file}));
  }

  // One that readers find under every name, and in every task, that `file` is for. Of two patterns it is said where
  // they are equal or the first one is "*"; nullptr where there is none, or nobody can say.
  [[nodiscard]] const InputFile* that_hides(const InputFile& file) const {
    for (const TaskId task : {TaskId(), file.task})
      if (const auto it = names_.find({file.name, task}); it != names_.end()) return it->second;
    for (const auto& [pattern, alone] : patterns_) {
      const bool is_of_all = pattern->name == "*" && (!pattern->task.valid() || pattern->task == file.task);
      if (is_of_all || (!is_pattern(file) && alone.find(file.task, file.name) != nullptr)) return pattern;
    }
    return nullptr;
  }

 private:
  static bool is_pattern(const InputFile& file) { return file.name.find_first_of("*?[") != std::string::npos; }

  std::map<std::pair<std::string, TaskId>, const InputFile*> names_;
  std::vector<std::pair<const InputFile*, InputFiles>> patterns_;  // each with what readers find where it is alone
};

Status check_files(const Scenario& s, const std::vector<TaskProgram>& programs) {
  if (s.input_files.empty()) return {};
  if (!has_reader(programs))
    return invalid("{}feeds: files: '{}' would change nothing: no graph of the job has a reader; leave it out",
                   place_text(s, s.input_files[0].at), s.input_files[0].file.name);
  FileEntries before;
  for (const InputFileSpec& f : s.input_files) {
    if (const InputFile* first = before.that_hides(f.file))
      return invalid(
          "{}feeds: files: no reader would find '{}': '{}' before it stands for the same files; put this "
          "one first",
          place_text(s, f.at), f.file.name, first->name);
    before.add(f.file);
  }
  return {};
}

// "; did you mean 'X'?" for the shortest name that begins with the word.
std::string longer_name(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t kLeast = 3;  // letters that say something
  const std::string* best = nullptr;
  for (const std::string& name : names)
    if (word.size() >= kLeast && name.starts_with(word) && (best == nullptr || name.size() < best->size()))
      best = &name;
  return best == nullptr ? "" : fmt::format("; did you mean '{}'?", *best);
}

std::string job_of(std::string_view device) {
  const auto name = parse_device_name(device);
  return name ? name->job.value_or("") : "";
}

// A job that no client and no node belongs to may stand idle; one that is called almost like another is that other,
// mistyped.
Status check_tasks(const Scenario& s, const std::vector<TaskProgram>& programs) {
  Names used = names_in(programs, [](const NodeSpec& n) { return job_of(n.device); });
  for (const auto& [task, program] : programs) used.insert(job_of(s.cluster.tasks[task.index()].name));
  const std::vector<std::string> jobs(used.begin(), used.end());
  for (std::size_t t = 0; t < s.cluster.tasks.size(); ++t) {
    const std::string job = job_of(s.cluster.tasks[t].name);
    if (!used.contains(job) && !did_you_mean(job, jobs).empty())
      return wrong(place_text(s, s.places.tasks, t),
                   fmt::format("no client and no node of the job's graphs is of job '{}'", job), job, used);
  }
  return {};
}

Status check_ops_besides(const Scenario& s, const TaskProgram& p) {
  const auto it = s.training.workers.find(p.first);
  if (it == s.training.workers.end()) return {};
  const auto& nodes = p.second.graph->nodes;
  for (const std::string& op : it->second.also)
    if (std::ranges::find(nodes, op, &NodeSpec::name) == nodes.end())
      return wrong(place_text(s, s.places.workers.at(p.first)),
                   fmt::format("also: the graph {} has no op '{}'", p.second.name, op), op,
                   names_in({p}, [](const NodeSpec& n) { return n.name; }));
  return {};
}

// ---- faults ----

// An op that stands without a * must be there.
Status check_op(const Scenario& s, const Fault& fault, const OpPattern& op, const std::vector<TaskProgram>& programs) {
  if (op.text.find('*') != op.text.npos || is_op_of_a_cut(op.text)) return {};
  if (any_node(programs, [&](const NodeSpec& n) { return n.op == op.text; })) return {};
  return wrong(fmt::format("{}: fault {}: ", s.file, fault_text(fault, s.cluster)),
               fmt::format("no node of the job's graphs has the op '{}'", op.text), op.text,
               names_in(programs, [](const NodeSpec& n) { return n.op; }));
}

Status check_fault(const Scenario& s, const Fault& fault, const std::vector<TaskProgram>& programs) {
  Status wrong_op;
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { kind.op; }) wrong_op = check_op(s, fault, kind.op, programs);
      },
      fault.what);
  return wrong_op;
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string> names) {
  constexpr std::size_t kShown = 8;
  std::string near = did_you_mean(word, names);
  if (near.empty()) near = longer_name(word, names);
  if (!near.empty() || names.empty()) return near;
  return fmt::format("; expected one of {}{}", join(names.first(std::min(names.size(), kShown)), ", "),
                     names.size() > kShown ? ", ..." : "");
}

std::string short_task(std::string_view canonical) {
  const auto parts = split(canonical, '/');
  if (parts.size() != 4 || parts[2] != "replica:0") return std::string(canonical);
  return fmt::format("{}/{}", parts[1].substr(std::string_view("job:").size()),
                     parts[3].substr(std::string_view("task:").size()));
}

std::string place_text(const Scenario& s, Position at) {
  return s.has_lines ? fmt::format("{}:{}:{}: ", s.file, at.line, at.column) : s.file + ": ";
}
std::string place_text(const Scenario& s, const std::vector<Position>& places, std::size_t i) {
  return place_text(s, i < places.size() ? places[i] : Position{});
}

Status check_names(const Scenario& s, const std::vector<TaskProgram>& programs) {
  for (std::size_t i = 0; i < s.costs.rules.size(); ++i)
    TARRY_RETURN_IF_ERROR(check_rule(s.costs.rules[i], place_text(s, s.places.costs, i), programs));
  for (const Fault& f : s.faults) TARRY_RETURN_IF_ERROR(check_fault(s, f, programs));
  TARRY_RETURN_IF_ERROR(check_feeds(s, programs));
  TARRY_RETURN_IF_ERROR(check_files(s, programs));
  TARRY_RETURN_IF_ERROR(check_tasks(s, programs));
  for (const TaskProgram& p : programs) TARRY_RETURN_IF_ERROR(check_ops_besides(s, p));
  return {};
}

}  // namespace tarry
