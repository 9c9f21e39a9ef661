// SPDX-License-Identifier: Apache-2.0
#include "probes/device/rounding.h"
#include "probes/training/run.h"

namespace pippin::probes {

namespace {

template <typename T>
void train_in(Communicator& world, const TrainingSettings& settings, Log& log) {
  const std::uint64_t free = free_bytes();
  const Nodes nodes = find_nodes(world);  // after which all have seen what is free
  Memory memory(memory_limit_bytes(settings, free, nodes.ranks_of(nodes.of_rank[world.rank()])));
  Processor<T> device(memory, settings.threads);
  HostClock clock;
  train_on<T>({device, clock}, world, nodes, settings, log);
}

}  // namespace

void train_on_processor(Session& session, const TrainingSettings& settings, Log& log) {
  Communicator& world = session.world();
  if (settings.setup.precision == "bf16")
    train_in<BFloat16>(world, settings, log);
  else if (settings.setup.precision == "fp16")
    train_in<Half>(world, settings, log);
  else
    train_in<float>(world, settings, log);
}

}  // namespace pippin::probes
