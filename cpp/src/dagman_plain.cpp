#include "icsched/dagman_plain.hpp"

#include <algorithm>
#include <array>

namespace icsched::dagman {
namespace {

// One rule per command

bool is_job(Text word) { return !word.empty() && is_plain(word) && !is_reserved(word); }

bool names_one_job(const Words& words) {
  const auto end = words.word.begin() + words.count;
  return words.count > 1 && std::all_of(words.word.begin(), end, is_plain) && is_job(words[1]);
}

std::int32_t take_option(Text option, std::int32_t value, const Words& words, std::size_t& at) {
  if (at == words.count || !is_upper(words[at], option)) return 0;
  ++at;
  return value;
}

// DIR, NOOP and DONE from word `at` on; other than a job if anything else is there.
Found with_options(Found found, const Words& words, std::size_t at) {
  if (words.count >= at + 2 && is_upper(words[at], "DIR")) {
    if (!is_path(words[at + 1])) return {};
    found.value += has_dir;
    at += 2;
  }
  found.value += take_option("NOOP", noop, words, at);
  found.value += take_option("DONE", is_done, words, at);
  return at == words.count ? found : Found{};
}

// A job whose name is the word `name`, and its submit file or dag the next.
Found plain_node(const Words& words, std::size_t name, std::int32_t options) {
  if (words.count < name + 2 || !is_job(words[name]) || !is_path(words[name + 1])) return {};
  const Text file = words[name + 1];
  const char first = file[file[0] == '"' ? 1 : 0];
  if (words[name].find('+') != Text::npos || first == '{' || first == '@') return {};
  return with_options({Kind::job, options, name}, words, name + 2);
}

Found plain_job(const Words& words) {
  const bool nests = words.count > 2 && words[2].find(".condor.sub") != Text::npos;
  return nests ? Found{} : plain_node(words, 1, 0);
}

Found plain_subdag(const Words& words) {
  const bool ok = words.count > 1 && is_upper(words[1], "EXTERNAL");
  return ok ? plain_node(words, 2, is_subdag) : Found{};
}

Found plain_done(const Words& words) {
  return words.count == 2 && names_one_job(words) ? Found{Kind::done} : Found{};
}

Found plain_priority(const Words& words) {
  const bool ok = words.count == 3 && names_one_job(words) && is_number(words[2]);
  return ok ? Found{Kind::priority, number_of(words[2])} : Found{};
}

Found plain_retry(const Words& words) {
  bool ok = (words.count == 3 || words.count == 5) && names_one_job(words) && is_count(words[2]);
  if (words.count == 5) ok = ok && is_upper(words[3], "UNLESS-EXIT") && is_number(words[4]);
  return ok ? Found{Kind::retry} : Found{};
}

Found plain_category(const Words& words) {
  return words.count == 3 && names_one_job(words) ? Found{Kind::category} : Found{};
}

Found plain_abort(const Words& words) {
  bool ok = (words.count == 3 || words.count == 5) && names_one_job(words) && is_number(words[2]);
  if (words.count == 5) ok = ok && is_upper(words[3], "RETURN") && is_exit_status(words[4]);
  return ok ? Found{Kind::abort} : Found{};
}

Found plain_pre_skip(const Words& words) {
  const bool ok = words.count == 3 && names_one_job(words) && is_exit_status(words[2]);
  return ok ? Found{Kind::pre_skip} : Found{};
}

Found plain_save_point(const Words& words) {
  const bool ok = (words.count == 2 || words.count == 3) && is_job(words[1]);
  return ok && (words.count == 2 || is_path(words[2])) ? Found{Kind::save_point} : Found{};
}

// What a script is given is its own affair: only the words up to its name must be plain.
Found plain_script(const Words& words) {
  const bool waits = words.count > 3 && is_upper(words[1], "DEFER");
  if (waits && !(is_count(words[2]) && number_of(words[2]) > 0 && is_count(words[3]))) return {};
  const std::size_t type = waits ? 4 : 1, name = type + 1, program = name + 1;
  if (words.count <= program || words[program][0] == '=' || !is_job(words[name])) return {};
  if (is_upper(words[type], "PRE")) return {Kind::pre, 0, name};
  const bool ok = is_upper(words[type], "POST") || is_upper(words[type], "HOLD");
  return ok ? Found{Kind::script, 0, name} : Found{};
}

// Cuts off a plain word, or a value in double quotes, in which \" and \\ may stand; false if
// there is neither.
bool cut_value(Text& text) {
  if (!text.starts_with('"')) return is_plain(next_word(text));
  text.remove_prefix(1);
  text.remove_prefix(run(text, quotable));
  while (text.starts_with("\\\"") || text.starts_with("\\\\")) {
    text.remove_prefix(2);
    text.remove_prefix(run(text, quotable));
  }
  if (!text.starts_with('"')) return false;
  text.remove_prefix(1);
  return true;
}

// Cuts off blanks and a pair key=value, perhaps with blanks around =; false if it is none.
// No key may start with queue.
bool cut_pair(Text& text) {
  const std::size_t blanks = run(text, blank);
  text.remove_prefix(blanks);
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::size_t length = run(text, key);
  if (blanks == 0 || length == 0 || !is(text[0], key_start)) return false;
  if (is_upper(text.substr(0, std::min<std::size_t>(length, 5)), "QUEUE")) return false;
  text.remove_prefix(length);
  text.remove_prefix(run(text, blank));
  if (!text.starts_with('=')) return false;
  text.remove_prefix(1);
  text.remove_prefix(run(text, blank));
  return !text.empty() && cut_value(text);
}

constexpr Command unknown{};

// The frequent ones first.
constexpr auto commands = std::to_array<Command>({
    {"JOB", Kind::job, plain_job, true},
    {"PARENT", Kind::parent},
    {"VARS", Kind::vars},
    {"RETRY", Kind::retry, plain_retry},
    {"SCRIPT", Kind::script, plain_script},
    {"PRIORITY", Kind::priority, plain_priority},
    {"CATEGORY", Kind::category, plain_category},
    {"DONE", Kind::done, plain_done},
    {"ABORT_DAG_ON", Kind::abort, plain_abort},
    {"PRE_SKIP", Kind::pre_skip, plain_pre_skip},
    {"SUBDAG", Kind::job, plain_subdag},
    {"SAVE_POINT_FILE", Kind::save_point, plain_save_point},
    {"FINAL", Kind::other, never, true},
    {"PROVISIONER", Kind::other, never, true},
    {"SERVICE", Kind::other, never, true},
    {"SUBMIT_DESCRIPTION", Kind::other, never, true},
    {"CONFIG"},  {"CONNECT"},          {"DOT"},    {"ENV"},     {"INCLUDE"}, {"JOBSTATE_LOG"},
    {"MAXJOBS"}, {"NODE_STATUS_FILE"}, {"PIN_IN"}, {"PIN_OUT"}, {"REJECT"},  {"SET_JOB_ATTR"},
    {"SPLICE"},  {"TOLERANCE"},        {"WEAK"},
});

}  // namespace

Found plain_inline_job(const Words& words) {
  const bool ok = words.count == 3 && is_job(words[1]) && words[1].find('+') == Text::npos &&
                  (words[2] == "{" || (words[2][0] == '@' && is_plain(words[2].substr(2))));
  return ok ? Found{Kind::job, is_inline} : Found{};
}

bool are_plain_pairs(Text text) {
  text = trimmed_end(text, blank);
  Text rest = text;
  const Text place = next_word(rest);
  if (place == "PREPEND" || place == "APPEND") text = rest;
  if (text.empty()) return false;
  while (!text.empty()) {
    if (!cut_pair(text)) return false;
  }
  return true;
}

bool is_plain_parent(Text rest) {
  std::size_t marks = 0, parents = 0, children = 0;
  for (Text word = next_word(rest); !word.empty(); word = next_word(rest)) {
    if (!is_plain(word)) return false;
    if (is_upper(word, "CHILD")) {
      ++marks;
    } else {
      ++(marks == 0 ? parents : children);
    }
  }
  return marks == 1 && parents > 0 && children > 0;
}

const Command& command_of(Text word) {
  const auto same = [](char c, char wanted) { return (c == '-' ? '_' : upper(c)) == wanted; };
  for (const Command& command : commands) {
    if (word.size() == command.name.size() &&
        std::equal(word.begin(), word.end(), command.name.begin(), same)) {
      return command;
    }
  }
  return unknown;
}

}  // namespace icsched::dagman
