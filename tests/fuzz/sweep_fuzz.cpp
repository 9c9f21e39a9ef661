// SPDX-License-Identifier: Apache-2.0
// Sweep files, with the file of a cluster, planned as `pippin plan` does; and sweeps in words.
//
// Shape: files that "=== PATH" begin: s.yaml is the sweep, and may name others, c.yaml. Or `words`,
// of which each line is one: "-L tp=1,2", "--fixed zero=1", "--where EXPRESSION", "--gpus 8", "--
// COMMAND".
#include <sstream>
#include <string>
#include <string_view>

#include "core/jobs/submission_files.h"
#include "harness/campaign/open_campaign.h"
#include "harness/campaign/packing.h"
#include "harness/commands/steps/predicted_run_time.h"
#include "harness/commands/steps/runnable_points.h"
#include "harness/scrape/line_patterns.h"
#include "reports/plan.h"
#include "sweeps/axes.h"
#include "sweeps/sweep_file.h"
#include "sweeps/sweep_words.h"
#include "tests/fuzz/folder.h"
#include "tests/fuzz/input.h"

using namespace pippin;

namespace {

/// More points or runs take long, and are no other than few.
constexpr double kMostPoints = 24;
constexpr std::int64_t kMostRuns = 100;

const fuzz::Folder& folder() {
  static const fuzz::Folder kFolder;
  return kFolder;
}

bool is_small(const YamlNode& root) {
  double points = 1;
  for (const auto& dimension : read_axes(root).dimensions)
    points *= static_cast<double>(dimension.rows.size());
  return points <= kMostPoints;
}

bool is_small(const Sweep& sweep) {
  const auto points = static_cast<std::int64_t>(sweep.points.size());
  return sweep.repeats.allocations <= kMostRuns && sweep.repeats.runs <= kMostRuns &&
         points * sweep.repeats.allocations * sweep.repeats.runs <= kMostRuns;
}

/// As Slurm, PBS and this machine get it.
void write_script(const Sweep& sweep, const std::vector<PlannedJob>& jobs) {
  if (jobs.empty()) return;
  const PointIndex points = index_of(sweep.points);
  Submission first;
  first.name = jobs[0].name + "-s1";
  submission_files(sweep, points, {"/runs", "/probes", 5, 3}, first, {{&jobs[0], jobs[0].runs}});
}

std::string plan_text(Sweep sweep) {
  patterns_in(sweep.trainer.scrape);
  if (!is_small(sweep)) return "large";
  drop_what_cannot_run(sweep);
  predict_run_time(sweep);
  const auto jobs = plan_jobs(sweep, 1);
  fuzz::refusable([&] { write_script(sweep, jobs); });
  const Plan plan{sweep, jobs, 100, packings_of(sweep)};
  std::ostringstream text;
  for (const auto& format : plan_formats()) format.write(plan, text);
  return text.str();
}

std::string plan_of(const YamlNode& root) {
  return fuzz::text_or_refusal([&] { return plan_text(load_sweep(root, folder() / "s.yaml")); });
}

void check_file(const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) {
    if (name.find('/') == std::string::npos && !name.empty() && name != "." && name != "..")
      folder().write(name, text);
  }
  const YamlNode root = read_yaml(folder() / "s.yaml");
  if (root.kind != YamlNode::Kind::kMap || !is_small(root)) return;
  const std::string plan = plan_of(root);
  fuzz::expect_same(plan, plan_of(parse_yaml(yaml_text(root), (folder() / "s.yaml").string())),
                    "a sweep that is written again gives the same plan");
}

/// "NAME=VALUES"
std::pair<std::string, std::string> axis_of(std::string_view word) {
  const std::size_t at = word.find('=');
  if (at == std::string_view::npos) return {std::string(word), ""};
  return {std::string(word.substr(0, at)), std::string(word.substr(at + 1))};
}

void take(SweepWords& words, std::string_view option, const std::string& value) {
  if (option == "--") words.command = value;
  if (option == "-L") words.axes.push_back(axis_of(value));
  if (option == "--fixed") words.fixed.push_back(value);
  if (option == "--derive") words.derived.push_back(value);
  if (option == "--where") words.where.push_back(value);
  if (option == "--scrape") words.scrape.push_back(value);
  for (const auto& word : sweep_words())
    if (option == word.option) words.*word.field = value;
}

SweepWords words_of(fuzz::Input& input) {
  SweepWords words;
  while (!input.empty()) {
    const std::string_view line = input.line();
    const std::size_t at = line.find(' ');
    if (at != std::string_view::npos)
      take(words, line.substr(0, at), std::string(line.substr(at + 1)));
  }
  return words;
}

void check_words(fuzz::Input& input) {
  const SweepWords words = words_of(input);
  if (words.command.find('\0') != std::string::npos) return;  // no word of a command line has one
  const std::string written = sweep_text(words);
  const YamlNode root = parse_yaml(written, "words");
  if (!is_small(root)) return;
  const std::string plan = fuzz::text_or_refusal([&] { return plan_text(load_sweep(words)); });
  if (plan == "refused") return;
  Sweep again = load_sweep(root, "words");
  again.file = load_sweep(words).file;
  fuzz::expect_same(plan, fuzz::text_or_refusal([&] { return plan_text(again); }),
                    "the plan of what plan --print-yaml prints is the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  constexpr std::string_view kWords = "words\n";
  const bool is_words = input.rest().starts_with(kWords);
  if (is_words) input.line();
  fuzz::refusable(
      [&] { is_words ? check_words(input) : check_file(fuzz::files_in(input.rest())); });
  return 0;
}
