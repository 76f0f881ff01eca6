#include "memory.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <random>
#include <vector>

namespace {
constexpr std::size_t kBlocks = 256, kArenaBlock = 8 << 10, kWall = 32;
}

void scatter_memory() {
  static std::mt19937 draw(1);
  static std::vector<std::unique_ptr<char[]>> walls;  // between blocks, so that neighbours do not become one
  walls.clear();
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    blocks.emplace_back(new char[kArenaBlock]);
    walls.emplace_back(new char[kWall]);
  }
  std::shuffle(blocks.begin(), blocks.end(), draw);
  for (auto& block : blocks) block.reset();
}
