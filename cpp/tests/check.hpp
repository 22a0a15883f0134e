// The least a test needs: named cases that run, and checks that say where they failed.
#pragma once

#include <cstdio>
#include <functional>
#include <utility>
#include <vector>

namespace check {

struct Case {
  const char* name;
  std::function<void()> body;
};

inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

inline int failures = 0;

struct Register {
  Register(const char* name, std::function<void()> body) { cases().push_back({name, std::move(body)}); }
};

inline void that(bool holds, const char* text, const char* file, int line) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, text);
}

}  // namespace check

#define TEST(name)                                        \
  static void name();                                     \
  static const check::Register register_##name(#name, name); \
  static void name()
#define CHECK(...) check::that((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

// That the expression throws an `error`.
#define CHECK_THROWS(expression, error)                                             \
  check::that(                                                                      \
      [&] {                                                                         \
        try {                                                                       \
          static_cast<void>(expression);                                            \
        } catch (const error&) {                                                    \
          return true;                                                              \
        }                                                                           \
        return false;                                                               \
      }(),                                                                          \
      #expression " throws " #error, __FILE__, __LINE__)
