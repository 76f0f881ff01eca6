// Rendezvous keys as a worker reads them: who sends, who receives, and what is wrong with them
// (docs/rules/runtime.md#D.6).
#pragma once

#include <absl/container/flat_hash_map.h>

#include "workers/worker/cluster_names.hpp"
#include "workers/worker/graph_manager.hpp"
#include "workers/worker/step_rendezvous.hpp"

namespace tarry {

struct CheckedKey {
  TransferKey key;  // as one that is sent, or asked for by a peer
  Status parsed;    // Invalid  rendezvous key
  Status served;    // what RecvTensor says before it looks for the value
  bool receives_here = false;
  std::uint64_t wanted = 0, own = 0;  // the sender's incarnation as the key has it, and as it is
};

// Each key is parsed once; what is found stays for the worker's life.
class CheckedKeys {
 public:
  CheckedKeys(Directory& directory, const ClusterNames& names, const LocalDevices& devices)
      : directory_(directory), names_(names), devices_(devices) {}
  // The reference holds until the next call.
  [[nodiscard]] const CheckedKey& check(NameId text);

 private:
  [[nodiscard]] CheckedKey parse(NameId text) const;
  [[nodiscard]] Status check_sender(const struct ParsedKey& key, CheckedKey& c) const;

  Directory& directory_;
  const ClusterNames& names_;
  const LocalDevices& devices_;
  absl::flat_hash_map<NameId, CheckedKey> keys_;  // looked up, never iterated
};

}  // namespace tarry
