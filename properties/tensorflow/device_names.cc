#include "device_names.h"

#include "compat.h"

using json::Value;

namespace {

using Names = tf::DeviceNameUtils;

std::string merged(bool soft, const Names::ParsedName& a, const Names::ParsedName& b) {
  Names::ParsedName t = a;
  const Status s = Names::MergeDevNames(&t, b, soft);
  return json::quote(s.ok() ? Names::ParsedNameToString(t) : "error " + message(s));
}

}  // namespace

std::string run_names(const Value& c) {
  Names::ParsedName p[2];
  std::string out = "{\"id\":" + json::quote(c["id"].s), fields;
  bool all = true;
  for (int i = 0; i < 2; ++i) {
    const bool good = Names::ParseFullName(c["names"].at(i).s, &p[i]);
    all &= good;
    fields += i ? "," : "";
    if (!good)
      fields += "null";
    else
      fields += "[" + json::quote(Names::ParsedNameToString(p[i])) + "," +
                (p[i].has_job ? json::quote(p[i].job) : "null") + "," +
                (p[i].has_replica ? std::to_string(p[i].replica) : "null") + "," +
                (p[i].has_task ? std::to_string(p[i].task) : "null") + "," +
                (p[i].has_type ? json::quote(p[i].type) : "null") + "," +
                (p[i].has_id ? std::to_string(p[i].id) : "null") + "]";
  }
  out += ",\"parsed\":[" + fields + "]";
  if (!all) return out + "}";
  auto flag = [](bool b) { return b ? "true" : "false"; };
  out += std::string(",\"spec\":[") + flag(Names::IsSpecification(p[0], p[1])) + "," +
         flag(Names::IsSpecification(p[1], p[0])) + "]";
  out += std::string(",\"compatible\":") + flag(Names::AreCompatibleDevNames(p[0], p[1]));
  out += std::string(",\"same_space\":") + flag(Names::IsSameAddressSpace(p[0], p[1]));
  out += ",\"merge\":" + merged(false, p[0], p[1]) + ",\"merge_soft\":" + merged(true, p[0], p[1]);
#if TFV >= 114
  Names::ParsedName t = p[0];
  const Status s = Names::MergeOverrideDevNames(&t, p[1]);
  out += ",\"merge_override\":" + json::quote(s.ok() ? Names::ParsedNameToString(t) : "error " + message(s));
  t = p[0];
  Names::EnsureSpecification(&t, p[1]);
  out += ",\"ensure\":" + json::quote(Names::ParsedNameToString(t));
#endif
#if TFV >= 115 && TFV != 200
  out += std::string(",\"different_space\":") + flag(Names::IsDifferentAddressSpace(p[0], p[1]));
#endif
  return out + "}";
}
