#include "workers/master/messages.hpp"

#include "workers/worker/request_text.hpp"

namespace tarry {
namespace {

const char* trace_name(TraceLevel t) {
  constexpr const char* kNames[] = {"NO_TRACE", "SOFTWARE_TRACE", "HARDWARE_TRACE", "FULL_TRACE"};
  return kNames[static_cast<std::size_t>(t)];
}

std::string text_of(const StepOptions& o) {
  ProtoText out;
  if (o.trace != TraceLevel::none) out.word("trace_level", trace_name(o.trace));
  out.number("timeout_in_ms", static_cast<std::uint64_t>(o.timeout_ms))
      .flag("output_partition_graphs", o.partition_graphs);
  return out.flag("report_tensor_allocations_upon_oom", o.report_allocations).take();
}

void add_items(ProtoText& out, const char* field, const std::vector<std::string>& items) {
  for (const std::string& item : items) out.item(field, item);
}

std::string text_of(const CallableOptions& o) {
  ProtoText out;
  add_items(out, "feed", o.feeds);
  add_items(out, "fetch", o.fetches);
  add_items(out, "target", o.targets);
  if (o.run) out.message("run_options", text_of(*o.run));
  return out.take();
}

}  // namespace

std::string text_of(const RunStepRequest& r) {
  ProtoText out;
  out.text("session_handle", r.session);
  for (const FedTensor& f : r.feeds)
    out.message("feed", ProtoText().text("name", f.name()).message("tensor", text_of(*f.value)).take());
  add_items(out, "fetch", r.fetches);
  add_items(out, "target", r.targets);
  if (r.options) out.message("options", text_of(*r.options));
  out.text("partial_run_handle", r.partial_run).flag("store_errors_in_response_body", r.errors_in_body);
  return out.number("request_id", r.request_id).take();
}

std::string text_of(const PartialRunSetupRequest& r) {
  ProtoText out;
  out.text("session_handle", r.session);
  add_items(out, "feed", r.feeds);
  add_items(out, "fetch", r.fetches);
  add_items(out, "target", r.targets);
  return out.number("request_id", r.request_id).take();
}

std::string text_of(const MakeCallableRequest& r) {
  ProtoText out;
  return out.text("session_handle", r.session)
      .message("options", text_of(r.options))
      .number("request_id", r.request_id)
      .take();
}

std::string text_of(const RunCallableRequest& r) {
  ProtoText out;
  out.text("session_handle", r.session).number("handle", static_cast<std::uint64_t>(r.handle));
  for (const TensorRef& t : r.feeds) out.message("feed", text_of(*t));
  return out.number("request_id", r.request_id).take();
}

}  // namespace tarry
