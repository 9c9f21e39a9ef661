// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using test::Call;
using test::Workplace;

namespace {

nlohmann::json noise_in(const Workplace& here, const std::string& words) {
  const Call call = here.pippin("noise --format json " + words);
  REQUIRE(call.exit_code == 0);
  return nlohmann::json::parse(call.out);
}

/// A sweep of replay whose noise is known.
std::string sweep(const std::string& fixed, int allocations) {
  return "sweep: s\nseed: 2\nprobe: replay\ngrid: {mbs: [1, 2, 4]}\nfixed: {sleep_factor: 0, " +
         fixed + "}\niterations: 15\nrepeats: {allocations: " + std::to_string(allocations) +
         ", runs: 2}\n";
}

}  // namespace

TEST_CASE("noise names the level at which times vary") {
  const Workplace here;
  here.write("s.yaml", sweep("allocation_sd: 8%, run_sd: 1%, iteration_sd: 2%", 12));
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  const auto found = noise_in(here, "s");
  CHECK(found.at("runs") == 72);
  CHECK(found.at("allocations") == 12);
  CHECK(found.at("configurations") == 3);
  const auto& levels = found.at("levels");
  REQUIRE(levels.size() == 3);
  CHECK(levels.at(0).at("level") == "allocation");
  CHECK(levels.at(0).at("share").get<double>() > 0.5);
  double shares = 0;
  const std::vector<double> truth{0.08, 0.01, 0.02};
  for (std::size_t i = 0; i < 3; ++i) {
    shares += levels.at(i).at("share").get<double>();
    CAPTURE(i);
    // The draw is fixed by the sweep's seed; its interval holds the truth.
    CHECK(levels.at(i).at("low").get<double>() < truth[i]);
    CHECK(levels.at(i).at("high").get<double>() > truth[i]);
  }
  CHECK(shares == Approx(1));
  CHECK(found.at("causes").is_null());
  CHECK(found.at("suspects").empty());
  CHECK(found.at("no_suspects_because").is_string());
  CHECK(found.at("time_of_day").contains("refused"));
  CHECK_THAT(found.at("sentences").at(0).get<std::string>(),
             Contains("lies between allocations: "));
  CHECK(noise_in(here, "").at("runs") == 72);
  CHECK(noise_in(here, "s/1").at("levels") == levels);
}

TEST_CASE("noise answers whatever there is") {
  const Workplace here;
  CHECK(here.pippin("noise").exit_code == 2);
  here.write(
      "s.yaml",
      "sweep: s\nprobe: replay\ngrid: {mbs: [1]}\nfixed: {sleep_factor: 0}\niterations: 1\n");
  REQUIRE(here.pippin("run s.yaml --quiet").exit_code == 0);
  CHECK(noise_in(here, "").at("levels").empty());
  // Without any spread.
  here.write(
      "t.yaml",
      "sweep: t\nprobe: replay\ngrid: {mbs: [1, 2]}\nfixed: {sleep_factor: 0}\niterations: 5\n"
      "repeats: {allocations: 3}\n");
  REQUIRE(here.pippin("run t.yaml --quiet").exit_code == 0);
  CHECK(noise_in(here, "t").at("levels").empty());
  // All runs failed.
  here.write("u.yaml",
             "sweep: u\nprobe: replay\ngrid: {mbs: [1]}\nfixed: {sleep_factor: 0, fail_at: "
             "3}\niterations: 5\n");
  REQUIRE(here.pippin("run u.yaml --quiet").exit_code == 1);
  CHECK(noise_in(here, "u").at("runs") == 0);
  CHECK(noise_in(here, "u").at("no_suspects_because") == "no run went well");
  for (const char* format : {"terminal", "markdown", "csv"}) {
    const Call call = here.pippin("noise --format " + std::string(format));
    CHECK(call.exit_code == 0);
    CHECK_FALSE(call.out.empty());
    CHECK(call.out.find("nan") == std::string::npos);
  }
  CHECK(here.pippin("noise nothing").err ==
        "pippin: t.db: no sweep, campaign or tag is named 'nothing'\n");
  CHECK(here.pippin("noise --format xml").exit_code == 2);
}

namespace {

/// A job of a log from elsewhere: 20 lines on four nodes.
std::string job_log(int job) {
  std::string log =
      "SLURM_JOB_NODELIST=n[1-4]\n"
      "------------------------ arguments ------------------------\n"
      "  micro_batch_size ................................ 1\n"
      "  world_size ...................................... 4\n"
      "-------------------- end of arguments ---------------------\n";
  for (int i = 1; i <= 20; ++i)
    log += fmt::format(
        " iteration {:8}/      20 | consumed samples: {} | elapsed time per iteration (ms): {}.0 | "
        "learning rate: 1.0E-04 | global batch size:     4 | number of skipped iterations:   0 | "
        "number of nan iterations:   0 |\n",
        i, 4 * i, 1000 + 20 * (job % 3) + (i * 7 + job) % 5);
  return log;
}

}  // namespace

TEST_CASE("a table of pairs from elsewhere names the node behind runs that say where they were") {
  const Workplace here;
  for (int job = 1; job <= 5; ++job) here.write(fmt::format("logs/{}.out", job), job_log(job));
  here.write("pairs.txt",
             "# Pairs: 33554432 bytes each way at once, median of 20, GB/s each way\n"
             "#        n1     n2     n3     n4\n"
             "#  n1     -   10.1   0.95   10.2\n"
             "#  n2  10.1      -   0.97    9.9\n"
             "#  n3  0.95   0.97      -   1.02\n"
             "#  n4  10.2    9.9   1.02      -\n"
             "# Slowest pair         : n1 n3, 0.950 GB/s\n");
  REQUIRE(here.pippin("collect logs").exit_code == 0);
  CHECK(noise_in(here, "").at("suspects").empty());
  const Call call = here.pippin("collect pairs.txt");
  CHECK(call.exit_code == 0);
  CHECK_THAT(call.err, Contains("1 network table added"));
  CHECK_THAT(here.pippin("collect pairs.txt").err, Contains("nothing added; 1 log known already"));
  const auto suspects = noise_in(here, "").at("suspects");
  REQUIRE(suspects.size() == 1);
  CHECK(suspects[0].at("node") == "n3");
  CHECK(suspects[0].at("kind") == "network");

  // A table of other machines is no evidence here.
  const Workplace other;
  other.write("log.out", job_log(1));
  other.write("pairs.txt",
              "# Pairs: 64 bytes each way at once, median of 20, GB/s each way\n"
              "#       x1    x2    x3    x4\n"
              "#  x1    -   1.0  10.0  10.0\n"
              "#  x2  1.0     -   1.0   1.0\n"
              "#  x3 10.0   1.0     -  10.0\n"
              "#  x4 10.0   1.0  10.0     -\n");
  REQUIRE(other.pippin("collect log.out pairs.txt").exit_code == 0);
  CHECK(noise_in(other, "").at("suspects").empty());
}
