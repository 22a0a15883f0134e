// Inside the DAGMan scanner: its bytes and words.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace icsched::dagman {

using Text = std::string_view;

// Bytes

enum ByteClass : std::uint8_t {
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

inline bool is(char c, std::uint8_t classes) {
  return class_table[static_cast<unsigned char>(c)] & classes;
}

// How many bytes at the front of `text` belong to one of the classes.
inline std::size_t run(Text text, std::uint8_t classes) {
  std::size_t length = 0;
  while (length < text.size() && is(text[length], classes)) ++length;
  return length;
}

inline Text trimmed_end(Text text, std::uint8_t classes) {
  while (!text.empty() && is(text.back(), classes)) text.remove_suffix(1);
  return text;
}

// Words

inline char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

inline bool is_upper(Text word, Text wanted) {
  return word.size() == wanted.size() &&
         std::equal(word.begin(), word.end(), wanted.begin(),
                    [](char c, char want) { return upper(c) == want; });
}

inline bool is_plain(Text word) { return run(word, plain) == word.size(); }

inline bool is_reserved(Text word) {
  return is_upper(word, "PARENT") || is_upper(word, "CHILD") || is_upper(word, "ALL_NODES");
}

// Cuts the first word off `text`; empty if `text` has no word.
inline Text next_word(Text& text) {
  text.remove_prefix(run(text, blank));
  std::size_t length = run(text, plain);
  while (length < text.size() && !is(text[length], blank)) ++length;
  const Text word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

// The length of the word in double quotes that `text` starts with, quotes included. 0 if there is
// none, or if versions of DAGMan read it differently.
inline std::size_t quoted_length(Text text) {
  if (!text.starts_with('"')) return 0;
  const std::size_t inside = run(text.substr(1), quotable);
  const Text rest = text.substr(1 + inside);
  const bool closed = rest.starts_with('"') && (rest.size() == 1 || is(rest[1], blank));
  return inside > 0 && closed ? inside + 2 : 0;
}

// Like next_word, but a word may also be in double quotes, with blanks in it.
inline Text next_path(Text& text) {
  text.remove_prefix(run(text, blank));
  const std::size_t length = quoted_length(text);
  if (length == 0) return next_word(text);
  const Text word = text.substr(0, length);
  text.remove_prefix(length);
  return word;
}

inline bool is_path(Text word) { return is_plain(word) || quoted_length(word) == word.size(); }

// The words of a statement, up to the most that a plain statement has. The command and the word
// after it have no quotes.
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

inline bool is_count(Text word) {
  return word.size() >= 1 && word.size() <= 9 &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

inline bool is_number(Text word) {
  if (!word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
  return is_count(word);
}

// Requires is_number(word).
inline std::int32_t number_of(Text word) {
  std::int32_t value = 0;
  for (char c : word) {
    if (c != '+' && c != '-') value = 10 * value + (c - '0');
  }
  return word[0] == '-' ? -value : value;
}

inline bool is_exit_status(Text word) { return is_count(word) && number_of(word) < 256; }

}  // namespace icsched::dagman
