#include "icsched/interrupt.hpp"

#include <chrono>
#include <thread>

#include "check.hpp"

using namespace icsched;

namespace {

bool yes() { return true; }
bool no() { return false; }

}  // namespace

TEST(without_a_scope_nothing_is_interrupted) {
  check_interrupt(1'000'000);
  CHECK(true);
}

TEST(work_is_interrupted_once_the_user_wants_out) {
  const InterruptScope scope(yes);
  const auto work = [] {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < end) check_interrupt();
  };
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
  const InterruptScope outer(no);
  {
    const InterruptScope inner(yes);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  check_interrupt(1'000'000);
  CHECK(true);
}
