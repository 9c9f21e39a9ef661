// SPDX-License-Identifier: Apache-2.0
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
  plan.add_flag("--max-model", options->max_model,
                "instead: the largest model that each layout can hold, by the GPUs' memory");
  plan.add_option("--format", options->format, "terminal, csv or json")
      ->capture_default_str()
      ->type_name("FORMAT");
  plan.add_option("--script", options->script, "print the job script that runs this point first")
      ->type_name("POINT");
}

constexpr const char* kOnCluster = "On a cluster";
constexpr double kShortestPoll_s = 0.1, kLongestPoll_s = 3600;

void take_poll(CLI::App& command, double& poll_s) {
  CLI::Option* poll =
      command
          .add_option("--poll", poll_s,
                      "seconds between questions to the scheduler; up to six times that while "
                      "nothing changes")
          ->capture_default_str()
          ->group(kOnCluster);
  check_range(*poll, kShortestPoll_s, kLongestPoll_s);
}

void take_notify(CLI::App& command, std::string& notify) {
  command
      .add_option("--notify", notify,
                  "a command (bash) to run when the sweep has ended, and while pippin waits when "
                  "a run died; $PIPPIN_EVENT and $PIPPIN_MESSAGE say what happened")
      ->type_name("COMMAND");
}

void take_run_options(CommandLine& line, CLI::App& command, RunOptions& options) {
  take_sweep(line, command, options.sweep);
  command.add_flag("--again", options.session.again, "start a new campaign");
  command.add_flag("--retry-failed", options.session.retry_failed,
                   "run again what failed or ran out of time");
  command.add_flag("--first", options.first,
                   "before the rest, launch one point of each kind for two iterations, and stop if "
                   "that fails or its log cannot be read");
  command
      .add_option("--only", options.session.only,
                  "measure the points now of which this holds: 'tp == 2'; the others stay due")
      ->type_name("EXPRESSION");
  check_count(*command
                   .add_option("--retries", options.session.retries,
                               "how often a lost job is submitted again")
                   ->capture_default_str());
  check_count(
      *command
           .add_option("--give-up-after", options.session.give_up_after,
                       "stop after so many runs in a row that failed alike, at once and by "
                       "no fault of their own (a missing program, a broken prolog); 0: never")
           ->capture_default_str());
  take_notify(command, options.notify);
  check_count(
      *command
           .add_option("--bad-node-after", options.session.bad_node_after,
                       "keep off a node on which runs of so many points failed in a row while "
                       "others go on elsewhere; 0: never")
           ->capture_default_str()
           ->group(kOnCluster));
  command
      .add_option("--exclude", options.session.exclude,
                  "nodes that the campaign's jobs keep off from now on, beside the bad ones: "
                  "n3,n[7-9]; '': none")
      ->type_name("NODES")
      ->group(kOnCluster);
  command
      .add_option("--nodelist", options.session.nodelist,
                  "the only nodes that its jobs run on from now on; '': all")
      ->type_name("NODES")
      ->group(kOnCluster);
  check_count(*command
                   .add_option("--max-in-flight", options.session.max_in_flight,
                               "jobs that may run at a time; 0: all")
                   ->capture_default_str()
                   ->group(kOnCluster));
  command
      .add_option("--spread", options.session.spread,
                  "spread the starts of the allocations over this time: 3d, 12h, 90m")
      ->type_name("TIME")
      ->group(kOnCluster);
  command
      .add_option("--at", options.session.at,
                  "start the allocations at these times of day, in turn: 00:00,12:00")
      ->type_name("TIMES")
      ->group(kOnCluster);
}

void add_run(CommandLine& line) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& run =
      line.add("run", "submit, wait, collect, report; continues where an earlier run stopped",
               "pippin --db notes.db run sweeps/examples/quickstart.yaml",
               [&line, options] { return pippin::run(line.globals(), *options); });
  take_run_options(line, run, *options);
  take_poll(run, options->poll_s);
}

void add_submit(CommandLine& line) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& command =
      line.add("submit", "submit the jobs and return", "pippin submit sweeps/examples/replay.yaml",
               [&line, options] { return submit(line.globals(), *options); });
  take_run_options(line, command, *options);
  command.add_flag("--parsable", options->parsable, "print the scheduler's job ids, one a line")
      ->group(kOnCluster);
  command
      .add_flag("--test-only", options->test_only,
                "have the scheduler check a job of each node count; submit nothing")
      ->group(kOnCluster);
}

void add_status(CommandLine& line) {
  const auto options = std::make_shared<StatusOptions>();
  CLI::App& command =
      line.add("status", "how far each sweep is, and what is stuck", "pippin status",
               [&line, options] { return status(line.globals(), *options); });
  command.add_option("SWEEP", options->sweep,
                     "a sweep's name or file, or a run of it; all where none is given");
  command.add_flag("--watch", options->watch, "refresh until all is finished, or nothing goes on");
  take_poll(command, options->poll_s);
  take_notify(command, options->notify);
}

void add_cancel(CommandLine& line) {
  const auto sweep = std::make_shared<std::string>();
  line.add("cancel", "cancel the jobs of a sweep that wait or run",
           "pippin --db notes.db cancel quickstart",
           [&line, sweep] { return cancel(line.globals(), *sweep); })
      .add_option("SWEEP", *sweep, "a sweep's name or file, or a run of it")
      ->required();
}

void add_update(CommandLine& line) {
  const auto options = std::make_shared<UpdateOptions>();
  CLI::App& command = line.add("update", "change the waiting jobs of a sweep on a cluster",
                               "pippin update gpt-52b --time 00:20:00",
                               [&line, options] { return update(line.globals(), *options); });
  command.add_option("SWEEP", options->sweep, "name of a sweep")->required();
  const auto add = [&](const char* name, std::string& value, const char* type, const char* help) {
    command.add_option(name, value, help)->type_name(type);
  };
  add("--time", options->time, "TIME", "time limit, as sbatch has it; PBS: walltime, 00:20:00");
  add("--partition", options->partition, "NAME", "partition (Slurm)");
  add("--qos", options->qos, "NAME", "quality of service (Slurm)");
  add("--account", options->account, "NAME", "account");
  check_count(*command.add_option("--max-in-flight", options->max_in_flight,
                                  "jobs of an array that may run at a time; 0: all"));
  command
      .add_option("--set", options->set,
                  "whatever else 'scontrol update' takes: Nice=100; PBS: 'qalter -l', mem=64gb")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void add_tail(CommandLine& line) {
  const auto options = std::make_shared<TailOptions>();
  CLI::App& command = line.add("tail", "print the end of a run's log, and follow it while it runs",
                               "pippin --db notes.db tail tiny-tp2-pp1-dp1-mbs4-gas8-a1",
                               [&line, options] { return tail(line.globals(), *options); });
  command
      .add_option("RUN", options->run,
                  "a run's name or number, or a sweep's name or file: the run that began last")
      ->required();
  check_count(
      *command.add_option("-n,--lines", options->lines, "how many of the lines that are there")
           ->capture_default_str());
}

void add_trace(CommandLine& line) {
  const auto options = std::make_shared<TraceOptions>();
  CLI::App& command =
      line.add("trace", "draw what a run's ranks did when, for ui.perfetto.dev",
               "pippin --db notes.db trace tiny-tp2-pp1-dp1-mbs4-gas8-a1 -o trace.json",
               [&line, options] { return trace(line.globals(), *options); });
  command.add_option("RUN", options->run, "a run's name or number, or SWEEP/RUN")->required();
  command.add_option("-o,--output", options->output, "write it to this file")->type_name("FILE");
  command
      .add_option("--traces", options->traces,
                  "the folder with its ranks' traces (rank-0.jsonl, …); default: as the --trace of "
                  "its command says")
      ->type_name("PATH");
}

void add_pack(CommandLine& line) {
  const auto options = std::make_shared<PackOptions>();
  CLI::App& command =
      line.add("pack", "put the files of finished runs into an archive, where pippin reads them",
               "pippin --db notes.db pack quickstart",
               [&line, options] { return pack(line.globals(), *options); });
  command.add_option("SWEEP", options->sweep, "a sweep's name or file, or a run of it")->required();
  command.add_flag("--undo", options->undo, "put all back as it was");
  command.add_flag("--dry-run", options->dry_run, "say what would be packed, and change nothing");
}

}  // namespace

void add_campaign_commands(CommandLine& line) {
  add_plan(line);
  add_run(line);
  add_submit(line);
  add_status(line);
  add_cancel(line);
  add_update(line);
  add_tail(line);
  add_trace(line);
  add_pack(line);
}

}  // namespace pippin
