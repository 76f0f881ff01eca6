// The time line of a run: what every worker, device and link did, as lanes of blocks.
//
// A block is a training step, a kernel or a message. Where there are more than a page can hold, those that are shorter
// than a resolution and begin within the same stretch of it become one block, which says how many they are; longer
// ones stay as they are. The resolution is 0 where all are there, and else the smallest one of a run's 1/65536, 1/32768
// and so on that is enough.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/log.hpp"
#include "results/task_names.hpp"

namespace tarry {

struct Block {
  Nanos from = 0, to = 0;    // since the start, or before it; from < to
  std::uint32_t name = 0;    // of TimeLine::names; of several: of the longest one
  std::uint64_t count = 1;   // how many it stands for
  std::uint64_t amount = 0;  // a step's or kernel's time, a message's bytes; of several: the sum
};

enum class LaneKind : std::uint8_t { steps, kernels, messages };

struct Lane {
  LaneKind kind = LaneKind::steps;
  std::string label;          // "worker 1", "worker 1 CPU:0", "host-a to host-b"
  std::uint64_t items = 0;    // before any became one block
  std::vector<Block> blocks;  // by `from`
};

struct BlockName {
  std::string text;   // "step 7", "dense/MatMul", "RecvTensor reply w/read"
  std::string group;  // what has one colour: an op, the kind of a message, the end of a step
};

struct TimeLine {
  std::vector<Lane> lanes;  // of each task its steps and its devices, then links; those without blocks are left out
  std::vector<BlockName> names;
  Nanos resolution = 0;  // 0 = every item is a block of its own
};

// A page of this many blocks has less than a megabyte of them.
inline constexpr std::size_t kMostBlocks = 30'000;
// With more pairs of hosts, the messages of a host are one lane.
inline constexpr std::size_t kMostLinks = 128;

// REQUIRES: the log has its kernels. Messages within a host, and what takes no time, are left out.
[[nodiscard]] TimeLine time_line(const EventLog& log, const TaskNames& tasks, std::size_t most_blocks = kMostBlocks);

}  // namespace tarry
