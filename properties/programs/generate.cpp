#include "properties/programs/generate.hpp"

#include <algorithm>
#include <array>

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

}  // namespace

Program generate_program(const ProgramOptions& options, Random& random) {
  Program p{.devices = draw_devices(static_cast<std::uint64_t>(options.most_devices), random), .steps = random.chance(1, 3) ? 2 : 1};
  Client client(p.devices, random);
  Writer writer(client, random);
  const std::uint64_t most = random.chance(1, 3) ? 3 : static_cast<std::uint64_t>(options.max_statements);
  writer.write(static_cast<int>(1 + random.below(most)));
  p.fetches = writer.fetches();
  p.nodes = client.take();
  return p;
}

}  // namespace tarry
