#include "icsched/interrupt.hpp"

#include <chrono>

#include "check.hpp"

using namespace icsched;

namespace {

bool yes() { return true; }

// Works until it is interrupted, for ten seconds at most: the user is asked by time.
void work() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) check_interrupt();
}

}  // namespace

TEST(without_a_scope_nothing_is_interrupted) {
  static int asked = 0;
  { const InterruptScope past([] { return ++asked > 0; }); }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  while (std::chrono::steady_clock::now() < end) check_interrupt();
  CHECK(asked == 0);
}

TEST(work_is_interrupted_once_the_user_wants_out) {
  const InterruptScope scope(yes);
  CHECK_THROWS(work(), Interrupted);
}

TEST(the_user_is_asked_by_time_however_large_the_units_are) {
  static int asked = 0;
  const InterruptScope scope([] { return ++asked > 1000; });
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < end) check_interrupt(1'000'000);
  CHECK(asked >= 1);
  CHECK(asked <= 5);
}

TEST(an_inner_scope_gives_way_to_the_outer_one) {
  static int inner_asked = 0, outer_asked = 0;
  const InterruptScope outer([] { return ++outer_asked > 0; });
  {
    const InterruptScope inner([] { return ++inner_asked > 0; });
    CHECK_THROWS(work(), Interrupted);
    CHECK(inner_asked == 1);
    CHECK(outer_asked == 0);
  }
  CHECK_THROWS(work(), Interrupted);
  CHECK(inner_asked == 1);
  CHECK(outer_asked == 1);
}
