// The hosts and tasks that a scenario names: ids for names, and what may have been meant by a name that is not there.
//
// Errors go to the reader, at the name's place; after one, answers are `none`.
#pragma once

#include <map>
#include <set>
#include <string>

#include "scenarios/file/schema.hpp"
#include "sim/cluster.hpp"

namespace tarry {

class Lookup {
 public:
  explicit Lookup(Reader& in) : in_(in) {}
  // Those of a cluster that was read before.
  Lookup(Reader& in, const ClusterSpec& cluster);

  // False when the name is there already. Ids count in the order of adding.
  bool add_host(const std::string& name) { return hosts_.emplace(name, HostId{hosts_.size()}).second; }
  bool add_task(const std::string& canonical) { return tasks_.emplace(canonical, TaskId{tasks_.size()}).second; }

  [[nodiscard]] HostId host_of(const Named& name) const;
  [[nodiscard]] TaskId task_of(const Named& name) const;
  // Canonical; "" with an error for what is no task's name.
  [[nodiscard]] std::string task_name(const Named& name) const;
  // By canonical name, without an error; none when it is not there.
  [[nodiscard]] TaskId find_task(const std::string& canonical) const;

  std::set<TaskId> with_program;  // tasks that a client runs beside

 private:
  [[nodiscard]] std::string meant(const std::string& written, const std::string& canonical) const;

  Reader& in_;
  std::map<std::string, HostId> hosts_;
  std::map<std::string, TaskId> tasks_;
};

// A name in a message: not more of it than a line holds.
[[nodiscard]] inline std::string shown(const std::string& text) { return text.substr(0, 80); }

}  // namespace tarry
