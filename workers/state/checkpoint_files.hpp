// The files of checkpoints: a file system that all tasks see and that outlives their processes.
//
// A file is named by its prefix, as TensorFlow's bundles are, and holds tensors by name, whole or in parts (those of a
// partitioned variable have one name). A save writes a snapshot; a tensor without data keeps its shape. There are no
// locks: one writer at a time. What is wrong with the storage of a task is in `storage`; the kernels that save and
// restore ask it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "placer/core/ids.hpp"
#include "placer/core/status.hpp"
#include "workers/nanos.hpp"
#include "workers/state/tensor_slice.hpp"

namespace tarry {

// How a task's next saves fare.
struct Storage {
  bool is_full = false;       // every save fails
  std::int64_t failures = 0;  // that many saves fail, the next ones
  Nanos delay = 0;            // that a save takes longer
  bool tears_next = false;    // the next save ends well, and what it wrote is torn

  // Called once for each save: it fails.
  [[nodiscard]] bool fails() { return is_full || (failures > 0 && failures-- > 0); }
  [[nodiscard]] bool tears() { return std::exchange(tears_next, false); }
};

struct SavedPart {
  TensorSlice slice;
  TensorRef tensor;
};
class SavedTensor {
 public:
  // In place of the same part. Of a tensor of another shape or type, it takes the place of all parts.
  void put(const TensorSlice& slice, TensorRef tensor);
  // The same, unless the part is there, or the tensor has another shape or type: what came first stays.
  void add(SavedTensor&& other);

  [[nodiscard]] DataType dtype() const { return parts_[0].tensor->dtype(); }
  [[nodiscard]] const Shape& shape() const { return parts_[0].slice.whole; }
  // Put together from all parts that have some of it, in new memory unless it is one of them. Fails: INTERNAL when
  // parts overlap, INVALID_ARGUMENT when they lack some of it, with TensorFlow's texts; `name` is the tensor's.
  [[nodiscard]] StatusOr<TensorRef> read(const TensorSlice& slice, std::string_view name) const;

 private:
  [[nodiscard]] bool fits(const TensorSlice& slice, const TensorBody& tensor) const;
  [[nodiscard]] SavedPart* find(const TensorSlice& slice);
  void push(SavedPart part);

  std::vector<SavedPart> parts_;  // at least one; all of one type, and of one shape as a whole
  std::optional<std::pair<std::size_t, std::size_t>> overlap_;  // the first two that have something in common
};

class CheckpointFiles {
 public:
  using Tensors = std::map<std::string, SavedTensor, std::less<>>;

  [[nodiscard]] Storage& storage(TaskId task) { return storages_[task]; }

  // In place of what the file has of this part; of a tensor of another shape or type, in place of all of it.
  void write(const std::string& prefix, const std::string& name, const TensorSlice& slice, const TensorRef& tensor);
  // What the file has of this tensor cannot be read back any more.
  void tear(const std::string& prefix, const std::string& name) { torn_.insert({prefix, name}); }
  [[nodiscard]] bool is_torn(const std::string& prefix, const std::string& name) const {
    return torn_.contains({prefix, name});
  }
  // nullptr when there is no such file.
  [[nodiscard]] const Tensors* find(const std::string& prefix) const {
    const auto it = files_.find(prefix);
    return it == files_.end() ? nullptr : &it->second;
  }
  // Makes one file of the parts and removes them; a file of that name is replaced. A missing part counts as
  // empty; of missing parts only, there is no file.
  void merge(const std::vector<std::string>& parts, const std::string& into) {
    Tensors whole;
    for (const std::string& part : parts)
      if (auto file = files_.extract(part); !file.empty()) {
        move_torn(part, file.mapped(), into);
        for (auto& [name, tensor] : file.mapped()) whole[name].add(std::move(tensor));
      }
    files_.erase(into);
    if (!whole.empty()) files_[into] = std::move(whole);
  }
  // All of them, wherever they are, are gone.
  void lose_all() { files_.clear(), torn_.clear(), complete_.clear(); }
  // Notes that a checkpoint of the folder is complete, unless all of it has been lost meanwhile. Only the folder's last
  // `keep` checkpoints are kept.
  // Returns whether it is listed now.
  bool completed(const std::string& folder, const std::string& prefix, std::size_t keep) {
    if (find(prefix) == nullptr) return false;
    list(folder, prefix, keep);
    return true;
  }
  // The same, whether the file is there or not.
  void list(const std::string& folder, const std::string& prefix, std::size_t keep) {
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
  void move_torn(const std::string& part, const Tensors& tensors, const std::string& into) {
    for (const auto& [name, tensor] : tensors) {
      torn_.erase({into, name});
      if (torn_.erase({part, name}) > 0) tear(into, name);
    }
  }

  std::map<TaskId, Storage> storages_;
  std::set<std::pair<std::string, std::string>> torn_;  // prefix, name
  std::map<std::string, Tensors> files_;
  std::map<std::string, std::vector<std::string>> complete_;  // by folder, the oldest first
};

}  // namespace tarry
