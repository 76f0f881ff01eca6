// SaveV2, MergeV2Checkpoints, RestoreV2: what a Saver runs (runtime.md E.6). Files are the run's own (checkpoint_files.hpp).

#include "workers/kernels/checkpoint_files.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

Status no_files() { return error(Code::kFailedPrecondition, "there is no place for checkpoints here"); }

Status check_prefix(const KernelContext& c, std::size_t i) {
  if (c.in(i).elements() == 1 && c.in(i).has_data()) return {};
  return invalid("Input prefix should be a single element, got {} elements.", c.in(i).elements());
}

Status check_names(const KernelContext& c, std::size_t tensors) {
  const auto names = static_cast<std::size_t>(c.in(1).elements());
  if (names == tensors) return {};
  return invalid("Got {} tensor names but {} tensors.", names, tensors);
}

// Inputs: prefix, names, slices, tensors.
class SaveKernel : public Kernel {
 public:
  explicit SaveKernel(const KernelSetup& s) : host_(s.host) {}
  Status compute(KernelContext& c) override {
    if (host_.files == nullptr) return no_files();
    TARRY_RETURN_IF_ERROR(check_prefix(c, 0));
    TARRY_RETURN_IF_ERROR(check_names(c, c.inputs.size() - 3));
    for (std::size_t i = 3; i < c.inputs.size(); ++i) host_.files->write(c.in(0).strings()[0], c.in(1).strings()[i - 3], c.inputs[i].tensor);
    return {};
  }

 private:
  KernelHost& host_;
};

// Inputs: prefixes of parts, prefix of the whole.
class MergeFilesKernel : public Kernel {
 public:
  explicit MergeFilesKernel(const KernelSetup& s) : host_(s.host) {}
  Status compute(KernelContext& c) override {
    if (host_.files == nullptr) return no_files();
    TARRY_RETURN_IF_ERROR(check_prefix(c, 1));
    host_.files->merge({c.in(0).strings().begin(), c.in(0).strings().end()}, c.in(1).strings()[0]);
    return {};
  }

 private:
  KernelHost& host_;
};

// Inputs: prefix, names, slices. Outputs: a tensor for each name.
class RestoreKernel : public Kernel {
 public:
  explicit RestoreKernel(const KernelSetup& s) : host_(s.host), types_(s.outputs) {}
  Status compute(KernelContext& c) override {
    if (host_.files == nullptr) return no_files();
    TARRY_RETURN_IF_ERROR(check_prefix(c, 0));
    TARRY_RETURN_IF_ERROR(check_names(c, types_.size()));
    const std::string prefix = c.in(0).strings()[0];
    const CheckpointFiles::Tensors* file = host_.files->find(prefix);
    if (file == nullptr) return error(Code::kNotFound, "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {}", prefix);
    return read(*file, c);
  }

 private:
  Status read(const CheckpointFiles::Tensors& file, KernelContext& c) const {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const auto it = file.find(c.in(1).strings()[i]);
      if (it == file.end()) return error(Code::kNotFound, "Key {} not found in checkpoint", c.in(1).strings()[i]);
      if (it->second->dtype() != types_[i]) return wrong_type(it->first, types_[i], it->second->dtype());
      c.set(i, it->second);
    }
    return {};
  }
  static Status wrong_type(const std::string& name, DataType wanted, DataType saved) {
    return invalid("tensor_name = {}; expected dtype {} does not equal original dtype {}", name, type_name(wanted), type_name(saved));
  }

  KernelHost& host_;
  DataTypes types_;
};

constexpr KernelRow kCheckpointRows[] = {
    {"SaveV2", make_from_setup<SaveKernel>},
    {"MergeV2Checkpoints", make_from_setup<MergeFilesKernel>},
    {"RestoreV2", make_from_setup<RestoreKernel>},
};

}  // namespace

KernelFamily checkpoint_ops() { return kCheckpointRows; }

}  // namespace tarry
