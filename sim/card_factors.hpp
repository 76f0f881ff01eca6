// How the bandwidth of network cards varies in time (CardVariation).
//
// From the start, time is cut into intervals; in each of them a card has a factor of its bandwidth, in both directions.
// The factor is keyed by the card (or by its host, by its rack, or by nothing) and by the number of the interval
// (keyed.hpp), so that it depends on no other card and not on what the cards carry. Factors of several variations
// multiply.
#pragma once

#include <limits>
#include <vector>

#include "sim/cards.hpp"
#include "sim/keyed.hpp"

namespace tarry {

class CardFactors {
 public:
  // REQUIRES: `cluster` outlives it.
  CardFactors(const ClusterSpec& cluster, const Random& streams);

  // The first intervals begin now; before, every factor is 1. Nothing varies without a variation.
  void begin(Nanos now);
  // When the next interval begins.
  [[nodiscard]] Nanos next() const { return next_; }
  // Goes on to the intervals of `now`. Gives the cards whose factor differs from what it was, ascending.
  [[nodiscard]] std::vector<Card> look(Nanos now);
  // The bandwidth of the card as it is now, of its usual one: a thousandth of it at least, and a thousand times
  // as much at most.
  [[nodiscard]] std::uint64_t bandwidth(Card card, std::uint64_t usual) const;

 private:
  struct Kind {
    std::uint64_t next = 0;  // the first interval that is not drawn yet
    bool is_other = false;   // in the interval before that
  };
  struct Drawn {
    CardVariation what;
    std::vector<Keyed> draws;           // by card
    std::vector<std::int64_t> factors;  // now, by card, in millionths
    std::vector<Kind> kinds;            // by card: of a law that switches
    Nanos next = 0;
  };
  [[nodiscard]] bool is_of(const CardVariation& v, Card card) const;
  static std::int64_t factor_in(Drawn& d, std::size_t card, std::uint64_t interval);
  void draw_anew(Drawn& d, std::uint64_t interval, std::vector<Card>& changed) const;
  [[nodiscard]] std::int64_t factor_of(Card card) const;

  const ClusterSpec& cluster_;
  CardList cards_;
  std::vector<Drawn> all_;
  std::vector<std::int64_t> factors_;  // by card, of all variations together
  Nanos began_ = 0, next_ = std::numeric_limits<Nanos>::max();
};

}  // namespace tarry
