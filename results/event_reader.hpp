// Which kinds of events a reader of a log looks at, so that it is asked about no others: most events are messages, and
// most readers skip them.
#pragma once

#include <array>
#include <type_traits>
#include <utility>
#include <variant>

#include "results/log.hpp"

namespace tarry {

// What the `on` of a reader gives for a kind that it does not look at.
struct Ignored {};

template <class R, class E>
concept LooksAt = !std::is_same_v<decltype(std::declval<R&>().on(std::declval<const E&>())), Ignored>;

template <class R, std::size_t... kinds>
constexpr auto looks_at(std::index_sequence<kinds...>) {
  return std::array{LooksAt<R, std::variant_alternative_t<kinds, Event>>...};
}
// By the index of a kind in Event.
template <class R>
inline constexpr auto kLooksAt = looks_at<R>(std::make_index_sequence<std::variant_size_v<Event>>());

// Calls the overload of `on` for this event, if the reader has one of its own for the kind.
template <class R>
void pass_on(const Event& event, R& reader) {
  if (kLooksAt<R>[event.index()]) std::visit([&](const auto& e) { reader.on(e); }, event);
}

}  // namespace tarry
