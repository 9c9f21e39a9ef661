// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/canary.h"

#include "core/base/error.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

const std::string kJson =
    R"({"canary":1,"seconds":4.9,"ranks":8,"nodes":2,"library":"NCCL 2.28.9","gemm":{"m":512,"n":256,"k":128,)"
    R"("tflops_min":0.05,"tflops_median":0.055,"tflops_max":0.06,"slowest_rank":3,)"
    R"("slowest_host":"n2"},"all_reduce":[{"bytes":8,"time_us_min":1.0,"time_us_median":1.2,)"
    R"("time_us_p99":4.0,"busbw_gbs_median":0.01},{"bytes":4194304,"time_us_min":900,)"
    R"("time_us_median":1000,"time_us_p99":1100,"busbw_gbs_median":7.3}],)"
    R"("pairs":[{"a":"n1","b":"n2","gbs":1.2}]})";

const std::string kAlone =
    R"({"canary":1,"seconds":0.5,"ranks":1,"nodes":1,"gemm":{"m":1,"n":1,"k":1,"tflops_min":0,)"
    R"("tflops_median":0,"tflops_max":0,"slowest_rank":0,"slowest_host":"n1"},"all_reduce":[],)"
    R"("pairs":[]})";

/// kJson with one thing said otherwise.
std::string with(const std::string& before, const std::string& after) {
  const auto at = kJson.find(before);
  REQUIRE(at != std::string::npos);
  std::string json = kJson;
  return json.replace(at, before.size(), after);
}

std::string error_of(const std::string& json) {
  try {
    read_canary_figures(json);
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  return "(none)";
}

std::optional<CanaryReading> reading_of(const std::string& printed) {
  return read_canary("canary=3 taken=1700000000\n" + printed);
}

}  // namespace

TEST_CASE("a canary's figures are read with their units") {
  const CanaryFigures figures = read_canary_figures(kJson);
  CHECK(figures.seconds == 4.9);
  CHECK(figures.ranks == 8);
  CHECK(figures.nodes == 2);
  CHECK(figures.library == "NCCL 2.28.9");
  CHECK(read_canary_figures(kAlone).library.empty());
  CHECK(figures.gemm.m == 512);
  CHECK(figures.gemm.n == 256);
  CHECK(figures.gemm.k == 128);
  CHECK(figures.gemm.min_tflops == 0.05);
  CHECK(figures.gemm.median_tflops == 0.055);
  CHECK(figures.gemm.max_tflops == 0.06);
  CHECK(figures.gemm.slowest_rank == 3);
  CHECK(figures.gemm.slowest_host == "n2");
  REQUIRE(figures.all_reduce.size() == 2);
  CHECK(figures.all_reduce[1].bytes == 4194304);
  CHECK(figures.all_reduce[1].min_us == 900);
  CHECK(figures.all_reduce[1].median_us == 1000);
  CHECK(figures.all_reduce[1].p99_us == 1100);
  CHECK(figures.all_reduce[1].median_busbw_gb_per_s == 7.3);
  REQUIRE(figures.pairs.size() == 1);
  CHECK(figures.pairs[0].a == "n1");
  CHECK(figures.pairs[0].b == "n2");
  CHECK(figures.pairs[0].gb_per_s == 1.2);
}

TEST_CASE("a canary of one rank has neither all-reduce nor pairs") {
  const CanaryFigures figures = read_canary_figures(kAlone);
  CHECK(figures.all_reduce.empty());
  CHECK(figures.pairs.empty());
}

TEST_CASE("what a newer canary says besides is left out") {
  CHECK(read_canary_figures(with(R"("seconds":)", R"("clock_mhz":[1980],"seconds":)")).seconds ==
        4.9);
  CHECK(read_canary_figures(with(R"("m":512)", R"("type":"bf16","m":512)")).gemm.m == 512);
}

TEST_CASE("whatever is wrong with a canary's figures is said in a line") {
  struct Case {
    std::string json, message;
  };
  const std::vector<Case> cases{
      {"", "broken JSON: "},
      {R"({"canary":1,)", R"(broken JSON: {"canary":1,)"},
      {"[1]", "not an object: [1]"},
      {"{}", "canary is missing"},
      {with(R"("canary":1)", R"("canary":2)"),
       "canary is 2, and this pippin reads 1; use the pippin that the probe came with"},
      {with(R"("canary":1)", R"("canary":true)"), "canary must be a whole number from 1 on"},
      {with("4.9", R"("4.9")"), "seconds must be a number from 0 on"},
      {with("4.9", "-1"), "seconds must be a number from 0 on"},
      {with("4.9", "null"), "seconds must be a number from 0 on"},
      {with(R"("ranks":8)", R"("ranks":0)"), "ranks must be a whole number from 1 on"},
      {with(R"("ranks":8)", R"("ranks":8.5)"), "ranks must be a whole number from 1 on"},
      {with(R"("ranks":8)", R"("ranks":-8)"), "ranks must be a whole number from 1 on"},
      {with(R"("ranks":8)", R"("ranks":18446744073709551615)"),
       "ranks must be a whole number from 1 on"},
      {with(R"("nodes":2,)", ""), "nodes is missing"},
      {with(R"("m":512)", R"("m":"512")"), "gemm: m must be a whole number from 1 on"},
      {with(R"("slowest_rank":3,)", ""), "gemm: slowest_rank is missing"},
      {with(R"("n2")", "2"), "gemm: slowest_host must be a text"},
      {with(R"("n2")", R"("")"), "gemm: slowest_host is empty"},
      {with(R"("pairs":[)", R"("pairs":{}, "x":[)"), "pairs must be a list"},
      {with(R"({"a":"n1")", R"(7,{"a":"n1")"), "pairs[0] must be an object"},
      {with(R"("gbs":1.2)", R"("gbs":"fast")"), "pairs[0]: gbs must be a number from 0 on"},
      {with(R"("pairs":[)", R"("pairs":[{"a":"n1","b":"n2","gbs":1},)"),
       "pairs has n1 and n2 twice"},
      {with("4194304", "8"), "all_reduce has 8 bytes twice"},
      {with(R"("time_us_p99":1100,)", ""), "all_reduce[1]: time_us_p99 is missing"},
  };
  for (const auto& entry : cases) {
    CAPTURE(entry.json);
    CHECK(error_of(entry.json) == entry.message);
  }
}

TEST_CASE("a reading knows its number and when it was taken") {
  const auto reading = reading_of("starting\n" + kJson + "\n");
  REQUIRE(reading);
  CHECK(reading->number == 3);
  CHECK(reading->taken_at == 1700000000);
  CHECK(reading->problem.empty());
  CHECK(reading->figures->ranks == 8);
  CHECK(reading_of(kJson + "\nmpirun: a last word\n")->figures);
}

TEST_CASE("a canary that failed is a reading with a problem") {
  const auto failed = reading_of("one\ncanary: no device\n\nexit=14\n");
  REQUIRE(failed);
  CHECK(failed->problem == "exit 14: canary: no device");
  CHECK_FALSE(failed->figures);
  CHECK(reading_of("\nexit=127\n")->problem == "exit 127");
  CHECK(reading_of(R"({"canary":1})")->problem == "seconds is missing");
}

TEST_CASE("what holds no reading is none") {
  CHECK_FALSE(read_canary(""));
  CHECK_FALSE(read_canary(kJson));
  CHECK_FALSE(read_canary("canary=3 taken=1700000000"));
  CHECK_FALSE(read_canary("canary=three taken=1700000000\n" + kJson));
  CHECK_FALSE(reading_of(""));
  CHECK_FALSE(reading_of("gemm: 19.5 TFLOPS\n"));
}
