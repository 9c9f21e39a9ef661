// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/noted.h"

#include <fmt/format.h>
#include <map>
#include <set>

#include "core/base/text.h"
#include "reports/notes/outcome_words.h"
#include "reports/notes/sweep_names.h"
#include "tests/reports/notes/gpt2.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

NotedDocument gpt2() { return noted(test::gpt2_notes(), "gpt2.md", test::gpt2_settings()); }

NotedRun run_at(const NotedDocument& document, std::size_t line) {
  for (const auto& table : document.tables) {
    for (const auto& run : table.runs) {
      if (run.line == line) return run;
    }
  }
  FAIL("no run of line " << line);
  return {};
}

std::vector<std::string> texts(const std::vector<NoteRemark>& remarks) {
  std::vector<std::string> texts;
  for (const auto& remark : remarks) {
    texts.push_back(fmt::format("{}: {}", remark.line, remark.what));
  }
  return texts;
}

std::vector<std::string> names_in(const std::string& document, const std::string& file) {
  std::vector<std::string> names;
  for (const auto& table : noted(document, file, {}).tables) names.push_back(table.sweep);
  return names;
}

}  // namespace

TEST_CASE("every table of times in the GPT-2 notes is a sweep with a name of its own") {
  std::vector<std::string> sweeps;
  for (const auto& table : gpt2().tables) {
    sweeps.push_back(fmt::format("{} {} {}", table.line, table.sweep, table.runs.size()));
  }
  CHECK(
      sweeps ==
      std::vector<std::string>{
          "71 gpt2-megatron-max-model-size-16gb-nodes 5",
          "82 gpt2-megatron-max-model-size-32gb-nodes 5", "97 gpt2-megatron-performance 20",
          "178 gpt2-megatron-deepspeed-3d-new-branch 5",
          "211 gpt2-megatron-deepspeed-3d-new-branch-zero-stage-1-reduce-bucket-size 3",
          "226 gpt2-megatron-deepspeed-3d-new-branch-zero-stage-1-reduce-bucket-size-experiment-1 "
          "4",
          "248 gpt2-megatron-deepspeed-3d-new-branch-zero-stage-1-reduce-bucket-size-2 4",
          "336 gpt2-megatron-deepspeed-3d-old-branch-performance 1",
          "369 gpt2-megatron-deepspeed-zero-old-branch-with-offload-off-performance 2",
          "387 gpt2-megatron-deepspeed-zero-old-branch-with-offload-off-performance-2 5",
          "398 gpt2-megatron-deepspeed-zero-old-branch-with-full-cpu-offload 1",
          "409 gpt2-megatron-deepspeed-zero-old-branch-with-full-cpu-offload-olatunji-requested-"
          "the-following 11",
          "430 gpt2-megatron-deepspeed-zero-old-branch-with-full-cpu-offload-from-id-8 2",
          "443 gpt2-megatron-deepspeed-zero-old-branch-with-full-cpu-offload-from-id-12 4",
          "464 gpt2-hf-deepspeed-zero-3-full-offload-max-model-size 3",
          "474 gpt2-hf-deepspeed-zero-3-full-offload-performance 10"});
}

TEST_CASE("every time of the GPT-2 notes is kept just as it was written") {
  const std::map<std::size_t, double> cases{
      {73, 661}, {84, 1381}, {99, 90500}, {230, 213000}, {392, 89000}};
  const NotedDocument document = gpt2();
  for (const auto& [line, ms] : cases) {
    const NotedRun run = run_at(document, line);
    REQUIRE(run.record.iterations.size() == 1);
    const Iteration& iteration = run.record.iterations[0];
    CHECK(iteration.step_time_ms == ms);
    CHECK(iteration.number == 0);
    CHECK(iteration.flags == kNoted);
    CHECK(run.state == RunState::kOk);
  }
  CHECK(661.0 / 1000 == 0.661);
  std::size_t runs = 0, timed = 0;
  for (const auto& table : document.tables) {
    for (const auto& run : table.runs) timed += run.record.iterations.size();
    runs += table.runs.size();
  }
  CHECK(runs == 85);  // 83 with TFLOPS, two out of memory
  CHECK(timed == 83);
}

TEST_CASE("a row is a point with the layout that it says and its other columns as axes") {
  const NotedRun run = run_at(gpt2(), 180);
  const Point& point = run.record.point;
  CHECK(run.name == "gpt2.md:180");
  CHECK(run.note == "06-10");
  CHECK(run.record.format == "noted");
  CHECK(run.record.recompute == "full");
  CHECK(point.trainer == "noted");
  CHECK(point.model.size == "52B");
  CHECK(point.model.params == 52'000'000'000);
  CHECK(point.model.seq == 1024);
  CHECK(point.layout == Layout{{}, 16, 1, {}, 4, 256, 64, 1024});
  CHECK(point.axes == NamedValues{{"ds", value_of("Y")}});
  CHECK(point.name == "52b-pp16-dp1-mbs4-gas256-dsY-" + point.id.substr(0, 4));
  REQUIRE(run.record.memory.size() == 1);
  CHECK(run.record.memory[0].max_allocated_mib == 26.0 * 1024);
  CHECK(find_value(run.record.arguments, "TFlops")->text == "46.7");
  CHECK(find_value(run.record.arguments, "Notes")->text == "06-10");

  const NamedValues axes = run_at(gpt2(), 228).record.point.axes;
  CHECK(axes ==
        NamedValues{{"id", value_of("1.1")}, {"ds", value_of("Y")}, {"bucket", value_of("2e8")}});
  CHECK(axes[2].second.text == "2e8");
  CHECK(run_at(gpt2(), 483).record.point.axes == NamedValues{{"zero", value_of("3")},
                                                             {"opt_offl", value_of("Y")},
                                                             {"par_offl", value_of("N")}});
}

TEST_CASE("rows that say the same are repeats of one point, others have names of their own") {
  const NotedDocument document = gpt2();
  CHECK(run_at(document, 113).record.point.id == run_at(document, 116).record.point.id);
  for (const auto& table : document.tables) {
    std::map<std::string, std::set<std::string>> ids;
    for (const auto& run : table.runs) {
      ids[run.record.point.name].insert(run.record.point.id);
      CHECK(run.record.point.id.size() == 16);
    }
    for (const auto& name : ids) CHECK(name.second.size() == 1);
  }
}

TEST_CASE("a row that failed is a run without a time") {
  const NotedRun run = run_at(gpt2(), 487);
  CHECK(run.state == RunState::kOom);
  CHECK(run.record.end == RunState::kOom);
  CHECK(run.record.evidence == "OOM");
  CHECK(run.record.iterations.empty());
  CHECK_FALSE(run.record.point.layout.mbs);
  const std::vector<std::pair<std::string, RunState>> cases{{"OOM", RunState::kOom},
                                                            {"**oom**", RunState::kOom},
                                                            {"out of memory", RunState::kOom},
                                                            {"failed", RunState::kFailed},
                                                            {"timeout", RunState::kTimeout},
                                                            {"timed-out", RunState::kTimeout},
                                                            {"n/a", RunState::kMissing},
                                                            {"—", RunState::kMissing},
                                                            {"Cancelled", RunState::kCancelled}};
  for (const auto& [text, state] : cases) {
    CAPTURE(text);
    CHECK(outcome_in(text) == state);
  }
  for (const std::string text : {"", "12", "oomph", "ok", "52B"}) CHECK_FALSE(outcome_in(text));
}

TEST_CASE("what is left out of the notes is named, and what contradicts itself") {
  CHECK(texts(gpt2().remarks) ==
        std::vector<std::string>{"77: GBS 4 is not MBS 1 × GAS 4 × DP 4 = 16",
                                 "181: GBS 1536 is not MBS 4 × GAS 256 × DP 1 = 1024",
                                 "182: GBS 2048 is not MBS 4 × GAS 256 × DP 1 = 1024"});
  const std::string table =
      "| GPUs | Time | State |\n|-|-|-|\n| 8 | fast | |\n| 8 | | |\n| 4x2 | 1s | |\n| 0 | 1s | |\n"
      "| 8 | 0s | |\n| 8 | -1 | |\n| | | |\n| n/a | 1s | failed |\n| 8 | | OOM |\n| 8 |\n";
  const NotedDocument document = noted(table, "n.md", {});
  CHECK(texts(document.remarks) ==
        std::vector<std::string>{
            "3: table of line 1, column 'Time': 'fast' is no time: left out",
            "4: table of line 1, no time, and no word why: left out",
            "5: table of line 1, column 'GPUs': '4x2' is no number above 0: left out",
            "6: table of line 1, column 'GPUs': '0' is no number above 0: left out",
            "7: table of line 1, column 'Time': '0s' is no time above 0: left out",
            "8: table of line 1, column 'Time': '-1' is no time above 0: left out",
            "12: table of line 1, no time, and no word why: left out"});
  CHECK(document.remarks[0].refused);
  CHECK_FALSE(document.remarks[1].refused);
  REQUIRE(document.tables.size() == 1);
  REQUIRE(document.tables[0].runs.size() == 2);
  CHECK(document.tables[0].runs[0].state == RunState::kFailed);
  CHECK(document.tables[0].runs[0].record.iterations.size() == 1);
  CHECK(document.tables[0].runs[1].state == RunState::kOom);
}

TEST_CASE("names of sweeps are words, unique, and as stable as their tables") {
  const std::string table = "| GPUs | Time |\n|-|-|\n| 8 | 1s |\n\n",
                    other = "| x |\n|-|\n| 1s |\n\n";
  using Names = std::vector<std::string>;
  CHECK(names_in(table, "n.md") == Names{"n"});
  CHECK(names_in(other + table + other + table, "My Notes.md") == Names{"my-notes", "my-notes-2"});
  CHECK(names_in("# N tests\n" + table, "n.md") == Names{"n-tests"});
  CHECK(names_in("# A\n## B & C\n" + table + "## D\n" + table, "n.md") == Names{"n-b-c", "n-d"});
  CHECK(names_in("# Größe\n" + table, "結果.md") == Names{"notes-gr-e"});
  CHECK(names_in("**a**\n" + table + "**a 2**\n" + table + "**a**\n" + table, "n.md") ==
        Names{"n-a", "n-a-2", "n-a-3"});
  CHECK(names_in("8 nodes:\n\n" + table + "see https://x.y\n" + table, "n.md") ==
        Names{"n-8-nodes", "n"});
  CHECK(names_in("", "n.md").empty());
}

TEST_CASE("settings, own columns and odd titles reach the point") {
  const std::string table =
      "| Time (ms) | GBS | seq | DS | ds! | Framework | layers | Model | ½ | Zeit |\n"
      "|-|-|-|-|-|-|-|-|-|-|\n| 0.5 | 8 | 2048 | a | b | c | 12 | GPT | d | |\n"
      "| 1 | 8 | | | | | | | | e |\n";
  const NotedDocument document = noted(table, "n.md", note_settings({"seq=512", "recompute=none"}));
  REQUIRE(document.tables.at(0).runs.size() == 2);
  const LogRun& record = document.tables[0].runs[0].record;
  CHECK(record.iterations[0].step_time_ms == 0.5);
  CHECK(record.recompute == "none");
  CHECK(record.point.model.seq == 2048);
  CHECK(record.point.model.layers == 12);
  CHECK(record.point.model.size == "GPT");
  CHECK_FALSE(record.point.model.params);
  std::vector<std::string> axes;
  for (const auto& axis : record.point.axes) axes.push_back(axis.first + "=" + axis.second.text);
  CHECK(axes == std::vector<std::string>{"ds=a", "ds_2=b", "axis_framework=c", "axis=d"});
  // An empty cell says that nobody noted it.
  CHECK_FALSE(document.tables[0].runs[1].record.point.model.seq);
}

TEST_CASE("a table with two columns of times is left out and named") {
  const std::string table = "| Speed | Time |\n|-|-|\n| 1s | 2s |\n";
  const NotedDocument document = noted(table, "n.md", {});
  CHECK(document.tables.empty());
  CHECK(texts(document.remarks) ==
        std::vector<std::string>{
            "1: table of line 1: two columns may be step_time: 'Speed' and 'Time'; rename one, or "
            "say it: --set step_time=TITLE; the table is left out"});
}

TEST_CASE("each word for an outcome is understood, however it is written") {
  const std::vector<std::pair<RunState, std::vector<const char*>>> words{
      {RunState::kOom,
       {"OOM", "OOM'd", "OOM-killed", "CUDA OOM", "out of memory", "CUDA out-of-memory", "o_o.m!"}},
      {RunState::kFailed,
       {"fail", "fails", "FAILED", "failure", "error", "crash", "crashed", "killed", "died", "hang",
        "hung", "NaN", "diverged"}},
      {RunState::kTimeout, {"timeout", "time-out", "timed out", "time limit"}},
      {RunState::kCancelled, {"cancelled", "canceled", "aborted", "**aborted**"}},
      {RunState::kMissing, {"n/a", "na", "none", "missing", "tbd", "-", "--", "–", "—", "?"}}};
  for (const auto& [state, cells] : words) {
    for (const char* cell : cells) {
      CAPTURE(cell);
      CHECK(outcome_in(cell) == state);
    }
  }
  for (const char* cell : {"", "ok", "12", "oomph", "---", "??", "failed twice"})
    CHECK_FALSE(outcome_in(cell));
}

TEST_CASE("names of sweeps have forty letters a part, and labels end at a colon") {
  const auto name_of = [](const std::string& above, const std::string& file = "f.md") {
    const auto tables = markdown_tables(above + "\n| a |\n|---|\n| 1 |\n");
    REQUIRE(tables.size() == 1);
    return sweep_names({&tables[0]}, file).at(0);
  };
  CHECK(name_of("") == "f");
  CHECK(name_of("", "A  b__C.old.md") == "a-b-c-old");
  CHECK(name_of("", "!.md") == "notes");
  CHECK(name_of("", "plain") == "plain");
  CHECK(name_of("# F and more\n") == "f-and-more");
  CHECK(name_of("# f\n") == "f");
  CHECK(name_of("# G\n") == "f-g");
  CHECK(name_of("# !!\n") == "f");
  CHECK(name_of("16GB nodes:\n") == "f-16gb-nodes");
  CHECK(name_of("Experiment 2: HD=8192\n") == "f-experiment-2");
  CHECK(name_of("at 10:30 today\n") == "f");
  CHECK(name_of("no colon\n") == "f");
  const std::string forty(40, 'x');
  CHECK(name_of("", forty + ".md") == forty);
  CHECK(name_of("", forty + "y.md") == forty);
  CHECK(name_of("", std::string(30, 'x') + "-yyyyyyyyyyyyy.md") == std::string(30, 'x'));
  CHECK(name_of(std::string(48, 'z') + ":\n") == "f-" + std::string(40, 'z'));
  CHECK(name_of(std::string(49, 'z') + ":\n") == "f");
  CHECK(name_of("Nodes:\n\n- 16GB: old\n- others\n") == "f-nodes");
  CHECK(name_of("Nodes\n\n- 16GB: old\n") == "f");
  CHECK(name_of("First:\nSecond: x\n\n") == "f-second");
  CHECK(name_of("First:\nmore\n") == "f-first");
  CHECK(name_of("First:\n\nmore\n") == "f");
}

TEST_CASE("two tables of one name are told apart by numbers") {
  const auto tables = markdown_tables("| a |\n|---|\n\n| b |\n|---|\n\n| c |\n|---|\n");
  REQUIRE(tables.size() == 3);
  CHECK(sweep_names({&tables[0], &tables[1], &tables[2]}, "f.md") ==
        std::vector<std::string>{"f", "f-2", "f-3"});
}

TEST_CASE("every count of a row reaches its place in the point") {
  const auto document = noted(
      "| layers | hidden | heads | ffn | seq | vocab | TP | PP | DP | CP | MBS | GAS | GPUs | GBS "
      "| "
      "Time |\n|--|--|--|--|--|--|--|--|--|--|--|--|--|--|--|\n"
      "| 11 | 12 | 13 | 14 | 15 | 16 | 2 | 3 | 5 | 7 | 8 | 9 | 210 | 360 | 1s |\n",
      "f.md", {});
  REQUIRE(document.tables.size() == 1);
  const Point& point = document.tables[0].runs.at(0).record.point;
  const Model& model = point.model;
  CHECK(std::vector<Count>{model.layers, model.hidden, model.heads, model.ffn, model.seq,
                           model.vocab} == std::vector<Count>{11, 12, 13, 14, 15, 16});
  const Layout& layout = point.layout;
  CHECK(std::vector<Count>{layout.tp, layout.pp, layout.dp, layout.cp, layout.mbs, layout.gas,
                           layout.gpus,
                           layout.gbs} == std::vector<Count>{2, 3, 5, 7, 8, 9, 210, 360});
  CHECK(point.axes.empty());
  CHECK(document.remarks.empty());
}
