// Staging maps: elements wait under a key. The components of one key may come one after the other, and may leave so; an
// element can be taken once all its components have come. TensorFlow 2.15.1 heeds neither `capacity` nor `memory_limit`
// of a map: nobody waits for room. The map without order gives any element where no key is asked for; here, as the one
// with order, the least key.

#include <algorithm>
#include <map>

#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/staging.hpp"

namespace tarry {
namespace {

// The components that are there; null = not yet, or no longer.
using Elements = std::map<std::int64_t, QueueElement>;

struct StagingMap : WaitingPlace {
  explicit StagingMap(StagingLimits) {}
  Elements complete, incomplete;

  // Moves a key's element where it can be taken, unless that key has one there.
  void finish(std::int64_t key, QueueElement element) { complete.try_emplace(key, std::move(element)); }
};

// How many components an element has, and which of them an op means.
struct Named {
  std::int64_t key = 0;
  Dims indices;
};

Status check_indices(const Dims& indices) {
  for (std::size_t i = 1; i < indices.size(); ++i)
    if (indices[i - 1] >= indices[i]) return invalid("Indices are not strictly ordered");
  return {};
}

Status check_index(std::int64_t index, std::int64_t key, std::size_t n) {
  if (index >= 0 && std::cmp_less(index, n)) return {};
  return invalid("Index '{}' for key '{}' was out of bounds '{}'.", index, key, n);
}

constexpr InputRule kKey{0, "key must be an int64 scalar, got tensor with shape: {}", Takes::one_element};

std::size_t components_of(const KernelSetup& s) {
  const auto* types = s.attrs.get<AttrList>("dtypes");
  return types == nullptr ? 0 : types->type.size();
}

// Inputs: key, indices, components.
class MapStageKernel : public AsyncKernel {
 public:
  explicit MapStageKernel(const KernelSetup& s) : map_(s), components_(components_of(s)) {}
  void compute_async(KernelContext& c) override {
    const StatusOr<StagingMap*> map = map_.get();
    if (!map.ok()) return c.done(map.status());
    const auto key = integer_in(c, kKey);
    if (!key.ok()) return c.done(key.status());
    QueueElement given;
    for (const Value& v : c.inputs.subspan(2)) given.push_back(snapshot(v.tensor));
    const Named named{*key, integers_of(c.in(1))};
    if (Status s = check_indices(named.indices); !s.ok()) return c.done(s);
    const Status done = put(**map, named, given);
    (*map)->changed();
    c.done(done);
  }

 private:
  [[nodiscard]] Status put(StagingMap& m, const Named& named, const QueueElement& given) const {
    if (given.size() < named.indices.size())  // TensorFlow would read what is not there
      return invalid("{} indices, but {} values", named.indices.size(), given.size());
    if (given.size() == components_) {
      m.finish(named.key, given);
      return {};
    }
    QueueElement element(components_);
    if (const auto it = m.incomplete.find(named.key); it != m.incomplete.end()) element = it->second;
    for (std::size_t i = 0; i < named.indices.size(); ++i) {
      TARRY_RETURN_IF_ERROR(check_index(named.indices[i], named.key, components_));
      TensorRef& place = element[static_cast<std::size_t>(named.indices[i])];
      if (place)
        return invalid("The tensor for index '{}' for key '{}' was already initialized '{}'.", named.indices[i],
                       named.key, components_);
      place = given[i];
    }
    m.incomplete.insert_or_assign(named.key, element);
    if (!std::ranges::all_of(element, [](const TensorRef& t) { return bool{t}; })) return {};
    m.finish(named.key, std::move(element));
    m.incomplete.erase(named.key);
    return {};
  }

  FoundArea<StagingMap> map_;
  std::size_t components_;
};

// Whether what is taken stays, and whether the least key is taken.
enum class Taking { peek, unstage, no_key };

// Inputs: the key, unless any will do, and indices. Outputs: the key that was found, if none was asked for; components.
template <Taking how>
class MapTakeKernel : public AsyncKernel {
 public:
  explicit MapTakeKernel(const KernelSetup& s) : map_(s), name_(s.name), types_(s.outputs) {}
  void compute_async(KernelContext& c) override {
    const StatusOr<StagingMap*> map = map_.get();
    if (!map.ok()) return c.done(map.status());
    Named named{.indices = integers_of(c.in(how == Taking::no_key ? 0 : 1))};
    if constexpr (how != Taking::no_key) {
      const auto key = integer_in(c, {0, "key must be an int64 scalar: {}"});
      if (!key.ok()) return c.done(key.status());
      named.key = *key;
    }
    if (Status s = check_indices(named.indices); !s.ok()) return c.done(s);
    (*map)->until([this, &c, &m = **map, named] {
      const auto it = how == Taking::no_key ? m.complete.begin() : m.complete.find(named.key);
      if (it == m.complete.end()) return false;
      return c.done(take(m, it, named.indices, c)), true;
    });
  }

 private:
  Status take(StagingMap& m, Elements::iterator found, const Dims& indices, KernelContext& c) const {
    constexpr std::size_t kFirst = how == Taking::no_key ? 1 : 0;
    const std::int64_t key = found->first;
    QueueElement& element = found->second;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      TARRY_RETURN_IF_ERROR(check_index(indices[i], key, element.size()));
      TensorRef& t = element[static_cast<std::size_t>(indices[i])];
      if (!t) return invalid("Tensor at index '{}' for key '{}' has already been removed.", indices[i], key);
      if (i + kFirst < c.outputs.size()) c.set(i + kFirst, t);
      if constexpr (how == Taking::peek) continue;
      t = nullptr;
    }
    if constexpr (how == Taking::no_key) c.set(0, make_scalar(key));
    if (std::ranges::none_of(element, [](const TensorRef& t) { return bool{t}; })) m.complete.erase(found);
    return check_types(c);
  }
  [[nodiscard]] Status check_types(const KernelContext& c) const {
    for (std::size_t i = 0; i < c.outputs.size(); ++i)
      if (const TensorRef& t = c.outputs[i].tensor; t && t->dtype() != types_[i])
        return error(Code::kInternal,
                     "Output {} of type {} does not match declared output type {} for node {{{{node {}}}}}", i,
                     type_name(t->dtype()), type_name(types_[i]), name_);
    return {};
  }

  FoundArea<StagingMap> map_;
  std::string name_;
  DataTypes types_;
};

template <bool complete>
class MapSizeKernel : public Kernel {
 public:
  explicit MapSizeKernel(const KernelSetup& s) : map_(s) {}
  Status compute(KernelContext& c) override {
    TARRY_ASSIGN(const StagingMap* m, map_.get());
    return c.give(0, make_scalar(static_cast<std::int32_t>(complete ? m->complete.size() : m->incomplete.size())));
  }

 private:
  FoundArea<StagingMap> map_;
};

class MapClearKernel : public Kernel {
 public:
  explicit MapClearKernel(const KernelSetup& s) : map_(s) {}
  Status compute(KernelContext&) override {
    TARRY_ASSIGN(StagingMap * m, map_.get());
    m->complete.clear();
    m->incomplete.clear();
    m->changed();
    return {};
  }

 private:
  FoundArea<StagingMap> map_;
};

constexpr KernelRow kStagingMapRows[] = {
    {"MapStage", make_from_setup<MapStageKernel>},
    {"MapUnstage", make_from_setup<MapTakeKernel<Taking::unstage>>},
    {"MapUnstageNoKey", make_from_setup<MapTakeKernel<Taking::no_key>>},
    {"MapPeek", make_from_setup<MapTakeKernel<Taking::peek>>},
    {"MapSize", make_from_setup<MapSizeKernel<true>>},
    {"MapIncompleteSize", make_from_setup<MapSizeKernel<false>>},
    {"MapClear", make_from_setup<MapClearKernel>},
    {"OrderedMapStage", make_from_setup<MapStageKernel>},
    {"OrderedMapUnstage", make_from_setup<MapTakeKernel<Taking::unstage>>},
    {"OrderedMapUnstageNoKey", make_from_setup<MapTakeKernel<Taking::no_key>>},
    {"OrderedMapPeek", make_from_setup<MapTakeKernel<Taking::peek>>},
    {"OrderedMapSize", make_from_setup<MapSizeKernel<true>>},
    {"OrderedMapIncompleteSize", make_from_setup<MapSizeKernel<false>>},
    {"OrderedMapClear", make_from_setup<MapClearKernel>},
};

}  // namespace

KernelFamily staging_map_ops() { return kStagingMapRows; }

}  // namespace tarry
