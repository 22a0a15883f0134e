// Whether a kernel ends when the user wants out.
#pragma once

#include <chrono>

#include "icsched/interrupt.hpp"

// Runs the kernel until it is interrupted, for ten seconds at most: the user is asked by time, and
// one run may be too short for a question.
template <class Kernel>
bool gives_way(Kernel kernel) {
  const icsched::InterruptScope at_once([] { return true; });
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    try {
      kernel();
    } catch (const icsched::Interrupted&) {
      return true;
    }
  }
  return false;
}
