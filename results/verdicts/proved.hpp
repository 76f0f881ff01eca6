// Verdicts that are given only where the run without the cause is better.
#pragma once

#include <string>
#include <vector>

#include "results/standstill.hpp"

namespace tarry {

// The proof is one of the trouble's own faults.
[[nodiscard]] bool is_about(const Proof& proof, const Trouble& trouble);
// Those of one cause that are worth telling, those that gain most first. What only a fault explains, that the run
// stands still, is no load's.
[[nodiscard]] std::vector<Proof> proved(const Evidence& e, Proof::Cause cause);
// The same, each of the kind apart; where none alone gains enough, or all together gain a tenth of the time more, or a
// twentieth and a quarter more than those apart do, all of them together in their place: that names each of them.
// Faults and variations, which are told apart by more than their names, stay beside it. A straggler's kind is
// slow_worker, and workers together.
[[nodiscard]] std::vector<Proof> proved_apart_or_together(const Evidence& e, Proof::Cause cause);
// How the words of a run end that was without several causes which hide each other (Proof::instead).
inline constexpr char kDoesNotVary[] = " does not vary";  // of a card, instead
inline constexpr char kNotMuchAlone[] = " of which gains much alone";
// Proofs of one cause, each kind apart; of those that hide each other, which had one run, one in their place: of
// `together`, what each of them says, and as `a` the names of all.
[[nodiscard]] std::vector<Proof> one_for_each_run(const TaskNames& tasks, const std::vector<Proof>& all);
// Of several troubles, the one without whose faults the job goes on (the first of such), or gains most; and the proof:
// its own, or that of all faults together where it says more: of one trouble only that the job goes on, and that of
// none that training stood still for and went on.
struct BestProof {
  const Proof* proof = nullptr;      // null where no fault of theirs makes a difference
  const Trouble* trouble = nullptr;  // null where none of them does alone
};
// Of an interference: the workers wait for a parameter server that it slows down, and not for a worker on the same
// host, whose pace gains more.
[[nodiscard]] bool interferes_with_servers(const Evidence& e, const Proof& interference);
// "; between the parameter servers a message is under way for 74 % of the run, however long it takes", where that is a
// tenth or more.
[[nodiscard]] std::string between_servers(const Evidence& e);
// Of the run without this trouble's faults alone; null where that made no difference.
[[nodiscard]] const Proof* own_proof(const Evidence& e, const Trouble& trouble);
// A run without this trouble's faults alone took less time.
[[nodiscard]] bool gains_by_itself(const Evidence& e, const Trouble& trouble);
[[nodiscard]] BestProof best_proof(const Evidence& e, std::span<const Trouble> troubles);
// The same of those that gain time: gain_of tells the proof.
[[nodiscard]] BestProof best_gain(const Evidence& e, std::span<const Trouble> troubles);
// That in words, " Run again without the faults of worker 1 (same seed), the job goes on."; "" where there is none.
[[nodiscard]] std::string proof_of(const Evidence& e, std::span<const Trouble> troubles);
// The same, but "" where the job stands still without them, too.
[[nodiscard]] std::string proof_that_it_goes_on(const Evidence& e, std::span<const Trouble> troubles);
// The same where the job went on anyway: "the same work takes 12.5 % less time".
[[nodiscard]] std::string gain_of(const Evidence& e, std::span<const Trouble> troubles);

// Its end is that of the run.
[[nodiscard]] bool is_cut_off(const Evidence& e, const Standstill& s);
// Nothing was done before it and nothing after it, and no run went otherwise: it may be that the first takes so long
// anyway. That is no standstill to tell of.
[[nodiscard]] bool may_be_usual(const Evidence& e, const Standstill& s);

// The faults without which the job goes on, where it stands still or fails.
[[nodiscard]] std::vector<Proof> decisive_faults(const Evidence& e);
// Those that none of the troubles is about.
[[nodiscard]] std::vector<Proof> decisive_besides(const Evidence& e, std::span<const Trouble> troubles);
// " A fault was behind it: the connections between ps 0 and worker 0 broke at 1.000 s. Run again without ..., the job
// goes on." for each of them, of more than three the first three.
[[nodiscard]] std::string behind_it(const Evidence& e, std::span<const Proof> decisive);

}  // namespace tarry
