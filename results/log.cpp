#include "results/log.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tarry {
namespace {

template <class T>
std::uint64_t as_integer(const T& v) {
  if constexpr (requires { v.value; })
    return static_cast<std::uint64_t>(v.value);
  else
    return static_cast<std::uint64_t>(v);
}

template <class T>
void from_integer(std::uint64_t from, T& v) {
  if constexpr (requires { v.value; })
    v.value = static_cast<decltype(v.value)>(from);
  else
    v = static_cast<T>(from);
}

template <class E>
constexpr std::size_t kFieldCount = std::tuple_size_v<std::remove_cvref_t<decltype(E::kFields)>>;

void put(std::string& out, std::uint64_t v) { out.append(reinterpret_cast<const char*>(&v), sizeof v); }

bool get(std::string_view& in, std::uint64_t& v) {
  if (in.size() < sizeof v) return false;
  std::memcpy(&v, in.data(), sizeof v);
  in.remove_prefix(sizeof v);
  return true;
}

// The event as integers: time, kind, fields.
template <class F>
void with_integers(Nanos at, const Event& event, F use) {
  std::visit(
      [&]<class E>(const E& e) {
        std::apply(
            [&](auto... field) {
              const std::array<std::uint64_t, 2 + kFieldCount<E>> all{static_cast<std::uint64_t>(at), event.index(),
                                                                      as_integer(e.*field)...};
              use(all);
            },
            E::kFields);
      },
      event);
}

template <class E>
bool read_fields(std::string_view& in, Event& event) {
  E e;
  const bool whole = std::apply(
      [&](auto... field) {
        const auto one = [&](auto f) {
          std::uint64_t v = 0;
          const bool ok = get(in, v);
          from_integer(v, e.*f);
          return ok;
        };
        return (one(field) && ...);
      },
      E::kFields);
  event = e;
  return whole;
}

template <std::size_t... kinds>
bool read_kind(std::uint64_t kind, std::string_view& in, Event& event, std::index_sequence<kinds...>) {
  return ((kind == kinds && read_fields<std::variant_alternative_t<kinds, Event>>(in, event)) || ...);
}

// How a run ended, as one integer: logs that know nothing of what comes after it have 0 or 1.
std::uint64_t end_as_integer(const EventLog& log) {
  return static_cast<std::uint64_t>(EventLog::kUnknown - log.goes_on_at) << 2 | std::uint64_t{log.slows_in_vain} << 1 |
         std::uint64_t{log.is_deadlocked};
}

}  // namespace

void EventLog::add(Nanos at, const Event& event) {
  with_integers(at, event, [this](const auto& all) { hasher_.integers(all); });
  ++count_;
  if (keep_kernels_ || !std::holds_alternative<KernelRan>(event)) events_.push_back({at, event});
}

Hash128 EventLog::hash() const {
  if (is_stored_) return stored_hash_;
  Hasher all;
  const Hash128 events = hasher_.digest();
  all.integer(events.low);
  all.integer(events.high);
  for (const std::string& n : names_) all.bytes(n);
  return all.digest();
}

std::string EventLog::to_bytes() const {
  std::string out;
  const Hash128 h = hash();
  for (const std::uint64_t v :
       {h.low, h.high, count_, static_cast<std::uint64_t>(started_at), static_cast<std::uint64_t>(ended_at),
        end_as_integer(*this), std::uint64_t{names_.size()}})
    put(out, v);
  for (const std::string& n : names_) {
    put(out, n.size());
    out += n;
  }
  put(out, slowed_in_vain.size());
  for (const TaskId t : slowed_in_vain) put(out, t.index());
  for (const LoggedEvent& e : events_)
    with_integers(e.at, e.event, [&](const auto& all) {
      out.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof all[0]);
    });
  return out;
}

bool EventLog::has_names_of(const Event& event) const {
  const auto is_there = [this]<class F>(const F& field) {
    if constexpr (std::is_same_v<F, NameId>) return !field.valid() || field.index() < names_.size();
    return true;
  };
  return std::visit(
      [&]<class E>(const E& e) {
        return std::apply([&](auto... field) { return (is_there(e.*field) && ...); }, E::kFields);
      },
      event);
}

bool EventLog::is_plausible() const {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 8;
  constexpr std::size_t kMostTasks = 1'000'000;  // readers keep a row for each
  const auto fits = []<class F>(const F& field) {
    if constexpr (std::is_same_v<F, std::int64_t>) return field >= -kMost && field <= kMost;
    if constexpr (std::is_same_v<F, TaskId>) return !field.valid() || field.index() < kMostTasks;
    return true;
  };
  const auto is_fit = [&](const LoggedEvent& logged) {
    return fits(logged.at) &&
           std::visit(
               [&]<class E>(const E& e) {
                 return std::apply([&](auto... field) { return (fits(e.*field) && ...); }, E::kFields);
               },
               logged.event);
  };
  return fits(started_at) && fits(ended_at) && fits(goes_on_at) && std::ranges::all_of(events_, is_fit);
}

StatusOr<EventLog> EventLog::from_bytes(std::string_view in) {
  const Status damaged = invalid("not an event log, or a damaged one");
  EventLog log;
  std::uint64_t started = 0, ended = 0, end = 0, names = 0;
  for (std::uint64_t* v : {&log.stored_hash_.low, &log.stored_hash_.high, &log.count_, &started, &ended, &end, &names})
    if (!get(in, *v)) return damaged;
  log.started_at = static_cast<Nanos>(started);
  log.ended_at = static_cast<Nanos>(ended);
  log.is_deadlocked = (end & 1) != 0;
  log.slows_in_vain = (end & 2) != 0;
  log.goes_on_at = kUnknown - (static_cast<Nanos>(end) >> 2);
  log.is_stored_ = true;
  for (std::uint64_t i = 0; i < names; ++i) {
    std::uint64_t size = 0;
    if (!get(in, size) || size > in.size()) return damaged;
    log.names_.emplace_back(in.substr(0, size));
    in.remove_prefix(size);
  }
  std::uint64_t slowed = 0;
  if (!get(in, slowed)) return damaged;
  for (std::uint64_t i = 0, task = 0; i < slowed; ++i) {
    if (!get(in, task)) return damaged;
    log.slowed_in_vain.emplace_back(task);
  }
  while (!in.empty()) {
    std::uint64_t at = 0, kind = 0;
    LoggedEvent e;
    if (!get(in, at) || !get(in, kind) ||
        !read_kind(kind, in, e.event, std::make_index_sequence<std::variant_size_v<Event>>()))
      return damaged;
    e.at = static_cast<Nanos>(at);
    if (!log.has_names_of(e.event)) return damaged;
    log.events_.push_back(e);
  }
  return log;
}

bool is_same_event(const EventLog& a, const LoggedEvent& x, const EventLog& b, const LoggedEvent& y) {
  const auto is_same = [&]<class E>(const E& e) {
    const E* other = std::get_if<E>(&y.event);
    const auto field_is_same = [&]<class F>(F E::*field) {
      if constexpr (std::is_same_v<F, NameId>)
        return a.name(e.*field) == b.name(other->*field);
      else
        return e.*field == other->*field;
    };
    return other != nullptr && std::apply([&](auto... field) { return (field_is_same(field) && ...); }, E::kFields);
  };
  return x.at == y.at && std::visit(is_same, x.event);
}

}  // namespace tarry
