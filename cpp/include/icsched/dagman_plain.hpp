// Inside the DAGMan scanner: the commands, and which of their statements are plain.
#pragma once

#include <cstdint>

#include "icsched/dagman.hpp"
#include "icsched/dagman_words.hpp"

namespace icsched::dagman {

using Kind = StatementKind;

// What a statement turned out to be; Kind::other if it is not plain.
struct Found {
  Kind kind = Kind::other;
  std::int32_t value = 0;
  std::size_t name = 1;  // which word names the job
};

inline Found never(const Words&) { return {}; }

struct Command {
  Text name;
  Kind kind = Kind::other;              // at its plainest
  Found (*rule)(const Words&) = never;  // of all but parent and vars
  bool has_body = false;                // an inline submit description may follow
};

// The command of that name. Case does not matter, and - counts as _. If there is no such command,
// the result has no name.
const Command& command_of(Text word);

inline bool starts_command(Text line) { return !command_of(next_word(line)).name.empty(); }

// A job whose third word, { or @=TAG, opens a submit description; no options follow.
Found plain_inline_job(const Words& words);

// One or more pairs, perhaps after PREPEND or APPEND.
bool are_plain_pairs(Text text);

// Parents, CHILD once, children; all of them plain.
bool is_plain_parent(Text rest);

}  // namespace icsched::dagman
