#include "probes/collective/collective.h"

#include <fstream>
#include <unistd.h>

#include "probes/collective/record.h"
#include "probes/collective/table.h"
#include "probes/comm/gather.h"

namespace pippin::probes {

namespace {

/// "model name : Intel(R) …": proc(5).
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2);
  return "CPU";
}

void print(Log& log, const std::vector<std::string>& lines) {
  for (const auto& line : lines) log.line(line);
}

}  // namespace

void print_ranks(TwoLogs& logs, const CollectiveSettings& settings, Communicator& control,
                 const Nodes& nodes) {
  const int rank = control.rank();
  const auto lines = gathered(control, rank_line(rank, ::getpid(), nodes.name_of(rank),
                                                 nodes.local_rank(rank), processor_name()));
  logs.table.line(" > probe: pippin collective 1");
  logs.table.line(parameters_line(settings));
  print(logs.table, {"#", "# Using devices"});
  print(logs.table, lines);
  logs.table.line("#");
}

namespace {

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
               const Effort& effort) {
  logs.table.line(row_line(row));
  if (settings.statistics == "1") print(logs.table, statistics_lines(row));
  for (const bool in_place : {false, true})
    logs.json.line(measurement_record(row, in_place, effort));
}

std::int64_t run_operation(TwoLogs& logs, const CollectiveSettings& s, Operation operation,
                           const Ranks& ranks, CollectiveBuffers& buffers) {
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
    print_row(logs, s, row, effort);
    total.add(row);
  }
  print(logs.table,
        footer_lines(total.wrong, total.bus_bandwidth / static_cast<double>(total.measurements)));
  return total.wrong;
}

}  // namespace

ExitCode run_operations(TwoLogs& logs, const CollectiveSettings& settings, const Ranks& ranks,
                        Memory& memory) {
  CollectiveBuffers buffers(memory, settings.maxbytes);
  std::int64_t wrong = 0;
  for (const Operation operation : chosen_operations(settings))
    wrong += run_operation(logs, settings, operation, ranks, buffers);
  return wrong > 0 ? ExitCode::kFailed : ExitCode::kDone;
}

void run_pairs(TwoLogs& logs, const CollectiveSettings& settings, Communicator& comm,
               const Nodes& nodes, Memory& memory) {
  PairsReport report{nodes.names, settings.maxbytes, settings.iters, {}};
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
  report.bandwidths = measure_pairs(comm, players, report.bytes, report.iterations, memory);
  print(logs.table, pair_lines(report));
  print(logs.json, pair_records(report));
}

}  // namespace pippin::probes
