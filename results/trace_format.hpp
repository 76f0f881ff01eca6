// For tests: what the format of Chrome traces demands, and viewers take for granted.
//
// Every event has the fields of its phase; every track has a name; times on a track are in order, and what overlaps is
// nested; an arrow has one beginning and one end, each within something on its track, and does not run back.
#pragma once

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tarry {

class TraceChecker {
 public:
  using Json = nlohmann::json;

  std::vector<std::string> check(const Json& trace) {
    for (const Json& e : trace.at("traceEvents"))
      if (has_fields(e)) look_at(e);
    for (const Json& e : trace.at("traceEvents")) look_at_arrow(e);
    for (const auto& [id, a] : arrows_) judge(id, a);
    return std::move(wrong_);
  }

 private:
  using Track = std::pair<int, int>;
  struct Arrow {
    int begins = 0, ends = 0;
    double from = 0, to = 0;
  };

  void complain(const std::string& what, const Json& e) { wrong_.push_back(what + ": " + e.dump()); }
  static Track track(const Json& e) { return {e.at("pid").get<int>(), e.at("tid").get<int>()}; }
  static bool has(const Json& e, const char* key, Json::value_t type) {
    const auto it = e.find(key);
    return it != e.end() && (type == Json::value_t::number_float ? it->is_number() : it->type() == type);
  }

  bool has_fields(const Json& e) {
    constexpr auto kNumber = Json::value_t::number_float;
    constexpr auto kText = Json::value_t::string;
    const std::string phase = e.value("ph", "none");
    bool all = has(e, "pid", kNumber) && has(e, "tid", kNumber) && has(e, "name", kText);
    if (phase == "M" || phase == "C") all = all && has(e, "args", Json::value_t::object) && !e["args"].empty();
    if (phase != "M") all = all && has(e, "ts", kNumber);
    if (phase == "X") all = all && has(e, "dur", kNumber) && e["dur"] >= 0;
    if (phase == "i") all = all && has(e, "s", kText);
    if (phase == "s" || phase == "f") all = all && has(e, "id", kNumber) && has(e, "cat", kText);
    if (phase == "f") all = all && e.value("bp", "") == "e";
    if (all && std::string("MCXisf").find(phase) != std::string::npos) return true;
    complain("a field is missing or wrong", e);
    return false;
  }

  void look_at(const Json& e) {
    if (e["name"] == "thread_name") named_[track(e)] = true;
    if (e["ph"] == "M" || e["ph"] == "s" || e["ph"] == "f") return;
    if (e["ph"] == "X" && !named_[track(e)]) complain("its track has no name", e);
    double& last = last_[{track(e), e["ph"] == "C" ? e["name"].get<std::string>() : ""}];
    if (e["ts"] < last) complain("it is earlier than the one before", e);
    last = e["ts"];
    if (e["ph"] == "X") nest(e);
  }

  // Sums of microseconds are not exact: half a nanosecond is nothing.
  void nest(const Json& e) {
    const double from = e["ts"], to = from + e["dur"].get<double>();
    std::vector<double>& open = open_[track(e)];
    while (!open.empty() && open.back() <= from + kNothing) open.pop_back();
    if (!open.empty() && to > open.back() + kNothing) complain("it overlaps another one", e);
    open.push_back(to);
    spans_[track(e)].emplace_back(from, to);
  }

  void look_at_arrow(const Json& e) {
    if (e.value("ph", "") != "s" && e.value("ph", "") != "f") return;
    if (!e.contains("id") || !e.contains("ts")) return;
    Arrow& a = arrows_[e["id"]];
    (e["ph"] == "s" ? a.begins : a.ends) += 1;
    (e["ph"] == "s" ? a.from : a.to) = e["ts"];
    const double at = e["ts"];
    const auto& spans = spans_[track(e)];
    auto next = std::upper_bound(spans.begin(), spans.end(), at + kNothing,
                                 [](double t, const auto& span) { return t < span.first; });
    if (next == spans.begin() || at > std::prev(next)->second + kNothing) complain("nothing is at its end", e);
  }

  void judge(int id, const Arrow& a) {
    if (a.begins != 1 || a.ends != 1 || a.from > a.to + kNothing)
      wrong_.push_back("arrow " + std::to_string(id) + " is no pair");
  }

  static constexpr double kNothing = 5e-4;
  std::vector<std::string> wrong_;
  std::map<Track, bool> named_;
  std::map<std::pair<Track, std::string>, double> last_;
  std::map<Track, std::vector<double>> open_;  // ends of what encloses the present
  std::map<Track, std::vector<std::pair<double, double>>> spans_;
  std::map<int, Arrow> arrows_;
};

// Empty where all is as it must be; else what is wrong, and with which event.
inline std::vector<std::string> wrong_in(const nlohmann::json& trace) { return TraceChecker().check(trace); }

}  // namespace tarry
