// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/files.h"
#include "harness/commands/steps/output.h"
#include "harness/commands/steps/session.h"
#include "harness/commands/steps/sweep_source.h"

namespace pippin {

struct PlanOptions {
  SweepSource sweep;
  std::string format = "terminal";
  std::string script;  ///< name of a point: print the script of its first job, and nothing else
  bool print_yaml = false;  ///< print the sweep file that says the same as the words
  bool max_model = false;   ///< the largest model that fits each layout, and nothing else
};

struct RunOptions {
  SweepSource sweep;
  SessionOptions session;
  double poll_s = 10;      ///< between two questions to the scheduler, at first
  std::string notify;      ///< a command when the sweep ends, or a job dies
  bool first = false;      ///< short launches of each kind go before the rest
  bool parsable = false;   ///< print the scheduler's ids, and nothing else
  bool test_only = false;  ///< have the scheduler check the jobs, and submit nothing
};

struct StatusOptions {
  std::string sweep;  ///< empty: all of the database
  bool watch = false;
  double poll_s = 10;
  std::string notify;  ///< with `watch`
};

struct UpdateOptions {
  std::string sweep;
  std::string time, partition, qos, account;  ///< empty: as it is
  std::optional<std::int64_t> max_in_flight;
  std::vector<std::string> set;  ///< "Nice=100": whatever else `scontrol update` takes
};

struct TailOptions {
  std::string run;  ///< or "SWEEP/RUN"
  std::int64_t lines = 20;
};

struct TraceOptions {
  std::string run;
  fs::path output;  ///< empty: standard output
  fs::path traces;  ///< the folder of its ranks' traces; empty: as its command says
};

struct PackOptions {
  std::string sweep;
  bool undo = false;     ///< put back what was packed
  bool dry_run = false;  ///< say what would be packed, and change nothing
};

struct ReportOptions {
  std::vector<std::string> selections;   ///< sweeps, "SWEEP/2", tags; empty: the newest campaign
  bool pool = false;                     ///< a sweep's campaigns as one instead of the newest
  bool dropped = false;                  ///< runs that were set aside, instead of the others
  bool checkpoints = false;              ///< those of each point, instead of its step times
  bool collectives = false;              ///< what the network's operations reach, instead
  bool against_model = false;            ///< what was predicted of each point, beside it
  std::string cluster;                   ///< then: a name or file, for runs that do not know theirs
  std::optional<double> node_gb_per_s;   ///< then: between nodes
  bool methods = false;                  ///< a paragraph for a paper instead of the table
  std::optional<std::string> plot = {};  ///< a picture instead: "time", "scaling", "mbs", "mbs:tp"
  std::string format = "terminal";
  fs::path output;  ///< empty: standard output
  std::string samples = "clean";
  std::string by = "point";  ///< or "campaign", "day", "allocation", "run"
  std::string flops = "params";
  std::string columns, preset;  ///< empty: those of the format
  std::string sort;
  std::vector<std::string> where;
  std::int64_t limit = 0;   ///< rows at most; 0: all
  std::string vs;           ///< a row's name, or "first"; empty: no comparison
  std::string accelerator;  ///< for runs that do not know theirs
  std::string precision;    ///< for points that do not say theirs
};

struct CompareOptions {
  std::string base, other;  ///< empty: the newest campaign, and the one before
  std::string margin = "2 %";
  std::string fail_on;  ///< "slower", "changed"; empty: nothing
  std::string format = "terminal";
  fs::path output;  ///< empty: standard output
};

struct NoiseOptions {
  std::string sweep;  ///< also "SWEEP/2", or a tag; empty: everything in the database
  std::string format = "terminal";
  fs::path output;  ///< empty: standard output
};

struct NodesOptions {
  std::string sweep;           ///< also "SWEEP/2", or a tag; empty: everything in the database
  std::string exclude, allow;  ///< "n[1-3]": nodes that a person judges; empty: the table is shown
  std::string because;
  std::string format = "terminal";
};

struct ShowOptions {
  std::string name;  ///< a run, "SWEEP/RUN", a point, a sweep, "SWEEP/2", a tag, or a node
  std::string as;    ///< "run", "point", "sweep", "node": which of several it is
  std::string format = "terminal";
  fs::path output;  ///< empty: standard output
};

struct ListOptions {
  std::string sweep;  ///< also "SWEEP/2", or a tag; empty: everything in the database
  std::string format = "terminal";
};

struct ServeOptions {
  std::optional<std::int64_t> port;  ///< nothing: the usual one, or the next that is free
  std::string bind = "127.0.0.1";
  std::vector<std::string> hosts;  ///< names by which readers come, beside this machine's own
};

struct NoteOptions {
  std::string run;
  std::string text;
};

struct DropOptions {
  std::vector<std::string> names;  ///< runs, sweeps, "SWEEP/2", tags
  std::string because;
  bool undo = false;     ///< take them back
  bool forever = false;  ///< delete them
};

struct MergeOptions {
  fs::path other;  ///< a database
};

struct RenameOptions {
  std::string from, to;
};

struct TagOptions {
  std::string campaign;
  std::string tag;
};

struct CollectOptions {
  std::vector<fs::path> paths;      ///< empty: the runs of this database; "-": standard input
  bool follow = false;              ///< go on with what comes, until interrupted
  std::vector<std::string> set;     ///< "tp=4": what logs do not say
  std::string from_name;            ///< "{size}-tp{tp}": what their names say
  std::vector<std::string> scrape;  ///< "loss=loss: (\\S+)": how lines are read that pippin does
                                    ///< not know
  std::vector<std::string> ranks;   ///< "log.{rank}": which files are of one job; or "none"
  bool explain = false;             ///< say of each line what it gives, and store nothing
  bool verbose = false;             ///< name every file that looks like a log and gave nothing
};

struct ImportOptions {
  std::vector<fs::path> notes;
  std::vector<std::string> set;  ///< "NAME=VALUE": what the tables do not say
};

struct RetableOptions {
  fs::path notes;
  bool dry_run = false;          ///< print the differences and write nothing
  std::vector<std::string> set;  ///< "NAME=VALUE": what the tables do not say
};

struct DoctorOptions {
  fs::path write_cluster;  ///< empty: show what is here
  std::string partition;   ///< with `write_cluster`; empty: Slurm's default
};

struct ProbesOptions {
  std::string action;             ///< "build": there is no other
  std::vector<std::string> with;  ///< what the probes must have: "mpi", "cuda"
  std::string cluster;            ///< whose prolog comes first; empty: none
};

struct EstimateOptions {
  std::vector<std::string> arguments;  ///< Megatron's, behind `--`
  std::vector<std::string> what;  ///< instead: SWEEP.yaml and a point's name, or NAME=VALUES …
  std::optional<std::int64_t> gpus, gpus_per_node;
  std::string accelerator;                 ///< of accelerators.yaml; empty: the cluster's
  std::string cluster;                     ///< a name or file; with neither there is no time
  std::optional<double> node_gb_per_s;     ///< between nodes
  bool compat = false;                     ///< the analysis tool's figures
  bool checkpoints = false;                ///< the sizes of checkpoints, and nothing else
  std::optional<double> storage_gb_per_s;  ///< to which they are written
  fs::path points;                         ///< instead of arguments: a table of layouts
  fs::path calibrate_on;                   ///< such a table with times; empty: data sheets alone
  std::string format = "terminal";
  fs::path output;  ///< instead of standard output
};

struct CalibrateOptions {
  std::vector<std::string> selections;  ///< sweeps, "SWEEP/2", tags; empty: all of the database
  std::string cluster, accelerator;     ///< empty: as the runs say
  std::optional<double> node_gb_per_s;  ///< between nodes
  fs::path write;                       ///< where a cluster file's `rates:` go; empty: nowhere
  std::string format = "terminal";
};

struct SearchOptions {
  std::string cluster;
  std::string model;                      ///< empty: that of the launch
  std::vector<std::string> arguments;     ///< of the launch, as its words stand
  std::optional<std::int64_t> gpus, gbs;  ///< else as the launch says
  std::optional<std::int64_t> seq;
  std::optional<double> node_gb_per_s;
  std::int64_t top = 10;
  fs::path sweep;  ///< where the best are written as one; empty: nowhere
  std::string format = "terminal";
  fs::path output;  ///< instead of standard output
};

/// Each does its work, writes its result to standard output, and says how it went.
/// Errors: throws Error.
ExitCode plan(const Globals& globals, const PlanOptions& options);
ExitCode estimate(const Globals& globals, const EstimateOptions& options);
ExitCode calibrate(const Globals& globals, const CalibrateOptions& options);
ExitCode search(const Globals& globals, const SearchOptions& options);
ExitCode run(const Globals& globals, const RunOptions& options);
ExitCode submit(const Globals& globals, const RunOptions& options);
ExitCode status(const Globals& globals, const StatusOptions& options);
ExitCode update(const Globals& globals, const UpdateOptions& options);
ExitCode tail(const Globals& globals, const TailOptions& options);
ExitCode trace(const Globals& globals, const TraceOptions& options);
ExitCode cancel(const Globals& globals, const std::string& sweep);
ExitCode pack(const Globals& globals, const PackOptions& options);
ExitCode collect(const Globals& globals, const CollectOptions& options);
ExitCode report(const Globals& globals, const ReportOptions& options);
ExitCode compare(const Globals& globals, const CompareOptions& options);
ExitCode noise(const Globals& globals, const NoiseOptions& options);
ExitCode show(const Globals& globals, const ShowOptions& options);
ExitCode nodes(const Globals& globals, const NodesOptions& options);
/// Rewrites the tables that a document marks; `read_options` reads what a marker says.
using ReadReportOptions = std::function<ReportOptions(const std::vector<std::string>& words)>;
ExitCode update_notes(const Globals& globals, const fs::path& file,
                      const ReadReportOptions& read_options);
ExitCode list(const Globals& globals, const ListOptions& options);
ExitCode serve(const Globals& globals, const ServeOptions& options);
ExitCode note(const Globals& globals, const NoteOptions& options);
ExitCode drop(const Globals& globals, const DropOptions& options);
ExitCode merge(const Globals& globals, const MergeOptions& options);
ExitCode rename(const Globals& globals, const RenameOptions& options);
ExitCode tag(const Globals& globals, const TagOptions& options);
ExitCode import_notes(const Globals& globals, const ImportOptions& options);
ExitCode retable(const Globals& globals, const RetableOptions& options);
ExitCode doctor(const Globals& globals, const DoctorOptions& options);
ExitCode build_probes(const Globals& globals, const ProbesOptions& options);

}  // namespace pippin
