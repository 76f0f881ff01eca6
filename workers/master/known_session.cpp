#include "workers/master/known_session.hpp"

#include <algorithm>

namespace tarry {

std::shared_ptr<KnownSignature> KnownSession::find(const Signature& signature) const {
  const auto it = std::ranges::find_if(signatures, [&](const auto& s) { return s->signature == signature; });
  return it == signatures.end() ? nullptr : *it;
}

bool same_devices(const DeviceSet& a, const DeviceSet& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[DeviceId{i}].name != b[DeviceId{i}].name || a[DeviceId{i}].type != b[DeviceId{i}].type) return false;
  return true;
}

std::shared_ptr<const Incarnations> renewals(const DeviceSet& then, const DeviceSet& now) {
  auto renewed = std::make_shared<Incarnations>();
  for (std::size_t i = 0; i < then.size(); ++i)
    if (const DeviceId d{i}; then[d].incarnation != now[d].incarnation)
      renewed->emplace(then[d].incarnation, now[d].incarnation);
  return renewed->empty() ? nullptr : renewed;
}

}  // namespace tarry
