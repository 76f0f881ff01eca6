#include "properties/placement/reference_names.hpp"

#include <array>
#include <cctype>

namespace tarry::reference {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Reads names from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : left_(text) {}
  [[nodiscard]] bool is_at_end() const { return left_.empty(); }

  bool takes(std::string_view prefix) {
    if (!left_.starts_with(prefix)) return false;
    left_.remove_prefix(prefix.size());
    return true;
  }

  // A star clears the field.
  bool number(std::optional<int>& field) {
    if (takes("*")) return field.reset(), true;
    std::uint64_t value = 0;
    std::size_t n = 0;
    for (; n < left_.size() && is_digit(left_[n]); ++n) value = value * 10 + static_cast<std::uint64_t>(left_[n] - '0');
    if (n == 0) return false;
    left_.remove_prefix(n);
    field = static_cast<int>(value);
    return true;
  }

  bool word(std::optional<std::string>& field, std::string_view ends) {
    if (takes("*")) return field.reset(), true;
    std::size_t n = 0;
    while (n < left_.size() && (is_letter(left_[n]) || (n > 0 && (is_digit(left_[n]) || left_[n] == '_')))) ++n;
    if (n == 0 || (n < left_.size() && ends.find(left_[n]) == std::string_view::npos)) return false;
    field = std::string(left_.substr(0, n));
    left_.remove_prefix(n);
    return true;
  }

 private:
  std::string_view left_;
};

bool component(Reader& r, Name& n) {
  if (r.takes("/job:")) return r.word(n.job, "/");
  if (r.takes("/replica:")) return r.number(n.replica);
  if (r.takes("/task:")) return r.number(n.task);
  if (r.takes("/device:")) return r.word(n.type, "/:") && (!r.takes(":") || r.number(n.id));
  for (const auto& [prefix, type] : {std::pair{"/cpu:", "CPU"}, {"/CPU:", "CPU"}, {"/gpu:", "GPU"}, {"/GPU:", "GPU"}}) {
    if (!r.takes(prefix)) continue;
    n.type = type;
    return r.number(n.id);
  }
  return false;
}

template <class T>
bool agrees(const std::optional<T>& less, const std::optional<T>& more) {
  return !less || less == more;
}
template <class T>
bool meets(const std::optional<T>& a, const std::optional<T>& b) {
  return !a || !b || a == b;
}
template <class T>
void lay(std::optional<T>& under, const std::optional<T>& over) {
  if (over) under = over;
}
// False when both are there and differ.
template <class T>
bool fill(std::optional<T>& target, const std::optional<T>& other) {
  if (other && target && target != other) return false;
  lay(target, other);
  return true;
}

}  // namespace

std::optional<Name> parse(std::string_view text) {
  Name n;
  if (text.empty() || text == "/") return n;
  Reader r(text);
  while (!r.is_at_end())
    if (!component(r, n)) return std::nullopt;
  return n;
}

bool covers(const Name& less, const Name& more) {
  return agrees(less.job, more.job) && agrees(less.replica, more.replica) && agrees(less.task, more.task) &&
         agrees(less.type, more.type) && agrees(less.id, more.id);
}

bool overlap(const Name& a, const Name& b) {
  return meets(a.job, b.job) && meets(a.replica, b.replica) && meets(a.task, b.task) && meets(a.type, b.type) &&
         meets(a.id, b.id);
}

Name laid_over(Name under, const Name& over) {
  lay(under.job, over.job);
  lay(under.replica, over.replica);
  lay(under.task, over.task);
  lay(under.type, over.type);
  lay(under.id, over.id);
  return under;
}

bool merge_into(Name& target, const Name& other, Conflict conflict) {
  if (!fill(target.job, other.job) || !fill(target.replica, other.replica) || !fill(target.task, other.task))
    return false;
  if (!fill(target.type, other.type)) {
    if (conflict == Conflict::is_error) return false;
    if (conflict == Conflict::drops_field) {
      target.type.reset();
      target.id.reset();
      return true;
    }
    target.type = other.type;
  }
  if (!fill(target.id, other.id)) {
    if (conflict == Conflict::is_error) return false;
    if (conflict == Conflict::drops_field)
      target.id.reset();
    else
      target.id = other.id;
  }
  return true;
}

}  // namespace tarry::reference
