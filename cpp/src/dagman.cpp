#include "icsched/dagman.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "icsched/dagman_plain.hpp"
#include "icsched/dagman_words.hpp"
#include "icsched/interrupt.hpp"
#include "icsched/names.hpp"

namespace icsched {
namespace dagman {
namespace {

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
  std::int64_t number_ = 1;           // wide: it counts one line more than there are
};

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
    check_interrupt();
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
}  // namespace dagman

DagmanScan scan_dagman(std::span<const std::uint8_t> data) {
  if (data.size() > std::numeric_limits<std::int32_t>::max()) {
    throw std::length_error("a DAGMan file of 2 GiB or more");
  }
  return dagman::Scanner({reinterpret_cast<const char*>(data.data()), data.size()}).scan();
}

}  // namespace icsched
