#include <CLI/CLI.hpp>
#include <memory>

#include "harness/cli/command_line.h"

namespace pippin {

namespace {

void add_plan(CommandLine& line) {
  const auto options = std::make_shared<PlanOptions>();
  CLI::App& plan =
      line.add("plan", "show points, what was dropped and why, jobs; run nothing",
               "pippin plan -L tp 1,2,4 -L mbs 1,2 --gpus 8 -- torchrun train.py {tp} {mbs}",
               [&line, options] { return pippin::plan(line.globals(), *options); });
  take_sweep(line, plan, options->sweep);
  plan.add_flag("--print-yaml", options->print_yaml, "print the sweep file that says the same")
      ->group(kInsteadOfFile);
  plan.add_option("--format", options->format, "terminal, csv or json")
      ->capture_default_str()
      ->type_name("FORMAT");
  plan.add_option("--script", options->script, "print the job script that runs this point first")
      ->type_name("POINT");
}

void take_run_options(CommandLine& line, CLI::App& command, RunOptions& options) {
  take_sweep(line, command, options.sweep);
  command.add_flag("--again", options.again, "begin a new campaign");
  command.add_option("--retries", options.retries, "how often a lost job is handed over again")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
}

void add_run(CommandLine& line) {
  const auto options = std::make_shared<RunOptions>();
  take_run_options(
      line,
      line.add("run", "submit, wait, collect, report; goes on where an earlier run stopped",
               "pippin --db notes.db run sweeps/examples/quickstart.yaml",
               [&line, options] { return pippin::run(line.globals(), *options); }),
      *options);
}

void add_submit(CommandLine& line) {
  const auto options = std::make_shared<RunOptions>();
  take_run_options(line,
                   line.add("submit", "hand the jobs over and return",
                            "pippin submit sweeps/examples/replay.yaml",
                            [&line, options] { return submit(line.globals(), *options); }),
                   *options);
}

void add_status(CommandLine& line) {
  const auto sweep = std::make_shared<std::string>();
  line.add("status", "how far each sweep is", "pippin status",
           [&line, sweep] { return status(line.globals(), *sweep); })
      .add_option("SWEEP", *sweep, "name of a sweep; all where none is given");
}

void add_cancel(CommandLine& line) {
  const auto sweep = std::make_shared<std::string>();
  line.add("cancel", "end the jobs of a sweep that wait or run",
           "pippin --db notes.db cancel quickstart",
           [&line, sweep] { return cancel(line.globals(), *sweep); })
      .add_option("SWEEP", *sweep, "name of a sweep")
      ->required();
}

}  // namespace

void add_campaign_commands(CommandLine& line) {
  add_plan(line);
  add_run(line);
  add_submit(line);
  add_status(line);
  add_cancel(line);
}

}  // namespace pippin
