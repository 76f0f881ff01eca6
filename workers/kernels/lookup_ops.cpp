// Lookup tables: filled once by an initializer (HashTable), or changed at any time (MutableHashTable and others). Those
// of vectors have a vector for each key; in those with dense places keys may be vectors, too, and two keys are
// reserved.

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/lookup_table.hpp"
#include "workers/kernels/signature.hpp"

namespace tarry {
namespace {

std::string key_of(const Table& table, const TensorBody& keys, std::size_t i) {
  return table_key(keys, i, static_cast<std::size_t>(table.kind.key_shape.elements()));
}

StatusOr<Resource*> find_or_make_table(ResourceManager& resources, const std::string& container,
                                       const std::string& name, const TableKind& kind) {
  return resources.find_or_make<Table>(container, name, [&] {
    const std::string full = fmt::format("{} {}", container.empty() ? resources.default_container : container, name);
    return std::make_unique<Table>(full, kind);
  });
}

TableKind kind_of_table(const KernelSetup& s) {
  return {.key_type = attr_or(s.attrs, "key_dtype", DataType::kString),
          .value_type = attr_or(s.attrs, "value_dtype", DataType::kFloat),
          .key_shape = {},
          .value_shape = attr_or(s.attrs, "value_shape", Shape()),
          .is_mutable = s.op.starts_with("Mutable")};
}

StatusOr<std::unique_ptr<Kernel>> make_table(const KernelSetup& s) {
  const auto find_or_make =
      [&resources = *s.host.resources, container = container_of(s), kind = kind_of_table(s),
       of_vectors = s.op.starts_with("MutableHashTableOfTensors")](const std::string& name) -> StatusOr<Resource*> {
    if (of_vectors && kind.value_shape.rank() != 1)
      return invalid("Default value must be a vector, got shape {}", to_string(kind.value_shape));
    return find_or_make_table(resources, container, name, kind);
  };
  return std::make_unique<ObjectKernel>(s, ObjectKernel::When::lost_too, find_or_make);
}

Status check_places(std::int64_t n) {
  return n >= 4 && (n & (n - 1)) == 0 ? Status()
                                      : invalid("Number of buckets must be at least 4 and a power of 2, got: {}", n);
}

// The keys of a table with dense places that mark those that are free. REQUIRES: `kind` has the shape of a value.
Status set_marks(const TensorBody& empty, const TensorBody& deleted, TableKind& kind) {
  const Shape& shape = empty.shape();
  if (shape.rank() > 1) return invalid("Empty key must be a scalar or a vector, got shape {}", to_string(shape));
  if (deleted.shape() != shape)
    return invalid("Empty and deleted keys must have same shape, got shapes: {} and {}", to_string(shape),
                   to_string(deleted.shape()));
  const auto n = static_cast<std::size_t>(shape.elements());
  kind.key_shape = shape;
  kind.refuses_marks = true;
  kind.empty = table_key(empty, 0, n), kind.deleted = table_key(deleted, 0, n);
  return kind.empty != kind.deleted ? Status() : invalid("Empty and deleted keys cannot be equal");
}

// Inputs: the keys that mark free places. The table is made when the node first runs.
class DenseTableKernel : public Kernel {
 public:
  explicit DenseTableKernel(const KernelSetup& s)
      : marks_(std::make_shared<Marks>()), handle_(s, ObjectKernel::When::lost_too, finder(s, marks_)) {}
  Status compute(KernelContext& c) override {
    *marks_ = {c.inputs[0].tensor, c.inputs.size() > 1 ? c.inputs[1].tensor : nullptr};
    return handle_.compute(c);
  }

 private:
  struct Marks {
    TensorRef empty, deleted;
  };
  static ObjectKernel::FindOrMake finder(const KernelSetup& s, const std::shared_ptr<Marks>& marks) {
    return [&resources = *s.host.resources, container = container_of(s), kind = kind_of_table(s), marks,
            places = attr_or(s.attrs, "initial_num_buckets", std::int64_t{4})](
               const std::string& name) -> StatusOr<Resource*> {
      if (!marks->deleted) return invalid("Unknown input name: deleted_key");  // which the first version lacks
      TableKind own = kind;
      TARRY_RETURN_IF_ERROR(set_marks(*marks->empty, *marks->deleted, own));
      TARRY_RETURN_IF_ERROR(check_places(places));
      return find_or_make_table(resources, container, name, own);
    };
  }

  std::shared_ptr<Marks> marks_;
  ObjectKernel handle_;
};

Status check_key_shape(const TableKind& kind, const Shape& keys) {
  const Shape& key = kind.key_shape;
  const bool ends_with =
      keys.rank() >= key.rank() && std::equal(key.dims.rbegin(), key.dims.rend(), keys.dims.rbegin());
  return ends_with
             ? Status()
             : invalid("Input key shape {} must end with the table's key shape {}", to_string(keys), to_string(key));
}

// A table with dense places takes a list of keys only.
Status check_list_of_keys(const Table& table, const Shape& keys) {
  const Shape& key = table.kind.key_shape;
  const std::int64_t n = keys.rank() == 0 ? 1 : keys.dims[0];
  if (!table.kind.refuses_marks || keys.elements() == n * key.elements()) return {};
  Shape expected({n});
  expected.dims.insert(expected.dims.end(), key.dims.begin(), key.dims.end());
  return invalid("Expected key shape {} got {}", to_string(expected), to_string(keys));
}

Status check_is_no_mark(const Table& table, const std::string& key) {
  if (!table.kind.refuses_marks || (key != table.kind.empty && key != table.kind.deleted)) return {};
  return invalid("Using the {} as a table key is not allowed", key == table.kind.empty ? "empty_key" : "deleted_key");
}

// The shape of the values of these keys. REQUIRES: check_key_shape.
Shape shape_of_values(const TableKind& kind, const Shape& keys) {
  Shape shape(Dims(keys.dims.begin(), keys.dims.end() - static_cast<std::ptrdiff_t>(kind.key_shape.rank())));
  const Dims& value = kind.value_shape.dims;
  shape.dims.insert(shape.dims.end(), value.begin(), value.end());
  return shape;
}

std::size_t number_of_keys(const Table& table, const TensorBody& keys) {
  return static_cast<std::size_t>(keys.elements() / std::max<std::int64_t>(table.kind.key_shape.elements(), 1));
}

// Inputs: handle, keys, what a key has that is not there: one value, or one for each key (of which a table that is
// filled once, and one with dense places, take the first, as in 2.15.1).
class FindKernel : public Kernel {
 public:
  explicit FindKernel(const KernelSetup& s) : signature_(s) {}
  Status compute(KernelContext& c) override {
    const Table& table = table_of(c);
    TARRY_RETURN_IF_ERROR(signature_.match({table.kind.key_type, table.kind.value_type}, {table.kind.value_type}));
    TARRY_RETURN_IF_ERROR(check_key_shape(table.kind, c.shape(1)));
    const Shape all = shape_of_values(table.kind, c.shape(1)), &otherwise = c.shape(2);
    if (otherwise != table.kind.value_shape && otherwise != all)
      return invalid("Expected shape {} or {} for default value, got {}", to_string(table.kind.value_shape),
                     to_string(all), to_string(otherwise));
    if (!table.is_ready) return error(Code::kFailedPrecondition, "Table not initialized.");
    TARRY_RETURN_IF_ERROR(check_list_of_keys(table, c.shape(1)));
    if (table.has_unknown || !known(c, 1) || !known(c, 2))
      return c.give(0, make_shape_only(table.kind.value_type, all));
    return find(table, c, all);
  }

 private:
  static Status find(const Table& table, KernelContext& c, const Shape& all) {
    const bool one_each = table.kind.is_mutable && !table.kind.refuses_marks && c.shape(2) == all;
    const std::size_t size = table.value_size();
    MutableTensor found = make_tensor(table.kind.value_type, all);
    for (std::size_t i = 0; i < number_of_keys(table, c.in(1)); ++i) {
      const std::string key = key_of(table, c.in(1), i);
      TARRY_RETURN_IF_ERROR(check_is_no_mark(table, key));
      const auto it = table.values.find(key);
      if (it != table.values.end())
        copy_elements(*found, i * size, *it->second, 0, size);
      else
        copy_elements(*found, i * size, c.in(2), one_each ? i * size : 0, size);
    }
    return c.give(0, found);
  }

  Signature signature_;
};

// A second filling must have as many entries as the first, and changes nothing. The entries before a bad one stay.
Status fill_once(Table& table, const KernelContext& c) {
  const auto n = static_cast<std::size_t>(c.in(1).elements());
  if (n == 0) return invalid("keys and values cannot be empty tensors.");
  if (table.is_ready)
    return table.has_unknown || table.values.size() == n
               ? Status()
               : error(Code::kFailedPrecondition, "Table was already initialized with different data.");
  for (std::size_t i = 0; i < n; ++i) TARRY_RETURN_IF_ERROR(table.add_once(c.in(1), c.in(2), i));
  table.is_ready = true;
  return {};
}

// Inputs: handle, keys, values. To import is to replace all entries, or to fill a table that is filled once.
template <bool is_import>
class InsertKernel : public Kernel {
 public:
  explicit InsertKernel(const KernelSetup& s) : signature_(s) {}
  Status compute(KernelContext& c) override {
    Table& table = table_of(c);
    TARRY_RETURN_IF_ERROR(signature_.match({table.kind.key_type, table.kind.value_type}, {}));
    TARRY_RETURN_IF_ERROR(check_shapes(table, c));
    if (!table.kind.is_mutable && is_import) return fill_once(table, c);
    if (!table.kind.is_mutable)
      return error(Code::kUnimplemented, "Insert not supported by InitializableLookupTable implementations");
    if (is_import) table.values.clear();
    TARRY_RETURN_IF_ERROR(check_list_of_keys(table, c.shape(1)));
    return put(table, c);
  }

 private:
  // A table with dense places imports a row for each of them, also where keys and values are scalars.
  static Status check_shapes(const Table& table, const KernelContext& c) {
    const Shape& keys = c.shape(1);
    const bool by_place = is_import && table.kind.refuses_marks && keys.rank() > 0;
    TARRY_RETURN_IF_ERROR(check_key_shape(table.kind, keys));
    Shape wanted = shape_of_values(table.kind, keys);
    if (by_place) {
      wanted.dims.assign(keys.dims.begin(), keys.dims.end() - 1);
      wanted.dims.push_back(table.kind.value_shape.elements());
    }
    if (c.shape(2) != wanted)
      return invalid("Expected shape {} for value, got {}", to_string(wanted), to_string(c.shape(2)));
    return by_place ? check_places(keys.dims[0]) : Status();
  }
  // The entries before a bad one stay; what is imported may have bad ones, which are left out.
  static Status put(Table& table, const KernelContext& c) {
    for (std::size_t i = 0; i < number_of_keys(table, c.in(1)); ++i) {
      const std::string key = key_of(table, c.in(1), i);
      const Status is_fit = check_is_no_mark(table, key);
      if (!is_fit.ok() && !is_import) return is_fit;
      if (is_fit.ok()) table.set(key, c.in(2), i);
    }
    return {};
  }

  Signature signature_;
};

// Inputs: handle, keys.
class RemoveKernel : public Kernel {
 public:
  explicit RemoveKernel(const KernelSetup& s) : signature_(s) {}
  Status compute(KernelContext& c) override {
    Table& table = table_of(c);
    TARRY_RETURN_IF_ERROR(signature_.match({table.kind.key_type}, {}));
    TARRY_RETURN_IF_ERROR(check_key_shape(table.kind, c.shape(1)));
    if (!table.kind.is_mutable)
      return error(Code::kUnimplemented, "Remove not supported by InitializableLookupTable implementations");
    TARRY_RETURN_IF_ERROR(check_list_of_keys(table, c.shape(1)));
    for (std::size_t i = 0; i < number_of_keys(table, c.in(1)); ++i) {
      const std::string key = key_of(table, c.in(1), i);
      TARRY_RETURN_IF_ERROR(check_is_no_mark(table, key));
      table.values.erase(key);
    }
    return {};
  }

 private:
  Signature signature_;
};

constexpr InputRule kFilledWith[] = {{1, "Keys must be a vector, but received shape{}", Takes::vector},
                                     {2, "Values must be a vector, but received shape{}", Takes::vector}};

// Inputs: handle, keys, values.
class InitializeKernel : public Kernel {
 public:
  explicit InitializeKernel(const KernelSetup& s) : signature_(s) {}
  Status compute(KernelContext& c) override {
    Table& table = table_of(c);
    TARRY_RETURN_IF_ERROR(table.check_is_filled_once());
    TARRY_RETURN_IF_ERROR(signature_.match({table.kind.key_type, table.kind.value_type}, {}));
    TARRY_RETURN_IF_ERROR(check_inputs(c, kFilledWith));
    if (c.in(1).elements() != c.in(2).elements())
      return invalid("Keys and values must have the same size {} vs {}", c.in(1).elements(), c.in(2).elements());
    return fill_once(table, c);
  }

 private:
  Signature signature_;
};

class TableSizeKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    const Table& table = table_of(c);
    if (!table.is_ready) return c.give(0, make_scalar(std::int64_t{0}));
    const std::optional<std::int64_t> size = table.has_unknown ? table.unknown_size : std::ssize(table.values);
    return c.give(0, size ? make_scalar(*size) : make_shape_only(DataType::kInt64, Shape()));
  }
};

// The keys and values in the order of the keys' bytes. TensorFlow has them in the order of a hash table.
class ExportKernel : public Kernel {
 public:
  explicit ExportKernel(const KernelSetup& s) : types_(s.outputs) {}
  Status compute(KernelContext& c) override {
    const Table& table = table_of(c);
    const TableKind& kind = table.kind;
    if (!table.is_ready) return error(Code::kAborted, "HashTable is not initialized.");
    if (types_ != DataTypes{kind.key_type, kind.value_type} || kind.refuses_marks)
      return error(Code::kUnimplemented, "tarry exports no table with keys or values of these types");
    if (table.has_unknown)
      return error(Code::kUnimplemented,
                   "tarry exports no table of a file whose bytes are not known: name it in feeds.files");
    MutableTensor keys = make_tensor(kind.key_type, rows(table, kind.key_shape)),
                  values = make_tensor(kind.value_type, rows(table, kind.value_shape));
    std::size_t i = 0;
    for (const auto& [key, value] : table.values) {
      if (kind.key_type == DataType::kString)
        keys->mutable_strings()[i] = key;
      else
        std::memcpy(keys->mutable_raw().data() + i * key.size(), key.data(), key.size());
      copy_elements(*values, table.value_size() * i++, *value, 0, table.value_size());
    }
    c.set(0, keys);
    return c.give(1, values);
  }

 private:
  static Shape rows(const Table& table, Shape of) {
    of.dims.insert(of.dims.begin(), std::ssize(table.values));
    return of;
  }

  DataTypes types_;
};

constexpr KernelRow kLookupRows[] = {
    {"HashTable", make_table},
    {"HashTableV2", make_table},
    {"MutableHashTable", make_table},
    {"MutableHashTableV2", make_table},
    {"MutableHashTableOfTensors", make_table},
    {"MutableHashTableOfTensorsV2", make_table},
    {"MutableDenseHashTable", make_from_setup<DenseTableKernel>},
    {"MutableDenseHashTableV2", make_from_setup<DenseTableKernel>},
    {"LookupTableRemoveV2", make_from_setup<RemoveKernel>},
    {"InitializeTable", make_from_setup<InitializeKernel>},
    {"InitializeTableV2", make_from_setup<InitializeKernel>},
    {"LookupTableFind", make_from_setup<FindKernel>},
    {"LookupTableFindV2", make_from_setup<FindKernel>},
    {"LookupTableImport", make_from_setup<InsertKernel<true>>},
    {"LookupTableImportV2", make_from_setup<InsertKernel<true>>},
    {"LookupTableInsert", make_from_setup<InsertKernel<false>>},
    {"LookupTableInsertV2", make_from_setup<InsertKernel<false>>},
    {"LookupTableExport", make_from_setup<ExportKernel>},
    {"LookupTableExportV2", make_from_setup<ExportKernel>},
    {"LookupTableSize", make_plain<TableSizeKernel>},
    {"LookupTableSizeV2", make_plain<TableSizeKernel>},
};

}  // namespace

KernelFamily lookup_ops() { return {kLookupRows, ResourceKind::lookup_table}; }

}  // namespace tarry
