// The bare topological sort that bench/order.py measures against: Kahn's algorithm over
// compressed rows, nothing else. Uses up `missing_parents`, the number of parents of each
// task; returns how many tasks it put into `order`, all of them for a dag.
#include <cstdint>

extern "C" std::int32_t topological_sort(std::int32_t tasks, const std::int32_t* child_offsets,
                                         const std::int32_t* children,
                                         std::int32_t* missing_parents, std::int32_t* order) {
  std::int32_t end = 0;
  for (std::int32_t task = 0; task < tasks; ++task) {
    if (missing_parents[task] == 0) order[end++] = task;
  }
  for (std::int32_t place = 0; place < end; ++place) {
    const std::int32_t task = order[place];
    for (std::int32_t i = child_offsets[task]; i < child_offsets[task + 1]; ++i) {
      if (--missing_parents[children[i]] == 0) order[end++] = children[i];
    }
  }
  return end;
}
