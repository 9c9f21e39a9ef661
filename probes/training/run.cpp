// SPDX-License-Identifier: Apache-2.0
#include "probes/training/run.h"

#include <memory>
#include <string>
#include <vector>

#include "probes/comm/gather.h"
#include "probes/common/megatron.h"
#include "probes/training/interval.h"
#include "probes/training/timers.h"

namespace pippin::probes {

namespace {

void print_parameters(Log& log, const Setup& s) {
  for (std::int64_t stage = 0; stage < s.pp; ++stage)
    for (std::int64_t rank = 0; rank < s.tp; ++rank)
      log.line(parameters_line(rank, stage, parameters_of_stage(s, stage)));
}

/// " > ranks: 0-3 on n1 | 4-7 on n2"
std::string places_line(const Nodes& nodes) {
  std::string line = " > ranks: ";
  for (int node = 0; node < nodes.count(); ++node) {
    if (node > 0) line += " | ";
    line += nodes.list_of_ranks(node) + " on " + nodes.names[node];
  }
  return line;
}

/// One line for each rank of the first data-parallel replica. Every rank must call it.
std::vector<std::string> memory_lines(Communicator& world, const Setup& setup, const Memory& memory,
                                      std::int64_t iteration) {
  constexpr double kMib = 1024.0 * 1024.0;
  const auto all =
      gathered(world, std::vector<double>{static_cast<double>(memory.allocated()) / kMib,
                                          static_cast<double>(memory.max_allocated()) / kMib});
  std::vector<std::string> lines;
  for (int rank = 0; rank < world.size(); ++rank) {
    if (place_of(setup, rank).dp > 0) continue;
    const std::size_t at = 2 * static_cast<std::size_t>(rank);
    // Nothing is cached between allocations, so what is reserved is what is allocated.
    lines.push_back(memory_line(rank, iteration, {all[at], all[at + 1], all[at], all[at + 1]}));
  }
  return lines;
}

void append(std::vector<std::string>& lines, const std::vector<std::string>& more) {
  lines.insert(lines.end(), more.begin(), more.end());
}

template <typename T>
void train(Log& log, Communicator& world, const Setup& setup, const Memory& memory,
           Trainer<T>& trainer, Timers& timers) {
  Interval interval(world, setup);
  for (std::int64_t iteration = 1; iteration <= setup.iterations; ++iteration) {
    interval.add(trainer.step(iteration));
    timers.add(iteration);
    if (iteration % setup.log_interval != 0) continue;
    // One write: on a full machine each wakes a launcher that forwards it.
    std::vector<std::string> report = {iteration_line(interval.report(iteration))};
    if (iteration == setup.log_interval)
      append(report, memory_lines(world, setup, memory, iteration));
    append(report, timers.lines());
    log.lines(report);
  }
  const std::string traffic = timers.traffic_line(setup.iterations);
  if (world.size() > 1) log.line(traffic);
}

}  // namespace

template <typename T>
std::unique_ptr<Trainer<T>> make_trainer(const Ground<T>& ground, const Setup& setup,
                                         const OptimizerSettings& optimizer,
                                         const LossScaling& scaling, Groups& groups) {
  const auto make = [&] {
    return std::make_unique<Trainer<T>>(ground.device, setup, optimizer, scaling, groups);
  };
  if (ground.reserve) {
    make();
    ground.reserve();
  }
  auto trainer = make();
  trainer->begin();
  return trainer;
}

template <typename T>
void train_on(const Ground<T>& ground, Communicator& world, const Nodes& nodes,
              const TrainingSettings& settings, Log& log) {
  const Setup& setup = settings.setup;
  Profile profile(ground.clock, settings.timing_log_level == "1");
  Groups groups(world, setup, profile, ground.wrap);
  const auto trainer =
      make_trainer(ground, setup, settings.optimizer, loss_scaling(settings), groups);
  std::unique_ptr<Trace> trace;
  if (!settings.trace.empty()) trace = std::make_unique<Trace>(settings.trace, world.rank());
  Timers timers(world, groups, nodes, trace.get());
  print_parameters(log, setup);
  log.line(places_line(nodes));
  log.line("training ...");
  log.line(datetime_line("before the start of training step"));
  train(log, world, setup, ground.device.memory(), *trainer, timers);
  log.line(datetime_line("after training is done"));
}

template std::unique_ptr<Trainer<Half>> make_trainer(const Ground<Half>&, const Setup&,
                                                     const OptimizerSettings&, const LossScaling&,
                                                     Groups&);
template std::unique_ptr<Trainer<BFloat16>> make_trainer(const Ground<BFloat16>&, const Setup&,
                                                         const OptimizerSettings&,
                                                         const LossScaling&, Groups&);
template std::unique_ptr<Trainer<float>> make_trainer(const Ground<float>&, const Setup&,
                                                      const OptimizerSettings&, const LossScaling&,
                                                      Groups&);
template std::unique_ptr<Trainer<double>> make_trainer(const Ground<double>&, const Setup&,
                                                       const OptimizerSettings&, const LossScaling&,
                                                       Groups&);
template void train_on(const Ground<Half>&, Communicator&, const Nodes&, const TrainingSettings&,
                       Log&);
template void train_on(const Ground<BFloat16>&, Communicator&, const Nodes&,
                       const TrainingSettings&, Log&);
template void train_on(const Ground<float>&, Communicator&, const Nodes&, const TrainingSettings&,
                       Log&);

}  // namespace pippin::probes
