// What the batches of a run found, added up over slots of time. The memory does not grow with the
// number of batches.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace icsched {

class SimSlots {
 public:
  // By slot, over the batches up to the last assignment.
  struct Found {
    std::int64_t batches = 0;
    std::int64_t eligible = 0;  // unassigned eligible tasks before each batch
    std::int64_t unserved = 0;  // requests that got nothing when they came
  };

  SimSlots() = default;

  // Slot i lasts from edges[i] to before edges[i + 1]; the last one has its right end too.
  // Requires two edges or more, in ascending order, the first not after any batch.
  explicit SimSlots(std::vector<double> edges)
      : edges_(std::move(edges)), sure_(edges_.size() - 1), seen_(edges_.size() - 1) {}

  bool wanted() const { return !edges_.empty(); }
  const std::vector<Found>& found() const { return sure_; }

  // A batch comes. Batches come in the order of time.
  void batch(double moment, std::int64_t size, std::int64_t eligible) {
    if (requests_ == 0 || moment != moment_) first_ = requests_;
    moment_ = moment;
    requests_ += size;
    while (at_ + 1 < seen_.size() && moment >= edges_[at_ + 1]) ++at_;
    past_ = moment > edges_.back();
    if (past_) return;
    ++seen_[at_].batches;
    seen_[at_].eligible += eligible;
    seen_[at_].unserved += size;
  }

  // A request gets a task. Requests are numbered from 0 as they come.
  void assignment(double moment, std::int64_t request) {
    if (!past_ && moment == moment_ && request >= first_) --seen_[at_].unserved;
    for (std::size_t slot = sure_until_; slot <= at_; ++slot) sure_[slot] = seen_[slot];
    sure_until_ = at_;
  }

 private:
  std::vector<double> edges_;
  std::vector<Found> sure_;  // at the last assignment
  std::vector<Found> seen_;  // so far
  std::size_t at_ = 0;          // slot of the last batch that is not past all slots
  std::size_t sure_until_ = 0;  // slots before this one are the same in sure_ and seen_
  double moment_ = 0.0;         // of the last batch
  bool past_ = false;           // whether the last batch is after all slots
  std::int64_t requests_ = 0;
  std::int64_t first_ = 0;  // first request of the batches that came at this moment
};

}  // namespace icsched
