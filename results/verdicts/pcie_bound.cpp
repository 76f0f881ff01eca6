#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {
// Roots are told of, and the copy engines of GPUs where these cost a tenth more.
Told judge_pcie_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  double told = 0;
  for (const Proof& p : proved(e, Proof::Cause::pcie)) {
    told = p.gain;
    out.push_back(
        fmt::format("The PCIe roots cost time: {}.{} To do: wider PCIe roots, fewer GPUs below each root, or fewer "
                    "bytes a step.",
                    p.what, in_words(p)));
  }
  for (const Proof& p : proved_apart_or_together(e, Proof::Cause::copies))
    if (p.gain >= told + kWorthTelling)
      out.push_back(
          fmt::format("Copies between GPUs and the memory of their host cost time: {}.{} To do: {}faster copy "
                      "engines, or fewer bytes a step.",
                      p.what, in_words(p), p.together ? "wider PCIe roots and " : ""));
  return out;
}

}  // namespace tarry
