// Reading records of features (Example): dense features become tensors, sparse ones sparse tensors.
//
// A dense feature whose first dimension is open has a row as long as the longest record's, filled up with its default.
// Ragged features are not read.

#include <algorithm>

#include "placer/graph/example.hpp"
#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"

namespace tarry {
namespace {

using Record = std::map<std::string, Feature>;

struct Wanted {
  bool single = false;     // ParseSingleExample: names are attributes
  bool is_v2 = false;      // the names of all features are vectors
  bool has_batch = false;  // the records are a vector, and the outputs have a dimension for them
  bool fits = true;        // the numbers of features that the node says are those of its types
  bool has_ragged = false;
  DataTypes sparse, dense;
  std::vector<Shape> shapes;  // of the dense ones; -1 in front = open
  std::vector<std::string> sparse_names, dense_names;

  // Of the inputs: the records, their names, then names of features and defaults.
  [[nodiscard]] std::size_t defaults() const { return single ? 1 : is_v2 ? 5 : 2 + sparse.size() + dense.size(); }
  [[nodiscard]] bool is_open(std::size_t d) const { return !shapes[d].dims.empty() && shapes[d].dims[0] < 0; }
};

Wanted wanted_by(const KernelSetup& s) {
  Wanted w{.single = s.op == "ParseSingleExample", .is_v2 = s.op == "ParseExampleV2"};
  const auto list = [&](const char* name) {
    const auto* l = s.attrs.get<AttrList>(name);
    return l == nullptr ? AttrList() : *l;
  };
  w.sparse = list("sparse_types").type;
  w.dense = list("Tdense").type;
  w.shapes = list("dense_shapes").shape;
  w.sparse_names = list("sparse_keys").s;
  w.dense_names = list("dense_keys").s;
  const auto says = [&](const char* name, std::size_t count) {
    const auto* n = s.attrs.get<std::int64_t>(name);
    return n == nullptr || std::cmp_equal(*n, count);
  };
  w.fits = says("Nsparse", w.sparse.size()) && says("num_sparse", w.sparse.size()) && says("Ndense", w.dense.size());
  w.has_ragged = !list("ragged_value_types").type.empty() || !list("ragged_split_types").type.empty();
  return w;
}

// Before any input is looked at.
Status check_node(const Wanted& w) {
  if (w.has_ragged) return error(Code::kUnimplemented, "tarry reads no ragged features");
  if (!w.fits)
    return invalid("Expected as many features as types: {} sparse and {} dense", w.sparse.size(), w.dense.size());
  return {};
}

// "[?,2]": an open dimension is told as a question mark.
std::string with_open(const Shape& s) {
  std::string text = to_string(s);
  if (const std::size_t at = text.find("-1"); at != text.npos) {
    text.erase(at, 1);
    text[at] = '?';
  }
  return text;
}

// Where the first dimension is open the default fills rows up; elsewhere it may be missing.
Status check_default(const Wanted& w, std::size_t d, const Shape& given) {
  if (w.is_open(d) && given.elements() != 1)
    return invalid(
        "dense_shape[{0}] is a variable length shape: {1}, therefore def_value[{0}] must contain a single element (the "
        "padding element).  But its shape is: {2}",
        d, with_open(w.shapes[d]), to_string(given));
  if (!w.is_open(d) && given.elements() > 0 && given != w.shapes[d])
    return invalid("def_value[{0}].shape() == {1} is not compatible with dense_shapes_[{0}] == {2}", d,
                   to_string(given), to_string(w.shapes[d]));
  return {};
}

// Lists, names and shapes fit each other.
Status check_wanted(const KernelContext& c, const Wanted& w) {
  if (w.shapes.size() != w.dense.size() || w.sparse_names.size() != w.sparse.size() ||
      w.dense_names.size() != w.dense.size())
    return invalid("Expected as many keys and shapes as types: {} sparse and {} dense", w.sparse.size(),
                   w.dense.size());
  if (!w.single && c.in(1).elements() != 0 && c.shape(1) != c.shape(0))
    return invalid("Expected names have the same shape as serialized: name.shape={}, serialized.shape={}",
                   to_string(c.shape(1)), to_string(c.shape(0)));
  for (std::size_t d = 0; d < w.dense.size(); ++d) {
    const auto& dims = w.shapes[d].dims;
    const std::size_t from = w.is_open(d) ? 1 : 0;
    if (w.shapes[d].unknown_rank ||
        std::any_of(dims.begin() + static_cast<std::ptrdiff_t>(from), dims.end(),
                    [](std::int64_t n) { return n < 0; }) ||
        (w.is_open(d) && product(w.shapes[d], 1, dims.size()) == 0))
      return invalid("dense_shapes[{}] must be known but for its first dimension: {}", d, to_string(w.shapes[d]));
    TARRY_RETURN_IF_ERROR(check_default(w, d, c.shape(w.defaults() + d)));
  }
  return {};
}

// Sets the names, where they are inputs.
void read_names(const KernelContext& c, Wanted& w) {
  if (w.single) return;
  const auto names_at = [&](std::size_t first, std::size_t n) {
    if (w.is_v2) return c.in(first).strings();
    std::vector<std::string> names;
    for (std::size_t i = 0; i < n; ++i)
      if (c.in(first + i).elements() == 1) names.push_back(c.in(first + i).strings()[0]);
    return names;
  };
  w.sparse_names = names_at(2, w.sparse.size());
  w.dense_names = names_at(w.is_v2 ? 3 : 2 + w.sparse.size(), w.dense.size());
}

DataType type_of(const Feature& f) {
  constexpr DataType kTypes[] = {DataType::kString, DataType::kFloat, DataType::kInt64, DataType::kInvalid};
  return kTypes[f.index()];
}
std::size_t size_of(const Feature& f) {
  if (const auto* texts = std::get_if<0>(&f)) return texts->size();
  if (const auto* reals = std::get_if<1>(&f)) return reals->size();
  const auto* whole = std::get_if<2>(&f);
  return whole == nullptr ? 0 : whole->size();
}
void copy_values(const Feature& f, TensorBody& to, std::size_t at) {
  const auto put = [at](const auto& values, auto out) {
    std::ranges::copy(values, out.begin() + static_cast<std::ptrdiff_t>(at));
  };
  if (const auto* texts = std::get_if<0>(&f)) put(*texts, std::span(to.mutable_strings()));
  if (const auto* reals = std::get_if<1>(&f)) put(*reals, to.mutable_as<float>());
  if (const auto* whole = std::get_if<2>(&f)) put(*whole, to.mutable_as<std::int64_t>());
}

// "Name: n1, Key: d0, Index: 1.  ": which record and feature an error is about.
std::string place(const KernelContext& c, const Wanted& w, const std::string& feature, std::size_t record) {
  if (!w.has_batch) return fmt::format("Key: {}.  ", feature);
  const auto& names = c.in(1).strings();
  return fmt::format("Name: {}, Key: {}, Index: {}.  ", names.empty() ? "<unknown>" : names[record], feature, record);
}

const char* kind_of(DataType t) { return t == DataType::kString ? "bytes" : t == DataType::kFloat ? "float" : "int64"; }

struct Parsing {
  const KernelContext& c;
  Wanted wanted;
  std::vector<Record> records;

  [[nodiscard]] const Feature* find(std::size_t record, const std::string& name) const {
    const auto it = records[record].find(name);
    return it == records[record].end() ? nullptr : &it->second;
  }
};

Status check_readable(const std::string& where, const Feature& f) {
  const auto* unread = std::get_if<UnreadFeature>(&f);
  if (unread == nullptr) return {};
  return unread->has_kind ? invalid("{}Can't parse serialized Example.", where) : invalid("Unsupported datatype.");
}

// Whether a dense feature that a record has is of the type and shape that is wanted.
Status check_dense(const Parsing& p, std::size_t d, std::size_t record, const Feature& f) {
  const Wanted& w = p.wanted;
  const std::string where = place(p.c, w, w.dense_names[d], record);
  TARRY_RETURN_IF_ERROR(check_readable(where, f));
  if (type_of(f) != w.dense[d])
    return invalid("{}Data types don't match. Data type: {} but expected type: {}", where, type_name(type_of(f)),
                   type_name(w.dense[d]));
  const auto& dims = w.shapes[d].dims;
  const Shape row(w.is_open(d) ? Dims(dims.begin() + 1, dims.end()) : dims);
  const auto n = static_cast<std::int64_t>(size_of(f)), width = row.elements();
  const bool is_whole = w.is_open(d) ? n % width == 0 : n == width;
  if (is_whole) return {};
  if (!w.has_batch || (!w.is_open(d) && n > width && w.dense[d] == DataType::kString))
    return invalid("{}Can't parse serialized Example.", where);
  if (w.is_open(d))
    return invalid("{}Number of {} values is not a multiple of stride length. Saw {} values but output shape is: {}",
                   where, kind_of(w.dense[d]), n, with_open(w.shapes[d]));
  return invalid("{}Number of {} values != expected.  Values size: {} but output shape: {}", where, kind_of(w.dense[d]),
                 n, to_string(w.shapes[d]));
}

Status missing_feature(const Parsing& p, std::size_t d, std::size_t record) {
  std::string name;
  if (p.wanted.has_batch) {
    const auto& names = p.c.in(1).strings();
    name = fmt::format("Name: {}, ", names.empty() ? "<unknown>" : names[record]);
  }
  return invalid("{}Feature: {} (data type: {}) is required but could not be found.", name, p.wanted.dense_names[d],
                 type_name(p.wanted.dense[d]));
}

// What a record has is looked at first, then what it lacks.
Status check_record(const Parsing& p, std::size_t record) {
  const Wanted& w = p.wanted;
  for (std::size_t d = 0; d < w.dense.size(); ++d)
    if (const Feature* f = p.find(record, w.dense_names[d])) TARRY_RETURN_IF_ERROR(check_dense(p, d, record, *f));
  for (std::size_t s = 0; s < w.sparse.size(); ++s) {
    const Feature* f = p.find(record, w.sparse_names[s]);
    if (f == nullptr) continue;
    const std::string where = place(p.c, w, w.sparse_names[s], record);
    TARRY_RETURN_IF_ERROR(check_readable(where, *f));
    if (type_of(*f) != w.sparse[s])
      return invalid("{}Data types don't match. Expected type: {}, Actual type: {}", where, type_name(w.sparse[s]),
                     type_name(type_of(*f)));
  }
  for (std::size_t d = 0; d < w.dense.size(); ++d) {
    const bool has_default = w.is_open(d) || p.c.in(w.defaults() + d).elements() > 0;
    if (!has_default && p.find(record, w.dense_names[d]) == nullptr) return missing_feature(p, d, record);
  }
  return {};
}

// The shape of feature `d`, as wide as the longest record where that is open.
Shape closed(const Parsing& p, std::size_t d) {
  Shape shape = p.wanted.shapes[d];
  if (!p.wanted.is_open(d)) return shape;
  const std::int64_t width = product(shape, 1, shape.dims.size());
  shape.dims[0] = 0;
  for (std::size_t r = 0; r < p.records.size(); ++r)
    if (const Feature* f = p.find(r, p.wanted.dense_names[d]))
      shape.dims[0] = std::max(shape.dims[0], static_cast<std::int64_t>(size_of(*f)) / width);
  return shape;
}

TensorRef dense_tensor(const Parsing& p, std::size_t d) {
  const Wanted& w = p.wanted;
  Shape shape = closed(p, d);
  const auto each = static_cast<std::size_t>(shape.elements());
  if (w.has_batch) shape.dims.insert(shape.dims.begin(), std::ssize(p.records));
  MutableTensor to = make_tensor(w.dense[d], shape);
  const TensorBody& otherwise = p.c.in(w.defaults() + d);
  for (std::size_t r = 0; r < p.records.size(); ++r) {
    const Feature* f = p.find(r, w.dense_names[d]);
    for (std::size_t i = f == nullptr ? 0 : size_of(*f); i < each && otherwise.elements() > 0; ++i)
      copy_elements(*to, r * each + i, otherwise, otherwise.elements() == 1 ? 0 : i);
    if (f != nullptr) copy_values(*f, *to, r * each);
  }
  return to;
}

// Sets the three outputs of sparse feature `s`.
void give_sparse(const Parsing& p, std::size_t s, KernelContext& c) {
  const Wanted& w = p.wanted;
  const std::string& name = w.sparse_names[s];
  std::vector<std::int64_t> indices;
  std::size_t count = 0, widest = 0;
  for (std::size_t r = 0; r < p.records.size(); ++r) {
    const Feature* f = p.find(r, name);
    if (f == nullptr) continue;
    for (std::size_t i = 0; i < size_of(*f); ++i) {
      if (w.has_batch) indices.push_back(static_cast<std::int64_t>(r));
      indices.push_back(static_cast<std::int64_t>(i));
    }
    count += size_of(*f);
    widest = std::max(widest, size_of(*f));
  }
  MutableTensor at = make_tensor(DataType::kInt64, Shape({static_cast<std::int64_t>(count), w.has_batch ? 2 : 1})),
                values = make_tensor(w.sparse[s], Shape({static_cast<std::int64_t>(count)}));
  std::ranges::copy(indices, at->mutable_as<std::int64_t>().begin());
  std::size_t next = 0;
  for (std::size_t r = 0; r < p.records.size(); ++r)
    if (const Feature* f = p.find(r, name)) copy_values(*f, *values, next), next += size_of(*f);
  Dims shape{static_cast<std::int64_t>(widest)};
  if (w.has_batch) shape.insert(shape.begin(), std::ssize(p.records));
  c.set(s, at), c.set(w.sparse.size() + s, values);
  c.set(2 * w.sparse.size() + s, make_vector(shape));
}

// Only ParseExampleV2 takes a vector as well as a scalar.
Status check_records(const Wanted& w, const Shape& records) {
  const std::int64_t rank = records.rank();
  if (w.single ? rank == 0 : rank == 1 || (w.is_v2 && rank == 0)) return {};
  return invalid("Expected serialized to be a {}, got shape: {}",
                 w.single  ? "scalar"
                 : w.is_v2 ? "scalar or vector"
                           : "vector",
                 to_string(records));
}

Status parse(KernelContext& c, Wanted wanted) {
  TARRY_RETURN_IF_ERROR(check_node(wanted));
  read_names(c, wanted);
  TARRY_RETURN_IF_ERROR(check_records(wanted, c.shape(0)));
  TARRY_RETURN_IF_ERROR(check_wanted(c, wanted));
  wanted.has_batch = c.shape(0).rank() == 1;
  Parsing p{c, std::move(wanted), {}};
  for (const std::string& bytes : c.in(0).strings()) {
    auto record = read_example(bytes);
    if (!record) return invalid("Could not parse example input, value: '{}'", bytes);
    p.records.push_back(std::move(*record));
    TARRY_RETURN_IF_ERROR(check_record(p, p.records.size() - 1));
  }
  for (std::size_t d = 0; d < p.wanted.dense.size(); ++d) c.set(3 * p.wanted.sparse.size() + d, dense_tensor(p, d));
  for (std::size_t s = 0; s < p.wanted.sparse.size(); ++s) give_sparse(p, s, c);
  return {};
}

// Without the records only dense features of fixed shapes are known.
Status parsed_shape(const Wanted& w, const KernelContext& c, std::span<Shape> out) {
  TARRY_RETURN_IF_ERROR(check_node(w));
  if (!w.sparse.empty() || w.shapes.size() != w.dense.size()) return shape_not_known();
  for (std::size_t d = 0; d < w.dense.size(); ++d) {
    if (w.is_open(d)) return shape_not_known();
    out[d] = w.shapes[d];
    if (c.shape(0).rank() == 1) out[d].dims.insert(out[d].dims.begin(), c.in(0).elements());
  }
  return {};
}

Behaviour make_parse(const KernelSetup& s) {
  return {[w = wanted_by(s)](KernelContext& c) { return parse(c, w); },
          [w = wanted_by(s)](const KernelContext& c, std::span<Shape> out) { return parsed_shape(w, c, out); }, false,
          true};
}

constexpr KernelRow kParseRows[] = {
    {"ParseExample", make_parse},
    {"ParseExampleV2", make_parse},
    {"ParseSingleExample", make_parse},
};

}  // namespace

KernelFamily parse_ops() { return kParseRows; }

}  // namespace tarry
