// SPDX-License-Identifier: Apache-2.0
#include "core/jobs/script.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

#include "core/base/embedded_file.h"
#include "core/base/error.h"
#include "core/base/placeholders.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/jobs/quoting.h"

namespace pippin {

const std::vector<EmbeddedFile>& script_parts();  // script/*.bash

namespace {

/// A part of every script: its file, without the words to its reader above the first empty line.
std::string_view shared(std::string_view name) {
  const auto is_it = [&](const EmbeddedFile& file) { return file.name == name; };
  const auto found = std::find_if(script_parts().begin(), script_parts().end(), is_it);
  return found->text.substr(found->text.find("\n\n") + 1);
}

/// Splits what all runs set alike from what each sets for itself: a script is read by people.
Environment take_common(std::vector<ScriptTask>& tasks) {
  std::vector<ScriptRun*> runs;
  for (auto& task : tasks) {
    for (auto& run : task.runs) runs.push_back(&run);
  }
  std::map<std::pair<std::string, std::string>, std::size_t> times;
  for (const auto* run : runs) {
    for (const auto& variable : run->env) ++times[variable];
  }
  const auto everywhere = [&](const auto& variable) { return times[variable] == runs.size(); };
  Environment common;
  if (!runs.empty())
    std::copy_if(runs.front()->env.begin(), runs.front()->env.end(), std::back_inserter(common),
                 everywhere);
  for (auto* run : runs) std::erase_if(run->env, everywhere);
  return common;
}

std::string exports(const Environment& env) {
  std::string lines;
  for (const auto& variable : env)
    lines += fmt::format("export {}={}\n", variable.first, bash_word(variable.second));
  return lines;
}

/// PIPPIN_REDUCE_BUCKET_SIZE of reduce_bucket_size.
std::string variable_name(std::string_view axis) {
  std::string name = "PIPPIN_";
  for (char c : axis) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// kv_heads → --kv-heads
std::string option_name(const Trainer& trainer, const std::string& axis) {
  const auto other = std::find_if(trainer.option_names.begin(), trainer.option_names.end(),
                                  [&](const auto& name) { return name.first == axis; });
  std::string option = other == trainer.option_names.end() ? axis : other->second;
  std::replace(option.begin(), option.end(), '_', '-');
  return "--" + option;
}

std::int64_t ceiling_of(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Every name that a command may use of a point, and its value.
NamedValues values_of(const Sweep& sweep, const Point& point, const PlannedRun& run,
                      std::int64_t allocation) {
  const Layout& layout = point.layout;
  const std::int64_t ranks = layout.gpus.value_or(1);
  const std::int64_t per_node =
      sweep.cluster.gpus_per_node > 0 ? std::min(ranks, sweep.cluster.gpus_per_node) : ranks;
  NamedValues values = named_values(point);
  const auto add = [&](const char* name, std::int64_t number) {
    values.emplace_back(name, value_of(static_cast<double>(number)));
  };
  if (point.model.params) add("params", *point.model.params);
  add("ranks", ranks);
  add("nodes", ceiling_of(ranks, per_node));
  add("ranks_per_node", per_node);
  add("gpus_per_node", per_node);
  add("iterations", sweep.iterations);
  values.emplace_back("seed", value_of(std::to_string(sweep.seed)));
  add("allocation", allocation);
  add("repeat", run.repeat);
  values.emplace_back("name", Value{point.name, std::nullopt});
  return values;
}

/// The variables that a run of `script` is to find, also in a container: its own, and those that
/// the job sets. Of this machine's jobs that of the queue, by which it ends them.
std::vector<std::string> names_to_pass(const ScriptRun& script, const Cluster& cluster) {
  std::vector<std::string> names{"PIPPIN_JOB", "PIPPIN_RUN_DIR", "MASTER_ADDR", "MASTER_PORT"};
  if (cluster.scheduler == "local") names.emplace_back("PIPPIN_QUEUE_ENTRY");
  for (const auto& variable : script.env) {
    if (std::find(names.begin(), names.end(), variable.first) == names.end())
      names.push_back(variable.first);
  }
  return names;
}

/// What a launch or a command may use beside values: how a container is told where what lies.
struct Surroundings {
  std::vector<std::string> env_names;
  fs::path probes;
};

Filling filling_of(const NamedValues& values, const Surroundings& around, const std::string& name) {
  static const std::map<std::string, std::string> kVariables{{"master_addr", "MASTER_ADDR"},
                                                             {"master_port", "MASTER_PORT"},
                                                             {"run_dir", "PIPPIN_RUN_DIR"},
                                                             {"sweep_dir", "pippin_root"}};
  if (name == "probe_dir") return {Filling::Kind::kData, around.probes.string()};
  if (name == "env") return {Filling::Kind::kCode, "--env=" + join(around.env_names, " --env=")};
  if (name == "env_names") return {Filling::Kind::kData, join(around.env_names, ",")};
  const auto variable = kVariables.find(name);
  if (variable != kVariables.end()) return {Filling::Kind::kVariable, variable->second};
  if (const Value* value = find_value(values, name)) {
    // What bash could take for code stands in a variable: even in quotes within quotes, comments
    // and here-documents, which `filled` does not follow, it is never run.
    if (bash_word(value->text) != value->text)
      return {Filling::Kind::kVariable, variable_name(name)};
    return {Filling::Kind::kData, value->text};
  }
  std::vector<std::string> known{"launch",    "master_addr", "master_port", "run_dir",
                                 "sweep_dir", "probe_dir",   "env",         "env_names"};
  for (const auto& value : values) known.push_back(value.first);
  bad_input("command: unknown placeholder '{{{}}}'{}; write '{{{{{}}}}}' for braces that stay",
            name, did_you_mean(name, known), name);
}

/// `text` with its placeholders replaced, as data.
std::string with_values(std::string_view text, const NamedValues& values) {
  std::string result;
  for (const Piece& piece : placeholders(text)) {
    const Value* value = piece.is_name ? find_value(values, piece.text) : nullptr;
    if (piece.is_name && !value) bad_input("env: unknown placeholder '{{{}}}'", piece.text);
    result += value ? value->text : piece.text;
  }
  return result;
}

/// `probe` as the cluster and the trainer launch one.
std::string launched(const Sweep& sweep, const std::string& launch, const std::string& probe) {
  return sweep.trainer.once || launch.empty() ? probe : launch + " " + probe;
}

std::string probe_command(const Sweep& sweep, const NamedValues& values, const fs::path& probes) {
  std::string command = bash_word((probes / sweep.trainer.probe).string());
  for (const auto& option : sweep.trainer.options) {
    const Value* value = find_value(values, option);
    if (value)
      command += fmt::format(" {} {}", option_name(sweep.trainer, option), bash_word(value->text));
  }
  if (sweep.trainer.traces) command += " --trace \"$PIPPIN_RUN_DIR\"/trace";
  return command;
}

/// On what the run itself is on.
std::string canary_command(const Sweep& sweep, const NamedValues& values, const fs::path& probes) {
  const Value* device = find_value(values, "device");
  return fmt::format("{} --seconds {}{}{} --sizes-in \"$pippin_root\"",
                     bash_word((probes / "canary").string()), *sweep.canary_s,
                     device ? " --device " + bash_word(device->text) : "",
                     sweep.canary_bytes ? fmt::format(" --bytes {}", *sweep.canary_bytes) : "");
}

Environment environment_of(const Sweep& sweep, const Point& point, const PlannedRun& run,
                           const NamedValues& values) {
  Environment env{{variable_name("sweep"), sweep.name},
                  {variable_name("point"), point.name},
                  {variable_name("run"), run.name}};
  for (const auto& value : values) env.emplace_back(variable_name(value.first), value.second.text);
  for (const Environment* own : {&sweep.cluster.env, &sweep.env}) {
    for (const auto& variable : *own)
      env.emplace_back(variable.first, with_values(variable.second, values));
  }
  return env;
}

void check_lengths(const ScriptRun& run) {
  const auto check = [&](const std::string& what, std::size_t size) {
    if (size > kLongestArgument)
      bad_input("run '{}': {} has {} bytes; a program can be given {} at most", printable(run.name),
                what, size, kLongestArgument);
  };
  check("its command", run.command.size());
  for (const auto& [name, value] : run.env) check(name, name.size() + 1 + value.size());
}

}  // namespace

ScriptRun script_run(const Sweep& sweep, const Point& point, const PlannedRun& run,
                     std::int64_t allocation, const fs::path& probes) {
  const NamedValues values = values_of(sweep, point, run, allocation);
  ScriptRun script{run.name, environment_of(sweep, point, run, values), {}, {}};
  const Surroundings around{names_to_pass(script, sweep.cluster), probes};
  const auto fill = [&](const std::string& name) { return filling_of(values, around, name); };
  const std::string launch = filled(sweep.cluster.launch, fill);
  script.canary = sweep.canary_s ? launched(sweep, launch, canary_command(sweep, values, probes))
                                 : filled(sweep.cluster.canary, fill);
  if (sweep.trainer.probe.empty()) {
    script.command = filled(sweep.trainer.command, [&](const std::string& name) {
      return name == "launch" ? Filling{Filling::Kind::kCode, launch} : fill(name);
    });
  } else {
    script.command = launched(sweep, launch, probe_command(sweep, values, probes));
  }
  check_lengths(script);
  return script;
}

namespace {

using Canaries = std::map<std::string, std::size_t>;

/// Not indented: a here-document of the user's must end where they wrote it. Not in a subshell: it
/// is launched in one.
std::string function(const std::string& name, const std::string& body) {
  return fmt::format("{}() {{\n{}\n}}\n", name, body);
}

/// What the task's runs share: the job's name, and the canaries that they are to number.
std::string beginning_of(const ScriptTask& task, Canaries& canaries) {
  std::string text = fmt::format("export PIPPIN_JOB={}\n", bash_word(task.job));
  for (const auto& run : task.runs) {
    const bool is_new =
        !run.canary.empty() && canaries.try_emplace(run.canary, canaries.size() + 1).second;
    if (is_new)
      text += function(fmt::format("canary_{}", canaries.size()), std::string(trim(run.canary)));
  }
  // By hand one bash runs all tasks, whose canaries are not the same.
  if (!canaries.empty()) text += "pippin_reading_by=''\n";
  return text + "\n";
}

std::string text_of(const ScriptRun& run, const Canaries& canaries) {
  const auto canary = canaries.find(run.canary);
  return function("pippin_command", fmt::format("{}{}", exports(run.env), trim(run.command))) +
         fmt::format("pippin_run {}{}\n", bash_word(run.name),
                     canary == canaries.end() ? "" : fmt::format(" canary_{}", canary->second));
}

/// {rank}, {node} and * of a name of several files as a pattern of bash.
std::string glob_of(std::string_view log) {
  const auto pieces = placeholders(log);
  const auto is_name = [](const Piece& piece) { return piece.is_name; };
  if (std::none_of(pieces.begin(), pieces.end(), is_name)) return bash_word(log);
  std::string glob;
  for (const auto& piece : pieces) {
    std::string_view text = piece.is_name ? "*" : std::string_view(piece.text);
    for (auto star = text.find('*'); !text.empty(); star = text.find('*')) {
      if (star > 0) glob += bash_word(text.substr(0, star));
      if (star < text.size()) glob += '*';
      text.remove_prefix(std::min(star, text.size() - 1) + 1);
    }
  }
  return glob;
}

std::string head_of(const JobScript& script) {
  std::string text = "#!/bin/bash\n";
  for (const auto& directive : script.directives) text += directive + "\n";
  text += fmt::format("# {}: {}\n", printable(script.name), printable(script.title));
  text += "# Written by pippin. By hand: bash THIS_FILE. What is done is not done again.\n";
  text += fmt::format("pippin_root={}\npippin_name={}\npippin_submission={}\n",
                      bash_word(script.root.string()), bash_word(script.name), script.submission);
  if (script.umask) text += fmt::format("umask {:04o} # of who submitted it\n", *script.umask);
  if (script.run_time_s)
    text += fmt::format("pippin_run_time={} # seconds, at most\n", *script.run_time_s);
  if (script.give_up_after > 0)
    text +=
        fmt::format("pippin_give_up={} pippin_points={}\n", script.give_up_after, script.points);
  if (script.bad_node_after > 0)
    text += fmt::format("pippin_bad_node_after={}\n", script.bad_node_after);
  if (script.stalled_s)
    text +=
        fmt::format("pippin_stalled={} # seconds that a log may be silent\n", *script.stalled_s);
  if (script.stalled_s && !script.log.empty())
    text +=
        fmt::format("pippin_other_logs() {{ stat -c %s -- \"$1\"/{}; }}\n", glob_of(script.log));
  if (script.canary)
    text += fmt::format("pippin_canary_time={} pippin_canary_limit={} # seconds\n",
                        script.canary->usual_s, script.canary->most_s);
  text +=
      "pippin_script=${BASH_SOURCE[0]}\n"
      "[ \"${pippin_script:0:1}\" = / ] || pippin_script=$PWD/$pippin_script\n";
  // A node without the folder is to blame, and not what would run there: as if the node had died.
  text += fmt::format(
      "cd {0} || {{ echo \"cannot enter\" {0} \"on $HOSTNAME\" >&2; kill -KILL $$; }}\n",
      bash_word(script.directory.string()));
  return text;
}

std::ptrdiff_t lines_in(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

/// A part of a file of tasks, with the line over it by which the script reads it.
std::string part(std::string_view kind, std::size_t number, const std::string& text) {
  return fmt::format("# {} {}: {} lines\n{}", kind, number, lines_in(text), text);
}

bool is_one_run(const std::vector<ScriptTask>& tasks) {
  return tasks.size() == 1 && tasks.front().runs.size() == 1;
}

bool has_single_runs(const std::vector<ScriptTask>& tasks) {
  return std::all_of(tasks.begin(), tasks.end(),
                     [](const ScriptTask& task) { return task.runs.size() == 1; });
}

constexpr std::size_t kFolders = 32;  // that are made at once

/// " a b": those of up to kFolders of `all`, from the one at `first` on.
template <class All, class NameOf>
std::string names_from(std::size_t first, const All& all, const NameOf& name_of) {
  std::string names;
  for (std::size_t i = first; i < std::min(first + kFolders, all.size()); ++i)
    names += " " + bash_word(name_of(all[i]));
  return names;
}

/// Of an array's task with one run, which its job looks for before it claims itself. Every 32nd
/// task knows of some that begin a while later: what comes next has begun when it is over.
std::string name_of_run(const std::vector<ScriptTask>& tasks, std::size_t task) {
  constexpr std::size_t kAhead = 64;
  const auto run_of = [](const ScriptTask& one) { return one.runs.front().name; };
  std::string text = fmt::format("pippin_run_of_task={}\n", bash_word(run_of(tasks[task])));
  const std::size_t later = task + kAhead;
  if (task % kFolders == 0 && later < tasks.size())
    text += fmt::format("pippin_later_tasks=({}{})\n", later + 1, names_from(later, tasks, run_of));
  return text;
}

/// The task as its file has it. `single`: all have one run each.
std::string text_of(const std::vector<ScriptTask>& tasks, std::size_t task, bool single) {
  const auto& runs = tasks[task].runs;
  const auto name_of = [](const ScriptRun& run) { return run.name; };
  Canaries canaries;
  const std::string beginning = beginning_of(tasks[task], canaries);
  std::string text = part("Task", task + 1, (single ? name_of_run(tasks, task) : "") + beginning);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i % kFolders == 1 && i + 1 < runs.size())
      text +=
          part("Folders", i + 1, fmt::format("pippin_folders{}\n\n", names_from(i, runs, name_of)));
    text += part("Run", i + 1, text_of(runs[i], canaries) + "\n");
  }
  return text;
}

/// A task passes over those before it, at some microseconds each; a submission waits for each file.
constexpr std::size_t kTasksAFile = 128;

/// The files of tasks. The first line of each says how many lines stand between it and each of its
/// tasks, and how many follow it.
std::vector<std::string> tasks_files_of(const std::vector<ScriptTask>& tasks) {
  const bool single = has_single_runs(tasks);
  std::vector<std::string> all;
  for (std::size_t first = 0; first < tasks.size(); first += kTasksAFile) {
    std::string texts;
    std::vector<std::ptrdiff_t> lines{0};
    for (std::size_t i = first; i < std::min(first + kTasksAFile, tasks.size()); ++i) {
      const std::string text = text_of(tasks, i, single);
      lines.push_back(lines.back() + lines_in(text));
      texts += text;
    }
    all.push_back(fmt::format("# Lines: {}\n{}", fmt::join(lines, " "), texts));
  }
  return all;
}

/// What the script says of its runs before it claims itself.
std::string runs_of(const std::vector<ScriptTask>& tasks) {
  if (is_one_run(tasks))
    return fmt::format("pippin_only={}\n", bash_word(tasks.front().runs.front().name));
  return fmt::format(
      "# The runs stand beside this file: in tasks-1.sh those of the first {0} tasks, and so on.\n"
      "pippin_tasks={1} pippin_tasks_a_file={0}\n{2}",
      kTasksAFile, tasks.size(), has_single_runs(tasks) ? "pippin_single_runs=1\n" : "");
}

bool is_watched(const JobScript& script) {
  return script.run_time_s || script.stalled_s || script.canary;
}

bool has_canary(const JobScript& script) {
  for (const auto& task : script.tasks)
    for (const auto& run : task.runs)
      if (!run.canary.empty()) return true;
  return false;
}

bool is_for_slurm(const JobScript& script) {
  return !script.directives.empty() && script.directives.front().starts_with("#SBATCH");
}

/// Those that every job needs, in their order: an array's tasks read them a thousand times.
std::vector<std::string> parts_of(const JobScript& script) {
  std::vector<std::string> names;
  const auto take = [&](const char* name, bool needed = true) {
    if (needed) names.push_back(fmt::format("script/{}.bash", name));
  };
  take("scheduler");
  take("pbs", !is_for_slurm(script));
  take("give_up");
  take("bad_node");
  take("prolog", !script.prolog.empty());
  take("provenance");
  take("watch", is_watched(script));
  take("canary", has_canary(script));
  take("run");
  take("tasks", !is_one_run(script.tasks));
  take("claim");
  return names;
}

/// Behind the end of the script, so that bash does not read them: pippin_need does.
std::string seldom_needed() {
  std::string text = "exit\n\n# What is seldom needed:\n";
  for (const char* name : {"processes", "failures", "judge_node", "earlier", "time", "gpus"})
    text += shared(fmt::format("script/{}.bash", name));
  return text;
}

}  // namespace

JobFiles job_files(const JobScript& script) {
  std::vector<ScriptTask> tasks = script.tasks;
  const Environment common = take_common(tasks);
  std::string text = head_of(script) + runs_of(tasks);
  // The functions come before the prolog, whose aliases would change what they mean.
  for (const auto& name : parts_of(script)) text += shared(name);
  text += "\n" + exports(common);
  if (!script.prolog.empty())
    text +=
        "trap 'pippin_at_exit \"$?\" \"$BASH_COMMAND\"' EXIT\n"
        "trap 'pippin_prolog_fails \"$?\" \"$LINENO\" \"${#BASH_SOURCE[@]}\"' ERR\n";
  for (const auto& line : script.prolog) text += line + "\n";
  if (!script.prolog.empty()) text += "trap - ERR\n";
  if (!script.prolog.empty() && is_watched(script)) text += "pippin_keep_steps\n";
  text += shared("script/begin.bash");
  text += "\n";
  if (!is_one_run(tasks))
    return {text + "pippin_run_tasks\n" + seldom_needed(), tasks_files_of(tasks)};
  Canaries canaries;
  text += beginning_of(tasks.front(), canaries);
  return {text + text_of(tasks.front().runs.front(), canaries) + seldom_needed(), {}, false};
}

}  // namespace pippin
