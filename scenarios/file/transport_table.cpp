// The keys of what messages cost besides the wire, and the named sets of such costs.

#include <algorithm>

#include "scenarios/file/raw.hpp"
#include "sim/cards.hpp"

namespace tarry {
namespace {

// What is published of gRPC and of TensorFlow's use of it.
//
// per_message: gRPC's benchmark in C++ passes 240,000 empty calls a second with 8 cores (grpc/grpc, pull request 22161,
// March 2020). A call is one message in and one message out, so a core needs 8 / 240,000 / 2 s for a message.
// copy: from one task to another on one machine TensorFlow passes 800 MB/s (tensorflow/tensorflow, issue 6116, August
// 2017, with the gRPC that 1.4 has): 1.25 ns a byte, of which each end has half here.
// threads: TensorFlow's worker service has eight (num_serving_threads of grpc_worker_service.h).
// window: gRPC follows the bandwidth that it measures, so none; incast: nothing is published that holds for gRPC.
TransportSpec grpc() {
  constexpr MessageCost kEachEnd{.per_message = 16'700, .copy = 1'600'000'000};
  return {.send = kEachEnd, .receive = kEachEnd, .threads = 8};
}

Type<MessageCost> message_cost_type(const std::string& name, const std::string& doc) {
  return Section<MessageCost>(name, doc)
      .key("per_message", &MessageCost::per_message, time_type(), "time of a thread, whatever the message's size")
      .key("copy", &MessageCost::copy, bandwidth_type(), "bytes that a thread serialises or copies a second")
      .type();
}

Type<std::uint32_t> count_type(std::int64_t least, std::int64_t most) {
  return converted<std::uint32_t>(integer_type(least, most), [](std::int64_t n) { return std::uint32_t(n); });
}

Type<std::uint64_t> window_type() {
  Type<std::uint64_t> type = size_type();
  type.read = [inner = type.read](Reader& in, const YAML::Node& node, std::uint64_t& out) {
    inner(in, node, out);
    if (in.ok() && out == 0)
      in.fail(node, "a window of nothing lets nothing through; expected a size such as 4MiB, or no 'window'");
  };
  type.show = {};
  return type;
}

Type<std::vector<IncastStep>> incast_type() {
  auto steps = list_of(Section<IncastStep>("a step of incast", "What cards take in from so many senders on.")
                           .required("senders", &IncastStep::senders, count_type(2, 100'000),
                                     "tasks of other hosts that send large messages to the card at once")
                           .required("rate", &IncastStep::rate, number_type(1, kOneShape), "share of its bandwidth")
                           .type());
  steps.read = [inner = steps.read](Reader& in, const YAML::Node& node, std::vector<IncastStep>& out) {
    inner(in, node, out);
    if (in.ok() && !std::ranges::is_sorted(out, std::ranges::less_equal(), &IncastStep::senders))
      in.fail(node, "the steps of incast ascend; expected more senders in each than in the one before");
  };
  return steps;
}

Type<TransportSpec> costs_type() {
  Type<TransportSpec> type =
      Section<TransportSpec>("transport", "What messages between tasks cost besides the wire, on one host as well.")
          .key("send", &TransportSpec::send, message_cost_type("send", "What sending a message takes a thread."),
               "of the sender's threads, before the message leaves")
          .key("receive", &TransportSpec::receive,
               message_cost_type("receive", "What receiving a message takes a thread."),
               "of the receiver's threads, when its last byte is there")
          .key("threads", &TransportSpec::threads, count_type(1, 4096),
               "of each task, that send and receive; without it, one for each message")
          .key("window", &TransportSpec::window, window_type(),
               "of a connection: its large messages have at most so many bytes in each round trip")
          .key("incast", &TransportSpec::incast, incast_type(),
               "what cards take in while many tasks send to them at once")
          .type();
  type.read = [inner = type.read](Reader& in, const YAML::Node& node, TransportSpec& out) {
    inner(in, node, out);
    if (in.ok() && out.threads > 0 && out.send.is_free() && out.receive.is_free())
      in.fail(node, "'threads' have nothing to do; expected 'per_message' or 'copy' of 'send' or 'receive'");
  };
  return type;
}

}  // namespace

Type<RawTransport> transport_type() {
  const auto word = word_type<TransportSpec>({{"none", {}}, {"grpc", grpc()}});
  const auto as_raw = [](TransportSpec spec) { return RawTransport{.spec = std::move(spec), .at = {}}; };
  auto type = with_position(converted<RawTransport>(word_or_map(word, costs_type()), as_raw));
  type.show = [show = word.show](const RawTransport& raw) { return show(raw.spec); };
  return type;
}

void check_transport(Reader& in, const RawTransport& raw, const ClusterSpec& cluster) {
  if (raw.spec.incast.empty() || std::ranges::any_of(cluster.hosts, has_limited_card)) return;
  in.fail(raw.at, "no card has a bandwidth, so 'incast' means nothing; expected 'nic' of the network or of hosts");
}

}  // namespace tarry
