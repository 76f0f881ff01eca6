// Lookup tables: filled once by an initializer (HashTable), or changed at any time (MutableHashTable).

#include <map>

#include "workers/kernels/dispatch.hpp"
#include "workers/kernels/elements.hpp"
#include "workers/kernels/handle.hpp"
#include "workers/kernels/input_rule.hpp"
#include "workers/kernels/state.hpp"

namespace tarry {
namespace {

struct Table : Resource {
  Table(std::string n, DataType type, bool changes)
      : Resource(ResourceKind::lookup_table), name(std::move(n)), value_type(type), is_mutable(changes) {}

  std::string name;  // with its container
  DataType value_type;
  bool is_mutable;
  bool is_ready = is_mutable;               // a table of one filling has been filled
  std::map<std::string, TensorRef> values;  // scalars by key

  void set(const std::string& key, const TensorBody& from, std::size_t i) {
    MutableTensor value = make_tensor(value_type, Shape());
    copy_elements(*value, 0, from, i);
    values[key] = value;
  }
};

// A key's text or bytes.
std::string table_key(const TensorBody& keys, std::size_t i) {
  const std::size_t size = type_size(keys.dtype());
  if (size == 0) return keys.strings()[i];
  return {reinterpret_cast<const char*>(keys.raw().data()) + i * size, size};
}
std::string text_of_element(const TensorBody& t, std::size_t i) {
  if (t.dtype() == DataType::kString) return t.strings()[i];
  std::string text;
  (void)for_number_or_bool(t.dtype(), [&]<class T>() { return text = fmt::format("{}", t.as<T>()[i]), Status(); });
  return text;
}

Table& table_of(const KernelContext& c) { return static_cast<Table&>(*c.inputs[0].resource); }

template <bool changes>
StatusOr<std::unique_ptr<Kernel>> make_table(const KernelSetup& s) {
  const auto find_or_make =
      [&resources = *s.host.resources, container = container_of(s),
       type = attr_or(s.attrs, "value_dtype", DataType::kFloat)](const std::string& name) -> StatusOr<Resource*> {
    return resources.find_or_make<Table>(container, name, [&] {
      const std::string full = fmt::format("{} {}", container.empty() ? resources.default_container : container, name);
      return std::make_unique<Table>(full, type, changes);
    });
  };
  return std::make_unique<ObjectKernel>(s, ObjectKernel::When::lost_too, find_or_make);
}

// Inputs: handle, keys, what a key has that is not there: one value, or one for each key (of which a table that is
// filled once takes the first, as in 2.15.1).
class FindKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    const Table& table = table_of(c);
    const Shape &keys = c.shape(1), &otherwise = c.shape(2);
    if (otherwise.rank() != 0 && otherwise != keys)
      return invalid("Expected shape [] or {} for default value, got {}", to_string(keys), to_string(otherwise));
    if (!table.is_ready) return error(Code::kFailedPrecondition, "Table not initialized.");
    if (!known(c, 1) || !known(c, 2)) return c.give(0, make_shape_only(table.value_type, keys));
    MutableTensor found = make_tensor(table.value_type, keys);
    for (std::size_t i = 0; std::cmp_less(i, c.in(1).elements()); ++i) {
      const auto it = table.values.find(table_key(c.in(1), i));
      if (it != table.values.end())
        copy_elements(*found, i, *it->second, 0);
      else
        copy_elements(*found, i, c.in(2), table.is_mutable && otherwise.rank() > 0 ? i : 0);
    }
    return c.give(0, found);
  }
};

// One entry of a table that is filled once.
Status add_once(Table& table, const KernelContext& c, std::size_t i) {
  const std::string key = table_key(c.in(1), i);
  const auto it = table.values.find(key);
  if (it == table.values.end()) return table.set(key, c.in(2), i), Status();
  const std::string old = text_of_element(*it->second, 0), given = text_of_element(c.in(2), i);
  if (old == given) return {};
  return error(Code::kFailedPrecondition,
               "HashTable has different value for same key. Key {} has {} and trying to add value {}",
               text_of_element(c.in(1), i), old, given);
}

// A second filling must have as many entries as the first, and changes nothing. The entries before a bad one stay.
Status fill_once(Table& table, const KernelContext& c) {
  const auto n = static_cast<std::size_t>(c.in(1).elements());
  if (n == 0) return invalid("keys and values cannot be empty tensors.");
  if (table.is_ready)
    return table.values.size() == n
               ? Status()
               : error(Code::kFailedPrecondition, "Table was already initialized with different data.");
  for (std::size_t i = 0; i < n; ++i) TARRY_RETURN_IF_ERROR(add_once(table, c, i));
  table.is_ready = true;
  return {};
}

// Inputs: handle, keys, values. To import is to replace all entries, or to fill a table that is filled once.
template <bool is_import>
class InsertKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    Table& table = table_of(c);
    if (c.shape(1) != c.shape(2))
      return invalid("Expected shape {} for value, got {}", to_string(c.shape(1)), to_string(c.shape(2)));
    if (!table.is_mutable && is_import) return fill_once(table, c);
    if (!table.is_mutable)
      return error(Code::kUnimplemented, "Insert not supported by InitializableLookupTable implementations");
    if (is_import) table.values.clear();
    for (std::size_t i = 0; std::cmp_less(i, c.in(1).elements()); ++i) table.set(table_key(c.in(1), i), c.in(2), i);
    return {};
  }
};

constexpr InputRule kFilledWith[] = {{1, "Keys must be a vector, but received shape{}", Takes::vector},
                                     {2, "Values must be a vector, but received shape{}", Takes::vector}};

// Inputs: handle, keys, values.
class InitializeKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    Table& table = table_of(c);
    if (table.is_mutable) return invalid("Table {} is not initializable", table.name);
    TARRY_RETURN_IF_ERROR(check_inputs(c, kFilledWith));
    if (c.in(1).elements() != c.in(2).elements())
      return invalid("Keys and values must have the same size {} vs {}", c.in(1).elements(), c.in(2).elements());
    return fill_once(table, c);
  }
};

class TableSizeKernel : public Kernel {
 public:
  Status compute(KernelContext& c) override {
    return c.give(0, make_scalar(static_cast<std::int64_t>(table_of(c).values.size())));
  }
};

// The keys and values in the order of the keys' bytes. TensorFlow has them in the order of a hash table.
class ExportKernel : public Kernel {
 public:
  explicit ExportKernel(const KernelSetup& s) : key_type_(s.outputs[0]) {}
  Status compute(KernelContext& c) override {
    const Table& table = table_of(c);
    if (!table.is_ready) return error(Code::kAborted, "HashTable is not initialized.");
    const Shape shape({std::ssize(table.values)});
    MutableTensor keys = make_tensor(key_type_, shape), values = make_tensor(table.value_type, shape);
    std::size_t i = 0;
    for (const auto& [key, value] : table.values) {
      if (type_size(key_type_) == 0)
        keys->mutable_strings()[i] = key;
      else
        std::memcpy(keys->mutable_raw().data() + i * key.size(), key.data(), key.size());
      copy_elements(*values, i++, *value, 0);
    }
    c.set(0, keys);
    return c.give(1, values);
  }

 private:
  DataType key_type_;
};

constexpr KernelRow kLookupRows[] = {
    {"HashTable", make_table<false>},
    {"HashTableV2", make_table<false>},
    {"MutableHashTable", make_table<true>},
    {"MutableHashTableV2", make_table<true>},
    {"InitializeTable", make_plain<InitializeKernel>},
    {"InitializeTableV2", make_plain<InitializeKernel>},
    {"LookupTableFind", make_plain<FindKernel>},
    {"LookupTableFindV2", make_plain<FindKernel>},
    {"LookupTableImport", make_plain<InsertKernel<true>>},
    {"LookupTableImportV2", make_plain<InsertKernel<true>>},
    {"LookupTableInsert", make_plain<InsertKernel<false>>},
    {"LookupTableInsertV2", make_plain<InsertKernel<false>>},
    {"LookupTableExport", make_from_setup<ExportKernel>},
    {"LookupTableExportV2", make_from_setup<ExportKernel>},
    {"LookupTableSize", make_plain<TableSizeKernel>},
    {"LookupTableSizeV2", make_plain<TableSizeKernel>},
};

}  // namespace

KernelFamily lookup_ops() { return {kLookupRows, ResourceKind::lookup_table}; }

}  // namespace tarry
