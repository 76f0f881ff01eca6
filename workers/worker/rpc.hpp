// Calls between tasks, as messages with sizes and latencies.
//
// A call is a request message, work at the server, and a reply message. A task that calls itself is served in its own process: no message.
// When a message breaks, the caller gets UNAVAILABLE.
#pragma once

#include <memory>
#include <utility>

#include "workers/env.hpp"

namespace tarry {

struct RpcKind {  // interned once
  NameId request, reply;
};

// `Reply` is a StatusOr or a Status. `serve` gets a responder: call it once with (reply, bytes of the reply).
template <class Reply>
using Responder = absl::AnyInvocable<void(Reply, std::uint64_t bytes) &&>;
template <class Reply>
using ReplyDone = absl::AnyInvocable<void(Reply) &&>;

inline constexpr std::uint64_t kMessageOverhead = 64;  // headers and framing of one message, bytes

template <class Reply>
void call(Env& env, TaskId from, TaskId to, RpcKind kind, std::uint64_t bytes, absl::AnyInvocable<void(Responder<Reply>) &&> serve, ReplyDone<Reply> done) {
  if (from == to) {
    env.after(0, [serve = std::move(serve), done = std::move(done)]() mutable {
      std::move(serve)([done = std::move(done)](Reply reply, std::uint64_t) mutable { std::move(done)(std::move(reply)); });
    });
    return;
  }
  auto respond = [&env, from, to, kind, done = std::move(done)](Reply reply, std::uint64_t reply_bytes) mutable {
    env.send(to, from, kind.reply, reply_bytes + kMessageOverhead, [reply = std::move(reply), done = std::move(done)](Status s) mutable {
      std::move(done)(s.ok() ? std::move(reply) : Reply(s));
    });
  };
  auto shared = std::make_shared<decltype(respond)>(std::move(respond));
  env.send(from, to, kind.request, bytes + kMessageOverhead, [serve = std::move(serve), shared](Status s) mutable {
    if (!s.ok()) return (*shared)(Reply(s), 0);
    std::move(serve)([shared](Reply reply, std::uint64_t n) { (*shared)(std::move(reply), n); });
  });
}

}  // namespace tarry
