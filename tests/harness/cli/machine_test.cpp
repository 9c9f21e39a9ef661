// SPDX-License-Identifier: Apache-2.0
// Sweeps of the probes that measure a network and products, with the real probes.
#include <nlohmann/json.hpp>

#include "core/base/process.h"
#include "core/base/text.h"
#include "harness/scrape/scrape.h"
#include "sweeps/estimate/measured.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using nlohmann::json;
using test::Call;
using test::Workplace;

namespace {

const std::string kCollective =
    "sweep: net\nprobe: collective\ngrid: {op: [all_reduce, all_gather], bytes: [8K]}\n"
    "fixed: {ranks: 2, step_ms: 1}\niterations: 4\nwarmup: 1\nrepeats: 2\n";
const std::string kGemm =
    "sweep: mul\nprobe: gemm\ngrid: {m: [64, 128]}\nfixed: {n: 64, k: 64, step_ms: 1}\n"
    "iterations: 3\nwarmup: 0\nrepeats: 2\n";

}  // namespace

TEST_CASE("a sweep of collectives has rows with time and bus bandwidth") {
  const Workplace here;
  here.write("s.yaml", kCollective);
  const Call run = here.pippin("run s.yaml");
  CAPTURE(run.out, run.err);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, Contains("ranks 2") && Contains("bytes 8192") && Contains(" µs ± ") &&
                          Contains("busbw GB/s") && Contains("2/2/6"));
  CHECK_THAT(run.out, !Contains("TP") && !Contains("MBS") && !Contains("step time"));
  CHECK(here.sql("SELECT count(*) FROM iterations") == "16");
  CHECK(here.sql("SELECT count(*) FROM points WHERE tp IS NULL AND gpus = 2 AND trainer = "
                 "'collective'") == "2");

  const json rows = json::parse(here.pippin("--quiet report net --format json").out).at("rows");
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) {
    const double factor = row.at("op") == "all_reduce" ? 1.0 : 0.5;  // of 2 ranks
    CHECK(row.at("busbw_gb_per_s").get<double>() ==
          Approx(factor * 8192 / row.at("step_time_s").get<double>() / 1e9));
    CHECK(row.at("busbw_high_gb_per_s").is_null() == (row.at("ci_low_s").get<double>() <= 0));
  }
  CHECK_THAT(here.pippin("--quiet report net --format csv").out,
             Contains("busbw_gb_per_s,busbw_low_gb_per_s,busbw_high_gb_per_s,tflops"));
  CHECK_THAT(here.pippin("--quiet report net --format markdown").out,
             Contains(" busbw GB/s |") && Contains(" time |"));
  CHECK(here.pippin("report net --where 'busbw > 0' --sort busbw --vs first").exit_code == 0);
}

TEST_CASE("compare and noise work on collectives as on training") {
  const Workplace here;
  here.write("s.yaml", kCollective);
  here.pippin("--quiet run s.yaml");
  here.pippin("--quiet run s.yaml --again");
  const Call compare = here.pippin("compare net/1 net/2");
  CAPTURE(compare.out, compare.err);
  CHECK(compare.exit_code == 0);
  CHECK_THAT(compare.out, Contains("collective-all_reduce-8K-float-2ranks"));
  const Call noise = here.pippin("noise net");
  CHECK(noise.exit_code == 0);
  CHECK_THAT(noise.out, Contains("8 runs of 2 configurations in 4 allocations"));
}

TEST_CASE("a sweep of products has rows with the TFLOPS of a rank") {
  const Workplace here;
  here.write("s.yaml", kGemm);
  const Call run = here.pippin("run s.yaml");
  CAPTURE(run.out, run.err);
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, Contains("TFLOPS per GPU by formula products") && Contains("TFLOPS"));
  const json rows = json::parse(here.pippin("--quiet report mul --format json").out).at("rows");
  REQUIRE(rows.size() == 2);
  for (const auto& row : rows) {
    const double flops = 2.0 * 64 * 64 * std::stod(row.at("m").dump());
    CHECK(row.at("tflops").get<double>() ==
          Approx(flops / row.at("step_time_s").get<double>() / 1e12));
    CHECK(row.at("flops_formula") == "products");
    CHECK_FALSE(row.contains("busbw_gb_per_s"));
  }
}

TEST_CASE("a collective whose data are wrong is a failed run with the probe's line") {
  const Workplace here;
  here.shell("mkdir -p here/probes; cp \"$PIPPIN\" here/pippin");
  // The real probe's answer and steps, and then what it says of wrong data.
  here.write("here/probes/collective",
             "#!/usr/bin/env bash\n[ \"$1\" = --capabilities ] && exec " PROBES
             "/collective "
             "\"$@\"\n" PROBES
             "/collective \"$@\" || exit\n"
             "echo 'collective: 3 elements were wrong after all_reduce of 8 bytes' >&2\nexit 1\n");
  here.shell("chmod +x here/probes/collective");
  here.write("s.yaml", "sweep: s\nprobe: collective\ngrid: {bytes: [8]}\niterations: 2\n");
  const Call run = here.shell("here/pippin --db t.db run s.yaml");
  CAPTURE(run.out, run.err);
  CHECK(run.exit_code == 1);
  CHECK(here.sql("SELECT state || ': ' || evidence FROM runs") ==
        "failed: exit 1: collective: 3 elements were wrong after all_reduce of 8 bytes");
}

TEST_CASE("the probes and pippin count products and bandwidths alike") {
  for (const std::string options :
       {"--m 30 --n 20 --k 10", "--tp 2 --mbs 3 --hidden 96 --heads 6 --seq 40 --vocab 300",
        "--style llama --tp 2 --hidden 128 --heads 8 --kv-heads 2 --seq 24"}) {
    CAPTURE(options);
    const Outcome outcome =
        run_program({"bash", "-c", PROBES "/gemm --iterations 1 --step-ms 0 " + options});
    const auto runs = scrape(outcome.output);
    REQUIRE(runs.size() == 1);
    const Value* flops = find_value(runs.front().arguments, "flops");
    CHECK(product_flops(runs.front().point).value_or(0) == Approx(flops->number.value_or(-1)));
  }
  const Outcome outcome =
      run_program({"bash", "-c",
                   "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1\n"
                   "mpirun --oversubscribe -n 3 " PROBES
                   "/collective --operation all --bytes 1000 --iters 2 --json -"});
  std::size_t compared = 0;
  for (const auto line : split(outcome.output, '\n')) {
    if (!line.starts_with("{\"record\":\"collective\"")) continue;
    const json record = json::parse(line);
    const std::string operation = record.at("operation"), type = record.at("datatype");
    const CollectiveCall call{operation, 1000, type, record.at("ranks").get<std::int64_t>()};
    CHECK(bytes_sent(call) == record.at("bytes").get<std::int64_t>());
    CHECK(bus_bandwidth_gb_per_s(call, record.at("time_us").get<double>() * 1e-6).value_or(0) ==
          Approx(record.at("busbw_gbs").get<double>()));
    ++compared;
  }
  CHECK(compared == 14);  // seven operations, out of place and in place
}
