// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "core/base/files.h"
#include "core/base/text.h"
#include "harness/scrape/scrape.h"
#include "harness/scrape/trainers/prefix.h"
#include "tests/harness/scrape/trainers/excerpt.h"
#include "tests/support/catch.h"

using namespace pippin;
using namespace pippin::test;

namespace {

/// What launchers, loggers and containers put before each line. "%" is the line's number, in two
/// digits.
constexpr std::string_view kPrefixes[] = {
    "0: ",
    " 0: ",
    "[rank0]:",
    "[default7]:",
    "nid001277: ",
    "worker-10: ",
    "[1,0]<stdout>:",
    "[lrdn3321:3]: ",
    "[pod/train-worker-0/pytorch] ",
    "[2025-10-17T11:33:%+08:00] ",
    "worker-0  | ",
    "2024-05-01 10:00:%,137 ",
    "2024-05-01T10:00:%.137Z ",
    "2024-05-01T10:00:%.137466899Z stdout F ",
    "Nov 23 20:05:% node17 slurm[4711]: ",
    "(MegatronWorker pid=12345) ",
    "(TaskRunner pid=12345, ip=10.0.0.7) ",
    "train_fp8/0 ",
    "2026-05-01 10:00:%,137 - megatron.training - INFO - ",
    "trainer/0 [0]:",
    "Thu Nov 23 20:05:% 2026[1,0]<stdout>:",
    "2024-05-01 10:00:%.137 | INFO     | trainer:log:12 - ",
    "[20251121 12:10:%][rank-31/32][INFO ] [--------trainer.py:2488] : ",
    "I0501 10:00:%.123456 140 train.py:12] ",
    "[job/0 | 0:  | [2025-10-17T11:33:%+08:00] ]",
    "[Rank 0 | Local Rank 0] 2026-09-16 19:13:% INFO => ",
    " 12%|#2        | 31/260 [02:%<00:00,  1.64it/s]",
};

std::string with_prefix(const std::string& log, std::string_view prefix) {
  std::string prefixed;
  int number = 0;
  for (const auto line : split(trim(log), '\n')) {
    std::string before(prefix);
    const auto mark = before.find('%');
    const bool is_bar = before.find("%|") == mark && mark != std::string::npos;
    const auto at = is_bar ? before.find('%', mark + 1) : mark;
    if (at != std::string::npos) before.replace(at, 1, fmt::format("{:02}", number++ % 60));
    prefixed += before + std::string(line) + '\n';
  }
  return prefixed;
}

std::vector<NamedValues> others_of(const LogRun& run) {
  std::vector<NamedValues> others;
  for (const auto& line : run.iterations) others.push_back(line.other);
  return others;
}

}  // namespace

TEST_CASE("every trainer's lines are read behind every prefix") {
  for (const auto& name : excerpts()) {
    const auto plain = scrape(excerpt(name));
    for (const auto prefix : kPrefixes) {
      INFO(name << " behind \"" << prefix << '"');
      const auto prefixed = scrape(with_prefix(excerpt(name), prefix));
      REQUIRE(prefixed.size() == plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i) {
        CHECK(steps_of(prefixed[i]) == steps_of(plain[i]));
        CHECK(times_of(prefixed[i]) == times_of(plain[i]));
        CHECK(flags_of(prefixed[i]) == flags_of(plain[i]));
        CHECK(prefixed[i].point.layout == plain[i].point.layout);
        CHECK(prefixed[i].end == plain[i].end);
        CHECK(prefixed[i].arguments == plain[i].arguments);
        CHECK(prefixed[i].memory.size() == plain[i].memory.size());
        CHECK(others_of(prefixed[i]) == others_of(plain[i]));
      }
    }
  }
}

TEST_CASE("every trainer's lines are read with other line ends, and twice") {
  for (const auto& name : excerpts()) {
    const std::string log = excerpt(name);
    const auto plain = scrape(log);
    std::string returns, doubled;
    for (const auto line : split(trim(log), '\n')) {
      returns += std::string(line) + "\r\n";
      doubled += std::string(line) + '\n' + std::string(line) + '\n';
    }
    for (const auto& other : {returns, doubled}) {
      INFO(name);
      const auto runs = scrape(other);
      REQUIRE(runs.size() == plain.size());
      for (std::size_t i = 0; i < plain.size(); ++i) {
        CHECK(steps_of(runs[i]) == steps_of(plain[i]));
        CHECK(times_of(runs[i]) == times_of(plain[i]));
      }
    }
  }
}

TEST_CASE("a trainer's line that is quoted is none of a log") {
  for (const std::string_view before :
       {"> ", "# ", "echo \"", "we saw that it prints ", "assert line == '", "print(f\"", "+ echo ",
        "grep -n 'x' log.txt: \""}) {
    INFO(before);
    CHECK_FALSE(is_prefix(before));
  }
}
