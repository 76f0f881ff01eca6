// What `tarry hunt` was asked, for each of its families.
#pragma once

#include <cstdint>
#include <string>

namespace tarry {

struct HuntArguments {
  std::string what = "placement.*", rules = "2.15", placer, command, save, replay;
  std::uint64_t seed = 1, cases = 10'000;
  int max_nodes = 16, timeout_ms = 10'000;
  bool audit = false, json = false;
};

// A line that keeps moving, to a terminal only, from the second second on.
class HuntProgress {
 public:
  explicit HuntProgress(std::uint64_t all);
  ~HuntProgress();
  HuntProgress(const HuntProgress&) = delete;
  HuntProgress& operator=(const HuntProgress&) = delete;
  void operator()(std::uint64_t done);

 private:
  std::uint64_t all_;
  bool shown_, drawn_ = false;
  std::int64_t began_ns_;
};

// Random programs for the executor and the partitioner: `programs.*` and `programs.PROPERTY`. Returns the exit code.
[[nodiscard]] bool hunts_programs(const HuntArguments& a);
[[nodiscard]] int hunt_programs(const HuntArguments& a);

}  // namespace tarry
