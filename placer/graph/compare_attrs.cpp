#include "placer/graph/compare_attrs.hpp"

namespace tarry {
namespace {

// One walk over both: once a private attribute differs, no other is read.
class Comparison {
 public:
  AttrComparison run(const Attrs& a, const Attrs& b) {
    auto i = a.begin(), j = b.begin();
    while (like_.declared && (i != a.end() || j != b.end())) {
      const int order = i == a.end() ? 1 : j == b.end() ? -1 : i->first.compare(j->first);
      if (order == 0)
        both(*i++, *j++);
      else
        only_one(order < 0 ? *i++ : *j++);
    }
    return like_;
  }

 private:
  void both(const AttrEntry& a, const AttrEntry& b) {
    if (!is_private_attr(a.first))
      like_.declared = a.second == b.second;
    else
      like_.all = like_.all && a.second == b.second;
  }
  void only_one(const AttrEntry& e) { (is_private_attr(e.first) ? like_.all : like_.declared) = false; }

  AttrComparison like_;
};

}  // namespace

AttrComparison compare_attrs(const Attrs& a, const Attrs& b) {
  return a.is_same_object(b) ? AttrComparison{} : Comparison().run(a, b);
}

}  // namespace tarry
