// SPDX-License-Identifier: Apache-2.0
#include "sweeps/scheduler_options.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/base/text.h"
#include "sweeps/estimate/time_limit.h"

namespace pippin {

namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// A later line of a job script goes before an earlier one: these would undo what a job is made of.
bool is_of_the_slurm_job(const std::string& option) {
  return is_one_of(option,
                   {"job-name", "nodes", "ntasks", "ntasks-per-node", "tasks-per-node", "array"});
}

/// Why an option of sbatch's would come between pippin and its jobs; empty where it would not.
std::string_view why_not_in_slurm(std::string_view option) {
  if (is_one_of(option, {"output", "error", "open-mode"}))
    return "pippin keeps what a job prints beside its script";
  if (is_one_of(option, {"clusters", "cluster-constraint"}))
    return "pippin asks one cluster for its jobs; SLURM_CONF says which";
  if (option == "uid") return "pippin asks for the jobs of the user who runs it";
  if (is_one_of(option, {"parsable", "wrap", "wait", "test-only", "het-group", "help", "version",
                         "usage", "autocomplete", "external"}))
    return "it is for who calls sbatch by hand";
  return {};
}

/// What sbatch takes no empty value for: the next line of the script would become its value.
/// Source: slurm_opt.c of Slurm 26.05, required_argument.
constexpr std::string_view kWithValue =
    " account acctg-freq batch bb bbf begin chdir comment constraint container"
    " container-id context core-spec cores-per-socket cpu-freq cpus-per-gpu"
    " cpus-per-task deadline delay-boot dependency distribution exclude export"
    " export-file extra extra-node-info gid gpu-bind gpu-freq gpus gpus-per-node"
    " gpus-per-socket gpus-per-task gres gres-flags hint input kill-on-invalid-dep"
    " licenses mail-type mail-user mcs-label mem mem-bind mem-per-cpu mem-per-gpu"
    " mem-update mincpus network nodefile nodelist ntasks-per-core ntasks-per-gpu"
    " ntasks-per-socket ntasks-per-tres partition power prefer priority profile qos"
    " reservation resources runtime segment signal sockets-per-node switches"
    " thread-spec threads-per-core time time-min tmp tres-bind tres-per-task"
    " wait-all-nodes wckey ";
/// The others that sbatch has, of which pippin refuses some.
constexpr std::string_view kOtherOptions =
    " array autocomplete cluster-constraint clusters consolidate-segments contiguous error"
    " exclusive external get-user-env help het-group hold ignore-pbs job-name nice no-kill "
    "no-requeue nodes"
    " ntasks ntasks-per-node oom-kill-step open-mode output overcommit oversubscribe parsable"
    " propagate quiet reboot requeue resv-ports spread-job spread-segments stepmgr tasks-per-node"
    " test-only uid usage use-min-nodes verbose version wait wrap ";

bool is_among(std::string_view options, std::string_view option) {
  return options.find(" " + std::string(option) + " ") != std::string_view::npos;
}

bool needs_value(std::string_view option) { return is_among(kWithValue, option); }

/// sbatch takes what is short for one of its options, and so may undo what is refused. Empty: it is
/// whole, or a site's own.
std::string_view whole_name(std::string_view option) {
  if (is_among(kWithValue, option) || is_among(kOtherOptions, option)) return {};
  for (const std::string_view options : {kWithValue, kOtherOptions}) {
    const auto at = options.find(" " + std::string(option));
    if (at == std::string_view::npos) continue;
    return options.substr(at + 1, options.find(' ', at + 1) - at - 1);
  }
  return {};
}

/// The one that sbatch has, a letter or two away: a site's own are farther. Empty: there is none,
/// or it is one itself.
std::string_view meant_by(std::string_view option) {
  constexpr std::size_t kLong = 8;
  const std::size_t most = option.size() < kLong ? 1 : 2;
  if (is_among(kWithValue, option) || is_among(kOtherOptions, option)) return {};
  for (const std::string_view options : {kWithValue, kOtherOptions}) {
    for (const std::string_view known : split(options, ' '))
      if (!known.empty() && known.front() == option.front() && edit_distance(option, known) <= most)
        return known;
  }
  return {};
}

/// Whether a signal is sent to the job's script, which takes USR1: its time is nearly up. Most
/// others would end it, and its runs with it.
bool ends_the_script(std::string_view signal) {
  const auto colon = signal.find(':');
  if (colon == std::string_view::npos) return false;
  const std::string name = lower(signal.substr(colon + 1, signal.find('@') - colon - 1));
  return lower(signal.substr(0, colon)).find('b') != std::string::npos &&
         !is_one_of(name, {"usr1", "sigusr1", "10", "cont", "sigcont", "18", "urg", "sigurg", "23",
                           "chld", "sigchld", "17", "winch", "sigwinch", "28"});
}

void check_slurm_value(const YamlNode& item, const std::string& option, const std::string& value) {
  if (value.empty() && needs_value(option))
    fail(item, "slurm: {} needs a value; 'false' leaves it out", in_quotes(option));
  if (option == "time" && !is_time_limit(value)) {
    fail(item, "slurm: {} is no time limit, such as 20 (minutes), 1:30:00 or 2-00:00:00",
         in_quotes(value));
  }
  if (option == "dependency" && value.find('?') != std::string::npos) {
    fail(item,
         "slurm: dependency {}: pippin's own would be one of several that do; write ',' for all of "
         "them in place of '?'",
         in_quotes(value));
  }
  if (option == "signal" && ends_the_script(value)) {
    fail(item,
         "slurm: signal {} would end pippin's script; the trainer gets it without 'B:', and "
         "B:USR1@SECONDS says when no other run is started",
         in_quotes(value));
  }
}

void add_slurm_option(const YamlNode& key, const YamlNode& item, Cluster& cluster) {
  const bool long_name =
      key.text.size() > 1 &&
      key.text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string::npos &&
      key.text[0] != '-';
  if (!long_name) {
    fail(key, "slurm: {} is no long name of an sbatch option, such as cpus-per-task",
         in_quotes(key.text));
  }
  if (const auto whole = whole_name(key.text); !whole.empty())
    fail(key, "slurm: {} is short for {}: write it out", in_quotes(key.text), whole);
  if (const auto meant = meant_by(key.text); !meant.empty())
    fail(key, "slurm: sbatch has no option {}, did you mean '{}'?", in_quotes(key.text), meant);
  if (is_of_the_slurm_job(key.text)) {
    fail(key, "slurm: {} is pippin's own: it follows from each job's points", in_quotes(key.text));
  }
  if (const auto why = why_not_in_slurm(key.text); !why.empty())
    fail(key, "slurm: {} cannot be used: {}", in_quotes(key.text), why);
  const std::string& value = text_at(item, "slurm option " + key.text);
  check_slurm_value(item, key.text, value);
  const bool is_flag = lower(value) == "true" && !needs_value(key.text);
  cluster.scheduler_options.emplace_back(key.text, value_of(is_flag ? std::string() : value));
}

bool is_of_the_pbs_job(const std::string& option) {
  return is_one_of(option, {"select", "nodes", "nodect", "mpiprocs", "ncpus", "N", "J", "o", "e",
                            "j", "S", "v", "a", "f", "I", "X", "z", "C"});
}

/// A letter of qsub's, or the name of a resource.
bool may_be_pbs_option(std::string_view word) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  constexpr std::string_view kOthers = "0123456789_";
  return !word.empty() && kLetters.find(word.front()) != std::string_view::npos && word != "l" &&
         std::all_of(word.begin(), word.end(), [&](char c) {
           return kLetters.find(c) != std::string_view::npos ||
                  kOthers.find(c) != std::string_view::npos;
         });
}

void add_pbs_option(const YamlNode& key, const YamlNode& item, Cluster& cluster) {
  if (!may_be_pbs_option(key.text)) {
    fail(key, "pbs: {} is neither a letter of qsub's such as q nor a resource such as walltime",
         in_quotes(key.text));
  }
  if (is_of_the_pbs_job(key.text)) {
    fail(key, "pbs: {} is pippin's own: it follows from each job's points{}", in_quotes(key.text),
         is_one_of(key.text, {"select", "ncpus", "mpiprocs"})
             ? "; chunk: ncpus=64:ngpus=4 says what a node's part asks for"
             : "");
  }
  const std::string& value = text_at(item, "pbs option " + key.text);
  if (value.empty() && !is_one_of(key.text, {"h", "V"}))
    fail(item, "pbs: {} needs a value; without one, leave it out", in_quotes(key.text));
  const bool is_time = key.text == "walltime";
  // To PBS a number alone is seconds, to Slurm it is minutes.
  if (is_time && (value.find(':') == std::string::npos || value.find('-') != std::string::npos ||
                  !seconds_of_time(value)))
    fail(item, "pbs: {} is no walltime, such as 00:20:00", in_quotes(value));
  cluster.scheduler_options.emplace_back(is_time ? "time" : key.text, value_of(value));
}

}  // namespace

void read_scheduler_options(const YamlNode& root, Cluster& cluster) {
  using Add = void (*)(const YamlNode&, const YamlNode&, Cluster&);
  constexpr std::pair<const char*, Add> kSchedulers[] = {{"slurm", add_slurm_option},
                                                         {"pbs", add_pbs_option}};
  for (const auto& [name, add] : kSchedulers) {
    const YamlNode* node = root.find(name);
    if (!node) continue;
    if (cluster.scheduler != name)
      fail(*node, "{}: has no meaning with scheduler: {}", name, cluster.scheduler);
    expect_map(*node, name);
    for (std::size_t i = 0; i < node->keys.size(); ++i) add(node->keys[i], node->items[i], cluster);
  }
}

}  // namespace pippin
