#include "check.hpp"

int main() {
  for (const check::Case& test : check::cases()) {
    const int before = check::failures;
    test.body();
    if (check::failures > before) std::fprintf(stderr, "FAILED %s\n", test.name);
  }
  std::printf("C++: %zu tests, %d checks failed\n", check::cases().size(), check::failures);
  return check::failures == 0 ? 0 : 1;
}
