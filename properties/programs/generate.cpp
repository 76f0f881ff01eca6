#include "properties/programs/generate.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "properties/programs/writer.hpp"

namespace tarry {
namespace {

// One to three CPUs over one or two tasks.
std::vector<std::string> draw_devices(std::uint64_t most, Random& random) {
  const std::uint64_t count = 1 + random.below(most);
  const bool two_tasks = random.chance(1, 2);
  std::vector<std::string> names;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t task = two_tasks && i > 0 ? 1 : 0;
    names.push_back(fmt::format("/job:worker/replica:0/task:{}/device:CPU:{}", task, i - (task == 1 ? 1 : 0)));
  }
  return names;
}

// An Enter or a NextIteration asks for the device of its first reader, where the cut puts it anyway, but before that
// one has moved: an invariant of two nested loops then stays behind on a device that has no other part in its loop, and
// real partitions wait for ever.
void settle(std::vector<NodeSpec>& nodes) {
  std::map<std::string, std::string, std::less<>> first_reader;  // by name: the reader's device
  const auto read_by = [&](const NodeSpec& n) {
    for (const std::string& input : n.inputs)
      if (!input.starts_with('^')) first_reader[std::string(parse_input(input).node)] = n.device;
  };
  const auto follow = [&](NodeSpec& n) {
    if (const auto reader = first_reader.find(n.name); reader != first_reader.end()) n.device = reader->second;
  };
  for (const NodeSpec& n : nodes)
    if (n.op == "Merge") read_by(n);
  for (NodeSpec& n : nodes)  // first: an Enter may follow one
    if (n.op == "NextIteration") follow(n);
  for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
    if (n->op == "Enter") follow(*n);
    read_by(*n);
  }
}

}  // namespace

Program generate_program(const ProgramOptions& options, Random& random) {
  Program p{.devices = draw_devices(static_cast<std::uint64_t>(options.most_devices), random),
            .steps = random.chance(1, 3) ? 2 : 1};
  Client client(p.devices, random);
  Writer writer(client, random);
  const std::uint64_t most = random.chance(1, 3) ? 3 : static_cast<std::uint64_t>(options.max_statements);
  writer.write(static_cast<int>(1 + random.below(most)));
  p.fetches = writer.fetches();
  p.nodes = client.take();
  settle(p.nodes);
  return p;
}

}  // namespace tarry
