// SPDX-License-Identifier: Apache-2.0
#include "sweeps/keys.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/placeholders.h"
#include "core/base/text.h"

namespace pippin {

namespace {

template <typename Keys>
std::vector<std::string> names_of(const Keys& keys) {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const auto& key : keys) names.emplace_back(key.name);
  return names;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Columns of the result table that are no key of a sweep: an axis would stand there twice.
const std::vector<std::string> kColumns{
    "sweep", "point",      "state",         "params_b",      "allocations",
    "runs",  "iterations", "step_time_s",   "ci_low_s",      "ci_high_s",
    "sd_s",  "tflops",     "flops_formula", "samples_per_s", "memory_gib"};

}  // namespace

std::vector<std::string> model_count_names() { return names_of(kModelCounts); }
std::vector<std::string> layout_key_names() { return names_of(kLayoutKeys); }

std::vector<std::string> model_key_names() {
  std::vector<std::string> names = model_count_names();
  names.insert(names.begin(), {"size", "style"});
  return names;
}

bool is_count_key(std::string_view name) {
  return contains(layout_key_names(), name) || contains(model_count_names(), name);
}
bool is_model_key(std::string_view name) { return contains(model_key_names(), name); }
bool is_known_key(std::string_view name) { return is_count_key(name) || is_model_key(name); }

std::vector<std::string> computed_names() {
  return {"gbs", "params", "padded_vocab", "nodes", "gpus_per_node"};
}

std::vector<std::string> bash_names() {
  return {"launch",    "master_addr", "master_port", "run_dir",
          "sweep_dir", "probe_dir",   "env",         "env_names"};
}

std::vector<std::string> run_names() {
  std::vector<std::string> names{"ranks", "nodes", "ranks_per_node", "gpus_per_node", "iterations",
                                 "seed",  "name",  "allocation",     "repeat"};
  for (auto& name : bash_names()) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> environment_names() { return {"sweep", "point", "run", "job", "day"}; }

std::string why_reserved(std::string_view name) {
  if (!is_identifier(name)) return "a name is letters, digits and '_', and begins with no digit";
  const std::string word = lower(name);
  if (word == "true" || word == "false") return "it is a truth value of expressions";
  if (word == "and" || word == "or" || word == "not") return "expressions have && || ! for it";
  if (word == "gbs")
    return "it is mbs x gas x dp: sweep one of these, or derive gas: 1024 / (mbs * dp)";
  if (contains(computed_names(), word)) return "pippin works it out";
  if (word == "iterations" || word == "seed") return "it is a key of the sweep itself";
  if (contains(run_names(), word))
    return fmt::format("{{{}}} means something else in a command", word);
  if (contains(kColumns, word)) return "it is a column of the result table";
  if (contains(environment_names(), word)) return "its variable means something else to a run";
  if (word != name && is_known_key(word)) return fmt::format("write '{}'", word);
  return "";
}

}  // namespace pippin
