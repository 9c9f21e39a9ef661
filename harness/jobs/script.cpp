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

// What every job begins with. It claims the job before anything else: of two processes that run
// the same script, one gets past mkdir. Its names are long so that no prolog means another thing by
// them.
constexpr std::string_view kClaim = R"bash(
pippin_attempt="$pippin_submission-${SLURM_JOB_ID:-local}-${SLURM_RESTART_COUNT:-0}"
pippin_claim="$pippin_root/jobs/$pippin_job/claim-$pippin_attempt"
mkdir -p "$pippin_root/jobs/$pippin_job"
if ! mkdir "$pippin_claim"; then
  [ -d "$pippin_claim" ] || exit 3
  echo "another process has begun this job"
  exit 0
fi

# Where and with what this job runs, for the database.
{
  echo "host=$(uname -n)"
  echo "git_commit=$(git rev-parse HEAD 2>/dev/null)"
  echo "nodes=${SLURM_JOB_NODELIST:-$(uname -n)}"
  if command -v nvidia-smi >/dev/null; then
    echo "gpu_model=$(nvidia-smi --query-gpu=name --format=csv,noheader | head -n 1)"
    echo "driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
  fi
  env | grep -E '^(SLURM|CUDA|NCCL|OMP|OMPI|UCX|OPENBLAS|MKL)_[A-Z0-9_]*=' | sort
} >"$pippin_claim/provenance"

export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + ${SLURM_JOB_ID:-$$} % 10000))
if [ -n "${SLURM_JOB_NODELIST:-}" ]; then
  MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
fi
)bash";

// One run: skipped where an attempt is done, claimed by mkdir, over when `done` has its name. A
// machine that cannot even note the start (a full disk) is no failure of the run: it stays open.
constexpr std::string_view kRun = R"bash(
pippin_run() { # NAME FUNCTION
  local directory="$pippin_root/$1/$pippin_attempt" code
  if grep -qsx 'exit=[0-9]* ended=[0-9]*' "$pippin_root/$1"/*/done; then
    echo "$1 is done already"
    return
  fi
  mkdir -p "$pippin_root/$1" && mkdir "$directory" &&
    date +%s >"$directory/started" && declare -f "$2" >"$directory/command" || return
  export PIPPIN_RUN_DIR=$directory
  echo "$(date -u +%FT%TZ) $1 starts"
  "$2" >"$directory/log" 2>&1 </dev/null
  code=$?
  echo "$(date -u +%FT%TZ) $1 exits $code"
  printf 'exit=%d ended=%(%s)T\n' "$code" -1 >"$directory/done.new" || return
  sync "$directory/log" "$directory/done.new" # a power cut must not leave an empty one
  mv "$directory/done.new" "$directory/done"
}
set +efu            # whatever the prolog chose, a run that fails is not the end of the job,
[ -t 0 ] || set -m  # nor one that ends its process group
)bash";

/// Splits what all runs set alike from what each sets for itself: a script is read by people.
Environment take_common(std::vector<ScriptRun>& runs) {
  Environment common;
  for (const auto& variable : runs.empty() ? Environment() : runs.front().env) {
    const bool everywhere = std::all_of(runs.begin(), runs.end(), [&](const ScriptRun& run) {
      return std::find(run.env.begin(), run.env.end(), variable) != run.env.end();
    });
    if (everywhere) common.push_back(variable);
  }
  for (auto& run : runs) {
    std::erase_if(run.env, [&](const auto& variable) {
      return std::find(common.begin(), common.end(), variable) != common.end();
    });
  }
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
  ScriptRun script{run.name, {}, {}};
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
    const std::string probe = probe_command(sweep, values, probes);
    script.command = sweep.trainer.once || launch.empty() ? probe : launch + " " + probe;
  }
  return script;
}

std::string job_script(const JobScript& script) {
  std::string text = "#!/usr/bin/env bash\n";
  for (const auto& directive : script.directives) text += directive + "\n";
  text += fmt::format("# {}: {}\n", printable(script.job), printable(script.title));
  text += "# Written by pippin. By hand: bash THIS_FILE. What is done is not done again.\n";
  text += fmt::format("pippin_root={}\npippin_job={}\npippin_submission={}\n",
                      bash_word(script.root.string()), bash_word(script.job), script.submission);
  text += fmt::format("cd {} || exit 1\n", bash_word(script.directory.string()));
  text += kClaim;
  std::vector<ScriptRun> runs = script.runs;
  text += fmt::format("export PIPPIN_JOB={}\n", bash_word(script.job));
  text += exports(take_common(runs));
  for (const auto& line : script.prolog) text += line + "\n";
  text += kRun;
  std::string calls;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ScriptRun& run = runs[i];
    // Not indented: a here-document of the user's must end where they wrote it.
    text += fmt::format("\nrun_{}() (\n{}{}\n)\n", i + 1, exports(run.env), trim(run.command));
    calls += fmt::format("pippin_run {} run_{}\n", bash_word(run.name), i + 1);
  }
  return text + "\n" + calls;
}

}  // namespace pippin
