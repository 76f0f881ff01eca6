// Every kind of fault, by what it says of itself: no test here knows a kind.

#include "scenarios/file/faults.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "scenarios/file/load.hpp"
#include "scenarios/file/schema.hpp"
#include "scenarios/job/fault_shrink.hpp"

namespace tarry {
namespace {

using testing::HasSubstr;

// Names that YAML would take for something else are among the hosts.
Scenario cluster() {
  return parse_scenario(
             "cluster:\n  hosts: [server, host0, 'a, b: [c', 'null', '~', '#x', '-', 'a;b', 'q\"\\;']\n  tasks: {ps/0: "
             "{host: server, gpus: 2}, worker/0: {host: host0, gpus: 2}, worker/1: {host: host0, gpus: 2}, "
             "/job:w/replica:1/task:7: {host: host0, gpus: 2}}\nprograms: [{task: worker/0, "
             "graph: "
             "g}, {task: worker/1, graph: g}]\nstop: {time: 1s}\n",
             "s.yaml")
      .value();
}

// ---- any fault of the cluster ----

template <class Value>
struct Any;
template <>
struct Any<TaskId> {
  static TaskId value(const ClusterSpec& c) { return TaskId{*rc::gen::inRange<std::size_t>(0, c.tasks.size())}; }
};
template <>
struct Any<TaskPair> {
  static TaskPair value(const ClusterSpec& c) {
    const auto a = *rc::gen::inRange<std::size_t>(0, c.tasks.size()),
               by = *rc::gen::inRange<std::size_t>(1, c.tasks.size());
    return {TaskId{a}, TaskId{(a + by) % c.tasks.size()}};
  }
};
template <>
struct Any<HostPair> {
  static HostPair value(const ClusterSpec& c) {
    const auto a = *rc::gen::inRange<std::size_t>(0, c.hosts.size()),
               by = *rc::gen::inRange<std::size_t>(1, c.hosts.size());
    return {HostId{a}, HostId{(a + by) % c.hosts.size()}};
  }
};
template <>
struct Any<HostId> {
  static HostId value(const ClusterSpec& c) { return HostId{*rc::gen::inRange<std::size_t>(0, c.hosts.size())}; }
};
template <>
struct Any<HostList> {
  static HostList value(const ClusterSpec& c) {
    HostList list{{Any<HostId>::value(c)}};
    for (std::size_t h = 0; h < c.hosts.size(); ++h)
      if (HostId{h} != list.hosts[0] && *rc::gen::arbitrary<bool>()) list.hosts.emplace_back(h);
    return list;
  }
};
template <>
struct Any<GpuIndex> {
  static GpuIndex value(const ClusterSpec&) { return {*rc::gen::inRange<std::int64_t>(0, 2)}; }
};
template <>
struct Any<Count> {
  static Count value(const ClusterSpec&) { return {*rc::gen::inRange<std::int64_t>(1, Count::kMost + 1)}; }
};
template <>
struct Any<Bytes> {
  static Bytes value(const ClusterSpec&) { return {*rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 40)}; }
};
template <>
struct Any<OpPattern> {
  static OpPattern value(const ClusterSpec&) {
    return {*rc::gen::element<std::string>("*", "MatMul", "a b", "null", "12")};
  }
};
template <>
struct Any<All> {
  static All value(const ClusterSpec&) { return {}; }
};
template <>
struct Any<PercentLeft> {
  static PercentLeft value(const ClusterSpec&) {
    return {*rc::gen::inRange(PercentLeft::kLeast, PercentLeft::kMost + 1)};
  }
};
template <>
struct Any<Percent> {
  static Percent value(const ClusterSpec&) { return {*rc::gen::inRange(Percent::kLeast, Percent::kMost + 1)}; }
};
template <>
struct Any<Nanos> {
  static Nanos value(const ClusterSpec&) {
    return *rc::gen::inRange<Nanos>(0, 5'000) * *rc::gen::element<Nanos>(1, 1'000, 1'000'000, kSecond);
  }
};
template <class Value>
struct Any<std::optional<Value>> {
  static std::optional<Value> value(const ClusterSpec& c) {
    return *rc::gen::arbitrary<bool>() ? std::optional(Any<Value>::value(c)) : std::nullopt;
  }
};

template <class K>
K any_of_kind(const ClusterSpec& c) {
  K kind;
  std::apply([&]<class... F>(const F&... field) { ((kind.*field.member = Any<typename F::Value>::value(c)), ...); },
             K::fields());
  return kind;
}

std::vector<FaultKinds> any_of_each_kind(const ClusterSpec& c) {
  std::vector<FaultKinds> all;
  for_each_kind([&]<class K>() { all.emplace_back(any_of_kind<K>(c)); });
  return all;
}

std::variant<Nanos, Trigger> any_time(const ClusterSpec& c) {
  if (*rc::gen::arbitrary<bool>()) return Any<Nanos>::value(c);
  return Trigger{kMoments[*rc::gen::inRange<std::size_t>(0, std::size(kMoments))].moment,
                 TaskId{*rc::gen::inRange<std::size_t>(1, 3)}, *rc::gen::inRange<std::int64_t>(1, 100),
                 Any<Nanos>::value(c)};
}

RC_GTEST_PROP(FaultText, of_every_kind_reads_back_as_the_same_fault, ()) {
  const Scenario s = cluster();
  for (const FaultKinds& what : any_of_each_kind(s.cluster)) {
    const Fault fault{any_time(s.cluster), what};
    const std::string text = fault_text(fault, s.cluster);
    const auto read = parse_fault(text, s);
    if (!read.ok() || !(*read == fault)) RC_FAIL(text + ": " + std::string(text_of(read.status())));
  }
}

RC_GTEST_PROP(FaultText, of_every_kind_stands_in_a_scenario_as_it_is, ()) {
  const Scenario s = cluster();
  std::vector<Fault> faults;
  std::string text =
      "cluster: {hosts: [server, host0, 'a, b: [c', 'null', '~', '#x', '-', 'a;b', 'q\"\\;'], tasks: {ps/0: {host: "
      "server, gpus: 2}, worker/0: {host: host0, gpus: 2}, worker/1: {host: host0, gpus: 2}, "
      "/job:w/replica:1/task:7: {host: host0, gpus: 2}}}\nprograms: [{task: worker/0, graph: g}, {task: worker/1, "
      "graph: g}]\nstop: {time: 1s}\nfaults:\n";
  for (const FaultKinds& what : any_of_each_kind(s.cluster)) {
    faults.push_back({any_time(s.cluster), what});
    text += fmt::format("  - {}\n", fault_text(faults.back(), s.cluster));
  }
  const auto read = parse_scenario(text, "s.yaml");
  if (!read.ok()) RC_FAIL(std::string(text_of(read.status())));
  RC_ASSERT(read->faults == faults);
}

// ---- on a command line ----

RC_GTEST_PROP(FaultsLine, of_every_kind_reads_back_as_the_same_faults, ()) {
  const Scenario s = cluster();
  std::vector<Fault> faults;
  for (const FaultKinds& what : any_of_each_kind(s.cluster)) faults.push_back({any_time(s.cluster), what});
  const std::string line = faults_line(faults, s.cluster);
  const auto read = parse_faults(line, s);
  if (!read.ok() || *read != faults) RC_FAIL(line + ": " + std::string(text_of(read.status())));
}

// What the line means, as a scenario's file has it; or what is wrong with it.
std::string meaning(std::string_view line) {
  const Scenario s = cluster();
  const auto faults = parse_faults(line, s);
  if (!faults.ok()) return std::string(text_of(faults.status()));
  std::string all;
  for (const Fault& f : *faults) all += fault_text(f, s.cluster);
  return all;
}

TEST(FaultsLine, takes_less_space_than_a_file) {
  EXPECT_EQ(meaning(""), "");
  EXPECT_EQ(meaning("kill worker/1 at 2s"), "{at: 2s, kill: worker/1}");
  EXPECT_EQ(meaning(" kill worker/1  after token_taken#3 +1ms ; restart worker/1 at +20s"),
            "{after: {token_taken: worker/1, count: 3, delay: 1ms}, kill: worker/1}"
            "{after: {token_taken: worker/1, count: 3, delay: 20001ms}, restart: worker/1}");
  EXPECT_EQ(meaning("kill ps/0 after pushed:worker/0; {at: 1s, kill: worker/0}"),
            "{after: {pushed: worker/0}, kill: ps/0}{at: 1s, kill: worker/0}");
  EXPECT_EQ(meaning("slow worker/0 percent=300 lasts=5s at 1s; part host0,server at +1s"),
            "{at: 1s, slow: {task: worker/0, percent: 300, lasts: 5s}}{at: 2s, part: {between: [host0, server]}}");
}

TEST(FaultsLine, says_which_fault_is_wrong_and_how) {
  EXPECT_EQ(
      meaning("kill worker/1 at 2s; kil worker/0 at 2s"),
      "fault 2, 'kil worker/0 at 2s': no kind of fault is called 'kil'; did you mean 'kill'?; `tarry faults` lists "
      "them");
  EXPECT_EQ(meaning("kill worker/1"),
            "fault 1, 'kill worker/1': it does not say when; expected 'at TIME' or 'after MOMENT'");
  EXPECT_EQ(meaning("kill worker/1 at +2s"),
            "fault 1, 'kill worker/1 at +2s': 'at +2s' counts from the fault before it, and this is the first one");
  EXPECT_EQ(meaning("kill worker/1 at 2s more"),
            "fault 1, 'kill worker/1 at 2s more': 'more' stands behind when it happens");
  EXPECT_EQ(meaning("slow worker/0 300 at 1s"),
            "fault 1, 'slow worker/0 300 at 1s': '300': expected key=value, or when: 'at TIME' or 'after MOMENT'");
  EXPECT_THAT(meaning("kill wroker/1 at 2s"), testing::StartsWith("fault 1, 'kill wroker/1 at 2s': "));
  EXPECT_THAT(meaning("kill wroker/1 at 2s"), testing::HasSubstr("unknown task 'wroker/1'"));
  EXPECT_THAT(meaning("kill worker/1 at 2s;"), testing::HasSubstr("fault 2, '': it is empty"));
  EXPECT_THAT(
      meaning("kill worker/1 at 1s; kill worker/1 at +400000h; kill worker/1 at +400000h"),
      testing::HasSubstr("fault 3, 'kill worker/1 at +400000h': 'at +400000h' is too far from the first fault"));
}

TEST(FaultsLine, takes_a_star_for_any_op_as_it_is) {
  const Scenario s = cluster();
  const auto read = parse_faults("heavy_tail worker/0 op=*MatMul one_in=3 percent=200 at 1s", s);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->front().what, FaultKinds(HeavyTail{TaskId{1u}, {"*MatMul"}, {3}, {200}, {}}));
}

// ---- simpler ones ----

// A rack that shrinks to one host is a host.
bool are_alike(const FaultKinds& simpler, const FaultKinds& what) {
  return simpler.index() == what.index() ||
         (std::holds_alternative<LoseRack>(what) && std::holds_alternative<LoseHost>(simpler));
}

RC_GTEST_PROP(SimplerFaults, of_every_kind_are_of_that_kind_and_come_to_an_end, ()) {
  const Scenario s = cluster();
  for (const FaultKinds& what : any_of_each_kind(s.cluster)) {
    Fault fault{any_time(s.cluster), what};
    int steps = 0;
    for (std::vector<Fault> simpler = simpler_faults(fault); !simpler.empty(); simpler = simpler_faults(fault)) {
      fault = *rc::gen::elementOf(simpler);
      RC_ASSERT(are_alike(fault.what, what));
      RC_ASSERT(parse_fault(fault_text(fault, s.cluster), s).ok());
      RC_ASSERT(++steps < 1'000);
    }
  }
}

TEST(SimplerFaults, are_rounder_smaller_or_for_good) {
  const auto texts = [s = cluster()](std::string_view text) {
    std::vector<std::string> out;
    for (const Fault& f : simpler_faults(*parse_fault(text, s))) out.push_back(fault_text(f, s.cluster));
    return out;
  };
  EXPECT_THAT(texts("{at: 1500ms, kill: worker/0}"),
              testing::UnorderedElementsAre("{at: 0s, kill: worker/0}", "{at: 750ms, kill: worker/0}",
                                            "{at: 1s, kill: worker/0}"));
  EXPECT_THAT(texts("{at: 0s, slow: {task: ps/0, percent: 300, lasts: 1s}}"),
              testing::IsSupersetOf({"{at: 0s, slow: {task: ps/0, percent: 200, lasts: 1s}}",
                                     "{at: 0s, slow: {task: ps/0, percent: 300}}"}));
  EXPECT_THAT(texts("{at: 0s, lose_rack: {hosts: [host0, server], back_after: 0s}}"),
              testing::UnorderedElementsAre("{at: 0s, lose_host: {host: host0, back_after: 0s}}",
                                            "{at: 0s, lose_host: {host: server, back_after: 0s}}",
                                            "{at: 0s, lose_rack: {hosts: [host0, server]}}"));
  EXPECT_THAT(texts("{at: 0s, lose_rack: {hosts: [host0]}}"),
              testing::ElementsAre("{at: 0s, lose_host: {host: host0}}"));
  EXPECT_THAT(texts("{after: {pushed: worker/0, count: 4}, kill: ps/0}"),
              testing::ElementsAre("{after: {pushed: worker/0}, kill: ps/0}",
                                   "{after: {pushed: worker/0, count: 2}, kill: ps/0}"));
}

TEST(SimplerFaults, are_never_conditions_of_no_time_or_size) {
  const Scenario s = cluster();
  for (const char* text : {"{at: 0s, pause: {task: ps/0, lasts: 3us}}", "{at: 0s, slow_save: {task: ps/0, time: 3us}}",
                           "{at: 0s, reorder: {between: [ps/0, worker/0], within: 3us}}"})
    for (const Fault& f : simpler_faults(*parse_fault(text, s)))
      EXPECT_THAT(fault_text(f, s.cluster), testing::Not(testing::HasSubstr(": 0s}"))) << text;
}

// ---- the list of kinds ----

TEST(FaultKinds, are_listed_with_a_meaning_their_fields_and_an_example_that_reads) {
  const Scenario s = cluster();
  std::size_t index = 0;
  for (const FaultKindText& kind : fault_kinds()) {
    EXPECT_FALSE(kind.key.empty() || kind.meaning.empty() || kind.fields.empty()) << kind.key;
    const auto read = parse_fault(kind.example, s);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->what.index(), index++) << kind.example;
    EXPECT_EQ(fault_text(*read, s.cluster), kind.example);
  }
  EXPECT_EQ(index, std::variant_size_v<FaultKinds>);
}

TEST(FaultKinds, have_keys_of_their_own) {
  std::set<std::string> keys = {"at", "after"};
  for (const FaultKindText& kind : fault_kinds()) EXPECT_TRUE(keys.insert(kind.key).second) << kind.key;
}

TEST(FaultKinds, say_what_stands_behind_their_key) {
  const auto slow = std::ranges::find(fault_kinds(), "slow", &FaultKindText::key);
  ASSERT_NE(slow, fault_kinds().end());
  EXPECT_EQ(slow->fields,
            "task: a task such as /job:worker/task:0, whose kernels; percent: a whole number from 1 to 1000000, of "
            "their usual time; lasts: a time such as 200ms, that long; else for good (optional)");
}

TEST(FaultKinds, and_moments_are_in_the_schema_with_all_their_fields) {
  const Json fault = Json::parse(scenario_schema())["properties"]["faults"]["items"]["properties"];
  for_each_kind([&]<class K>() {
    const Json& kind = fault.at(std::string(K::kKey));
    EXPECT_EQ(kind["description"], K::kMeaning);
    const auto has = [&](const auto& field) { return kind["properties"].at(std::string(field.key)).is_object(); };
    const bool is_map = kFieldsOf<K> > 1;
    EXPECT_TRUE(!is_map || std::apply([&](const auto&... f) { return (has(f) && ...); }, K::fields())) << K::kKey;
  });
  for (const MomentText& m : kMoments)
    EXPECT_EQ(fault["after"]["properties"].at(std::string(m.key))["description"], m.meaning);
}

// ---- messages ----

TEST(Fault, on_its_own_is_refused_where_it_is_wrong) {
  const auto refusal = [](std::string_view text) {
    return std::string(text_of(parse_fault(text, cluster()).status()));
  };
  EXPECT_EQ(refusal("{at: 1s, kill: worker/7}").substr(0, 40), "fault:1:16: unknown task 'worker/7'; the");
  EXPECT_THAT(refusal("{at: 1s, slow: {task: worker/0}}"), HasSubstr("slow has no 'percent'"));
  EXPECT_THAT(refusal("{at: 1s, disconnect: []}"), HasSubstr("disconnect names two tasks"));
  EXPECT_THAT(refusal("{after: {pushed: worker/0, token_taken: worker/0}, kill: ps/0}"),
              HasSubstr("'after' names one of pushed, token_taken, session_ready"));
  EXPECT_THAT(refusal("{at: 1s, lose_gpu: {task: worker/0, gpu: 2}}"),
              HasSubstr("/job:worker/replica:0/task:0 has 2 GPUs and no GPU 2"));
  EXPECT_THAT(refusal("{at: 1s, lose_rack: {hosts: []}}"), HasSubstr("'hosts' names no host"));
  EXPECT_THAT(refusal("{at: 1s, lose_rack: {hosts: [host0, server, host0]}}"),
              HasSubstr("'hosts' names 'host0' twice"));
  EXPECT_THAT(refusal("{at: 1s, lose_checkpoints: some}"), HasSubstr("expected one of all"));
  EXPECT_THAT(refusal("{at: 1s, narrow: {between: [host0, server], percent: 100}}"), HasSubstr("from 1 to 99"));
  EXPECT_THAT(refusal("kill"), HasSubstr("expected a map with the keys of a fault"));
}

}  // namespace
}  // namespace tarry
