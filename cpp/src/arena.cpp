#include "icsched/arena.hpp"

#include <span>

#include "icsched/interrupt.hpp"

namespace icsched {

Arena::Arena(Over measure, std::int32_t profiles, const GreedyLimits& limits)
    : measure_(std::move(measure)),
      members_(profiles),
      floor_(profiles),
      since_(profiles, inactive),
      dependents_(profiles),
      slots_(std::min(profiles, limits.most_rivals)),
      measured_(static_cast<std::size_t>(profiles) * slots_),
      looks_left_(limits.all_looks),
      knockout_(profiles, Better{*this}) {
  for (std::int32_t slot = slots_; slot-- > 0;) free_slots_.push_back(slot);
}

void Arena::add(std::int32_t profile, std::int32_t key, std::int32_t block) {
  members_[profile].push({key, block});
  if (members_[profile].size() == 1) activate(profile);
  if (members_[profile].size() <= 2) refresh(profile);
  knockout_.replay(profile, true);
}

std::int32_t Arena::take() {
  const std::int32_t best = knockout_.winner();
  const std::int32_t block = members_[best].top().second;
  members_[best].pop();
  if (members_[best].empty()) {
    retire(best);
    return block;
  }
  if (members_[best].size() == 1) refresh(best);
  knockout_.replay(best, true);
  return block;
}

void Arena::activate(std::int32_t profile) {
  since_[profile] = activations_++;
  ++active_;
  if (active_ > slots_) {
    waiting_.push({profile, since_[profile]});
    return;
  }
  admit(profile);
  lower_rivals();
}

void Arena::admit(std::int32_t profile) {
  rivals_.push_back({profile, free_slots_.back()});
  free_slots_.pop_back();
}

void Arena::retire(std::int32_t profile) {
  since_[profile] = inactive;
  floor_[profile] = {};
  --active_;
  knockout_.replay(profile, false);
  const auto rival = std::find_if(rivals_.begin(), rivals_.end(),
                                  [&](const Rival& other) { return other.profile == profile; });
  if (rival == rivals_.end()) return;
  free_slots_.push_back(rival->slot);
  rivals_.erase(rival);
  admit_next();
  refresh_dependents(profile);
}

void Arena::admit_next() {
  while (!waiting_.empty()) {
    const auto [profile, since] = waiting_.front();
    waiting_.pop();
    if (since_[profile] != since) continue;
    admit(profile);
    if (looks_left_ > 0) {
      lower_rivals();
      refresh(profile);
      knockout_.replay(profile, true);
    }
    return;
  }
}

void Arena::lower_rivals() {
  for (const Rival& other : rivals_) lower(other.profile, rivals_.back());
}

void Arena::refresh_dependents(std::int32_t gone) {
  if (looks_left_ <= 0) return;
  std::vector<std::int32_t> stale;
  stale.swap(dependents_[gone]);
  std::erase_if(stale, [&](std::int32_t profile) { return floor_[profile].by != gone; });
  const auto older = [&](std::int32_t a, std::int32_t b) { return since_[a] < since_[b]; };
  std::sort(stale.begin(), stale.end(), older);
  stale.erase(std::unique(stale.begin(), stale.end()), stale.end());
  for (std::int32_t profile : stale) {
    refresh(profile);
    knockout_.replay(profile, true);
  }
}

Ratio Arena::over(std::int32_t profile, const Rival& rival) {
  Measured& measured = measured_[static_cast<std::size_t>(profile) * slots_ + rival.slot];
  --looks_left_;
  if (measured.rival != rival.profile) {
    looks_left_ -= looks_of_a_measurement;
    const Ratio ratio = measure_(profile, rival.profile);
    measured = {rival.profile, static_cast<std::int32_t>(ratio.over), static_cast<std::int32_t>(ratio.under)};
  }
  return {measured.over, measured.under};
}

void Arena::lower(std::int32_t profile, const Rival& by) {
  if (profile == by.profile) return;
  const Ratio ratio = over(profile, by);
  if (floor_[profile].by >= 0 && !(ratio < floor_[profile].ratio)) return;
  set_floor(profile, {ratio, by.profile});
  knockout_.replay(profile, true);
}

void Arena::refresh(std::int32_t profile) {
  Floor floor;
  const auto offer = [&](const Ratio& ratio, std::int32_t by) {
    if (floor.by < 0 || ratio < floor.ratio) floor = {ratio, by};
  };
  const std::size_t most = looks_left_ > 0 ? rivals_.size() : std::min(rivals_.size(), few_rivals);
  check_interrupt();
  for (const Rival& rival : std::span(rivals_).first(most)) {
    if (rival.profile != profile) offer(over(profile, rival), rival.profile);
  }
  if (members_[profile].size() > 1) offer(measure_(profile, profile), profile);
  set_floor(profile, floor);
}

void Arena::set_floor(std::int32_t profile, const Floor& floor) {
  const bool is_new = floor.by != floor_[profile].by && floor.by >= 0 && floor.by != profile;
  floor_[profile] = floor;
  if (is_new) dependents_[floor.by].push_back(profile);
}

}  // namespace icsched
