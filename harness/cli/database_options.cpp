#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/command_line.h"

namespace pippin {

namespace {

void add_collect(CommandLine& line) {
  const auto options = std::make_shared<CollectOptions>();
  CLI::App& collect = line.add("collect", "read logs into the database, as often as you like",
                               "pippin --db notes.db collect ~/logs", [&line, options] {
                                 return pippin::collect(line.globals(), *options);
                               });
  collect.add_option("PATH", options->paths,
                     "logs, and folders of logs; without: the runs of this database");
}

void add_report(CommandLine& line) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App& report =
      line.add("report", "a row per point: step time with its interval, TFLOPS, memory",
               "pippin --db notes.db report --format csv",
               [&line, options] { return pippin::report(line.globals(), *options); });
  report.add_option("SWEEP", options->sweep, "name of a sweep; all where none is given");
  report.add_option("--format", options->format, "terminal or csv")
      ->capture_default_str()
      ->type_name("FORMAT");
  report
      .add_option("--samples", options->samples,
                  "clean: without start-up, skipped steps and the like; or all")
      ->capture_default_str()
      ->type_name("SAMPLES");
}

}  // namespace

void add_database_commands(CommandLine& line) {
  add_collect(line);
  add_report(line);
}

}  // namespace pippin
