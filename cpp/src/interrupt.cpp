#include "icsched/interrupt.hpp"

#include <utility>

namespace icsched {

namespace detail {

thread_local constinit InterruptState interrupt_state;

void look_at_clock() {
  InterruptState& state = interrupt_state;
  state.units_left = units_between_looks;
  if (state.wants_out == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - state.asked < std::chrono::milliseconds(50)) return;
  state.asked = now;
  if (state.wants_out()) throw Interrupted{};
}

}  // namespace detail

InterruptScope::InterruptScope(WantsOut wants_out)
    : outer_(std::exchange(detail::interrupt_state.wants_out, wants_out)) {}

InterruptScope::~InterruptScope() { detail::interrupt_state.wants_out = outer_; }

}  // namespace icsched
