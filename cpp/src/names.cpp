#include "icsched/names.hpp"

#include <cstring>
#include <random>

namespace icsched {
namespace {

constexpr std::size_t first_slots = 64;
constexpr std::int32_t vacant = -1;

template <class T>
std::uint64_t read(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

using Key = std::array<std::uint64_t, 2>;

// Drawn once: starting the device takes longer than scanning a small file.
Key random_key() {
  static const Key key = [] {
    std::random_device device;
    const auto word = [&] { return std::uint64_t{device()} << 32 | device(); };
    return Key{word(), word()};
  }();
  return key;
}

}  // namespace

NameTable::NameTable()
    : key_(random_key()), slots_(first_slots, Slot{0, vacant}), starts_{0} {}

// Multiplies and folds 16 bytes at a time, as wyhash does; the last block may overlap.
std::uint32_t NameTable::hash(std::string_view name) const {
  const char* at = name.data();
  std::size_t left = name.size();
  std::uint64_t state = key_[0];
  for (; left > 16; at += 16, left -= 16) {
    state = mix(read<std::uint64_t>(at) ^ key_[1], read<std::uint64_t>(at + 8) ^ state);
  }
  std::uint64_t a, b;
  if (left >= 8) {
    a = read<std::uint64_t>(at), b = read<std::uint64_t>(at + left - 8);
  } else if (left >= 4) {
    a = read<std::uint32_t>(at), b = read<std::uint32_t>(at + left - 4);
  } else {
    a = read<std::uint8_t>(at), b = read<std::uint8_t>(at + left / 2) << 8 |
                                    read<std::uint8_t>(at + left - 1);
  }
  state = mix(a ^ key_[1], b ^ state);
  return static_cast<std::uint32_t>(mix(state ^ name.size(), key_[1]));
}

void NameTable::number(std::string_view name, std::vector<std::int32_t>& into) {
  const std::uint32_t hashed = hash(name);
  __builtin_prefetch(&slots_[hashed & (slots_.size() - 1)]);
  queue_[queued_++] = {name, hashed, &into, into.size()};
  into.push_back(vacant);
  if (queued_ == queue_.size()) settle();
}

void NameTable::settle() {
  for (std::size_t i = 0; i < queued_; ++i) {
    (*queue_[i].into)[queue_[i].at] = look_up(queue_[i]);
  }
  queued_ = 0;
}

std::int32_t NameTable::look_up(const Waiting& waiting) {
  if (starts_.size() * 2 > slots_.size()) grow();
  std::size_t at = waiting.hash & (slots_.size() - 1);
  while (slots_[at].number != vacant) {
    const Slot slot = slots_[at];
    if (slot.hash == waiting.hash && is(slot.number, waiting.name)) return slot.number;
    at = (at + 1) & (slots_.size() - 1);
  }
  slots_[at] = {waiting.hash, add(waiting.name)};
  return slots_[at].number;
}

bool NameTable::is(std::int32_t number, std::string_view name) const {
  const std::size_t start = starts_[number];
  return starts_[number + 1] - start == name.size() + 1 &&
         std::memcmp(&names_[start], name.data(), name.size()) == 0;
}

std::int32_t NameTable::add(std::string_view name) {
  const std::int32_t number = size();
  names_.insert(names_.end(), name.begin(), name.end());
  names_.push_back('\n');
  starts_.push_back(static_cast<std::uint32_t>(names_.size()));
  return number;
}

std::vector<std::uint8_t> NameTable::take_names() {
  if (!names_.empty()) names_.pop_back();
  return std::move(names_);
}

// Doubles the table. Old slots are read, and new ones written, nearly in order.
void NameTable::grow() {
  std::vector<Slot> old(slots_.size() * 2, Slot{0, vacant});
  old.swap(slots_);
  for (const Slot slot : old) {
    if (slot.number == vacant) continue;
    std::size_t at = slot.hash & (slots_.size() - 1);
    while (slots_[at].number != vacant) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = slot;
  }
}

}  // namespace icsched
