// Numbering names in the order in which they first occur.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace icsched {

// A hash table from names to the numbers 0, 1, 2, ... A look-up mostly waits for memory. So names
// queue up, and are looked up a batch at a time, in the order they came: the waits of a batch
// overlap.
//
// Time is linear in the bytes of the names, for any names, because the hash has a random key.
// Numbers do not depend on the key. The table takes up to 64 bytes and three copies per name while
// it grows, and two thirds of that afterwards.
class NameTable {
 public:
  NameTable();

  // Appends an entry to `into`, which `settle` overwrites with the number of `name`.
  // Requires a name that is not empty and has no newline, and less than 2^32 bytes in all
  // names. `name` and `into` must live until `settle` is called.
  void number(std::string_view name, std::vector<std::int32_t>& into);

  // Looks up all names in the queue. Before that, numbers may be missing.
  void settle();

  // The members below count settled names only.
  std::int32_t size() const { return static_cast<std::int32_t>(starts_.size()) - 1; }

  // All names by number, with a newline between them. Leaves the table unusable.
  std::vector<std::uint8_t> take_names();

 private:
  struct Slot {
    std::uint32_t hash;
    std::int32_t number;  // negative if vacant
  };
  struct Waiting {
    std::string_view name;
    std::uint32_t hash;
    std::vector<std::int32_t>* into;
    std::size_t at;
  };

  std::uint32_t hash(std::string_view name) const;
  std::int32_t look_up(const Waiting& waiting);
  std::int32_t add(std::string_view name);
  bool is(std::int32_t number, std::string_view name) const;
  void grow();

  std::array<std::uint64_t, 2> key_;
  std::vector<Slot> slots_;            // a power of two of them, at most half in use
  std::vector<std::uint8_t> names_;    // end to end, a newline after each
  std::vector<std::uint32_t> starts_;  // of each name in names_, and their end
  std::array<Waiting, 32> queue_;
  std::size_t queued_ = 0;
};

}  // namespace icsched
