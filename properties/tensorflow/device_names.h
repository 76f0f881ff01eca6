// What this release makes of a pair of device names: {"id", "names": [a, b]}.
#pragma once
#include <string>

#include "json.h"

std::string run_names(const json::Value& c);
