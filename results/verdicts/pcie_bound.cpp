#include <fmt/format.h>

#include "results/verdict.hpp"
#include "results/verdicts/proved.hpp"

namespace tarry {

Told judge_pcie_bound(const Evidence& e, std::span<const Verdict>) {
  Told out;
  for (const Proof& p : proved(e, Proof::Cause::pcie))
    out.push_back(
        fmt::format("The PCIe roots cost time: they carry less than the copies of the GPUs below them need.{} To do: "
                    "wider PCIe roots, fewer GPUs below each root, or fewer bytes a step.",
                    in_words(p)));
  return out;
}

}  // namespace tarry
