// Inside the simulation: what will happen to assignments, the next first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace icsched::events {

// What happens to an assignment; at one moment, by assignment and then in this order.
// The last two: the one who hands out tasks learns of a result; or that a task is wanted again.
enum What : std::int64_t { result = 0, loss = 1, overdue = 2, known = 3, again = 4 };

struct Event {
  double time;
  std::int64_t key;  // 8 * number of the assignment + What
  std::int64_t request;
  double run_time;
  std::int32_t task;

  What what() const { return static_cast<What>(key % 8); }
  bool operator>(const Event& other) const {
    return time != other.time ? time > other.time : key > other.key;
  }
};

class EventHeap {
 public:
  void clear() { events_.clear(); }
  // The moment of the next event; infinite if there is none.
  double next() const {
    return events_.empty() ? std::numeric_limits<double>::infinity() : events_.front().time;
  }
  void push(const Event& event) {
    events_.push_back(event);
    std::push_heap(events_.begin(), events_.end(), std::greater<>());
  }
  // The same assignment's next event, after a delay.
  void push_later(Event event, What what, double delay) {
    event.time += delay;
    event.key = event.key / 8 * 8 + what;
    push(event);
  }
  Event pop() {
    std::pop_heap(events_.begin(), events_.end(), std::greater<>());
    const Event event = events_.back();
    events_.pop_back();
    return event;
  }

 private:
  std::vector<Event> events_;  // the next on top
};

}  // namespace icsched::events
