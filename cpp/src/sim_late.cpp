// Models with a delay or visits.
#include "icsched/sim_event_runner.hpp"

namespace icsched {

template <class Set>
using LateRunner = events::EventRunner<Set, true>;

std::unique_ptr<SimRunner> late_runner(const SimCase& game) {
  return runner_for_rule<LateRunner>(game);
}

}  // namespace icsched
