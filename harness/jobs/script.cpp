#include "harness/jobs/script.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>

#include "harness/base/error.h"
#include "harness/base/placeholders.h"
#include "harness/base/text.h"
#include "harness/jobs/quoting.h"

namespace pippin {

namespace {

// What every job begins with. It claims itself before anything else: of two processes that run the
// same script, one gets to make the claim's owner. Names are long so that no prolog means another
// thing by them; what needs no process of its own uses none, as arrays have thousands of tasks.
constexpr std::string_view kClaim = R"bash(
pippin_time_up='' pippin_signalled=''
trap 'pippin_signalled=1 pippin_time_up=1' USR1 # which may come a minute early

pippin_id="${SLURM_JOB_ID:-local}-${SLURM_RESTART_COUNT:-0}"
pippin_jobs="$pippin_root/jobs/$pippin_name"
pippin_claim="$pippin_jobs/claim-$pippin_id"

pippin_take() { # FILE TEXT: true for the one process that makes the file
  local taken
  set -C # O_EXCL
  printf '%s\n' "$2" 2>/dev/null >"$1"
  taken=$?
  set +C
  return "$taken"
} 2>/dev/null

if [ -n "${SLURM_JOB_ID:-}" ] && [ -e "$pippin_jobs/cancelled" ]; then
  echo "cancelled before it began"
  exit 0
fi
mkdir -p "$pippin_claim" "$pippin_root/succeeded" "$pippin_root/failed" || exit 3
if ! pippin_take "$pippin_claim/owner" "$HOSTNAME $$"; then
  if [ -s "$pippin_claim/owner" ]; then
    echo "another process has begun this job: $pippin_claim"
    exit 0
  fi
  echo "cannot write $pippin_claim/owner; is the disk full?"
  exit 3
fi

pippin_first_node() { # of a list such as rack[0-1]n[01-16],login1
  local list=$1 name=
  while [[ $list =~ ^([^][,]*)\[([^],-]*)[^]]*\](.*)$ ]]; do
    name+=${BASH_REMATCH[1]}${BASH_REMATCH[2]} list=${BASH_REMATCH[3]}
  done
  MASTER_ADDR=$name${list%%,*}
}
export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + ${SLURM_JOB_ID:-$$} % 10000))
if [ -n "${SLURM_JOB_NODELIST:-}" ]; then pippin_first_node "$SLURM_JOB_NODELIST"; fi
)bash";

constexpr std::string_view kProvenance = R"bash(
# Where and with what this job runs, for the database.
pippin_provenance() {
  local name file folder=$PWD
  echo "host=$HOSTNAME"
  echo "nodes=${SLURM_JOB_NODELIST:-$HOSTNAME}"
  while [ -n "$folder" ] && [ ! -e "$folder/.git" ]; do folder=${folder%/*}; done
  if [ -n "$folder${GIT_DIR:-}" ]; then echo "git_commit=$(git rev-parse HEAD 2>/dev/null)"; fi
  if command -v nvidia-smi >/dev/null; then
    IFS=, read -r name file < <(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader)
    echo "gpu_model=$name"
    echo "driver=${file# }"
    nvidia-smi topo -m >"$pippin_claim/topology" 2>&1
  fi
  for file in ${LD_LIBRARY_PATH//:/\/libnccl.so.*.*.* }/libnccl.so.*.*.* \
    /usr/lib/*-linux-gnu/libnccl.so.*.*.*; do
    if [ -e "$file" ]; then echo "nccl=${file##*libnccl.so.}" && break; fi
  done
  for name in LOADEDMODULES "${!SLURM_@}" "${!CUDA_@}" "${!NCCL_@}" "${!OMP_@}" "${!OMPI_@}" \
    "${!UCX_@}" "${!FI_@}" "${!OPENBLAS_@}" "${!MKL_@}"; do
    if [ -n "${!name+set}" ]; then echo "$name=${!name//$'\n'/\\n}"; fi
  done
}
)bash";

// One run: skipped where an attempt is done, claimed by its `started`, over when `done` has its
// name. A machine that cannot even note the start (a full disk) is no failure of the run, nor is
// what ends it from outside: it stays open, and pippin asks the scheduler why.
constexpr std::string_view kRun = R"bash(
pippin_ended='' pippin_child='' pippin_longest=0 pippin_end=''
pippin_stop() { # SIGNAL
  pippin_signalled=1 pippin_ended=$1
  if [ -n "$pippin_child" ]; then kill -TERM -- "-$pippin_child" 2>/dev/null; fi
}

pippin_note() { TZ=UTC0 printf '%(%FT%TZ)T %s\n' -1 "$*"; }

# A job that is begun again under its id, as its node died, finds here what failed last of all
# before: that may have been the node's doing.
pippin_suspects=$'\n'
if [ "${SLURM_RESTART_COUNT:-0}" -gt 0 ]; then
  pippin_before="$pippin_jobs/claim-$SLURM_JOB_ID-$((SLURM_RESTART_COUNT - 1))/failing"
  if [ -s "$pippin_before" ]; then
    cp "$pippin_before" "$pippin_claim/failing"
    pippin_suspects+=$(<"$pippin_before")$'\n'
  fi
fi

pippin_is_done() { # RUN: a failure counts where this handing-over has it, others were for repair
  local file words
  for file in "$pippin_root/$1"/*/done; do
    [ -s "$file" ] && read -r words <"$file" || continue
    [[ $words =~ ^exit=([0-9]+)\ ended=[0-9]+$ ]] || continue
    [ "${BASH_REMATCH[1]}" = 0 ] && return
    [[ $file == "$pippin_root/$1/$pippin_submission-"* ]] || continue
    [[ $pippin_suspects == *$'\n'"$1"$'\n'* ]] || return 0
  done
  return 1
}

pippin_end_of_job() { # seconds since 1970, or nothing where the job has no end
  pippin_end=$(SLURM_TIME_FORMAT=%s squeue --noheader --jobs="$SLURM_JOB_ID" --format=%e)
  [[ $pippin_end =~ ^[0-9]+$ ]] || pippin_end=
}

pippin_has_time() { # [CANARY]: for one more run: as long as it may take, else as the longest so far
  local now needed=${pippin_run_time:-$pippin_longest}
  if [ -n "${1:-}" ]; then
    needed=$((needed + pippin_canary_time))
    if [ "$pippin_reading_by" != "$1" ]; then needed=$((needed + pippin_canary_time)); fi
  fi
  [ "$pippin_longest" -gt 0 ] || return 0
  [ -z "$pippin_time_up" ] || return
  [ -n "${SLURM_JOB_ID:-}" ] || return 0
  printf -v now '%(%s)T' -1
  [ -n "$pippin_end" ] && [ $((now + needed)) -lt "$pippin_end" ] && return
  pippin_end_of_job # it may have been given more
  [ -z "$pippin_end" ] || [ $((now + needed)) -lt "$pippin_end" ]
}

pippin_wait() { # for the child; what a signal does meanwhile is done in its trap
  local code
  while :; do
    pippin_signalled=
    wait "$pippin_child"
    code=$?
    [ -n "$pippin_signalled" ] || return "$code"
  done
}

pippin_launch() { # LOG FUNCTION [SECONDS]: what it leaves behind would disturb the next
  local code pippin_watch=
  [ -z "$pippin_ended" ] || return 143
  set -m # one that ends its process group is not the end of the job
  "$2" >>"$1" 2>&1 </dev/null &
  pippin_child=$!
  if [ -n "${3:-}" ]; then
    {
      sleep "$3"
      echo "stopped after $3 s" >>"$1"
      kill -TERM -- "-$pippin_child"
      sleep 5
      kill -KILL -- "-$pippin_child"
    } >/dev/null 2>&1 </dev/null &
    pippin_watch=$!
    disown "$pippin_watch"
  fi
  set +m # else wait would return when the child is suspended
  if [ -n "$pippin_ended" ]; then pippin_stop "$pippin_ended"; fi # before there was a child
  pippin_wait
  code=$?
  # What ends the job may reach the run a moment before it reaches this script.
  if [ "$code" -ne 0 ] && [ -n "${SLURM_JOB_ID:-}" ]; then sleep 0.3; fi
  kill -KILL -- "-$pippin_child" ${pippin_watch:+"-$pippin_watch"} 2>/dev/null
  pippin_child=
  return "$code"
}

# Readings of the canary: where the last good one lies, if nothing has run since, and what took it.
pippin_reading='' pippin_reading_by='' pippin_readings=0 pippin_in_readings=0
pippin_canary_time=${pippin_canary_time:-0} pippin_canary_off='' pippin_canary_told=''
pippin_canary() { # FUNCTION FILE: whatever comes of it, the run goes on
  local code begun=$SECONDS spent
  pippin_reading_by=''
  [ -z "$pippin_ended$pippin_time_up$pippin_canary_off" ] || return
  pippin_readings=$((pippin_readings + 1))
  printf 'canary=%d taken=%(%s)T\n' "$pippin_readings" -1 >"$2"
  pippin_launch "$2" "$1" "${pippin_canary_limit:-}"
  code=$?
  spent=$((SECONDS - begun))
  if [ "$pippin_canary_time" -gt 0 ]; then
    pippin_in_readings=$((pippin_in_readings + spent))
    if [ "$spent" -gt "$pippin_canary_time" ]; then pippin_canary_time=$spent; fi
  fi
  if [ "$code" -eq 0 ]; then
    pippin_reading=$2 pippin_reading_by=$1
    return
  fi
  printf '\nexit=%d\n' "$code" >>"$2"
  [ -z "$pippin_ended" ] || return
  if [ -z "$pippin_canary_told" ]; then
    pippin_note "a canary exits $code, which its runs do not mind: see $2"
    pippin_canary_told=1
  fi
  if [ -n "${pippin_canary_limit:-}" ] && [ "$spent" -ge "$pippin_canary_limit" ]; then
    pippin_note "no more canaries in this job: one took $spent s"
    pippin_canary_off=1 pippin_canary_time=0
  fi
}

pippin_canary_before() { # FUNCTION FILE: one reading between two runs serves both
  if [ "$pippin_reading_by" = "$1" ]; then
    ln "$pippin_reading" "$2" 2>/dev/null || cp "$pippin_reading" "$2"
  else
    pippin_canary "$1" "$2"
  fi
  pippin_reading_by=''
}

pippin_done() { # RUN DIRECTORY CODE ENDED
  local outcome=succeeded
  if [ "$3" -eq 0 ]; then
    if [ -e "$pippin_claim/failing" ]; then rm "$pippin_claim/failing"; fi
  else
    outcome=failed
    echo "$1" >>"$pippin_claim/failing"
  fi
  printf 'exit=%d ended=%d\n' "$3" "$4" >"$2/done.new" || return
  sync "$2/log" "$2/done.new" # a power cut must not leave an empty one
  mv "$2/done.new" "$2/done" && echo "$2" >"$pippin_root/$outcome/$1"
}

pippin_run() { # NAME FUNCTION [CANARY]
  local run=$1 begun_at directory="$pippin_root/$1/$pippin_submission-$pippin_id" code begun=$SECONDS
  local pippin_earlier=$pippin_in_readings
  if pippin_is_done "$run"; then
    pippin_note "$run is done already"
    return
  fi
  if [ -n "$pippin_ended" ] || ! pippin_has_time "${3:-}"; then
    pippin_note "$run is left for another job: the time of this one is up"
    return
  fi
  mkdir -p "$directory" && printf -v begun_at '%(%s)T' -1 &&
    pippin_take "$directory/started" "$begun_at" && declare -f "$2" >"$directory/command" || return
  export PIPPIN_RUN_DIR=$directory
  if [ -n "${3:-}" ]; then pippin_canary_before "$3" "$directory/canary-before"; fi
  pippin_note "$run starts"
  pippin_launch "$directory/log" "$2"
  code=$?
  if [ -n "$pippin_ended" ] && [ "$code" -ne 0 ]; then
    pippin_note "$run is interrupted by $pippin_ended"
    echo "signal=$pippin_ended time_up=${pippin_time_up:-0}" >"$directory/interrupted"
    return
  fi
  pippin_note "$run exits $code"
  local ended_at length
  printf -v ended_at '%(%s)T' -1
  if [ -n "${3:-}" ]; then pippin_canary "$3" "$directory/canary-after"; fi
  pippin_done "$run" "$directory" "$code" "$ended_at"
  length=$((SECONDS - begun + 1 - (pippin_in_readings - pippin_earlier)))
  if [ "$length" -gt "$pippin_longest" ]; then pippin_longest=$length; fi
}
)bash";

// After the prolog, whatever that chose: a run that fails is not the end of the job. Modules and
// paths are what the runs see.
constexpr std::string_view kBegin = R"bash(
set +efuCET +o pipefail
shopt -u failglob
trap - ERR DEBUG RETURN
trap 'pippin_signalled=1 pippin_time_up=1' USR1
trap 'pippin_stop TERM' TERM
trap 'pippin_stop INT' INT
pippin_provenance >"$pippin_claim/provenance"
)bash";

// An array: the part of tasks.sh that is a task's, by its lines. By hand all of them.
constexpr std::string_view kDispatch = R"bash(
pippin_task() { # NUMBER
  local from=${pippin_lines[$1 - 1]} lines code
  mapfile -t -s "$from" -n "$((${pippin_lines[$1]} - from))" lines <"$pippin_jobs/tasks.sh"
  printf -v code '%s\n' "${lines[@]}"
  eval "$code"
}
if [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
  pippin_task "$SLURM_ARRAY_TASK_ID"
else
  . "$pippin_jobs/tasks.sh"
fi
)bash";

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
std::string option_name(std::string axis) {
  std::replace(axis.begin(), axis.end(), '_', '-');
  return "--" + axis;
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

Filling filling_of(const NamedValues& values, const std::string& name) {
  static const std::map<std::string, std::string> kVariables{{"master_addr", "MASTER_ADDR"},
                                                             {"master_port", "MASTER_PORT"},
                                                             {"run_dir", "PIPPIN_RUN_DIR"}};
  const auto variable = kVariables.find(name);
  if (variable != kVariables.end()) return {Filling::Kind::kVariable, variable->second};
  if (const Value* value = find_value(values, name)) {
    // What bash could take for code stands in a variable: even in quotes within quotes, comments
    // and here-documents, which `filled` does not follow, it is never run.
    if (bash_word(value->text) != value->text)
      return {Filling::Kind::kVariable, variable_name(name)};
    return {Filling::Kind::kData, value->text};
  }
  std::vector<std::string> known{"launch", "master_addr", "master_port", "run_dir"};
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
    if (value) command += fmt::format(" {} {}", option_name(option), bash_word(value->text));
  }
  return command;
}

}  // namespace

ScriptRun script_run(const Sweep& sweep, const Point& point, const PlannedRun& run,
                     std::int64_t allocation, const fs::path& probes) {
  const NamedValues values = values_of(sweep, point, run, allocation);
  const auto fill = [&](const std::string& name) { return filling_of(values, name); };
  const std::string launch = filled(sweep.cluster.launch, fill);
  const std::string canary =
      sweep.canary_s
          ? launched(sweep, launch,
                     fmt::format("{} --seconds {}", bash_word((probes / "canary").string()),
                                 *sweep.canary_s))
          : filled(sweep.cluster.canary, fill);
  ScriptRun script{run.name, {}, {}, canary};
  const auto put = [&](const std::string& name, const std::string& value) {
    script.env.emplace_back(variable_name(name), value);
  };
  put("sweep", sweep.name);
  put("point", point.name);
  put("run", run.name);
  for (const auto& value : values) put(value.first, value.second.text);
  for (const Environment* env : {&sweep.cluster.env, &sweep.env}) {
    for (const auto& variable : *env) {
      script.env.emplace_back(variable.first, with_values(variable.second, values));
    }
  }
  if (sweep.trainer.probe.empty()) {
    script.command = filled(sweep.trainer.command, [&](const std::string& name) {
      return name == "launch" ? Filling{Filling::Kind::kCode, launch} : fill(name);
    });
  } else {
    script.command = launched(sweep, launch, probe_command(sweep, values, probes));
  }
  return script;
}

namespace {

/// Functions of the task's runs, and their calls.
std::string text_of(const ScriptTask& task) {
  std::string text = fmt::format("export PIPPIN_JOB={}\n", bash_word(task.job)), calls;
  std::map<std::string, std::size_t> canaries;
  for (std::size_t i = 0; i < task.runs.size(); ++i) {
    const ScriptRun& run = task.runs[i];
    // Not indented: a here-document of the user's must end where they wrote it.
    text += fmt::format("\nrun_{}() (\n{}{}\n)\n", i + 1, exports(run.env), trim(run.command));
    calls += fmt::format("pippin_run {} run_{}", bash_word(run.name), i + 1);
    if (!run.canary.empty()) {
      const auto [canary, is_new] = canaries.try_emplace(run.canary, canaries.size() + 1);
      if (is_new) text += fmt::format("canary_{}() (\n{}\n)\n", canary->second, trim(run.canary));
      calls += fmt::format(" canary_{}", canary->second);
    }
    calls += "\n";
  }
  // By hand one bash runs all tasks, whose canaries are not the same.
  if (!canaries.empty()) calls.insert(0, "pippin_reading_by=''\n");
  return text + "\n" + calls;
}

std::string head_of(const JobScript& script) {
  std::string text = "#!/usr/bin/env bash\n";
  for (const auto& directive : script.directives) text += directive + "\n";
  text += fmt::format("# {}: {}\n", printable(script.name), printable(script.title));
  text += "# Written by pippin. By hand: bash THIS_FILE. What is done is not done again.\n";
  text += fmt::format("pippin_root={}\npippin_name={}\npippin_submission={}\n",
                      bash_word(script.root.string()), bash_word(script.name), script.submission);
  if (script.run_time_s)
    text += fmt::format("pippin_run_time={} # seconds, at most\n", *script.run_time_s);
  if (script.canary)
    text += fmt::format("pippin_canary_time={} pippin_canary_limit={} # seconds\n",
                        script.canary->usual_s, script.canary->most_s);
  text += fmt::format("cd {} || exit 1\n", bash_word(script.directory.string()));
  return text;
}

std::ptrdiff_t lines_in(std::string_view text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

JobFiles job_files(const JobScript& script) {
  std::vector<ScriptTask> tasks = script.tasks;
  // The functions come before the prolog, whose aliases would change what they mean.
  std::string text = head_of(script) + std::string(kClaim);
  text.append(kProvenance).append(kRun).append("\n");
  text += exports(take_common(tasks));
  for (const auto& line : script.prolog) text += line + "\n";
  text += kBegin;
  if (tasks.size() == 1) return {text + "\n" + text_of(tasks.front()), {}};
  JobFiles files;
  std::vector<std::ptrdiff_t> lines{0};
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const std::string part = fmt::format("# Task {}\n{}\n", i + 1, text_of(tasks[i]));
    files.tasks += part;
    lines.push_back(lines.back() + lines_in(part));
  }
  files.script =
      fmt::format("{}\n# Where each task's lines begin in tasks.sh\npippin_lines=({})\n{}", text,
                  fmt::join(lines, " "), kDispatch);
  return files;
}

}  // namespace pippin
