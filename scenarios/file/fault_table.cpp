// Every key of a fault in a scenario file (table.cpp has the rest).

#include "scenarios/file/raw.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kMost = 1'000'000'000;
constexpr char kTask[] = "a task such as /job:worker/task:0";

Type<RawMoment> moment_type() {
  return Section<RawMoment>("after",
                            "Something that happened to a worker's client; one of pushed, token_taken, session_ready.")
      .key("pushed", &RawMoment::pushed, name_type(kTask), "its gradient reached an accumulator")
      .key("token_taken", &RawMoment::token_taken, name_type(kTask), "a token left the queue for it")
      .key("session_ready", &RawMoment::session_ready, name_type(kTask), "its session can train")
      .key("count", &RawMoment::count, integer_type(1, kMost), "for the how-manieth time")
      .key("delay", &RawMoment::delay, time_type(), "and that long after")
      .type();
}

Type<RawSlow> slow_type() {
  return Section<RawSlow>("slow", "A task's kernels take longer, or less.")
      .required("task", &RawSlow::task, name_type(kTask), "whose kernels")
      .required("percent", &RawSlow::percent, integer_type(1, 1'000'000), "of their usual time")
      .key("lasts", &RawSlow::lasts, optional_of(time_type()), "that long; else for good")
      .type();
}

Type<RawCut> part_type() {
  return Section<RawCut>("part", "Nothing passes between two hosts, and nobody is told.")
      .required("between", &RawCut::between, list_of(name_type("the name of a host")), "two hosts")
      .key("lasts", &RawCut::lasts, optional_of(time_type()), "that long, then what waited goes on; else for good")
      .type();
}

Type<RawCut> delay_type() {
  return Section<RawCut>("delay", "Messages between two hosts take another latency.")
      .required("between", &RawCut::between, list_of(name_type("the name of a host")), "two hosts; both directions")
      .required("latency", &RawCut::latency, time_type(), "one way")
      .key("lasts", &RawCut::lasts, optional_of(time_type()), "that long; else for good")
      .type();
}

}  // namespace

Type<RawFault> fault_type() {
  Type<RawFault> type =
      Section<RawFault>("a fault",
                        "When (at, or after), and what: one of kill, restart, disconnect, resend, slow, delay, part.")
          .key("at", &RawFault::at, optional_of(time_type()), "since the start")
          .key("after", &RawFault::after, optional_of(moment_type()), "when something has happened")
          .key("kill", &RawFault::kill, name_type(kTask), "its process ends with all its state, server and client")
          .key("restart", &RawFault::restart, name_type(kTask),
               "a new process begins there, server and client; one that lives is killed first")
          .key("disconnect", &RawFault::disconnect, list_of(name_type(kTask)),
               "the connections between two tasks break once")
          .key("resend", &RawFault::resend, list_of(name_type(kTask)),
               "a caller and a server: their connection breaks once, and the caller's channel sends its open calls "
               "again")
          .key("slow", &RawFault::slow, optional_of(slow_type()), "a task's kernels take longer")
          .key("delay", &RawFault::delay, optional_of(delay_type()), "messages between two hosts take longer")
          .key("part", &RawFault::part, optional_of(part_type()), "nothing passes between two hosts")
          .type();
  type.read = [inner = type.read](Reader& in, const YAML::Node& node, RawFault& out) {
    inner(in, node, out);
    out.position = position_of(node);
  };
  return type;
}

}  // namespace tarry
