// What differs between releases of the placer, as data (design: releases are data).
#pragma once

namespace tarry {

struct Rules {
  const char* release = "2.15";
};

[[nodiscard]] inline Rules rules_2_15() { return {}; }

}  // namespace tarry
