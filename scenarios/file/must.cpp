#include "scenarios/file/must.hpp"

#include "scenarios/file/lookup.hpp"
#include "scenarios/file/units.hpp"

namespace tarry {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000'000;

Type<Share> share_type() {
  Type<Share> type{"a share such as 20 %", {{"type", "string"}, {"pattern", R"(^[0-9.]+ ?%$)"}}, {}, {}};
  type.read = [expected = type.expected](Reader& in, const YAML::Node& node, Share& out) {
    if (!node.IsScalar()) return in.fail(node, fmt::format("expected {}, found {}", expected, describe(node)));
    const auto share = parse_share(node.Scalar());
    if (!share.ok()) return in.fail(node, std::string(text_of(share.status())));
    out = {*share};
  };
  return type;
}

template <class M>
auto within(M Must::*member) {
  return [member](RawMust& raw) -> M& { return raw.must.*member; };
}

}  // namespace

Type<RawMust> must_type() {
  Section<RawMust> s("must", "What the job must keep to, whatever happens to it; otherwise the exit code is 1.");
  s.entry("progress", within(&Must::progress), optional_of(time_type()),
          "never longer without an aggregate; where nothing aggregates, without a step", false);
  s.entry("finish", within(&Must::finish), optional_of(time_type()), "training is over by that time", false);
  s.entry("lost_steps", within(&Must::lost_steps), optional_of(integer_type(0, kMostSteps)),
          "the global step goes back by so many at the most, all setbacks together", false);
  s.entry("dropped", within(&Must::dropped), optional_of(share_type()), "so many of the gradients at the most", false);
  s.entry("share", within(&Must::share), optional_of(share_type()),
          "so many of the aggregated gradients (where nothing aggregates: of the steps) come from each worker that "
          "lives at the end, at the least, since its process began",
          false);
  s.entry("throughput", within(&Must::throughput), optional_of(share_type()),
          "so much of the pace that the job has without faults, at the least", false);
  s.entry("no_failed_client", within(&Must::no_failed_client), boolean_type(),
          "no client leaves training with an error", false);
  s.key("never", &RawMust::never, list_of(name_type("the kind of a verdict")), "verdicts that it does not get");
  Type<RawMust> type = s.type();
  type.read = [inner = type.read](Reader& in, const YAML::Node& node, RawMust& out) {
    inner(in, node, out);
    out.at = position_of(node);
  };
  return type;
}

std::string must_text(const Must& m) {
  std::vector<std::string> keys;
  const auto say = [&](std::string_view key, const std::string& value) {
    keys.push_back(fmt::format("{}: {}", key, value));
  };
  if (m.progress) say("progress", format_time(*m.progress));
  if (m.finish) say("finish", format_time(*m.finish));
  if (m.lost_steps) say("lost_steps", std::to_string(*m.lost_steps));
  if (m.dropped) say("dropped", in_words(*m.dropped));
  if (m.share) say("share", in_words(*m.share));
  if (m.throughput) say("throughput", in_words(*m.throughput));
  if (m.no_failed_client) say("no_failed_client", "true");
  if (!m.never.empty()) say("never", fmt::format("[{}]", join(m.never, ", ")));
  return join(keys, ", ");
}

Must resolve_must(Reader& in, const RawMust& raw, std::optional<Nanos> cut_off) {
  Must must = raw.must;
  const auto kinds = verdict_kinds();
  for (const Named& v : raw.never) {
    if (std::ranges::find(kinds, v.text) == kinds.end())
      in.fail(v.at, fmt::format("unknown verdict '{}'{}", shown(v.text), did_you_mean(v.text, kinds)));
    must.never.push_back(v.text);
  }
  if (must == Must())
    in.fail(raw.at,
            "must says nothing; expected one of progress, finish, lost_steps, dropped, share, throughput, "
            "no_failed_client, never");
  if (must.finish && cut_off && *must.finish >= *cut_off)
    in.fail(raw.at, fmt::format("the run ends at {}, so that nothing could miss a finish at {}", format_time(*cut_off),
                                format_time(*must.finish)));
  return must;
}

}  // namespace tarry
