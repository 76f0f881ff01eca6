#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_pcie_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::pcie))
    out.push_back(fmt::format(
        "The PCIe roots cost time: copies to and from the GPUs below one root share its bandwidth.{} To do: "
        "fewer GPUs below a root, or fewer bytes a step.",
        in_words(p)));
  return out;
}

}  // namespace tarry
