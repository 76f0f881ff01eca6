// A position in a file.
#pragma once

namespace tarry {

struct Position {  // counted from 1
  int line = 1, column = 1;
};

}  // namespace tarry
