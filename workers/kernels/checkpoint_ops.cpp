// SaveV2, MergeV2Checkpoints, RestoreV2: what a Saver runs (docs/rules/runtime.md#E.6). Files are the run's own
// (checkpoint_files.hpp).

#include <set>

#include "placer/core/hash.hpp"
#include "workers/auditor.hpp"
#include "workers/env.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/state.hpp"
#include "workers/state/checkpoint_files.hpp"

namespace tarry {
namespace {

Status no_files() { return error(Code::kFailedPrecondition, "there is no place for checkpoints here"); }

constexpr InputRule kPrefix{0, "Input prefix should have a single element, got {2} instead.", Takes::one_element};

// Inputs 1 and 2 name the tensors and their slices.
Status check_names(const KernelContext& c) {
  const std::int64_t names = c.in(1).elements(), slices = c.in(2).elements();
  if (c.shape(1).rank() != 1 || c.shape(2).rank() != 1)
    return invalid("Input tensor_names and shape_and_slices should be an 1-D tensors, got {} and {} instead.",
                   to_string(c.shape(1)), to_string(c.shape(2)));
  return names == slices
             ? Status()
             : invalid("tensor_names and shape_and_slices have different number of elements: {} vs. {}", names, slices);
}

// The data goes into a file with a random ending, which is renamed when all of it is there.
Status no_space(const std::string& prefix) {
  return error(Code::kResourceExhausted, "{}.data-00000-of-00001.tempstate{}; No space left on device", prefix,
               hash64(prefix, 0));
}

// Inputs: prefix, names, slices, tensors. A save may take time.
class SaveKernel : public Kernel {
 public:
  explicit SaveKernel(const KernelSetup& s) : host_(s.host) {}
  [[nodiscard]] bool is_async() const override { return true; }
  void compute_async(KernelContext& c) override {
    const Nanos delay = host_.files == nullptr ? 0 : host_.files->storage(host_.task).delay;
    if (delay == 0) return c.done(save(c));
    note_wait(c, 1);
    host_.env->store(host_.task, delay, [this, &c] {
      note_wait(c, 0);
      c.done(save(c));
    });
  }

 private:
  void note_wait(const KernelContext& c, std::uint64_t waits) const {
    if (Auditor* a = host_.auditor)
      a->note({.what = AuditFact::What::save_waits, .task = host_.task, .step = c.step->id, .number = waits});
  }
  Status save(KernelContext& c) {
    if (host_.files == nullptr) return no_files();
    TARRY_ASSIGN(const std::string prefix, text_in(c, kPrefix));
    TARRY_RETURN_IF_ERROR(check_names(c));
    const std::size_t tensors = c.inputs.size() - 3;
    if (std::cmp_not_equal(c.in(1).elements(), tensors))
      return invalid("Got {} tensor names but {} tensors.", c.in(1).elements(), tensors);
    Storage& storage = host_.files->storage(host_.task);
    if (storage.fails()) return mark(host_.auditor, Mark::save_failed), no_space(prefix);
    const bool tears = storage.tears();
    TARRY_ASSIGN(const std::vector<TensorSlice> slices, slices_to_save(c));
    for (std::size_t i = 0; i < tensors; ++i) {
      write(c, prefix, i, slices[i]);
      if (tears) host_.files->tear(prefix, c.in(1).strings()[i]);
    }
    return {};
  }
  // Of all tensors. A name comes with a slice once, and without one only where it has not come before.
  static StatusOr<std::vector<TensorSlice>> slices_to_save(const KernelContext& c) {
    std::vector<TensorSlice> slices;
    std::set<std::string> names;
    std::set<std::pair<std::string, std::string>> parts;
    for (std::size_t i = 0; i + 3 < c.inputs.size(); ++i) {
      const std::string &name = c.in(1).strings()[i], &spec = c.in(2).strings()[i];
      TARRY_ASSIGN(slices.emplace_back(), slice_to_save(spec, c.inputs[i + 3].tensor->shape()));
      const bool is_new_name = names.insert(name).second;
      if (spec.empty() && !is_new_name) return invalid("Adding duplicate key: {}", name);
      if (!spec.empty() && !parts.insert({name, slices.back().text()}).second) return invalid("Adding duplicate key: ");
    }
    return slices;
  }
  static StatusOr<TensorSlice> slice_to_save(const std::string& spec, const Shape& shape) {
    if (spec.empty()) return whole_slice(shape);
    TARRY_ASSIGN(TensorSlice slice, parse_slice(spec));
    if (slice.shape() == shape) return slice;
    return invalid(
        "Slice in shape_and_slice specification does not match the shape of the tensor to  save: {}, tensor: {}", spec,
        to_string(shape));
  }
  void write(const KernelContext& c, const std::string& prefix, std::size_t i, const TensorSlice& slice) const {
    const std::string& name = c.in(1).strings()[i];
    const TensorRef& t = c.inputs[i + 3].tensor;
    host_.files->write(prefix, name, slice, t);
    Auditor* a = host_.auditor;
    if (a == nullptr) return;
    const bool is_part = !c.in(2).strings()[i].empty();  // of a partitioned variable, even if that has one part
    a->note({.what = AuditFact::What::checkpoint_saved,
             .task = host_.task,
             .step = c.step->id,
             .number = digest_of(*t),
             .other = is_part ? 1U : 0U,
             .text = a->text(prefix),
             .name = a->text(is_part ? fmt::format("{} {}", name, slice.text()) : name)});
  }

  KernelHost& host_;
};

// Inputs: prefixes of parts, prefix of the whole.
class MergeFilesKernel : public Kernel {
 public:
  explicit MergeFilesKernel(const KernelSetup& s) : host_(s.host) {}
  Status compute(KernelContext& c) override {
    if (host_.files == nullptr) return no_files();
    TARRY_RETURN_IF_ERROR(
        check_input(c, {0, "Input checkpoint_prefixes should be an 1-D tensor, got {} instead.", Takes::vector}));
    TARRY_ASSIGN(const std::string whole,
                 text_in(c, {1, "Input destination_prefix should be a scalar tensor, got {} instead."}));
    if (c.in(0).elements() == 0) return invalid("At least one prefix checkpoint file must exist, but none existed.");
    host_.files->merge({c.in(0).strings().begin(), c.in(0).strings().end()}, whole);
    if (Auditor* a = host_.auditor)
      for (const std::string& part : c.in(0).strings())
        a->note({.what = AuditFact::What::checkpoint_merged,
                 .task = host_.task,
                 .step = c.step->id,
                 .text = a->text(whole),
                 .name = a->text(part)});
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
    TARRY_ASSIGN(const std::string prefix, text_in(c, kPrefix));
    if (std::cmp_not_equal(c.in(1).elements(), types_.size()))
      return invalid("Got {} tensor names, but {} expected dtypes.", c.in(1).elements(), types_.size());
    TARRY_RETURN_IF_ERROR(check_names(c));
    const CheckpointFiles::Tensors* file = host_.files->find(prefix);
    mark_if(file == nullptr, host_.auditor, Mark::restore_of_lost_file);
    if (file == nullptr)
      return error(Code::kNotFound,
                   "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {}", prefix);
    return read(prefix, *file, c);
  }

 private:
  Status read(const std::string& prefix, const CheckpointFiles::Tensors& file, KernelContext& c) const {
    for (std::size_t i = 0; i < types_.size(); ++i)
      TARRY_RETURN_IF_ERROR(look_up(file, c.in(1).strings()[i], types_[i]));
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const std::string& name = c.in(1).strings()[i];
      TARRY_ASSIGN(TensorRef value, value_of(file.find(name)->second, name, c.in(2).strings()[i]));
      if (host_.files->is_torn(prefix, name))
        return mark(host_.auditor, Mark::restore_of_torn_file), torn(prefix, *value);
      c.set(i, std::move(value));
    }
    if (host_.planted == PlantedClusterBug::restore_skips_variable)
      host_.not_restored = c.outputs[types_.size() - 1].tensor.get();
    return {};
  }
  Status look_up(const CheckpointFiles::Tensors& file, const std::string& name, DataType type) const {
    const auto it = file.find(name);
    mark_if(it == file.end(), host_.auditor, Mark::restore_of_lost_file);
    if (it == file.end()) return error(Code::kNotFound, "Key {} not found in checkpoint", name);
    return it->second.dtype() == type ? Status() : wrong_type(name, type, it->second.dtype());
  }
  static StatusOr<TensorRef> value_of(const SavedTensor& saved, const std::string& name, const std::string& spec) {
    if (spec.empty()) return saved.read(whole_slice(saved.shape()), name);
    TARRY_ASSIGN(const TensorSlice slice, parse_slice(spec));
    if (slice.whole != saved.shape())
      return invalid(
          "tensor_name = {}; shape in shape_and_slice spec {} does not match the shape stored in checkpoint: {}", name,
          to_string(slice.whole), to_string(saved.shape()));
    return saved.read(slice, name);
  }
  // The checksums stand for those that the real files would have.
  static Status torn(const std::string& prefix, const TensorBody& tensor) {
    return error(Code::kDataLoss,
                 "TensorBundle at {} shard 0 ({} bytes): Checksum does not match: stored {} vs. calculated on the "
                 "restored bytes {}",
                 prefix, tensor.bytes(), hash64(prefix, 1) >> 32, hash64(prefix, 2) >> 32);
  }
  static Status wrong_type(const std::string& name, DataType wanted, DataType saved) {
    return invalid("tensor_name = {}; expected dtype {} does not equal original dtype {}", name, type_name(wanted),
                   type_name(saved));
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
