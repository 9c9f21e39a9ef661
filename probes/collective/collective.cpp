// SPDX-License-Identifier: Apache-2.0
#include "probes/collective/collective.h"

#include <unistd.h>

#include "probes/collective/record.h"
#include "probes/collective/steps.h"
#include "probes/collective/table.h"
#include "probes/comm/gather.h"

namespace pippin::probes {

namespace {

void print(Log& log, const std::vector<std::string>& lines) {
  for (const auto& line : lines) log.line(line);
}

/// The probe's line, the parameters, every rank's line.
void print_ranks(TwoLogs& logs, const CollectiveSettings& settings,
                 const CollectiveGround& ground) {
  Communicator& control = ground.comm.host();
  const int rank = control.rank();
  const auto lines =
      gathered(control, rank_line(rank, ::getpid(), ground.nodes.name_of(rank), ground.device));
  logs.table.line(" > probe: pippin collective 1");
  logs.table.line(parameters_line(settings));
  print(logs.table, {"#", "# Using devices"});
  print(logs.table, lines);
  print(logs.table, {"#", library_line(ground.library)});
}

/// What one operation's rows add up to.
struct Total {
  std::int64_t wrong = 0, measurements = 0;
  double bus_bandwidth = 0;
  void add(const Row& row) {
    for (const auto* m : {&row.out_of_place, &row.in_place}) {
      wrong += m->wrong.value_or(0);
      bus_bandwidth += probes::bus_bandwidth(row, *m);
      ++measurements;
    }
  }
};

Row measure_row(CollectiveCall call, const Ranks& ranks, const Effort& effort,
                CollectiveBuffers& buffers) {
  Row row{call, ranks.control.size(), {}, {}};
  row.out_of_place = measure(call, ranks, effort, buffers);
  call.in_place = true;
  row.in_place = measure(call, ranks, effort, buffers);
  return row;
}

void print_row(TwoLogs& logs, const CollectiveSettings& settings, const Row& row,
               const Effort& effort, const Medium& medium) {
  logs.table.line(row_line(row));
  if (settings.statistics == "1") print(logs.table, statistics_lines(row));
  for (const bool in_place : {false, true})
    logs.json.line(measurement_record(row, in_place, effort, medium));
}

std::int64_t run_operation(TwoLogs& logs, const CollectiveSettings& s, Operation operation,
                           const CollectiveGround& ground, CollectiveBuffers& buffers) {
  const Ranks ranks{ground.comm, ground.comm.host()};
  const Element element = element_named(s.datatype);
  const Effort effort{s.warmup_iters, s.iters, s.check, s.each()};
  logs.table.line(std::string("# Operation            : ") + kind_of(operation).name);
  print(logs.table, column_lines());
  Total total;
  for (const std::int64_t size : sizes_of(s)) {
    const CollectiveCall call{operation,
                              count_within(operation, size, element, ranks.control.size()),
                              element,
                              s.op == "sum" ? Reduction::kSum : Reduction::kMax,
                              static_cast<int>(s.root),
                              false};
    const Row row = measure_row(call, ranks, effort, buffers);
    print_row(logs, s, row, effort, {s.device, ground.library});
    total.add(row);
  }
  print(logs.table,
        footer_lines(total.wrong, total.bus_bandwidth / static_cast<double>(total.measurements)));
  return total.wrong;
}

ExitCode run_operations(TwoLogs& logs, const CollectiveSettings& settings,
                        const CollectiveGround& ground) {
  CollectiveBuffers buffers(ground.space, settings.maxbytes);
  std::int64_t wrong = 0;
  for (const Operation operation : chosen_operations(settings))
    wrong += run_operation(logs, settings, operation, ground, buffers);
  return wrong > 0 ? ExitCode::kFailed : ExitCode::kDone;
}

void run_pairs(TwoLogs& logs, const CollectiveSettings& settings, const CollectiveGround& ground) {
  const Nodes& nodes = ground.nodes;
  Communicator& comm = ground.comm;
  PairsReport report{
      {settings.device, ground.library}, nodes.names, settings.maxbytes, settings.iters, {}};
  std::vector<int> players = nodes.first_rank;
  if (settings.pairs == "ranks") {
    players.clear();
    report.names.clear();
    for (int rank = 0; rank < comm.size(); ++rank) {
      players.push_back(rank);
      report.names.push_back(std::to_string(rank) + "@" + nodes.name_of(rank));
    }
  }
  if (players.size() < 2)
    bad_input("--pairs " + settings.pairs + " wants two of them, and there is only " +
              report.names.front() +
              (comm.size() > 1 ? ": --pairs ranks pairs the ranks" : ": launch more ranks"));
  report.bandwidths =
      measure_pairs(comm, players, report.bytes, report.iterations, ground.space.memory());
  print(logs.table, pair_lines(report));
  print(logs.json, pair_records(report));
}

}  // namespace

ExitCode run_collectives(TwoLogs& logs, const CollectiveSettings& settings,
                         const CollectiveGround& ground) {
  print_ranks(logs, settings, ground);
  if (settings.iterations > 0) {
    run_steps(logs, settings, ground);
    return ExitCode::kDone;
  }
  if (settings.pairs == "none") return run_operations(logs, settings, ground);
  run_pairs(logs, settings, ground);
  return ExitCode::kDone;
}

}  // namespace pippin::probes
