#include "workers/worker/checked_keys.hpp"

#include "workers/rendezvous/key.hpp"
#include "workers/worker/sessions.hpp"

namespace tarry {

// A sender is found by type and number alone, whatever task its name says (seen in 2.15.1).
Status CheckedKeys::check_sender(const ParsedKey& key, CheckedKey& c) const {
  const auto sender = parse_device_name(key.send_device);
  for (std::size_t i = 0; i < devices_.set.size(); ++i) {
    const Device& d = devices_.set[DeviceId{i}];
    if (d.parsed.type != sender->type || d.parsed.id != sender->id) continue;
    c.wanted = key.incarnation, c.own = d.incarnation;
    if (c.wanted == c.own || directory_.planted == PlantedClusterBug::incarnation_unchecked) return {};
    return possibly_restarted(error(Code::kAborted,
                                    "RecvTensor expects a different device incarnation: {} vs. {}. Your worker job "
                                    "(\"{}\") was probably restarted. Check your "
                                    "worker job for the reason why it was restarted.",
                                    key.incarnation, d.incarnation, names_.own()));
  }
  return invalid("/device:{}:{} unknown device.", sender->type.value_or("*"),
                 sender->id ? fmt::format("{}", *sender->id) : "*");
}

CheckedKey CheckedKeys::parse(NameId text) const {
  CheckedKey c;
  c.key.key.text = text;
  const auto parsed = parse_key(directory_.env.text(text));
  c.parsed = c.served = parsed.status();
  if (!parsed.ok()) return c;
  c.served = check_sender(*parsed, c);
  c.key.source = names_.task_of(parsed->send_device);
  c.key.is_own = names_.is_own(parsed->send_device);
  c.receives_here = names_.is_own(parsed->recv_device);
  return c;
}

const CheckedKey& CheckedKeys::check(NameId text) {
  const auto [it, is_new] = keys_.try_emplace(text);
  if (is_new) it->second = parse(text);
  return it->second;
}

}  // namespace tarry
