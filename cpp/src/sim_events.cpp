// Models without delay and visits; the others are in sim_late.cpp.
#include "icsched/sim_event_runner.hpp"

namespace icsched {

template <class Set>
using PromptRunner = events::EventRunner<Set, false>;

std::unique_ptr<SimRunner> event_runner(const SimCase& game) {
  const bool late = game.model.delay > 0.0 || !game.model.starts.empty();
  return late ? late_runner(game) : runner_for_rule<PromptRunner>(game);
}

}  // namespace icsched
