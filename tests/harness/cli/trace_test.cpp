// SPDX-License-Identifier: Apache-2.0
// `pippin trace` of real runs of the training probe, and of logs.
#include <fmt/format.h>
#include <set>

#include "core/base/text.h"
#include "harness/scrape/rank_trace.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/skip.h"
#include "tests/support/trace_format.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Json;
using test::Workplace;

namespace {

const std::string kSweep =
    "sweep: traced\n"
    "cluster: local\n"
    "command: \"{launch} {probe_dir}/training --layers {layers} --hidden {hidden} --heads {heads} "
    "--seq {seq} --vocab {vocab} --tp {tp} --pp {pp} --mbs {mbs} --gas {gas} "
    "--iterations {iterations} --trace {run_dir}/trace\"\n"
    "model: {layers: 2, hidden: 16, heads: 2, seq: 16, vocab: 64}\n"
    "grid: {pp: [2]}\n"
    "fixed: {gas: 3}\n"
    "gpus: 2\n"
    "iterations: 2\n"
    "repeats: {allocations: 1, runs: 1}\n";

bool has_mpi() { return Workplace().shell("command -v mpirun").exit_code == 0; }

/// A run of the probe with two stages, which has traced.
struct Traced : Workplace {
  explicit Traced(const std::string& sweep = kSweep) {
    write("s.yaml", sweep);
    const Call run = pippin("run s.yaml --quiet");
    CAPTURE(run.out, run.err);
    REQUIRE(run.exit_code == 0);
  }
  std::string folder() const {
    return std::string(trim(shell("echo t.db.runs/traced/*/1-local-0/trace").out));
  }
  std::string file(int rank) const { return fmt::format("{}/rank-{}.jsonl", folder(), rank); }
  Json trace() const {
    const Call call = pippin("trace 1");
    CAPTURE(call.err);
    REQUIRE(call.exit_code == 0);
    return test::checked_trace(call.out);
  }
};

/// A log of Megatron with timers, collected as run 1.
void collect_megatron(const Workplace& here) {
  const std::string log = (test::source_directory() / "tests/data/trainers/megatron.log").string();
  REQUIRE(here.pippin("collect --quiet " + log).exit_code == 0);
}

/// The records of a rank's file; the first is its head.
std::vector<TraceRecord> records_of(const std::string& text) {
  std::vector<TraceRecord> records;
  for (const auto line : split(trim(text), '\n')) records.push_back(read_trace_line(line));
  return records;
}

struct Drawn {
  std::string name;
  std::int64_t begin_ns = 0, duration_ns = 0;
  bool operator<(const Drawn& other) const {
    return std::tie(begin_ns, duration_ns, name) <
           std::tie(other.begin_ns, other.duration_ns, other.name);
  }
  bool operator==(const Drawn& other) const = default;
};

/// What a rank's file says, on the first rank's clock.
std::multiset<Drawn> drawn_of_records(const std::vector<TraceRecord>& records) {
  const std::int64_t offset = std::get<TracedRank>(records.at(0)).clock_offset_ns;
  std::multiset<Drawn> drawn;
  for (const auto& record : records) {
    if (const auto* activity = std::get_if<TracedActivity>(&record))
      drawn.insert({activity->name, activity->begin_ns + offset, activity->duration_ns});
    if (const auto* call = std::get_if<TracedCall>(&record))
      drawn.insert({call->of, call->begin_ns + offset, call->busy_ns});
  }
  return drawn;
}

/// What the trace shows of a rank but its iterations, moved by `begin_ns`.
std::multiset<Drawn> drawn_in_trace(const Json& trace, std::int64_t rank, std::int64_t begin_ns) {
  std::multiset<Drawn> drawn;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("pid") != rank || event.at("cat") == "iteration")
      continue;
    drawn.insert(
        {event.at("name"), test::ns_of(event.at("ts")) + begin_ns, test::ns_of(event.at("dur"))});
  }
  return drawn;
}

}  // namespace

TEST_CASE("a run's trace is what its ranks have written down, to the nanosecond") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  const Traced here;
  const Json trace = here.trace();
  const auto first = drawn_of_records(records_of(here.text(here.file(0))));
  const auto second = drawn_of_records(records_of(here.text(here.file(1))));
  REQUIRE(first.size() > 20);
  const std::int64_t begin = std::min(first.begin()->begin_ns, second.begin()->begin_ns);
  CHECK(drawn_in_trace(trace, 0, begin) == first);
  CHECK(drawn_in_trace(trace, 1, begin) == second);
  CHECK_THAT(test::name_in_trace(trace, "process_name", 1, 0),
             Catch::StartsWith("rank 1 (tp0 dp0 pp1) "));
  CHECK(test::spans_named(trace, "iteration 1").size() == 2);
  CHECK(trace.at("otherData").at("sweep") == "traced");
  CHECK(trace.at("otherData").at("run") == here.sql("SELECT name FROM runs"));
}

TEST_CASE("a sweep of the probe says that its ranks are to trace") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  std::string sweep = kSweep;
  const auto at = sweep.find("command:");
  sweep.replace(at, sweep.find('\n', at) - at, "trace: true");
  const Traced here(sweep);
  CHECK(test::spans_named(here.trace(), "forward-compute").size() == 12);
}

TEST_CASE("every message of a pipeline has an arrow to where it was received") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  const Traced here;
  const Json trace = here.trace();
  std::set<std::string> begun, ended;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "s") CHECK(begun.insert(event.at("id")).second);
    if (event.at("ph") == "f") CHECK(ended.insert(event.at("id")).second);
  }
  CHECK(begun.size() == 2 * 2 * 3);  // iterations, directions, micro-batches
  CHECK(begun == ended);
}

TEST_CASE("a trace goes to a file at once, over one that is there") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  const Traced here;
  here.write("out/trace.json", "old");
  const Call call =
      here.pippin("trace traced/" + here.sql("SELECT name FROM runs") + " -o out/trace.json");
  CAPTURE(call.err);
  CHECK(call.exit_code == 0);
  CHECK(call.out.empty());
  CHECK_THAT(call.err, Contains("out/trace.json: ") && Contains("ui.perfetto.dev"));
  CHECK(here.text("out/trace.json") == here.pippin("trace 1").out);
  CHECK(here.shell("ls -A out").out == "trace.json\n");
  CHECK(here.pippin("trace 1 -o /dev/full").exit_code == 2);
  if (here.shell("test -w /dev/full").exit_code == 0)
    CHECK(here.pippin("trace 1 >/dev/full").exit_code == 3);
}

TEST_CASE("a packed run is drawn as it was before") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  const Traced here;
  const std::string before = here.pippin("trace 1").out;
  REQUIRE(here.pippin("pack traced").exit_code == 0);
  REQUIRE(here.shell("test -e " + here.folder()).exit_code != 0);
  const Call call = here.pippin("trace 1");
  CHECK(call.err.empty());
  CHECK(call.out == before);
}

TEST_CASE("of a trace that ends in the middle of a line the rest is drawn") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  const Traced here;
  const auto lines = split(trim(here.text(here.file(1))), '\n').size();
  here.shell("truncate -s -30 " + here.file(1));
  const Call call = here.pippin("trace 1");
  CHECK(call.exit_code == 0);
  const Json trace = test::checked_trace(call.out);
  CHECK(drawn_in_trace(trace, 1, 0).size() == lines - 2);  // the head, and the last
  CHECK_THAT(call.err, Contains(fmt::format("rank-1.jsonl:{}: is cut, or no record of a trace: it "
                                            "is left out",
                                            lines)));
  here.shell("for i in 1 2 3; do echo '{\"x\":1}'; done >>" + here.file(0));
  CHECK_THAT(here.pippin("trace 1").err, Contains("it and 3 lines like it are left out"));
}

TEST_CASE("times that cannot be are named by file and line, and the others are drawn") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  const Traced here;
  const auto line = split(trim(here.text(here.file(0))), '\n').size() + 1;
  here.shell(
      "echo '{\"iteration\":9,\"activity\":\"optimizer\",\"begin_ns\":-5,"
      "\"duration_ns\":10}' >>" +
      here.file(0));
  const Call call = here.pippin("trace 1");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.err, Contains(fmt::format("rank-0.jsonl:{}: its times are out of range", line)));
  CHECK(test::spans_named(test::checked_trace(call.out), "iteration 9").empty());
}

TEST_CASE("a rank whose trace is missing, or of somebody else, is named") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  const Traced here;
  here.shell("cp " + here.file(0) + " kept; rm " + here.file(0));
  const Call missing = here.pippin("trace 1");
  CHECK(missing.exit_code == 0);
  CHECK_THAT(missing.err, Contains("trace: rank-0.jsonl is not there: its rank is drawn without"));
  test::checked_trace(missing.out);
  here.shell("cp " + here.file(1) + " " + here.file(0));
  CHECK_THAT(here.pippin("trace 1").err,
             Contains("rank-0.jsonl:1: does not say that it is of rank 0"));
  here.shell("cp kept " + here.file(0) + "; rm " + here.file(1));
  CHECK_THAT(here.pippin("trace 1").err, Contains("rank-1.jsonl is not there"));
}

TEST_CASE("where the traces are gone the log's timers are drawn, or those of another folder") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  const Traced here;
  const std::string before = here.pippin("trace 1").out;
  here.shell("mv " + here.folder() + " elsewhere");
  const Call gone = here.pippin("trace 1");
  CHECK(gone.exit_code == 0);
  CHECK_THAT(gone.err, Contains("no trace is there any more; name where they are with --traces"));
  CHECK_THAT(gone.err, Contains("timers tell how long, not when"));
  const Json timers = test::checked_trace(gone.out);
  CHECK(test::spans_named(timers, "forward-compute").size() == 2 * 2);  // least and most
  const Call named = here.pippin("trace 1 --traces elsewhere");
  CHECK(named.out == before);
  const Call nothing = here.pippin("trace 1 --traces .");
  CHECK(nothing.exit_code == 2);
  CHECK_THAT(nothing.err, Contains(".: no trace is there"));
}

TEST_CASE(
    "a folder that the command named from where it ran is found, and doubted when it is old") {
  if (!has_mpi()) return test::skip("mpirun is not installed");
  std::string sweep = kSweep;
  sweep.replace(sweep.find("{run_dir}/trace"), 15, "\'a b\'/{name}");
  const Traced here(sweep);
  const Call call = here.pippin("trace 1");
  CAPTURE(call.err);
  CHECK(call.err.empty());
  CHECK(test::spans_named(test::checked_trace(call.out), "iteration 1").size() == 2);
  here.shell("touch -d '2 days ago' 'a b'/*/rank-0.jsonl");
  CHECK_THAT(here.pippin("trace 1").err,
             Contains("rank-0.jsonl: was not written while the run went on"));
}

TEST_CASE("timers of Megatron are drawn below their iterations, and said to be no moments") {
  const Workplace here;
  collect_megatron(here);
  const Call call = here.pippin("trace 1");
  CAPTURE(call.err);
  CHECK(call.exit_code == 0);
  CHECK(call.err ==
        "timers tell how long, not when: where one stands within its iteration is no finding\n");
  const Json trace = test::checked_trace(call.out);
  const auto timers = test::spans_named(trace, "forward-backward");
  REQUIRE(timers.size() == 4);  // two lines, least and most
  CHECK(timers[0].at("args").at("ms") == 8198.27);
  CHECK(test::ns_of(timers[0].at("dur")) == 8'198'270'000);
  CHECK(test::track_of(trace, timers[0]) == "timers (how long, not when), the least of all ranks");
  CHECK(test::spans_named(trace, "iteration 1").size() == 1);
}

TEST_CASE("a log without timers is drawn by its iterations alone") {
  const Workplace here;
  const std::string logs = (test::source_directory() / "tests/data/logs").string();
  here.pippin("collect --quiet " + logs + "/megatron-2021-16-gpus.out");
  const Call call = here.pippin("trace 1");
  CHECK(call.exit_code == 0);
  CHECK(call.err == "the log has no timers: only its iterations are drawn\n");
  const auto spans = test::spans_named(test::checked_trace(call.out), "iterations 11–20");
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].at("args").at("mean_of") == 10);
  CHECK(here.pippin("trace 1 --quiet").err.empty());
}

TEST_CASE("what cannot be drawn is one line, and no file") {
  const Workplace here;
  CHECK(here.pippin("trace 1").exit_code == 2);
  collect_megatron(here);
  const Call unknown = here.pippin("trace megatrom -o x.json");
  CHECK(unknown.exit_code == 2);
  CHECK_THAT(unknown.err, Contains("no run is named 'megatrom', did you mean 'megatron'?"));
  here.sql("DELETE FROM other_blocks; DELETE FROM iteration_blocks");
  const Call nothing = here.pippin("trace 1 -o x.json");
  CHECK(nothing.exit_code == 2);
  CHECK(nothing.err ==
        "pippin: megatron: nothing to draw: it has no iteration, and no trace of its ranks (it is "
        "ok)\n");
  CHECK(here.pippin("trace 1").out.empty());
  CHECK(here.shell("ls -A | grep x.json").out.empty());
}

TEST_CASE("a terminal is told to name a file instead") {
  const Workplace here;
  if (here.shell("script -qec true /dev/null </dev/null").exit_code != 0)
    return test::skip("there is no program 'script'");
  collect_megatron(here);
  const Call call = here.shell("script -qec '\"$PIPPIN\" --db t.db trace 1' /dev/null </dev/null");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.out, Contains("name a file with -o trace.json"));
}
