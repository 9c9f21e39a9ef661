// SPDX-License-Identifier: Apache-2.0
// Tables as other people keep them: throughputs, nodes, spreads, times of other things.
#include <cmath>
#include <fmt/format.h>

#include "core/base/error.h"
#include "reports/notes/noted.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;

namespace {

NotedDocument read(const std::string& document, const std::vector<std::string>& said = {}) {
  return noted(document, "n.md", note_settings(said));
}

/// A table of one row, its header and its cells separated by "|".
std::string table(const std::string& header, const std::string& row) {
  std::string rule;
  for (const char c : header) rule += c == '|' ? "-|" : "";
  return "|" + header + "|\n|" + rule + "-|\n|" + row + "|\n";
}

const LogRun& only(const NotedDocument& document) {
  REQUIRE(document.tables.size() == 1);
  REQUIRE(document.tables[0].runs.size() == 1);
  return document.tables[0].runs[0].record;
}

double ms_of(const LogRun& run) {
  REQUIRE(run.iterations.size() == 1);
  return run.iterations[0].step_time_ms;
}

std::string law_of(const LogRun& run, const std::string& name) {
  const Value* law = find_value(run.derived, name);
  return law ? law->text : "";
}

/// The refusals and remarks, in lines.
std::string texts(const NotedDocument& document) {
  std::string text;
  for (const auto& remark : document.remarks)
    text += fmt::format("{}{}: {}\n", remark.refused ? "!" : "", remark.line, remark.what);
  return text;
}

}  // namespace

TEST_CASE("a throughput gives a step time by the batch that the row says") {
  struct Case {
    std::string header, row;
    double ms;
    std::string law;
  };
  const std::vector<Case> cases{
      {"GPUs|GBS|samples/s", "64|512|41", 512 / 41.0 * 1000, "GBS / (samples/s)"},
      {"GPUs|GBS|Throughput (samples/sec)", "64|512|41", 512 / 41.0 * 1000, "GBS / (samples/s)"},
      {"GPUs|GBS|seq|tokens/s", "64|512|2048|83,968", 512 * 2048 / 83968.0 * 1000,
       "GBS × seq / (tokens/s)"},
      {"GPUs|GBS|seq|Tokens per second", "64|512|2048|84k", 512 * 2048 / 84.0,
       "GBS × seq / (tokens/s)"},
      {"GPUs|GBS|seq|ktok/s", "64|512|2048|84", 512 * 2048 / 84.0, "GBS × seq / (tokens/s)"},
      {"GPUs|GBS|seq|tokens/s/GPU", "64|512|2048|1312", 512 * 2048 / 1312.0 / 64 * 1000,
       "GBS × seq / (tokens/s/GPU × GPUs)"},
      {"GPUs|GBS|seq|TGS", "64|512|2048|1312", 512 * 2048 / 1312.0 / 64 * 1000,
       "GBS × seq / (tokens/s/GPU × GPUs)"},
      {"GPUs|GBS|Throughput", "64|512|41 samples/s", 512 / 41.0 * 1000, "GBS / (samples/s)"},
      {"GPUs|GBS|Speed", "64|512|41 samples/s", 512 / 41.0 * 1000, "GBS / (samples/s)"},
      {"GPUs|MBS|GAS|DP|samples/s", "64|2|16|16|41", 512 / 41.0 * 1000, "GBS / (samples/s)"}};
  for (const auto& c : cases) {
    CAPTURE(c.header, c.row);
    const NotedDocument document = read(table(c.header, c.row));
    CAPTURE(texts(document));
    const LogRun& run = only(document);
    CHECK(ms_of(run) == Approx(c.ms).epsilon(1e-12));
    CHECK(law_of(run, "step_time") == c.law);
    CHECK(run.iterations[0].flags == kNoted);
    CHECK(run.point.axes.empty());
  }
}

TEST_CASE("a throughput's last digit and spread are those of the time that follows") {
  const NotedDocument document = read(table("GPUs|GBS|samples/s", "64|512|40.0 ± 0.5"));
  const LogRun& run = only(document);
  CHECK(ms_of(run) == Approx(12800));
  CHECK(*run.resolution_ms == Approx(12800 * 0.1 / 40));
  CHECK(*run.noted_spread_ms == Approx(12800 * 0.5 / 40));
}

TEST_CASE("a throughput without its batch is refused with what to say") {
  CHECK(texts(read("## Speed\n" + table("GPUs|tokens/s", "64|84000"))) ==
        "!2: table 'Speed', column 'tokens/s': a step time follows from it with gbs and seq, which "
        "neither columns nor headings say: --set gbs=1024 --set seq=2048; the table is left out\n");
  CHECK(read(table("GPUs|tokens/s", "64|84000")).tables.empty());
  const NotedDocument told = read(table("GPUs|tokens/s", "64|84000"), {"gbs=512", "seq=2048"});
  CHECK(ms_of(only(told)) == Approx(512 * 2048 / 84.0));
  CHECK(law_of(only(told), "seq") == "said by --set");
  const NotedDocument headed =
      read("## seq 2048, 64 GPUs, GBS=512\n" + table("MBS|tokens/s/GPU", "2|1312"));
  CHECK(ms_of(only(headed)) == Approx(512 * 2048 / 1312.0 / 64 * 1000));
  CHECK(law_of(only(headed), "gpus") == "said above the table");
  CHECK(only(headed).point.layout.gpus == 64);
}

TEST_CASE("a row without its batch is refused by table and column, the others are read") {
  const std::string rows = table("GPUs|GBS|samples/s", "64|512|41") + "|64||41|\n|64|512|fast|\n";
  const NotedDocument document = read(rows);
  CHECK(texts(document) ==
        "!4: table of line 1, column 'samples/s': '41' gives no step time: the row has no GBS: "
        "left out\n!5: table of line 1, column 'samples/s': 'fast' is no throughput: left out\n");
  CHECK(document.tables.at(0).runs.size() == 1);
}

TEST_CASE("a bare throughput does not say of what and is no time") {
  CHECK(texts(read(table("GPUs|GBS|Throughput", "64|512|122"))) ==
        "!3: table of line 1, column 'Throughput': '122' does not say of what; call the column "
        "'samples/s', 'tokens/s' or 'tokens/s/GPU': left out\n");
}

TEST_CASE("TFLOPS give a time only by a formula that is said") {
  const std::string rows = table("GPUs|Size|GBS|TFLOPS", "64|52B|1024|54.5");
  CHECK(texts(read(rows)) ==
        "!1: table of line 1, column 'TFLOPS': a step time follows from it only by seq and formula "
        "and recompute, which nothing says: --set seq=2048 --set formula=params --set "
        "recompute=full; the table is left out\n");
  CHECK(read(rows, {"seq=1024", "formula=params"}).tables.empty());
  const NotedDocument told = read(rows, {"seq=1024", "formula=params", "recompute=full"});
  CHECK(ms_of(only(told)) == Approx(52e9 * 8 * 1024 * 1024 / 64 / 54.5e12 * 1000));
  CHECK(law_of(only(told), "step_time") == "FLOPs by params / TFLOPS");
}

TEST_CASE("a noted time counts before a throughput, and a gap between them is told") {
  const NotedDocument good = read(table("GPUs|GBS|Step time|samples/s", "64|512|12.5 s|41"));
  CHECK(ms_of(only(good)) == 12500);
  CHECK(law_of(only(good), "step_time").empty());
  CHECK(texts(good).empty());
  const NotedDocument odd = read(table("GPUs|GBS|Step time|samples/s", "64|512|5.2 s|41"));
  CHECK(ms_of(only(odd)) == 5200);
  CHECK(texts(odd) == "3: step time 5.2 s is not GBS / (samples/s) = 12.49 s\n");
  const NotedDocument empty = read(table("GPUs|GBS|Step time|samples/s", "64|512|-|41"));
  CHECK(ms_of(only(empty)) == Approx(512 / 41.0 * 1000));
}

TEST_CASE("times are read however people write them") {
  struct Case {
    std::string title, cell;
    double ms, step, spread;
  };
  const std::vector<Case> cases{
      {"Time", "5.2 ± 0.1 s", 5200, 100, 100},   {"Time", "5.2±0.1", 5200, 100, 100},
      {"Time", "5.2 s ± 2 %", 5200, 100, 104},   {"Time", "5.2 +/- 0.1", 5200, 100, 100},
      {"Time (ms)", "5200 ± 100", 5200, 1, 100}, {"Time (ms)", "5.2 ± 0.1 s", 5200, 100, 100},
      {"Time", "~5.2", 5200, 100, -1},           {"Time", "≈ 5.2 s", 5200, 100, -1},
      {"Time", "1m 23s", 83000, 1000, -1},       {"Time", "1m23.5s", 83500, 100, -1},
      {"Time", "1 min 23 s", 83000, 1000, -1},   {"Time", "1h 2m 3s", 3723000, 1000, -1},
      {"Time", "1:23", 83000, 1000, -1},         {"Time", "1:02:03", 3723000, 1000, -1},
      {"Time", "83 s", 83000, 1000, -1},         {"Time", "83,000 ms", 83000, 1, -1},
      {"Time", "83 s/iter", 83000, 1000, -1},    {"Time", "**83s**", 83000, 1000, -1}};
  for (const auto& c : cases) {
    CAPTURE(c.title, c.cell);
    const NotedDocument document = read(table("GPUs|" + c.title, "64|" + c.cell));
    CAPTURE(texts(document));
    const LogRun& run = only(document);
    CHECK(ms_of(run) == Approx(c.ms).epsilon(1e-14));
    CHECK(run.resolution_ms.value_or(-1) == Approx(c.step));
    CHECK(run.noted_spread_ms.value_or(-1) == Approx(c.spread));
  }
}

TEST_CASE("what is no time of a step is refused by table, row and column") {
  for (const std::string cell :
       {"fast", "0.5 s/sample", "0.5 s/epoch", "1:75", "1:2", "23s 1m", "1m 1m", "<5", "5.2 ± ",
        "5.2 ± -1", "1,5", "5.2 (0.1)", "1:23 ± 2", "5-6", "5.2 GB", "2 x 5 s", "--5"}) {
    CAPTURE(cell);
    const NotedDocument document = read("## T\n" + table("GPUs|Time", "64|" + cell));
    CHECK(document.tables.empty());
    CHECK(texts(document) ==
          fmt::format("!4: table 'T', column 'Time': '{}' is no time: left out\n",
                      cell == "5.2 ± " ? "5.2 ±" : cell));
  }
  CHECK(read(table("GPUs|Time (h:mm)", "64|1:23")).tables.empty());
}

TEST_CASE("a spread has a column of its own, in its unit or in percent") {
  const auto spread = [](const std::string& title, const std::string& cell) {
    const NotedDocument document = read(table("GPUs|Time|" + title, "64|5.2|" + cell));
    return document.tables.empty() ? -1 : only(document).noted_spread_ms.value_or(-2);
  };
  CHECK(spread("±", "0.1") == Approx(100));
  CHECK(spread("std", "± 0.1") == Approx(100));
  CHECK(spread("std (ms)", "100") == Approx(100));
  CHECK(spread("sd", "2 %") == Approx(104));
  CHECK(spread("sd (%)", "2") == Approx(104));
  CHECK(spread("sd", "") == -2);
  CHECK(spread("sd", "n/a") == -2);
  CHECK(spread("sd", "small") == -1);
}

TEST_CASE("GPUs follow from nodes, and contradictions are refused by row") {
  // As the chronicles of 176B have them: nodes of eight GPUs, seconds per iteration.
  const std::string header = "Nodes|Size|TP|PP|DP|MBS|GBS|Mem|Sec/it|TFLOPs";
  const std::string row = "48|200B|4|12|8|2|2048|47GB|189.06|91.67";
  const NotedDocument plain = read(table(header, row));
  CHECK(only(plain).point.layout.gpus == 384);
  CHECK(law_of(only(plain), "gpus") == "TP × PP × DP (× CP)");
  CHECK(ms_of(only(plain)) == 189060);
  CHECK(texts(plain).empty());
  const NotedDocument told = read(table(header, row), {"gpus_per_node=8"});
  CHECK(law_of(only(told), "gpus") == "nodes × GPUs per node");
  CHECK(texts(read(table(header, row), {"gpus_per_node=4"})) ==
        "!3: table of line 1, 48 nodes × 4 GPUs = 192 is not TP 4 × PP 12 × DP 8 = 384: left "
        "out\n");
  CHECK(texts(read(table("Nodes|TP|PP|DP|Time", "5|4|12|8|1s"))) ==
        "!3: table of line 1, TP 4 × PP 12 × DP 8 = 384 is no multiple of 5 nodes: left out\n");
  CHECK(texts(read(table("Nodes|GPUs|GBS|Time", "5|64|8|1s"))) ==
        "!3: table of line 1, GPUs 64 is no multiple of 5 nodes: left out\n");
  const NotedDocument column = read(table("Nodes|GPUs/node|GBS|Time", "4|8|64|1s"));
  CHECK(only(column).point.layout.gpus == 32);
  const NotedDocument headed = read("## 8 GPUs per node\n" + table("Nodes|GBS|Time", "4|64|1s"));
  CHECK(only(headed).point.layout.gpus == 32);
  // TP and PP alone say nothing of DP.
  CHECK_FALSE(only(read(table("Nodes|TP|PP|GBS|Time", "4|4|2|64|1s"))).point.layout.gpus);
}

TEST_CASE("a table of saving checkpoints has nodes and times and is none of steps") {
  const std::string saves = table("Nodes|MSize|Time (ms)", "8|25B|17960.68");
  CHECK(read(saves).tables.empty());
  CHECK(read(saves, {"gpus_per_node=4"}).tables.empty());
}

TEST_CASE("times of starting, compiling and parts of a step are never the step's, nor axes") {
  const NotedDocument document = read(
      "## T\n" + table("GPUs|GBS|Init time|Compile (s)|Sec/it|Load|fwd (ms)|Total time|Warm-up",
                       "64|512|120 s|33|5.2|40 s|1700|2h|5"));
  CHECK(ms_of(only(document)) == 5200);
  CHECK(only(document).point.axes == NamedValues{{"warm_up", value_of("5")}});
  CHECK(texts(document) ==
        "2: table 'T': step times are from column 'Sec/it', not from 'Init time', 'Compile (s)', "
        "'Load', 'fwd (ms)', 'Total time'\n");
  const NotedDocument none = read("## T\n" + table("GPUs|GBS|Init time", "64|512|120 s"));
  CHECK(none.tables.empty());
  CHECK(texts(none) ==
        "2: table 'T': no column is of step times, which come not from 'Init time': left out\n");
}

TEST_CASE("of several columns of step times the usual one is taken, or the one that is said") {
  const std::string two = table("GPUs|Step time|Time", "64|5 s|7 s");
  CHECK(ms_of(only(read(two))) == 5000);
  CHECK(only(read(two)).point.axes.empty());
  CHECK(texts(read(two)) ==
        "1: table of line 1: step times are from column 'Step time', not from 'Time'\n");
  const std::string doubt = table("GPUs|Speed|Time", "64|5 s|7 s");
  CHECK(read(doubt).remarks.at(0).refused);
  CHECK(ms_of(only(read(doubt, {"step_time=Time"}))) == 7000);
  CHECK(ms_of(only(read(table("GPUs|Elapsed time", "64|7 s"), {"step_time=elapsed time"}))) ==
        7000);
}

TEST_CASE("rows out of memory are runs, silent ones are nothing, whatever column says so") {
  const std::string rows = table("GPUs|GBS|tokens/s|seq|mem", "64|512|OOM|2048|") +
                           "|64|512|OOM'd|2048||\n|64|512|n/a|2048|OOM|\n|64|512|-|2048||\n"
                           "|64|512||2048||\n|64|512|killed|2048||\n";
  const NotedDocument document = read(rows);
  REQUIRE(document.tables.size() == 1);
  std::vector<RunState> states;
  for (const auto& run : document.tables[0].runs) states.push_back(run.state);
  CHECK(states == std::vector<RunState>{RunState::kOom, RunState::kOom, RunState::kOom,
                                        RunState::kMissing, RunState::kFailed});
  CHECK(texts(document) == "7: table of line 1, no time, and no word why: left out\n");
}

TEST_CASE("nothing unsaid is in an imported point") {
  const NotedDocument document = read(table("GPUs|Size|GBS|Time", "64|52B|1024|129s"));
  const LogRun& run = only(document);
  CHECK_FALSE(run.point.model.seq);
  CHECK(run.recompute.empty());
  CHECK(run.derived.empty());
}

TEST_CASE("words that say what tables do not are checked") {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"seq"}, "--set 'seq': is not like seq=2048"},
      {{"seq="}, "--set 'seq=': is not like seq=2048"},
      {{"seq=0"}, "--set 'seq=0': '0' is no whole number above 0"},
      {{"seq=2k"}, "--set 'seq=2k': '2k' is no whole number above 0"},
      {{"sqe=1"}, "--set 'sqe=1': unknown name 'sqe', did you mean 'seq'?"},
      {{"seq=1", "seq=2"}, "--set 'seq=2': 'seq' is said twice"},
      {{"recompute=selective"},
       "--set 'recompute=selective': recompute is full (factor 4) or none (factor 3)"},
      {{"formula=mine"},
       "--set 'formula=mine': formula is params, hardware, model, megatron or palm"}};
  for (const auto& [words, message] : cases) CHECK_THROWS_WITH(note_settings(words), message);
}
