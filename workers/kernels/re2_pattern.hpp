// A regular expression as RE2 reads it, in the words of the standard library (ECMAScript), for texts of ASCII.
//
// The two read classes of characters differently: RE2 takes a bracket that comes first for a character, and knows
// [:alpha:], but no [.a.] and [=a=]. So a class, a group such as \d, and an escaped character are written anew.
#pragma once

#include <string>
#include <string_view>

namespace tarry {

struct EcmaPattern {
  std::string text;
  std::string fault;     // what RE2 says of a pattern that is none; "" = nothing that is looked for here
  bool is_known = true;  // false: RE2 knows what the standard library does not
};

[[nodiscard]] EcmaPattern from_re2(std::string_view pattern);

}  // namespace tarry
