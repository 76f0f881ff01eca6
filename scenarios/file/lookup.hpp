// Looks up the hosts, racks and tasks of a scenario by name, with a suggestion in the error for an unknown name.
//
// Errors go to the reader, at the name's position; the answer is then `none`.
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
  // Starts with the hosts and tasks of a cluster that was read before.
  Lookup(Reader& in, const ClusterSpec& cluster);

  // They give false when the name was added before. Ids count in the order of adding.
  bool add_host(const std::string& name) { return hosts_.emplace(name, HostId{hosts_.size()}).second; }
  bool add_task(const std::string& canonical) { return tasks_.emplace(canonical, TaskId{tasks_.size()}).second; }

  // The rack of that name, which is added when it is new; `none` for "".
  [[nodiscard]] RackId rack_or_new(const std::string& name);

  [[nodiscard]] HostId host_of(const Named& name) const;
  [[nodiscard]] RackId rack_of(const Named& name) const;
  [[nodiscard]] TaskId task_of(const Named& name) const;
  // The canonical name; "" and an error when `name` is not the name of a task.
  [[nodiscard]] std::string task_name(const Named& name) const;
  // By canonical name, without an error; `none` when there is no such task.
  [[nodiscard]] TaskId find_task(const std::string& canonical) const;

  std::set<TaskId> with_program;  // tasks that have a client of their own

 private:
  [[nodiscard]] std::string meant(const std::string& written, const std::string& canonical) const;

  Reader& in_;
  std::map<std::string, HostId> hosts_;
  std::map<std::string, RackId> racks_;
  std::map<std::string, TaskId> tasks_;
};

// A name as error messages show it: cut at 80 characters.
[[nodiscard]] inline std::string shown(const std::string& text) { return text.substr(0, 80); }

}  // namespace tarry
