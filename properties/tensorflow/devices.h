// Fake devices, as a case lists them.
#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "graphs.h"

struct Devices {
  std::vector<std::unique_ptr<tf::Device>> owned;
  tf::DeviceSet set;
  std::unordered_map<std::string, int> index;
  std::unordered_map<std::string, tf::uint64> incarnation;

  tf::Device* find(const std::string& name) const {
    auto it = index.find(name);
    return it == index.end() ? nullptr : owned[it->second].get();
  }
};

// Each device: [name, type, incarnation, memory limit]; only the name is needed when the name says the type.
void read_devices(const Value& v, const Value& local, Devices* d);
