#include "workers/kernels/lookup_table.hpp"

#include "workers/kernels/dispatch.hpp"

namespace tarry {
namespace {

std::string text_of_element(const TensorBody& t, std::size_t i) {
  if (t.dtype() == DataType::kString) return t.strings()[i];
  std::string text;
  (void)for_number_or_bool(t.dtype(), [&]<class T>() { return text = fmt::format("{}", t.as<T>()[i]), Status(); });
  return text;
}

}  // namespace

std::string table_key(const TensorBody& keys, std::size_t i, std::size_t n) {
  const std::size_t size = type_size(keys.dtype());
  if (size > 0) return {reinterpret_cast<const char*>(keys.raw().data()) + i * n * size, n * size};
  if (n == 1) return keys.strings()[i];
  std::string key;
  for (std::size_t j = i * n; j < (i + 1) * n; ++j)
    key += fmt::format("{}:{}", keys.strings()[j].size(), keys.strings()[j]);
  return key;
}

void Table::set(const std::string& key, const TensorBody& from, std::size_t i) {
  MutableTensor value = make_tensor(kind.value_type, kind.value_shape);
  copy_elements(*value, 0, from, i * value_size(), value_size());
  values[key] = value;
}

Status Table::add_once(const TensorBody& keys, const TensorBody& given, std::size_t i) {
  const std::string key = table_key(keys, i);
  const auto it = values.find(key);
  if (it == values.end()) return set(key, given, i), Status();
  const std::string old = text_of_element(*it->second, 0), now = text_of_element(given, i);
  if (old == now) return {};
  return error(Code::kFailedPrecondition,
               "HashTable has different value for same key. Key {} has {} and trying to add value {}",
               text_of_element(keys, i), old, now);
}

Status Table::check_is_filled_once() const {
  return kind.is_mutable ? invalid("Table {} is not initializable", name) : Status();
}

Table& table_of(const KernelContext& c) { return static_cast<Table&>(*c.inputs[0].resource); }

}  // namespace tarry
