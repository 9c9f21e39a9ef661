// SPDX-License-Identifier: Apache-2.0
// The folder of a sweep as jobs, an older pippin or a stranger may have left it.
//
// Shape: files that "=== PATH" begin, below the sweep's folder: "campaign-1.json",
// "jobs/gpt-s1/journal", "outcomes/n1-b", "RUN/1-local-0/run".
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/jobs/manifest.h"
#include "core/jobs/node_files.h"
#include "core/jobs/plan_file.h"
#include "core/jobs/protocol.h"
#include "harness/campaign/machine.h"
#include "tests/fuzz/input.h"

using namespace pippin;

namespace {

/// Files in memory, by their paths.
class Texts : public FileSystem {
 public:
  explicit Texts(const std::map<std::string, std::string>& files) {
    for (const auto& [name, text] : files) put(fs::path("/sweep") / name, text);
  }

  std::optional<std::string> read(const fs::path& path) override {
    const auto found = files_.find(path.string());
    return found == files_.end() ? std::nullopt : std::optional(found->second);
  }
  void write(const fs::path& path, std::string_view text) override { put(path, text); }
  void write_private(const fs::path& path, std::string_view text) override { put(path, text); }
  bool make_directory(const fs::path& path) override {
    const bool is_new = !exists(path);
    folders_[path.string()];
    return is_new;
  }
  bool exists(const fs::path& path) override {
    return files_.count(path.string()) > 0 || folders_.count(path.string()) > 0;
  }
  std::vector<std::string> list(const fs::path& directory) override {
    const auto found = folders_.find(directory.string());
    if (found == folders_.end()) return {};
    return {found->second.begin(), found->second.end()};
  }
  std::optional<FileIdentity> identity(const fs::path& path) override {
    const auto text = read(path);
    if (!text) return std::nullopt;
    return FileIdentity{static_cast<std::int64_t>(text->size()), 1, 1, 1};
  }

 private:
  void put(const fs::path& path, std::string_view text) {
    files_[path.string()] = text;
    for (fs::path at = path; at.has_parent_path() && at != at.parent_path(); at = at.parent_path())
      folders_[at.parent_path().string()].insert(at.filename().string());
  }

  std::map<std::string, std::string> files_;
  std::map<std::string, std::set<std::string>> folders_;
};

/// Knows no job, and takes none.
class NoScheduler : public Scheduler {
 public:
  Handed submit(const JobRequest&) override { return {Handed::Answer::kNoRoom, "full"}; }
  std::map<std::string, std::vector<JobStatus>> query(const std::vector<Asked>& asked) override {
    std::map<std::string, std::vector<JobStatus>> answers;
    for (const auto& one : asked) answers[one.token] = unknown_or_absent(one);
    return answers;
  }
  void cancel(const std::vector<Asked>&) override {}
  Room room() override { return {}; }

 private:
  static std::vector<JobStatus> unknown_or_absent(const Asked& asked) {
    JobStatus status;
    if (asked.handed) status.phase = JobStatus::Phase::kAbsent;
    return std::vector<JobStatus>(static_cast<std::size_t>(asked.tasks), status);
  }
};

bool has_tab_or_end(const Campaign& campaign) {
  return !plan_text(campaign, {1, 2, 3, 4}).has_value();
}

void check_manifest(const std::string& text) {
  const Campaign campaign = campaign_of(text, "campaign-1.json");
  const std::string written = manifest_of(campaign);
  fuzz::expect_same(written, manifest_of(campaign_of(written, "campaign-1.json")),
                    "a campaign that is written is read back");
  if (has_tab_or_end(campaign)) return;
  const std::string plan = *plan_text(campaign, {1, 2, 3, 4});
  const auto read = plan_of(plan, {1, 2, 3, 4});
  fuzz::expect(read.has_value(), "a plan that is written is read back");
  fuzz::expect_same(plan, plan_text(*read, {1, 2, 3, 4}).value_or("nothing"),
                    "a plan that is read back is the same");
}

void read_marks(SweepFolder& folder) {
  folder.each_outcome([](std::string_view, bool) {});
  fuzz::refusable([&] { folder.refuted(); });
  fuzz::refusable([&] {
    if (const auto given_up = folder.given_up()) text_of(*given_up);
  });
  fuzz::refusable([&] { folder.held_back(); });
  fuzz::refusable([&] { folder.newest_submission(); });
}

void read_submissions(SweepFolder& folder) {
  for (const auto& submission : folder.submissions()) {
    folder.has_begun(submission);
    std::vector<std::int64_t> tasks;
    for (std::size_t i = 1; i <= submission.tasks.size(); ++i)
      tasks.push_back(static_cast<std::int64_t>(i));
    folder.claims(submission, tasks, {});
    for (const auto& task : submission.tasks) {
      for (const auto& run : task.runs) {
        for (const auto& attempt : folder.attempts(run)) {
          folder.provenance(submission, attempt);
          folder.command(attempt);
        }
      }
    }
  }
}

void read_nodes(Texts& files) {
  NodeFiles nodes(files, "/sweep");
  for (const auto& history : nodes.histories()) {
    for (const auto& event : history.events) {
      event.submission();
      event.task();
      event.point();
    }
  }
  for (const auto& mark : nodes.marks()) text_of(mark);
}

MachineOptions surroundings() {
  MachineOptions options;
  options.host = "login1";
  options.process = "4711";
  options.now = [] { return std::int64_t{1'800'000'000}; };
  return options;
}

/// What `pippin status` and the next `pippin run` do with it.
void drive(Texts& files, SweepFolder& folder, std::int64_t number) {
  NoScheduler scheduler;
  const auto no_files = [](auto&&...) { return JobFiles(); };
  CampaignMachine machine(folder, files, scheduler, folder.load_campaign(number), no_files,
                          surroundings());
  machine.look();
  machine.observe();
  fuzz::refusable([&] { machine.step(); });
  fuzz::refusable([&] { machine.step(); });
  fuzz::refusable([&] { machine.cancel(); });
  machine.counts();
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto texts = fuzz::files_in(input.rest());
  if (const auto manifest = texts.find("campaign-1.json"); manifest != texts.end())
    fuzz::refusable([&] { check_manifest(manifest->second); });
  if (const auto plan = texts.find(".campaign-1.plan"); plan != texts.end())
    plan_of(plan->second, {1, 2, 3, 4});
  Texts files(texts);
  SweepFolder folder(files, "/sweep");
  read_marks(folder);
  fuzz::refusable([&] { read_submissions(folder); });
  fuzz::refusable([&] { read_nodes(files); });
  fuzz::refusable([&] { folder.load_plan(1); });
  for (const auto number : folder.campaigns())
    fuzz::refusable([&] { drive(files, folder, number); });
  return 0;
}
