#include "icsched/dagman.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "icsched/names.hpp"

namespace icsched {
namespace {

using Text = std::string_view;
using Kind = StatementKind;

// Bytes

enum : std::uint8_t {
  blank = 1,      // between words
  space = 2,      // around lines: blanks and more
  plain = 4,      // in plain words
  key_start = 8,  // of a VARS pair's key
  key = 16,
  quotable = 32,  // between double quotes
};

constexpr std::uint8_t classes_of(int c) {
  const bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  const bool printed = c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
  std::uint8_t classes = 0;
  if (c == ' ' || c == '\t') classes |= blank;
  if (c == ' ' || (c >= '\t' && c <= '\r' && c != '\n')) classes |= space;
  if (printed && c != ' ' && c != '\'' && c != '=') classes |= plain;
  if (letter) classes |= key_start;
  if (letter || (c >= '0' && c <= '9') || c == '.') classes |= key;
  if (printed) classes |= quotable;
  return classes;
}

constexpr auto class_table = [] {
  std::array<std::uint8_t, 256> table{};
  for (int c = 0; c < 256; ++c) table[c] = classes_of(c);
  return table;
}();

bool is(char c, std::uint8_t classes) {
  return class_table[static_cast<unsigned char>(c)] & classes;
}

// How many bytes at the front of `text` belong to one of the classes.
std::size_t run(Text text, std::uint8_t classes) {
  std::size_t length = 0;
  while (length < text.size() && is(text[length], classes)) ++length;
  return length;
}

Text trimmed_end(Text text, std::uint8_t classes) {
  while (!text.empty() && is(text.back(), classes)) text.remove_suffix(1);
  return text;
}

// Words

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool is_upper(Text word, Text wanted) {
  return word.size() == wanted.size() &&
         std::equal(word.begin(), word.end(), wanted.begin(),
                    [](char c, char want) { return upper(c) == want; });
}

bool is_plain(Text word) { return run(word, plain) == word.size(); }

bool is_reserved(Text word) {
  return is_upper(word, "PARENT") || is_upper(word, "CHILD") || is_upper(word, "ALL_NODES");
}

// Cuts the first word off `text`; empty when there is none.
Text next_word(Text& text) {
  text.remove_prefix(run(text, blank));
  std::size_t length = run(text, plain);
  while (length < text.size() && !is(text[length], blank)) ++length;
  const Text word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

// The length of the word in double quotes that `text` starts with, quotes included; 0 if it
// starts with none that all versions of DAGMan read alike.
std::size_t quoted_length(Text text) {
  if (!text.starts_with('"')) return 0;
  const std::size_t inside = run(text.substr(1), quotable);
  const Text rest = text.substr(1 + inside);
  const bool closed = rest.starts_with('"') && (rest.size() == 1 || is(rest[1], blank));
  return inside > 0 && closed ? inside + 2 : 0;
}

// Likewise, but a word may also stand in double quotes, with blanks in it.
Text next_path(Text& text) {
  text.remove_prefix(run(text, blank));
  const std::size_t length = quoted_length(text);
  if (length == 0) return next_word(text);
  const Text word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

bool is_path(Text word) { return is_plain(word) || quoted_length(word) == word.size(); }

// A statement's words, but for those that come after the most that a plain one has. The
// command and the word after it have no quotes.
struct Words {
  static constexpr std::size_t most = 9;
  std::array<Text, most> word;
  std::size_t count = 0;

  explicit Words(Text text) {
    for (; count < most; ++count) {
      word[count] = count < 2 ? next_word(text) : next_path(text);
      if (word[count].empty()) break;
    }
  }
  Text operator[](std::size_t i) const { return word[i]; }
};

bool is_count(Text word) {
  return word.size() >= 1 && word.size() <= 9 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_number(Text word) {
  if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
  return is_count(word);
}

// Requires is_number(word).
std::int32_t number_of(Text word) {
  std::int32_t value = 0;
  for (char c : word) {
    if (c != '+' && c != '-') value = 10 * value + (c - '0');
  }
  return word[0] == '-' ? -value : value;
}

bool is_exit_status(Text word) { return is_count(word) && number_of(word) < 256; }

// Plain statements: one rule per command

struct Found {
  Kind kind = Kind::other;
  std::int32_t value = 0;
  std::size_t name = 1;  // which word names the job
};

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

// A job whose third word opened a submit description, { or @=TAG; no options follow that.
Found plain_inline_job(const Words& words) {
  const bool ok = words.count == 3 && is_job(words[1]) && words[1].find('+') == Text::npos &&
                  (words[2] == "{" || (words[2][0] == '@' && is_plain(words[2].substr(2))));
  return ok ? Found{Kind::job, is_inline} : Found{};
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

Found never(const Words&) { return {}; }

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

// One or more pairs, perhaps after PREPEND or APPEND.
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

// Parents, CHILD once, children; all of them plain.
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

// Commands

struct Command {
  Text name;
  Kind kind = Kind::other;              // at its plainest
  Found (*rule)(const Words&) = never;  // of all but parent and vars
  bool has_body = false;                // an inline submit description may follow
};

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

// The command of that name, in any case and with - for _.
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

bool starts_command(Text line) { return &command_of(next_word(line)) != &unknown; }

// Lines

bool is_skipped(Text line) {
  return line.empty() || line[0] == '#' || line.starts_with("//");
}

// Walks over the lines of a file, without the blanks around them.
class Lines {
 public:
  explicit Lines(Text data) : data_(data) { cut(); }

  bool done() const { return start_ > data_.size(); }
  Text text() const { return text_; }
  std::size_t begin() const { return static_cast<std::size_t>(text_.data() - data_.data()); }
  std::size_t end() const { return begin() + text_.size(); }
  std::int32_t number() const { return static_cast<std::int32_t>(number_); }

  void advance() {
    start_ = stop_ + 1;
    ++number_;
    if (!done()) cut();
  }

  // Goes on to the next line that is neither empty nor a comment; true if any was empty.
  bool skip() {
    bool met_empty = false;
    for (; !done() && is_skipped(text_); advance()) met_empty |= text_.empty();
    return met_empty;
  }

 private:
  void cut() {
    stop_ = std::min(data_.find('\n', start_), data_.size());
    const Text line = data_.substr(start_, stop_ - start_);
    text_ = trimmed_end(line.substr(run(line, space)), space);
  }

  Text data_, text_;
  std::size_t start_ = 0, stop_ = 0;  // of the line with its blanks
  std::int64_t number_ = 1;           // wide, for it counts one line more than there are
};

// The scan

class Scanner {
 public:
  explicit Scanner(Text data) : data_(data), lines_(data) {}
  DagmanScan scan();

 private:
  void reserve(std::size_t statements);
  Problem statement();
  Problem skip_lone_backslash();
  Problem join();
  Problem join_on();
  Text take_line();
  Problem add_by_words(const Command& command);
  Problem skip_body(const Words& words);
  bool add_parent(Text rest);
  bool add_vars(Text rest);
  void add_named(Found found, Text name);
  void add_unnamed(Kind kind, std::int32_t value = 0);
  void add(Kind kind, std::int32_t value);
  void number(Text word, std::vector<std::int32_t>& into);

  Text data_;
  Lines lines_;
  NameTable names_;
  DagmanScan scan_;

  // The statement at hand.
  std::size_t begin_ = 0, end_ = 0;
  std::int32_t line_ = 0;
  Text text_;         // as if on one line; its byte i is byte begin_ + i of the data
  std::string flat_;  // holds text_ if it was on several
  std::optional<Text> after_body_;  // what follows its submit description, if it has one
};

DagmanScan Scanner::scan() {
  reserve(data_.size() / 32);  // about right for ordinary files, and never too much
  Problem problem = Problem::none;
  for (lines_.skip(); !lines_.done() && problem == Problem::none; lines_.skip()) {
    problem = statement();
  }
  if (problem != Problem::none) add_unnamed(Kind::broken, static_cast<std::int32_t>(problem));
  names_.settle();
  scan_.name_count = names_.size();
  scan_.names = names_.take_names();
  return std::move(scan_);
}

void Scanner::reserve(std::size_t statements) {
  scan_.kind.reserve(statements);
  scan_.line.reserve(statements);
  scan_.begin.reserve(statements);
  scan_.end.reserve(statements);
  scan_.name.reserve(statements);
  scan_.value.reserve(statements);
}

// Takes the statement that starts at the line at hand, and adds it unless it has a problem.
Problem Scanner::statement() {
  begin_ = lines_.begin();
  line_ = lines_.number();
  if (lines_.text() == "\\") return skip_lone_backslash();
  const Problem problem = join();
  Text rest = text_;
  const Text word = next_word(rest);
  if (problem != Problem::none) return problem;
  const Command& command = command_of(word);
  const bool added = (command.kind == Kind::parent && add_parent(rest)) ||
                     (command.kind == Kind::vars && add_vars(rest));
  return added ? Problem::none : add_by_words(command);
}

// A line that is nothing but a backslash continues into the next statement and adds nothing.
Problem Scanner::skip_lone_backslash() {
  take_line();
  lines_.skip();
  return lines_.done() ? Problem::unended : Problem::none;
}

// Sets text_ to the statement's text and end_ to the end of its last line.
Problem Scanner::join() {
  text_ = take_line();
  return text_.ends_with('\\') ? join_on() : Problem::none;
}

Text Scanner::take_line() {
  const Text line = lines_.text();
  end_ = lines_.end();
  lines_.advance();
  return line;
}

// Joins continued lines. Blanks take the place of what is between them, so that words
// keep their distance from begin_. After an empty line, a command starts anew.
Problem Scanner::join_on() {
  flat_.clear();
  Text part = text_;
  for (; part.ends_with('\\'); part = take_line()) {
    part.remove_suffix(1);
    if (!part.empty() && !is(part.back(), blank)) return Problem::glued;
    flat_ += part;
    part = {};
    const bool met_empty = lines_.skip();
    if (lines_.done()) return Problem::unended;
    if (met_empty && starts_command(lines_.text())) break;
    flat_.resize(lines_.begin() - begin_, ' ');
  }
  flat_ += part;
  text_ = flat_;
  return Problem::none;
}

Problem Scanner::add_by_words(const Command& command) {
  const Words words(text_);
  after_body_.reset();
  const Problem problem = command.has_body ? skip_body(words) : Problem::none;
  if (problem != Problem::none) return problem;
  const bool is_plain_body = after_body_ && after_body_->empty() && command.kind == Kind::job;
  const Found found = is_plain_body ? plain_inline_job(words) : command.rule(words);
  if (found.kind == Kind::other) {
    add_unnamed(Kind::other);
  } else {
    add_named(found, words[found.name]);
  }
  return problem;
}

// Goes past the inline submit description if the third word opens one, with { or @=TAG.
Problem Scanner::skip_body(const Words& words) {
  const Text opening = words.count > 2 ? words[2] : Text();
  const bool braces = opening.starts_with('{');
  if (!braces && !opening.starts_with("@=")) return Problem::none;
  if (opening == "@=") return Problem::unclosed;
  std::string closing(braces ? "}" : "@");
  if (!braces) closing += opening.substr(2);
  for (; !lines_.done(); lines_.advance()) {
    if (!lines_.text().starts_with(closing)) continue;
    const Text after = lines_.text().substr(closing.size());
    if (braces || after.empty() || is(after[0], blank)) {
      take_line();
      after_body_ = after;
      return Problem::none;
    }
  }
  return Problem::unclosed;
}

// False, and nothing added, unless the statement is plain; likewise add_vars.
bool Scanner::add_parent(Text rest) {
  if (!is_plain_parent(rest)) return false;
  const auto here = [this] { return static_cast<std::int64_t>(scan_.refs.size()); };
  scan_.first_parent.push_back(here());
  for (Text word = next_word(rest); !word.empty(); word = next_word(rest)) {
    if (is_upper(word, "CHILD")) {
      scan_.first_child.push_back(here());
    } else {
      number(word, scan_.refs);
    }
  }
  add_unnamed(Kind::parent);
  return true;
}

bool Scanner::add_vars(Text rest) {
  const Text name = next_word(rest);
  if (!is_plain(name) || is_reserved(name) || !are_plain_pairs(rest)) return false;
  add_named({Kind::vars}, name);
  return true;
}

void Scanner::add_named(Found found, Text name) {
  add(found.kind, found.value);
  number(name, scan_.name);
}

void Scanner::add_unnamed(Kind kind, std::int32_t value) {
  add(kind, value);
  scan_.name.push_back(-1);
}

void Scanner::add(Kind kind, std::int32_t value) {
  scan_.kind.push_back(static_cast<std::uint8_t>(kind));
  scan_.line.push_back(line_);
  scan_.begin.push_back(static_cast<std::int64_t>(begin_));
  scan_.end.push_back(static_cast<std::int64_t>(end_));
  scan_.value.push_back(value);
}

// Numbers a word of text_, as it stands in the data: flat_ will not wait for the look-up.
void Scanner::number(Text word, std::vector<std::int32_t>& into) {
  const auto at = begin_ + static_cast<std::size_t>(word.data() - text_.data());
  names_.number(data_.substr(at, word.size()), into);
}

}  // namespace

DagmanScan scan_dagman(std::span<const std::uint8_t> data) {
  if (data.size() > std::numeric_limits<std::int32_t>::max()) {
    throw std::length_error("a DAGMan file of 2 GiB or more");
  }
  return Scanner({reinterpret_cast<const char*>(data.data()), data.size()}).scan();
}

}  // namespace icsched
