// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <set>
#include <string>

#include "harness/cli/command_line.h"

namespace pippin {

void add_page_format(CLI::App& command, std::string& format, fs::path& output) {
  command
      .add_option("--format", format,
                  "terminal, markdown, csv, json, or html: a page with plots, in one file")
      ->capture_default_str()
      ->type_name("FORMAT");
  command.add_option("-o,--output", output, "write it to this file")->type_name("FILE");
}

namespace {

void add_collect(CommandLine& line) {
  const auto options = std::make_shared<CollectOptions>();
  CLI::App& collect = line.add("collect", "read logs into the database, as often as you like",
                               "pippin --db notes.db collect ~/logs", [&line, options] {
                                 return pippin::collect(line.globals(), *options);
                               });
  collect.add_option("PATH", options->paths,
                     "logs, compressed or not, and folders of logs; - is standard input; default: "
                     "the runs of this database");
  collect.add_flag("--follow", options->follow,
                   "go on reading what comes, as tail -F does, until Ctrl-C");
  collect
      .add_option(
          "--set", options->set,
          "what the logs do not say: --set gpus=64 --set tp=4; tp= takes it back; also in a "
          "file LOG.pippin.yaml, or logs.pippin.yaml for all of a folder")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  collect
      .add_option("--from-name", options->from_name,
                  "what their names say: '{size}-tp{tp}-pp{pp}' of 52b-tp4-pp16.log")
      ->type_name("PATTERN");
  collect
      .add_option("--scrape", options->scrape,
                  "how the lines of a trainer of your own are read: --scrape 'step=step ([0-9]+)' "
                  "--scrape 'step_time_ms=time ([0-9.]+)'; see docs/your-own-trainer.md")
      ->type_name("FIELD=REGEX")
      ->allow_extra_args(false);
  collect
      .add_option("--ranks", options->ranks,
                  "which files the ranks of one job wrote: 'slurm-{job}-{rank}.out', with {node} "
                  "where nodes have names; none: each file is a log")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  collect.add_flag("--explain", options->explain,
                   "say of each line of the logs what it gives, and store nothing");
  collect.add_flag("--verbose", options->verbose,
                   "name every file in a folder that looks like a log and gave nothing");
}

/// Of other tables than that of points only the format and the runs can be chosen, and what is
/// named besides.
void exclude_columns(CLI::App& report, CLI::Option& table,
                     const std::set<std::string>& besides = {}) {
  std::set<std::string> both{"--help", "--format", "SWEEP", "--pool", table.get_name()};
  both.insert(besides.begin(), besides.end());
  for (CLI::Option* option : report.get_options()) {
    if (!both.contains(option->get_name())) table.excludes(option);
  }
}

void add_against_model(CLI::App& report, ReportOptions& options) {
  const auto against = report.add_flag(
      "--against-model", options.against_model,
      "predicted step time and memory beside what was measured, and where the time goes");
  exclude_columns(report, *against, {"--accelerator"});
  report
      .add_option(
          "--cluster", options.cluster,
          "with --against-model: a cluster's name or file, for runs that do not know theirs")
      ->type_name("CLUSTER")
      ->needs(against);
  add_network_option(report, options.node_gb_per_s)->needs(against);
}

/// Of a picture no columns are chosen, nor what stands beside a table.
void add_plot(CLI::App& report, ReportOptions& options) {
  CLI::Option* plot =
      report
          .add_option_function<std::string>(
              "--plot", [&options](const std::string& kind) { options.plot = kind; },
              "a picture instead of the table: every run over 'time'; 'scaling' over GPUs; or step "
              "time against an axis: mbs, or mbs:tp for each TP; --columns tflops: that instead")
          ->type_name("PLOT")
          ->expected(0, 1);
  for (const char* none : {"--preset", "--limit", "--vs", "--methods", "--checkpoints",
                           "--collectives", "--against-model"})
    plot->excludes(report.get_option(none));
}

void add_report(CommandLine& line) {
  const auto options = std::make_shared<ReportOptions>();
  const auto notes = std::make_shared<fs::path>();
  CLI::App& report =
      line.add("report", "a row per point: step time with its interval, TFLOPS, memory",
               "pippin --db notes.db report --format csv", [&line, options, notes] {
                 return notes->empty() ? pippin::report(line.globals(), *options)
                                       : update_notes(line.globals(), *notes, options_in_marker);
               });
  add_table_options(report, *options);
  add_page_format(report, options->format, options->output);
  report.add_flag("--dropped", options->dropped,
                  "the runs that were dropped, and why, instead of the others");
  report.add_flag("--methods", options->methods,
                  "one paragraph for a paper instead of the table: how it was measured");
  const auto checkpoints = report.add_flag(
      "--checkpoints", options->checkpoints,
      "a row per point and kind instead: how long its checkpoints took to save and load");
  const auto collectives = report.add_flag(
      "--collectives", options->collectives,
      "what all_reduce and its like reach by size instead, of collected tables and canaries");
  for (CLI::Option* table : {checkpoints, collectives}) exclude_columns(report, *table);
  add_against_model(report, *options);
  add_plot(report, *options);
  CLI::Option* update =
      report
          .add_option("--update", *notes,
                      "rewrite the tables between '<!-- pippin:begin SWEEP [options] -->' and "
                      "'<!-- pippin:end -->' instead; takes no other option")
          ->type_name("NOTES.md");
  for (CLI::Option* option : report.get_options()) {
    if (option != update && option->get_name() != "--help") update->excludes(option);
  }
}

void add_compare(CommandLine& line) {
  const auto options = std::make_shared<CompareOptions>();
  CLI::App& compare =
      line.add("compare", "which differences between two selections of runs are real",
               "pippin --db notes.db compare before-upgrade quickstart",
               [&line, options] { return pippin::compare(line.globals(), *options); });
  compare.add_option("BASE", options->base,
                     "a sweep (its newest campaign), SWEEP/2, a tag, a point, days (2026-11-19, "
                     "yesterday, monday, -7d..today), or a database file; default: the campaign "
                     "before the newest");
  compare.add_option("NEW", options->other,
                     "what is held against it; default: the newest campaign");
  compare
      .add_option("--margin", options->margin,
                  "percent by which two times may differ and still be as good as equal")
      ->capture_default_str()
      ->type_name("PERCENT");
  compare
      .add_option(
          "--fail-on", options->fail_on,
          "exit with 1 where a row, or all of them, is surely slower; or changed at all; or "
          "where the new side lacks what the base measured, or nothing can be compared")
      ->type_name("VERDICT");
  add_page_format(compare, options->format, options->output);
}

void add_noise(CommandLine& line) {
  const auto options = std::make_shared<NoiseOptions>();
  CLI::App& noise =
      line.add("noise", "where the noise comes from: levels, network or compute, suspect nodes",
               "pippin --db notes.db noise quickstart",
               [&line, options] { return pippin::noise(line.globals(), *options); });
  noise.add_option("SWEEP", options->sweep,
                   "a sweep, a campaign of one (SWEEP/2), or a tag; all where none is given");
  add_page_format(noise, options->format, options->output);
}

void add_nodes(CommandLine& line) {
  const auto options = std::make_shared<NodesOptions>();
  CLI::App& nodes =
      line.add("nodes", "a row per node: runs, failures, canaries; which are bad, and why",
               "pippin --db notes.db nodes quickstart",
               [&line, options] { return pippin::nodes(line.globals(), *options); });
  nodes.add_option("SWEEP", options->sweep,
                   "a sweep, a campaign of one (SWEEP/2), or a tag; all where none is given");
  nodes.add_option("--exclude", options->exclude, "nodes that no run is launched on from now on")
      ->type_name("NODES");
  nodes.add_option("--because", options->because, "why: this table shows it")->type_name("TEXT");
  nodes.add_option("--allow", options->allow, "take back that these nodes are bad")
      ->type_name("NODES");
  nodes.add_option("--format", options->format, "terminal, markdown, csv or json")
      ->capture_default_str()
      ->type_name("FORMAT");
}

void add_list(CommandLine& line) {
  const auto options = std::make_shared<ListOptions>();
  CLI::App& list =
      line.add("list", "what is in the database: sweeps, campaigns, runs by state, tags",
               "pippin --db notes.db list",
               [&line, options] { return pippin::list(line.globals(), *options); });
  list.add_option("SWEEP", options->sweep,
                  "a sweep, a campaign of one (SWEEP/2), a tag, or 'collected' for logs that no "
                  "sweep made; all where none is given");
  list.add_option("--format", options->format, "terminal, csv or json")
      ->capture_default_str()
      ->type_name("FORMAT");
}

void add_show(CommandLine& line) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App& show = line.add(
      "show", "all that is known of one run, point, sweep or node, and where its figures stand",
      "pippin --db notes.db show 1",
      [&line, options] { return pippin::show(line.globals(), *options); });
  show.add_option("NAME", options->name,
                  "a run (its name, SWEEP/RUN, or its number), a point (its name or id), a sweep, "
                  "a campaign (SWEEP/2), a tag, or a node")
      ->required();
  show.add_option("--as", options->as, "run, point, sweep or node, where the name is of several")
      ->type_name("KIND");
  show.add_option("--format", options->format,
                  "terminal, json, or html: a page with plots, in one file")
      ->capture_default_str()
      ->type_name("FORMAT");
  show.add_option("-o,--output", options->output, "write it to this file")->type_name("FILE");
}

void add_serve(CommandLine& line) {
  const auto options = std::make_shared<ServeOptions>();
  CLI::App& serve =
      line.add("serve", "pages over the database as it grows, for a browser here or behind ssh -L",
               "pippin --db notes.db serve",
               [&line, options] { return pippin::serve(line.globals(), *options); });
  constexpr double kMostPort = 65535;
  check_range(*serve
                   .add_option("--port", options->port,
                               "where to listen; 0, or none: 8642, or the next that is free")
                   ->type_name("PORT"),
              0, kMostPort);
  serve
      .add_option("--bind", options->bind,
                  "the address to listen at; 0.0.0.0: all of this machine, for anybody with the "
                  "token")
      ->capture_default_str()
      ->type_name("ADDRESS");
  serve
      .add_option("--host", options->hosts,
                  "another name by which browsers come, such as that of a proxy; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

void add_note(CommandLine& line) {
  const auto options = std::make_shared<NoteOptions>();
  CLI::App& note = line.add("note", "write down what you know about a run; reports show it",
                            "pippin --db notes.db note 1 'node r7i2n0 was slow'",
                            [&line, options] { return pippin::note(line.globals(), *options); });
  note.add_option("RUN", options->run,
                  "a run's name or number; or a sweep, a campaign: all its runs")
      ->required();
  note.add_option("TEXT", options->text, "what to write; '' takes the note away")->required();
}

void add_drop(CommandLine& line) {
  const auto options = std::make_shared<DropOptions>();
  CLI::App& drop = line.add(
      "drop", "set runs aside: no result counts them any more; reports say how many, and why",
      "pippin --db notes.db drop 2 --because 'somebody else was on the node'",
      [&line, options] { return pippin::drop(line.globals(), *options); });
  drop.add_option("NAME", options->names,
                  "a run (its name, or its number in the database), a campaign (SWEEP/2, or a "
                  "tag), a whole sweep, or 'collected' for all logs that no sweep made")
      ->required();
  drop.add_option("--because", options->because, "why: reports show it")->type_name("TEXT");
  drop.add_flag("--undo", options->undo, "take back what was dropped by that name");
  drop.add_flag("--forever", options->forever,
                "delete it from the database instead, with all that was measured; logs stay");
}

void add_merge(CommandLine& line) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App& merge = line.add("merge", "add what another database has, such as a colleague's",
                             "pippin --db all.db merge notes.db",
                             [&line, options] { return pippin::merge(line.globals(), *options); });
  merge.add_option("OTHER.db", options->other, "a database; it is only read")->required();
}

void add_rename(CommandLine& line) {
  const auto options = std::make_shared<RenameOptions>();
  CLI::App& rename =
      line.add("rename", "call a sweep or a tag otherwise",
               "pippin --db notes.db rename before-upgrade autumn",
               [&line, options] { return pippin::rename(line.globals(), *options); });
  rename.add_option("OLD", options->from, "a sweep, or a tag")->required();
  rename.add_option("NEW", options->to, "a name that nothing has yet")->required();
}

void add_tag(CommandLine& line) {
  const auto options = std::make_shared<TagOptions>();
  CLI::App& tag = line.add("tag", "name a campaign, so that reports can ask for it",
                           "pippin --db notes.db tag quickstart before-upgrade",
                           [&line, options] { return pippin::tag(line.globals(), *options); });
  tag.add_option("CAMPAIGN", options->campaign, "SWEEP for its newest campaign, or SWEEP/NUMBER")
      ->required();
  tag.add_option("NAME", options->tag, "the tag; one that exists moves")->required();
}

}  // namespace

void add_database_commands(CommandLine& line) {
  add_collect(line);
  add_report(line);
  add_list(line);
  add_show(line);
  add_serve(line);
  add_note(line);
  add_drop(line);
  add_merge(line);
  add_tag(line);
  add_compare(line);
  add_noise(line);
  add_nodes(line);
  add_rename(line);
}

void add_table_options(CLI::App& command, ReportOptions& options) {
  const auto add = [&](const char* name, std::string& value, const char* type, const char* help) {
    command.add_option(name, value, help)->type_name(type);
  };
  command.add_option("SWEEP", options.selections,
                     "a sweep (its newest campaign), a campaign of one (SWEEP/2), a tag, or "
                     "'collected' for logs that no sweep made; several stand side by side; "
                     "default: the newest campaign");
  command.add_flag("--pool", options.pool, "all campaigns as one, instead of the newest");
  command
      .add_option("--by", options.by,
                  "a row for each point; or for each campaign, day, allocation or run of it")
      ->capture_default_str()
      ->type_name("BY");
  add("--columns", options.columns, "COLUMN",
      "what to show: [TITLE=]NAME[:DECIMALS], with commas between; '*': own axes that differ");
  add("--preset", options.preset, "PRESET", "columns that belong together");
  add("--sort", options.sort, "COLUMN",
      "columns to sort by, with commas between, the best first; -NAME: the highest first, +NAME: "
      "the lowest");
  command
      .add_option("--where", options.where,
                  "only rows for which it holds: 'tp == 4 && step_time < 50ms'; a number without a "
                  "unit is in s, GiB or a share of 1; may be repeated")
      ->type_name("EXPRESSION")
      ->expected(1)
      ->take_all();
  check_count(*command.add_option("--limit", options.limit, "show so many rows at most; 0: all")
                   ->type_name("NUMBER"));
  add("--vs", options.vs, "POINT",
      "compare useful work a second and GPU with that of this row, or of the 'first'");
  command.add_option("--flops", options.flops, "params, hardware, model, megatron or palm")
      ->capture_default_str()
      ->type_name("FORMULA");
  command
      .add_option("--samples", options.samples,
                  "clean: without start-up, skipped steps and the like; or all")
      ->capture_default_str()
      ->type_name("SAMPLES");
  add("--accelerator", options.accelerator, "ACCELERATOR",
      "for MFU and HFU, of runs that do not know theirs");
  add("--precision", options.precision, "TYPE",
      "bf16, fp16, …: for MFU and HFU, of points that do not say theirs");
}

}  // namespace pippin
