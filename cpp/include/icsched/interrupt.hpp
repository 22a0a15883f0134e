// Ending a kernel early because the user wants out, as with Ctrl-C.
//
// A kernel that may run long calls check_interrupt() while it works. Whoever starts the kernel
// says with an InterruptScope how to ask the user. Without a scope a kernel runs to its end.
#pragma once

#include <chrono>
#include <cstdint>

namespace icsched {

// Thrown out of a kernel when the user wants out.
struct Interrupted {};

// Asks the user; called on the thread that made the scope.
using WantsOut = bool (*)();

// While a scope lives, kernels on its thread ask `wants_out`. Scopes nest.
class InterruptScope {
 public:
  explicit InterruptScope(WantsOut wants_out);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  WantsOut outer_;
};

// Work between two looks at the clock; the user is asked about twenty times a second.
inline constexpr std::int64_t units_between_looks = 2'000;

namespace detail {

struct InterruptState {
  WantsOut wants_out = nullptr;
  std::int64_t units_left = units_between_looks;
  std::chrono::steady_clock::time_point asked{};
};

extern thread_local constinit InterruptState interrupt_state;

void look_at_clock();

}  // namespace detail

// Counts work done, 10 to 100 ns a unit. Throws Interrupted if the user wants out. Costs a
// few nanoseconds: call it in loops whose bodies cost more, or once for many units.
inline void check_interrupt(std::int64_t units = 1) {
  if ((detail::interrupt_state.units_left -= units) < 0) detail::look_at_clock();
}

// Counts work in a register, for the innermost loops, and reports it now and then.
class WorkCounter {
 public:
  void add(std::int64_t units = 1) {
    if ((units_ += units) >= units_between_looks) report();
  }

 private:
  void report() {
    check_interrupt(units_);
    units_ = 0;
  }

  std::int64_t units_ = 0;
};

}  // namespace icsched
