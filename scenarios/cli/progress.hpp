// A line on the terminal that says how far a long command is: from the second second on, a few times a second, gone
// when the command prints its answer. Where stderr is no terminal there is none.
#pragma once

#include <cstdint>
#include <string>

namespace tarry {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { erase(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Draws `text(seconds so far)` if it is time to; may be called often.
  template <class Text>
  void show(Text&& text) {
    if (is_due()) draw(text(seconds()));
  }
  void erase() const;  // before anything else is printed

 private:
  [[nodiscard]] bool is_due();
  [[nodiscard]] double seconds() const;
  static void draw(const std::string& text);

  bool is_terminal_;
  std::int64_t began_, next_;  // ns of the machine's clock
};

}  // namespace tarry
