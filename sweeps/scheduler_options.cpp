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
  return is_one_of(option, {"job-name", "nodes", "ntasks", "ntasks-per-node", "array"});
}

/// Why an option of sbatch's would come between pippin and its jobs; empty where it would not.
std::string_view why_not_in_slurm(std::string_view option) {
  if (is_one_of(option, {"output", "error", "open-mode"}))
    return "pippin keeps what a job prints beside its script";
  if (is_one_of(option, {"clusters", "cluster-constraint"}))
    return "pippin asks one cluster for its jobs; SLURM_CONF says which";
  if (is_one_of(option, {"parsable", "wrap", "wait", "test-only", "het-group", "help", "version"}))
    return "it is for who calls sbatch by hand";
  return {};
}

bool is_of_the_pbs_job(const std::string& option) {
  return is_one_of(option, {"select", "nodes", "nodect", "mpiprocs", "ncpus", "N", "J", "o", "e",
                            "j", "S", "v", "a", "f", "I", "X", "z", "C"});
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
  if (is_of_the_slurm_job(key.text)) {
    fail(key, "slurm: {} is pippin's own: it follows from each job's points", in_quotes(key.text));
  }
  if (const auto why = why_not_in_slurm(key.text); !why.empty())
    fail(key, "slurm: {} cannot be used: {}", in_quotes(key.text), why);
  const std::string& value = text_at(item, "slurm option " + key.text);
  if (key.text == "time" && !is_time_limit(value)) {
    fail(item, "slurm: {} is no time limit, such as 20 (minutes), 1:30:00 or 2-00:00:00",
         in_quotes(value));
  }
  cluster.scheduler_options.emplace_back(key.text, value_of(value));
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
