// The files of checkpoints: a file system that all tasks see and that outlives their processes.
//
// A file is named by its prefix, as TensorFlow's bundles are, and holds tensors by name. A save writes a snapshot; a
// tensor without data keeps its shape. There are no locks: one writer at a time.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workers/tensor/tensor.hpp"

namespace tarry {

class CheckpointFiles {
 public:
  using Tensors = std::map<std::string, TensorRef, std::less<>>;

  void write(const std::string& prefix, const std::string& name, const TensorRef& tensor) {
    files_[prefix][name] = snapshot(tensor);
  }
  // nullptr when there is no such file.
  [[nodiscard]] const Tensors* find(const std::string& prefix) const {
    const auto it = files_.find(prefix);
    return it == files_.end() ? nullptr : &it->second;
  }
  // Merges the parts into one file and removes them. A missing part counts as empty.
  void merge(const std::vector<std::string>& parts, const std::string& into) {
    for (const std::string& part : parts)
      if (auto file = files_.extract(part); !file.empty()) files_[into].merge(file.mapped());
  }
  // Notes that a checkpoint of the folder is complete. Only the folder's last `keep` checkpoints are kept.
  void completed(const std::string& folder, const std::string& prefix, std::size_t keep) {
    std::vector<std::string>& all = complete_[folder];
    std::erase(all, prefix);
    all.push_back(prefix);
    for (; all.size() > keep; all.erase(all.begin())) files_.erase(all.front());
  }
  // "" when the folder has none.
  [[nodiscard]] std::string latest(const std::string& folder) const {
    const auto it = complete_.find(folder);
    return it == complete_.end() || it->second.empty() ? "" : it->second.back();
  }

 private:
  std::map<std::string, Tensors> files_;
  std::map<std::string, std::vector<std::string>> complete_;  // by folder, the oldest first
};

}  // namespace tarry
