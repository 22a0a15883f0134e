#include "icsched/ready.hpp"

#include <algorithm>
#include <functional>

#include "icsched/interrupt.hpp"

namespace icsched {
namespace {

constexpr auto least_rank_on_top = std::greater<std::int32_t>();

}  // namespace

ReadyQueue::ReadyQueue(Rows children, Rows parents, Ids ranks)
    : child_offsets_(children.offsets.begin(), children.offsets.end()),
      children_(children.targets.begin(), children.targets.end()),
      missing_(children.size()),
      rank_(ranks.begin(), ranks.end()),
      task_of_rank_(ranks.size()),
      state_(children.size(), waiting) {
  for (std::size_t task = 0; task < ranks.size(); ++task) {
    task_of_rank_[ranks[task]] = static_cast<std::int32_t>(task);
  }
  for (std::int32_t task = 0; task < children.size(); ++task) {
    missing_[task] = static_cast<std::int32_t>(parents[task].size());
    if (missing_[task] == 0) make_ready(task);
  }
}

void ReadyQueue::make_ready(std::int32_t task) {
  state_[task] = ready;
  push(task);
}

void ReadyQueue::push(std::int32_t task) {
  if (rank_.empty()) {
    queue_.push_back(task);
  } else {
    queue_.push_back(rank_[task]);
    std::push_heap(queue_.begin(), queue_.end(), least_rank_on_top);
  }
}

// Takes finished tasks out of the queue: O(queue), and seldom needed.
void ReadyQueue::drop_stale() {
  const auto is_stale = [this](std::int32_t entry) {
    return state_[rank_.empty() ? entry : task_of_rank_[entry]] == finished;
  };
  queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
  queue_.erase(std::remove_if(queue_.begin(), queue_.end(), is_stale), queue_.end());
  if (!rank_.empty()) std::make_heap(queue_.begin(), queue_.end(), least_rank_on_top);
  head_ = stale_ = 0;
}

std::vector<std::int32_t> ReadyQueue::take(std::int64_t count) {
  if (stale_ > 0) drop_stale();
  const auto available = static_cast<std::int64_t>(queue_.size() - head_);
  const std::int64_t granted = std::min(count, available);
  std::vector<std::int32_t> tasks;
  if (rank_.empty()) {
    tasks.assign(queue_.begin() + head_, queue_.begin() + head_ + granted);
    head_ += granted;
    if (head_ == queue_.size()) {
      queue_.clear();
      head_ = 0;
    }
  } else if (granted == available) {
    std::sort(queue_.begin(), queue_.end());
    for (std::int32_t rank : queue_) tasks.push_back(task_of_rank_[rank]);
    queue_.clear();
  } else {
    for (std::int64_t i = 0; i < granted; ++i) {
      std::pop_heap(queue_.begin(), queue_.end(), least_rank_on_top);
      tasks.push_back(task_of_rank_[queue_.back()]);
      queue_.pop_back();
    }
  }
  for (std::int32_t task : tasks) state_[task] = taken;
  taken_ += granted;
  return tasks;
}

std::size_t ReadyQueue::finish(Ids tasks) {
  std::size_t count = 0;
  for (std::int32_t task : tasks) {
    if (state_[task] == taken) {
      --taken_;
    } else if (state_[task] == returned) {
      ++stale_;
    } else {
      break;
    }
    state_[task] = finished;
    ++count;
    for (std::int32_t i = child_offsets_[task]; i < child_offsets_[task + 1]; ++i) {
      if (--missing_[children_[i]] == 0) make_ready(children_[i]);
    }
  }
  return count;
}

std::size_t ReadyQueue::give_back(Ids tasks) {
  std::size_t count = 0;
  for (std::int32_t task : tasks) {
    if (state_[task] == waiting || state_[task] == ready) break;
    ++count;
    if (state_[task] != taken) continue;
    state_[task] = returned;
    --taken_;
    push(task);
  }
  return count;
}

std::vector<std::int32_t> priority_order(Rows children, Rows parents, Ids ranks) {
  ReadyQueue queue(children, parents, ranks);
  std::vector<std::int32_t> order;
  order.reserve(children.size());
  while (queue.active()) {
    check_interrupt();
    const std::int32_t task = queue.take(1).front();
    order.push_back(task);
    queue.finish(Ids(&task, 1));
  }
  return order;
}

}  // namespace icsched
