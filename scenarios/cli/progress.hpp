// A line on the terminal that says how far a long command is: from the second second on, a few times a second, gone
// when the command prints its answer. Where stderr is no terminal there is none.
#pragma once

#include <cstdint>
#include <string>

namespace tarry {

// Of the machine's clock, since it was made.
class Stopwatch {
 public:
  Stopwatch();
  [[nodiscard]] double seconds() const;

 private:
  std::int64_t began_;  // ns
};

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Draws `text(seconds so far)` if it is time to; may be called often.
  template <class Text>
  void show(Text&& text) {
    if (is_due()) draw(text(watch_.seconds()));
  }
  void erase() const;  // before anything else is printed

 private:
  [[nodiscard]] bool is_due();
  static void draw(const std::string& text);

  bool is_terminal_;
  Stopwatch watch_;
  double next_;  // seconds
};

}  // namespace tarry
