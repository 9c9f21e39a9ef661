// SPDX-License-Identifier: Apache-2.0
// The files of a job's ranks, each with what one of them printed.
#include "harness/scrape/joined_ranks.h"

#include <fmt/format.h>
#include <random>
#include <utility>

#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::row;

namespace {

RankLog file_of(std::int64_t rank, const std::string& text) { return {rank, scrape(text)}; }

/// The times of a rank: they share a noise that is the job's.
std::string rows(const std::vector<double>& times, double factor = 1) {
  std::string text;
  int number = 0;
  for (const double time : times) text += row(++number, time * factor, 0, 20);
  return text;
}

const std::vector<double> kTimes{5000, 412, 420, 409, 433, 407, 410, 452, 409, 404, 411, 430};
const std::vector<double> kOthers{5060, 409, 411, 440, 408, 420, 431, 407, 412, 450, 409, 404};

std::vector<RankLog> of_one_job() {
  std::vector<RankLog> logs;
  logs.reserve(4);
  for (int rank = 0; rank < 4; ++rank)
    logs.push_back(file_of(rank, test::dump() + rows(kTimes, 1 + 0.002 * rank)));
  return logs;
}

}  // namespace

TEST_CASE("of a step that each rank tells in its own file the slowest counts") {
  const auto joined = join_ranks(of_one_job());
  REQUIRE(joined.size() == 1);
  const LogRun& run = joined[0];
  REQUIRE(run.iterations.size() == kTimes.size());
  const Iteration second = run.iterations[1];
  CHECK(second.number == 2);
  CHECK(second.step_time_ms == Approx(412 * 1.006).margin(0.1));
  CHECK(find_value(second.other, "ranks")->number == 4);
  CHECK(find_value(second.other, "fastest rank (ms)")->number == 412);
  CHECK(run.point.layout.gpus == 4);
  CHECK(run.iterations[0].flags == kFirst);
}

TEST_CASE("the header of one rank and the lines of another are a run") {
  const auto joined =
      join_ranks({file_of(3, rows({5000, 412})), file_of(0, test::dump()), file_of(1, "hello\n")});
  REQUIRE(joined.size() == 1);
  const LogRun& run = joined[0];
  CHECK(run.point.layout.tp == 2);
  CHECK(run.configured);
  REQUIRE(run.iterations.size() == 2);
  CHECK((run.iterations[0].flags & kFirst) != 0);
  CHECK((run.iterations[1].flags & kFirst) == 0);
  CHECK_FALSE(find_value(run.iterations[1].other, "ranks"));
}

TEST_CASE("what only one rank says of a step is kept") {
  std::string bare = rows({5000, 500});
  for (auto at = bare.find("lm loss"); at != std::string::npos; at = bare.find("lm loss"))
    bare.erase(at, bare.find('|', at) + 1 - at);
  const auto joined =
      join_ranks({file_of(0, test::dump() + rows({5000, 412})), file_of(1, test::dump() + bare)});
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].iterations[1].step_time_ms == 500);
  CHECK(joined[0].iterations[1].lm_loss == 5);
}

TEST_CASE("a rank that lags behind where a job was cut takes nothing away") {
  const auto joined = join_ranks({file_of(0, test::dump() + rows({5000, 412, 410})),
                                  file_of(1, test::dump() + rows({5000, 420}))});
  REQUIRE(joined.size() == 1);
  REQUIRE(joined[0].iterations.size() == 3);
  CHECK(joined[0].iterations[1].step_time_ms == 420);
  CHECK(joined[0].iterations[2].step_time_ms == 410);
}

TEST_CASE("launches of restarted ranks are joined one by one") {
  const std::string twice = test::dump() + rows({5000, 412}) + test::dump() + rows({5100, 418});
  const auto joined = join_ranks({file_of(0, twice), file_of(1, twice)});
  REQUIRE(joined.size() == 2);
  CHECK(joined[0].iterations[1].step_time_ms == 412);
  CHECK(joined[1].iterations[1].step_time_ms == 418);
}

TEST_CASE("the rank that ran out of memory ends its job") {
  const std::string killed = "srun: error: n2: task 3: Killed\n";
  const std::string oom =
      "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n";
  std::vector<RankLog> logs = {file_of(0, test::dump() + rows({5000, 412}) + killed),
                               file_of(1, rows({5000, 412}))};
  logs.push_back({2, {silent_launch([&](const auto& take) { take("begin\n" + oom); })}});
  const auto joined = join_ranks(logs);
  REQUIRE(joined.size() == 1);
  CHECK(joined[0].end == RunState::kOom);
  CHECK_THAT(joined[0].evidence, Catch::Contains("CUDA out of memory"));
}

TEST_CASE("memory is kept by the ranks of the files") {
  const auto with_memory = [](int rank, int mib) {
    return file_of(rank, test::dump() + rows({5000, 412}) +
                             fmt::format("[Rank {}] (after 2 iterations) memory (MB) | allocated: "
                                         "{}.0 | max allocated: {}.0 | reserved: 9.0 | max "
                                         "reserved: 9.0\n",
                                         rank, mib, mib));
  };
  const auto joined = join_ranks({with_memory(0, 100), with_memory(3, 300)});
  REQUIRE(joined.size() == 1);
  REQUIRE(joined[0].memory.size() == 2);
  CHECK(joined[0].memory[0].rank == 0);
  CHECK(joined[0].memory[1].rank == 3);
  CHECK(joined[0].memory[1].max_allocated_mib == 300);
}

TEST_CASE("files whose steps rise and fall together are of one job") {
  CHECK(kinship_of(of_one_job()) == Kinship::kOneJob);
}

TEST_CASE("repeats that are numbered like ranks stay repeats") {
  auto logs = of_one_job();
  logs[2] = file_of(2, test::dump() + rows(kOthers));
  CHECK(kinship_of(logs) == Kinship::kSeveral);
  logs[2] = file_of(
      2, test::dump("  lr ................... 0.1\n  bf16 ................ True\n") + rows(kTimes));
  CHECK(contradict(logs) == (kinship_of(logs) == Kinship::kSeveral));
}

TEST_CASE("repeats that warm up and pause alike stay repeats") {
  const auto log_of = [](int rank, unsigned seed, double factor) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 3);
    std::vector<double> times;
    for (int i = 0; i < 40; ++i) {
      const double warming = i < 5 ? 300 - 60 * i : 0, collecting = i % 10 == 9 ? 150 : 0;
      times.push_back(500 + warming + collecting + noise(random));
    }
    return file_of(rank, test::dump() + rows(times, factor));
  };
  const auto kinship = [&](bool is_noise_shared, double factor) {
    std::vector<RankLog> logs;
    for (int rank = 0; rank < 4; ++rank)
      logs.push_back(log_of(rank, is_noise_shared ? 7 : 7 + rank, rank == 3 ? factor : 1));
    return kinship_of(logs);
  };
  CHECK(kinship(true, 1) == Kinship::kOneJob);
  CHECK(kinship(true, 1.01) == Kinship::kOneJob);
  CHECK(kinship(true, 1.04) == Kinship::kSeveral);  // ranks take as long as each other
  CHECK(kinship(false, 1) == Kinship::kSeveral);
}

TEST_CASE("files that began on different days are of different jobs") {
  auto logs = of_one_job();
  for (auto& log : logs) log.runs[0].started_at = 1'700'000'000 + 60 * log.rank;
  CHECK(kinship_of(logs) == Kinship::kOneJob);
  *logs[3].runs[0].started_at += 2 * 3600;  // by the clock of another zone
  CHECK(kinship_of(logs) == Kinship::kOneJob);
  *logs[3].runs[0].started_at += 900;
  CHECK(kinship_of(logs) == Kinship::kSeveral);
  *logs[3].runs[0].started_at += 86400 - 2 * 3600 - 900;
  CHECK(kinship_of(logs) == Kinship::kSeveral);
}

TEST_CASE("ranks that are late for themselves give that back in the next step") {
  std::vector<std::string> texts(4);
  std::vector<double> late(4);
  std::mt19937 random(5);
  std::normal_distribution<double> shared(0, 1), own(0, 1.2);
  for (int i = 0; i < 60; ++i) {
    const double common = 500 + (i < 5 ? 300 - 60 * i : 0) + (i % 10 == 9 ? 150 : 0);
    const double noise = shared(random);
    for (std::size_t rank = 0; rank < 4; ++rank) {
      const double before = std::exchange(late[rank], own(random));
      texts[rank] += row(i + 1, common + noise + late[rank] - before, 0, 60);
    }
  }
  std::vector<RankLog> logs;
  for (int rank = 0; rank < 4; ++rank)
    logs.push_back(file_of(rank, test::dump() + texts[static_cast<std::size_t>(rank)]));
  CHECK(kinship_of(logs) == Kinship::kOneJob);
}

TEST_CASE("files of one job are as many as its GPUs") {
  auto logs = of_one_job();
  logs.pop_back();
  CHECK(kinship_of(logs) == Kinship::kSeveral);
  logs.pop_back();
  CHECK(kinship_of(logs) == Kinship::kSeveral);
}

TEST_CASE("a few steps that agree are a sign, one is none") {
  const auto logs_of = [](const std::vector<double>& times, double factor) {
    std::vector<RankLog> logs;
    logs.reserve(4);
    for (int rank = 0; rank < 4; ++rank)
      logs.push_back(file_of(rank, test::dump() + rows(times, 1 + factor * rank)));
    return logs;
  };
  CHECK(kinship_of(logs_of({5000, 412, 420}, 0.002)) == Kinship::kOneJob);
  CHECK(kinship_of(logs_of({5000, 412, 420}, 0.02)) == Kinship::kSeveral);
  CHECK(kinship_of(logs_of({5000}, 0.002)) == Kinship::kTooFew);
  CHECK(kinship_of(logs_of({}, 0)) == Kinship::kSeveral);
}

TEST_CASE("the header of the first and the lines of the last are of one job") {
  CHECK(kinship_of({file_of(0, test::dump()), file_of(3, rows({5000, 412}))}) == Kinship::kOneJob);
  CHECK(kinship_of({file_of(0, test::dump()), file_of(2, rows({5000, 412}))}) == Kinship::kSeveral);
  CHECK(kinship_of({file_of(0, rows({5000, 412})), file_of(1, rows({5000, 412}))}) ==
        Kinship::kSeveral);
}
