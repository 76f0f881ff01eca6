// A master case: clients' calls, and what they make our master do, wave by wave.

#include <algorithm>

#include "properties/conform/checked.hpp"
#include "properties/conform/rpc/network.hpp"
#include "properties/conform/rpc/outcome.hpp"
#include "properties/conform/rpc/python_client.hpp"
#include "properties/conform/rpc/replay.hpp"
#include "properties/conform/rpc/symbols.hpp"
#include "workers/master/master.hpp"

namespace tarry::rpc {
namespace {

constexpr double kSettles = 0.3, kMasterPatience = 150;
constexpr std::int64_t kMostDevices = 64;  // of a type

// Something that a client did in a step.
struct Deed {
  std::optional<Json> got;
  double at = 0;
  std::vector<std::size_t> answered;  // calls that had been answered by then
};

MasterOptions master_options(const Json& setup) {
  MasterOptions o;
  for (const auto& [type, count] : setup.at("real_devices").items())
    o.default_config.device_count[type] = static_cast<int>(integer_within(count, 0, kMostDevices, "real_devices"));
  o.default_config.device_count.try_emplace("GPU", 0);
  return o;
}

class MasterReplay {
 public:
  explicit MasterReplay(Cluster& c)
      : c_(c),
        master_(*c.directory, c.real, master_options(c.the_case.at("setup"))),
        network_(c),
        python_(c, master_) {}

  std::vector<std::string> run() {
    for (const Json& step : c_.the_case.at("steps")) do_step(step);
    for (const Lived& lived : lived_) {  // answers may come long after their step
      now_ = lived;
      compare_deeds(*lived.step);
      compare_calls(*lived.step);
      compare_pulls(*lived.step);
    }
    return differences_;
  }

 private:
  using Calls = std::vector<std::shared_ptr<RecordedCall>>;
  struct Lived {  // a step that was lived through
    const Json* step = nullptr;
    std::size_t number = 0;
    double began = 0;
    std::size_t first_call = 0, end_call = 0, first_pull = 0, end_pull = 0;
    std::vector<std::shared_ptr<Deed>> deeds;
  };

  // A recorder may have repeated a step and kept the last time only: its graphs were registered before.
  void warm_up(const Json& step) {
    bool runs = false, registers = false;
    for (const Json& call : step.value("calls", Json::array())) {
      runs = runs || call.at("method") == "RunGraph";
      registers = registers || call.at("method") == "RegisterGraph";
    }
    if (!std::exchange(has_registered_, has_registered_ || registers) && runs && !registers) live(step);
    has_registered_ = has_registered_ || runs;
  }

  void do_step(const Json& step) {
    warm_up(step);
    live(step);
    lived_.push_back(now_);
  }

  void live(const Json& step) {
    now_ = {&step, lived_.size(), c_.seconds(), c_.stage->calls.size(), 0, c_.stage->pulls.size(), 0, {}};
    for (const Json& deed : step.at("do")) {
      if (!now_.deeds.empty()) c_.pass(seconds_at(step, "gap_s", 0));
      do_deed(deed, step);
    }
    wait(step);
    now_.end_call = c_.stage->calls.size();
    now_.end_pull = c_.stage->pulls.size();
    learn_symbols(step);
  }

  // ---- doing ----

  void do_deed(const Json& deed, const Json& step) {
    const auto d = now_.deeds.emplace_back(std::make_shared<Deed>());
    if (deed.contains("harness")) {
      network_.act(deed, step);
      d->got = Json::object();
      return;
    }
    if (deed.contains("python"))
      return python_.act(deed.at("python"), step, [this, d](Json got) { done(*d, std::move(got)); });
    timeout_ = nanos(seconds_at(step, "client_timeout_s", 0));
    issue(deed.at("method"), with_values(deed.value("request", Json::object())), d);
  }

  [[nodiscard]] Json with_values(const Json& recorded) const {
    return c_.to_values(
        map_strings(recorded, [this](std::string text) { return symbols_.to_values(std::move(text)); }));
  }

  void done(Deed& d, Json got) const {
    d.got = std::move(got);
    d.at = c_.seconds();
    for (const auto& call : c_.stage->calls)
      if (call->replied_at >= 0) d.answered.push_back(call->number);
  }

  template <class Request>
  void send(const Json& request, const std::shared_ptr<Deed>& d) {
    (void)call_master(master_, c_.env, read(request, c_.reading(), Request{}),
                      ReplyDone<typename Request::Response>([this, d](auto r) { done(*d, outcome(c_.env, r)); }),
                      timeout_);
  }

  void issue(const std::string& method, const Json& request, const std::shared_ptr<Deed>& d) {
    using Send = void (MasterReplay::*)(const Json&, const std::shared_ptr<Deed>&);
    static const std::map<std::string, Send> methods = {
        {"CreateSession", &MasterReplay::send<CreateSessionRequest>},
        {"ExtendSession", &MasterReplay::send<ExtendSessionRequest>},
        {"PartialRunSetup", &MasterReplay::send<PartialRunSetupRequest>},
        {"RunStep", &MasterReplay::send<RunStepRequest>},
        {"CloseSession", &MasterReplay::send<CloseSessionRequest>},
        {"ListDevices", &MasterReplay::send<ListDevicesRequest>},
        {"Reset", &MasterReplay::send<ResetRequest>},
        {"MakeCallable", &MasterReplay::send<MakeCallableRequest>},
        {"RunCallable", &MasterReplay::send<RunCallableRequest>},
        {"ReleaseCallable", &MasterReplay::send<ReleaseCallableRequest>}};
    if (const auto found = methods.find(method); found != methods.end()) return (this->*found->second)(request, d);
    d->got = Json{{"code", "tarry has no method " + method}};
  }

  // Until every deed has its answer and as many calls have come as were recorded; then a moment more.
  void wait(const Json& step) {
    const std::size_t calls = step.value("calls", Json::array()).size();
    c_.pass(kMasterPatience, [&] {
      return std::ranges::all_of(now_.deeds, [](const auto& d) { return d->got.has_value(); }) &&
             c_.stage->calls.size() - now_.first_call >= calls;
    });
    c_.pass(kSettles);
  }

  // ---- symbols ----

  [[nodiscard]] Calls calls() const {
    return {c_.stage->calls.begin() + static_cast<std::ptrdiff_t>(now_.first_call),
            c_.stage->calls.begin() + static_cast<std::ptrdiff_t>(now_.end_call)};
  }

  void learn_symbols(const Json& step) {
    std::vector<std::string> theirs, ours;
    for (const Json& call : step.value("calls", Json::array()))
      if (call.at("method") == "CreateWorkerSession") theirs.push_back(call.at("request").at("session_handle"));
    for (const Json& got : step.value("got", Json::array()))
      theirs.push_back(got.value("/response/session_handle"_json_pointer, std::string()));
    for (const auto& call : calls()) {
      if (call->method == Method::create_worker_session) ours.push_back(call->request.at("session_handle"));
      if (call->method == Method::run_graph) symbols_.add_step(call->request.at("step_id"));
    }
    for (const auto& d : now_.deeds)
      if (d->got) ours.push_back(d->got->value("/response/session_handle"_json_pointer, std::string()));
    std::erase_if(theirs, [&](const std::string& s) { return s.empty() || symbols_.knows(s); });
    std::erase_if(ours, [&](const std::string& s) { return s.empty() || symbols_.knows_handle(s); });
    if (!theirs.empty() && !ours.empty()) symbols_.bind(theirs.front(), ours.front());
  }

  [[nodiscard]] Json symbolic(const Json& ours) const {
    return canonical(plain(
        c_.to_symbols(map_strings(ours, [this](std::string text) { return symbols_.to_symbols(std::move(text)); }))));
  }

  // ---- comparing ----

  // 1 + the highest wave of those calls of the step that had been answered.
  [[nodiscard]] int wave_after(const std::vector<std::size_t>& answered,
                               const std::map<std::size_t, int>& waves) const {
    int highest = 0;
    for (const std::size_t number : answered)
      if (const auto it = waves.find(number); it != waves.end()) highest = std::max(highest, it->second);
    return highest;
  }

  [[nodiscard]] std::map<std::size_t, int> waves() const {
    std::map<std::size_t, int> waves;
    for (const auto& call : calls()) waves[call->number] = 1 + wave_after(call->answered_before, waves);
    return waves;
  }

  [[nodiscard]] std::size_t deed_of(const Json& recorded) const {
    if (!recorded.contains("index") && !now_.deeds.empty()) return 0;
    return static_cast<std::size_t>(
        integer_within(recorded.at("index"), 0, std::ssize(now_.deeds) - 1, "the index of an answer"));
  }

  void compare_deeds(const Json& step) {
    for (const Json& recorded : step.value("got", Json::array())) {
      const Deed& d = *now_.deeds.at(deed_of(recorded));
      Json theirs = recorded;
      for (const char* field : {"index", "at_s"}) theirs.erase(field);
      if (!d.got) {
        note("no answer, theirs " + theirs.dump());
        continue;
      }
      Json ours = symbolic(*d.got);
      ours["after_wave"] = wave_after(d.answered, waves());
      note(difference(ours, canonical(plain(theirs)), "got"));
      if (recorded.contains("at_s"))
        note(difference_of_times(d.at - now_.began, recorded.at("at_s"), "answered after"));
    }
  }

  [[nodiscard]] Json call_json(const RecordedCall& call, const std::map<std::size_t, int>& waves) const {
    Json j{{"wave", waves.at(call.number)},
           {"to", call.to},
           {"method", method_name(call.method)},
           {"request", call.request}};
    if (j["request"].contains("request_id")) j["request"]["request_id"] = "$REQ";
    if (!call.reply.is_null()) j["reply"] = call.reply;
    if (call.cancelled_at >= 0) j["cancelled_after"] = answered_beside(call, waves);
    return symbolic(j);
  }

  [[nodiscard]] std::vector<std::string> answered_beside(const RecordedCall& call,
                                                         const std::map<std::size_t, int>& waves) const {
    std::vector<std::string> names;
    for (const std::size_t number : call.answered_at_cancel) {
      const auto it = waves.find(number);
      const RecordedCall& other = *c_.stage->calls[number];
      if (it != waves.end() && it->second == waves.at(call.number))
        names.push_back(fmt::format("{} {}", other.to, method_name(other.method)));
    }
    return names;
  }

  void compare_calls(const Json& step) {
    const std::map<std::size_t, int> all_waves = waves();
    std::vector<Json> ours, theirs;
    std::vector<Times> our_times, their_times;
    for (const auto& call : calls()) {
      ours.push_back(call_json(*call, all_waves));
      our_times.push_back({seconds(call->at), seconds(call->replied_at), seconds(call->cancelled_at)});
    }
    for (Json call : step.value("calls", Json::array())) {
      their_times.push_back({call.value("at_s", -1.0), call.value("replied_s", -1.0), call.value("cancelled_s", -1.0)});
      for (const char* field : {"at_s", "replied_s", "cancelled_s"}) call.erase(field);
      theirs.push_back(canonical(plain(call)));
    }
    note(difference_of_sets(ours, theirs));
    for (std::size_t i = 0; i < theirs.size(); ++i)
      if (const auto it = std::ranges::find(ours, theirs[i]); it != ours.end())
        compare_times(our_times[static_cast<std::size_t>(it - ours.begin())], their_times[i], theirs[i]);
  }

  struct Times {
    double at, replied, cancelled;
  };
  [[nodiscard]] double seconds(Nanos t) const { return in_seconds(t) - now_.began; }

  void compare_times(const Times& ours, const Times& theirs, const Json& call) {
    const auto one = [&](double o, double t, const char* what) {
      if (t < 0) return;
      if (const std::string d = difference_of_times(o, t, what); !d.empty())
        note(fmt::format("{} {} {}", call.at("to").get<std::string>(), call.at("method").get<std::string>(), d));
    };
    one(ours.at, theirs.at, "came after");
    one(ours.replied, theirs.replied, "was answered after");
    one(ours.cancelled, theirs.cancelled, "was cancelled after");
  }

  void compare_pulls(const Json& step) {
    std::vector<Json> ours, theirs;
    for (std::size_t i = now_.first_pull; i < now_.end_pull; ++i) {
      Json pull = c_.stage->pulls[i];
      pull["request"]["request_id"] = "$REQ";
      ours.push_back(symbolic(pull));
    }
    for (const Json& pull : step.value("pulls", Json::array()))
      theirs.push_back(
          canonical(plain({{"by", pull.at("by")}, {"request", pull.at("request")}, {"reply", pull.at("reply")}})));
    note(difference_of_sets(ours, theirs));
  }

  void note(const std::string& d) {
    if (!d.empty()) differences_.push_back(fmt::format("step {}: {}", now_.number, d));
  }

  Cluster& c_;
  Master master_;
  Network network_;
  PythonClient python_;
  Symbols symbols_;
  Nanos timeout_ = 0;  // of the step's clients
  Lived now_;
  std::vector<Lived> lived_;
  bool has_registered_ = false;  // some step so far
  std::vector<std::string> differences_;
};

}  // namespace

StatusOr<std::vector<std::string>> replay_master(const Json& the_case) {
  TARRY_ASSIGN(const auto cluster, Cluster::make(the_case));
  return MasterReplay(*cluster).run();
}

}  // namespace tarry::rpc
