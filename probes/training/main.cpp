#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "probes/comm/gather.h"
#include "probes/comm/nodes.h"
#include "probes/comm/ranked_main.h"
#include "probes/common/error.h"
#include "probes/common/log.h"
#include "probes/common/megatron.h"
#include "probes/device/rounding.h"
#include "probes/training/interval.h"
#include "probes/training/settings.h"
#include "probes/training/timers.h"
#include "probes/training/trainer.h"

using namespace pippin::probes;

namespace {

constexpr const char* kIntro =
    "training: a training step in three dimensions (TP, PP, DP), in Megatron-LM's log format\n"
    "\n"
    "usage: training [--option VALUE]…\n"
    "       mpirun -n RANKS training --tp TP --pp PP --dp DP [--option VALUE]…";

void print_parameters(Log& log, const Setup& s) {
  for (std::int64_t stage = 0; stage < s.pp; ++stage)
    for (std::int64_t rank = 0; rank < s.tp; ++rank)
      log.line(parameters_line(rank, stage, parameters_of_stage(s, stage)));
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

template <typename T>
void train_in(Log& log, Communicator& world, const TrainingSettings& settings) {
  const Setup& setup = settings.setup;
  const std::uint64_t free = free_bytes();
  const Nodes nodes = find_nodes(world);  // after which all have seen what is free
  Memory memory(memory_limit_bytes(settings, free, nodes.ranks_of(nodes.of_rank[world.rank()])));
  Processor<T> device(memory, settings.threads);
  HostClock clock;
  Profile profile(clock, settings.timing_log_level == "1");
  Groups groups(world, setup, profile);
  Trainer<T> trainer(device, setup, settings.optimizer, loss_scaling(settings), groups);
  trainer.begin();
  std::unique_ptr<Trace> trace;
  if (!settings.trace.empty()) trace = std::make_unique<Trace>(settings.trace, world.rank());
  Timers timers(world, groups, nodes, trace.get());
  print_parameters(log, setup);
  log.line("training ...");
  log.line(datetime_line("before the start of training step"));
  train(log, world, setup, memory, trainer, timers);
  log.line(datetime_line("after training is done"));
}

ExitCode run(const std::vector<std::string>& arguments, Session& session) {
  Communicator& world = session.world();
  TrainingSettings settings;
  const OptionTable options = training_options(settings);
  if (!parse_options(options, arguments)) {
    if (world.rank() == 0) std::fputs(help_text(kIntro, options).c_str(), stdout);
    return ExitCode::kDone;
  }
  const Setup& setup = settings.setup;
  settings.optimizer.lr = setup.lr;
  check(settings, world.size());
  Log log(stdout, world.rank() == 0);
  print_header(log, "training", setup, training_arguments(settings));

  if (setup.precision == "bf16")
    train_in<BFloat16>(log, world, settings);
  else if (setup.precision == "fp16")
    train_in<Half>(log, world, settings);
  else
    train_in<float>(log, world, settings);
  return ExitCode::kDone;
}

}  // namespace

int main(int argc, char* argv[]) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return ranked_main("training", [&](Session& session) { return run(arguments, session); });
}
