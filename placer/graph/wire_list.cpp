#include "placer/graph/wire_list.hpp"

#include <algorithm>

#include "placer/graph/wire_fields.hpp"

namespace tarry {
namespace {

// The body of the field at `at`, which is the list's or the name's: number 1, and bytes.
StatusOr<std::string_view> first_field(std::string_view bytes, std::size_t& at) {
  WireField field;
  if (const std::string fault = step_over_field(bytes, at, field); !fault.empty())
    return invalid("not a list of ops or kernels: at byte {}: {}", field.at, fault);
  if (field.number != 1 || field.wire_type != 2)
    return invalid("not a list of ops or kernels: at byte {}: field {} of wire type {}", field.at, field.number,
                   field.wire_type);
  return bytes.substr(field.body, field.length);
}

}  // namespace

StatusOr<WireList> index_list(std::string bytes) {
  WireList list{std::make_shared<const std::string>(std::move(bytes)), {}};
  for (std::size_t at = 0; at < list.bytes->size();) {
    TARRY_ASSIGN(const std::string_view body, first_field(*list.bytes, at));
    std::size_t in_body = 0;
    TARRY_ASSIGN(const std::string_view name, first_field(body, in_body));
    list.entries.push_back({name, body});
  }
  if (!std::ranges::is_sorted(list.entries, {}, &WireList::Entry::name))
    std::ranges::stable_sort(list.entries, {}, &WireList::Entry::name);
  return list;
}

}  // namespace tarry
