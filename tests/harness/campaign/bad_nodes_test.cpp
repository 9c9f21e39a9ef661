// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/bad_nodes.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "core/base/process.h"
#include "core/base/text.h"
#include "tests/harness/campaign/swallowed.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

constexpr std::int64_t kNow = 5000, kAfter = 3;

/// A case of tests/data/bad_nodes/cases.txt.
struct Case {
  std::string name, bad;
  std::vector<NodeMark> marks;
  std::map<std::string, NodeHistory> histories;
};

void add_line(Case& one, const std::vector<std::string_view>& words) {
  if (words[0] == "*") {
    NodeMark mark;
    mark.node = words.at(2);
    mark.bad = words[1] == "bad";
    mark.time = words.size() > 3 ? parse_integer(words[3]).value() : 1;
    mark.by = "somebody";
    one.marks.push_back(mark);
    return;
  }
  NodeHistory& history = one.histories[std::string(words[0])];
  history.node = words[0];
  NodeEvent event;
  event.time = parse_integer(words.at(1)).value();
  event.kind = words.at(2);
  event.name = words.at(3);
  event.attempt = fmt::format("1-{}-0", history.events.size() + 1);
  event.seconds = words.size() > 4 ? parse_integer(words[4]).value() : 0;
  event.words = "exit 1: boom";
  history.events.push_back(event);
}

std::vector<Case> cases() {
  std::vector<Case> found;
  const std::string text = read_input(test::source_directory() / "tests/data/bad_nodes/cases.txt");
  for (std::string_view line : split(text, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    if (line.starts_with("case ")) {
      const auto colon = line.rfind(": ");
      found.push_back(
          {std::string(line.substr(5, colon - 5)), std::string(line.substr(colon + 2)), {}, {}});
    } else {
      add_line(found.back(), split(line, ' '));
    }
  }
  return found;
}

std::vector<NodeHistory> histories_of(const Case& one) {
  std::vector<NodeHistory> histories;
  for (const auto& entry : one.histories) histories.push_back(entry.second);
  return histories;
}

std::string names_of(const std::vector<NodeMark>& marks) {
  std::vector<std::string> names;
  for (const auto& mark : marks) names.push_back(mark.node);
  return names.empty() ? "none" : join(names, " ");
}

/// The case as jobs leave it in the folder of a sweep.
void write_case(const Case& one, const fs::path& root) {
  for (const auto& [node, history] : one.histories) {
    std::string text;
    for (const auto& event : history.events)
      text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", event.time, event.kind, event.name,
                          event.attempt, event.seconds, event.words);
    disk().write(root / "nodes" / node, text);
  }
  for (const auto& mark : one.marks) NodeFiles(disk(), root).mark(mark);
}

/// Which nodes the jobs' bash calls bad, each by a job that is on it.
std::string by_bash(const Case& one, const fs::path& root) {
  std::vector<std::string> bad;
  const fs::path scripts = test::source_directory() / "core/jobs/script";
  for (const auto& entry : one.histories) {
    const Outcome outcome = run_program(
        {"bash", "-c",
         "pippin_root=$1 pippin_nodes=$2 pippin_bad_node_after=3; . \"$3/bad_node.bash\"; "
         ". \"$3/judge_node.bash\"; pippin_look_at_nodes; "
         "if ! pippin_is_bad \"$2\" && pippin_node_is_to_blame; then echo bad; fi",
         "bash", root.string(), entry.first, scripts.string()});
    CAPTURE(outcome.output);
    CHECK((trim(outcome.output) == "bad" || outcome.output.empty()));
    if (trim(outcome.output) == "bad") bad.push_back(entry.first);
  }
  return bad.empty() ? "none" : join(bad, " ");
}

}  // namespace

TEST_CASE("what makes a node bad is the same for jobs and for pippin") {
  const auto all = cases();
  REQUIRE(all.size() > 20);
  for (const auto& one : all) {
    CAPTURE(one.name);
    CHECK(names_of(find_bad_nodes(histories_of(one), one.marks, kAfter, kNow)) == one.bad);
    const test::TemporaryDirectory root;
    write_case(one, root.path());
    NodeFiles files(disk(), root.path());
    CHECK(names_of(find_bad_nodes(files.histories(), files.marks(), kAfter, kNow)) == one.bad);
    CHECK(by_bash(one, root.path()) == one.bad);
  }
}

TEST_CASE("no node is bad where nobody is to look") {
  for (const auto& one : cases())
    CHECK(find_bad_nodes(histories_of(one), one.marks, 0, kNow).empty());
}

TEST_CASE("what runs elsewhere for no longer than what failed says nothing") {
  Case one;
  add_line(one, split("n2 95 began task=1", ' '));
  for (int i = 1; i <= 6; ++i)
    add_line(one, split(fmt::format("n1 {} failed p{}-a1 10", 100 + i, i), ' '));
  CHECK(find_bad_nodes(histories_of(one), {}, kAfter, 110).empty());
  CHECK(find_bad_nodes(histories_of(one), {}, kAfter, 120).size() == 1);
}

namespace {

/// A scheduler that can be told which nodes to avoid.
struct Obedient : test::BlackHole {
  Obedient() { phase = JobStatus::Phase::kRunning; }
  Handed submit(const JobRequest& request) override {
    excluded = request.exclude;
    return BlackHole::submit(request);
  }
  bool excludes_nodes() const override { return true; }
  void exclude(const std::vector<Asked>& asked, const std::vector<std::string>& nodes) override {
    for (const auto& one : asked) kept_off[one.token] = nodes;
  }
  std::vector<std::string> excluded;  ///< by the last submission
  std::map<std::string, std::vector<std::string>> kept_off;
};

using Names = std::vector<std::string>;

void note(test::MemoryFiles& files, const std::string& node, const std::string& line) {
  const fs::path file = "/s/nodes/" + node;
  files.write(file, files.read(file).value_or("") + line + "\n");
}

/// The first submission has run four runs, of which those on n1 failed.
void leave_black_hole(test::MemoryFiles& files) {
  for (const char* run : {"a-a1", "b-a1", "c-a1"}) {
    test::leave(files, run, "1-7-0", 1);
    note(files, "n1", fmt::format("100\tfailed\t{}\t1-7-0\t1\texit 1: boom", run));
  }
  test::leave(files, "d-a1", "1-8-0", 0);
  note(files, "n2", "100\tok\td-a1\t1-8-0\t1\t");
}

Campaign four_runs() { return test::runs_of({"a-a1", "b-a1", "c-a1", "d-a1"}); }

}  // namespace

TEST_CASE("what failed on a node that is found bad is handed over again, away from it") {
  test::MemoryFiles files;
  Obedient slurm;
  MachineOptions options;
  options.retries = 0;
  auto machine = test::machine_on(files, slurm, four_runs(), options);
  machine.step();
  CHECK(slurm.excluded.empty());
  leave_black_hole(files);
  const RunCounts counts = machine.step();
  CHECK(counts.waiting == 3);
  CHECK(counts.succeeded == 1);
  CHECK(counts.failed == 0);
  CHECK(slurm.tokens.size() == 2);
  CHECK(slurm.excluded == Names{"n1"});
  REQUIRE(machine.bad_nodes().size() == 1);
  CHECK(text_of(machine.bad_nodes()[0]) ==
        "3 runs in a row failed on it while others went on elsewhere; the last: exit 1: boom");
  for (const char* run : {"a-a1", "b-a1", "c-a1"}) test::leave(files, run, "2-9-0", 0);
  CHECK(machine.step().succeeded == 4);
  CHECK(machine.counts().finished());
}

TEST_CASE("who comes later knows what failed on a bad node, and a failure elsewhere counts") {
  test::MemoryFiles files;
  Obedient slurm;
  test::machine_on(files, slurm, four_runs()).step();
  leave_black_hole(files);
  slurm.phase = JobStatus::Phase::kEnded;
  slurm.end = End::kCompleted;
  NodeFiles(files, "/s").mark({"n1", true, 200, "job 7-0", "", {}});
  auto machine = test::machine_on(files, slurm, four_runs());
  CHECK(machine.counts().unsubmitted == 3);
  slurm.phase = JobStatus::Phase::kRunning;
  machine.step();
  CHECK(slurm.excluded == Names{"n1"});
  for (const char* run : {"a-a1", "b-a1", "c-a1"}) test::leave(files, run, "2-9-0", 1);
  slurm.phase = JobStatus::Phase::kEnded;
  CHECK(machine.step().failed == 3);
  CHECK(machine.counts().finished());
  CHECK(test::machine_on(files, slurm, four_runs()).counts().failed == 3);
}

TEST_CASE("a job that left a bad node is no try, and one that came back to it is") {
  test::MemoryFiles files;
  Obedient slurm;
  MachineOptions options;
  options.retries = 1;
  std::int64_t now = 100;
  options.now = [&now] { return now; };
  slurm.end = End::kCompleted;
  slurm.words = "COMPLETED on n1";
  auto machine = test::machine_on(files, slurm, test::one_run(), options);
  machine.step();
  NodeFiles(files, "/s").mark({"n1", true, 150, "alice", "GPU 3 is gone", {}});
  for (int i = 1; i <= 6; ++i) {
    now += 100;
    note(files, "n1", fmt::format("{}\tleft\ttask=1\t{}-{}-0\t0\t", now, i, i));
    slurm.phase = JobStatus::Phase::kEnded;
    machine.step();
  }
  CHECK(slurm.tokens.size() == 3);  // one that left it, and two tries
  CHECK(machine.fate("run-a1").phase == RunPhase::kLost);
  CHECK(machine.fate("run-a1").evidence == "bad node n1");
}

TEST_CASE("prologs that fail on one node lose no run once it is found bad") {
  test::MemoryFiles files;
  Obedient slurm;
  Campaign campaign = four_runs();
  for (int i = 1; i <= 3; ++i) {
    campaign.jobs.push_back(campaign.jobs[0]);
    campaign.jobs.back().name = fmt::format("job{}", i);
    campaign.jobs.back().runs = {campaign.jobs[0].runs[static_cast<std::size_t>(i - 1)]};
  }
  campaign.jobs[0].runs.erase(campaign.jobs[0].runs.begin(), campaign.jobs[0].runs.begin() + 3);
  auto machine = test::machine_on(files, slurm, campaign);
  machine.step();
  REQUIRE(machine.submissions().size() == 1);  // an array of four
  test::leave(files, "d-a1", "1-8-0", 0);
  slurm.phase = JobStatus::Phase::kEnded;
  slurm.end = End::kApplication;
  slurm.words = "FAILED (NonZeroExitCode) on n1";
  machine.step();
  CHECK(machine.counts().lost == 3);
  note(files, "n2", "100\tok\td-a1\t1-8-0\t1\t");
  for (int i = 2; i <= 4; ++i)
    note(files, "n1", fmt::format("100\tprolog\ttask={}\t1-{}-0\t0\tthe prolog exits 1", i, i));
  slurm.phase = JobStatus::Phase::kRunning;
  machine.step();
  CHECK(machine.counts().lost == 0);
  CHECK(machine.counts().waiting == 3);
  CHECK(slurm.excluded == Names{"n1"});
}

TEST_CASE("a node that the scheduler loses again and again is found bad") {
  test::MemoryFiles files;
  Obedient slurm;
  Campaign campaign = test::runs_of({"a-a1"});
  for (const char* run : {"b", "c"}) {
    campaign.jobs.push_back(campaign.jobs[0]);
    campaign.jobs.back().name = run;
    campaign.jobs.back().runs = {{run + std::string("-a1"), "p", 1, 1}};
  }
  slurm.phase = JobStatus::Phase::kEnded;
  slurm.words = "NODE_FAIL on n1";
  note(files, "n2", "100\tok\td-a1\t1-8-0\t1\t");
  MachineOptions options;
  options.now = [] { return std::int64_t{100}; };
  auto machine = test::machine_on(files, slurm, campaign, options);
  machine.step();
  CHECK(slurm.excluded.empty());
  machine.step();
  REQUIRE(machine.bad_nodes().size() == 1);
  CHECK(slurm.excluded == Names{"n1"});
}

TEST_CASE("jobs that wait are kept off a bad node once") {
  test::MemoryFiles files;
  Obedient slurm;
  slurm.phase = JobStatus::Phase::kWaiting;
  Campaign campaign = four_runs();
  campaign.exclude = {"n7"};
  auto machine = test::machine_on(files, slurm, campaign);
  machine.step();
  CHECK(slurm.excluded == Names{"n7"});
  NodeFiles(files, "/s").mark({"n1", true, 1, "alice", "noisy", {}});
  machine.step();
  REQUIRE(slurm.kept_off.size() == 1);
  CHECK(slurm.kept_off.begin()->second == Names{"n7", "n1"});
  slurm.kept_off.clear();
  machine.step();
  CHECK(slurm.kept_off.empty());
}

TEST_CASE("where the scheduler cannot be told a bad node's failures stay what they are") {
  test::MemoryFiles files;
  test::BlackHole pbs;
  pbs.phase = JobStatus::Phase::kRunning;
  auto machine = test::machine_on(files, pbs, four_runs());
  machine.step();
  leave_black_hole(files);
  pbs.phase = JobStatus::Phase::kEnded;
  pbs.end = End::kCompleted;
  const RunCounts counts = machine.step();
  CHECK(counts.failed == 3);
  CHECK(counts.finished());
  CHECK(machine.bad_nodes().size() == 1);
}

TEST_CASE("a mark is read as it was written, and a person's says why") {
  test::MemoryFiles files;
  NodeFiles nodes(files, "/s");
  nodes.mark({"n1", true, 17, "alice", "GPU 3 is gone by= now", {}});
  nodes.mark({"n2", false, 18, "bob", "", {}});
  nodes.mark({"n3", true, 19, "job 7-0", "", {{5, "failed", "p-a1", "1-7-0", 3, "exit 1: x"}}});
  const auto marks = nodes.marks();
  REQUIRE(marks.size() == 3);
  CHECK(marks[0].bad);
  CHECK(marks[0].by == "alice");
  CHECK(text_of(marks[0]) == "alice says so: GPU 3 is gone by= now");
  CHECK_FALSE(marks[1].bad);
  CHECK(marks[1].time == 18);
  CHECK(marks[2].events.at(0).seconds == 3);
  CHECK(marks[2].events.at(0).words == "exit 1: x");
}
