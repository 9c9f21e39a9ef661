// SPDX-License-Identifier: Apache-2.0
// Many read while one writes.
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/base/text.h"
#include "tests/harness/serve/served.h"
#include "tests/support/catch.h"

using namespace pippin;
using Json = nlohmann::json;
using test::HttpClient;
using test::Served;
using test::Workplace;

namespace {

constexpr int kReaders = 200, kLogs = 40;

/// Logs of which each is another.
void write_logs(const Workplace& here) {
  const fs::path log = test::source_directory() / "tests/data/logs/megatron-2021-16-gpus.out";
  here.shell(
      fmt::format("mkdir logs; for i in $(seq {}); do sed \"s/elapsed time per iteration (ms): "
                  "/&$i/\" '{}' >logs/$i.log; done",
                  kLogs, log.string()));
}

/// What one reader saw.
struct Seen {
  std::vector<std::string> wrong;
  std::vector<std::size_t> runs;  ///< in its pages, one after the other
};

Seen read_until(const Served& served, const std::atomic<bool>& is_over) {
  Seen seen;
  HttpClient client(served.port());
  std::string known;
  for (bool is_last = false; !is_last;) {
    is_last = is_over;
    if (is_last) known = "";  // and so is not put off with the one before
    client.send(test::get_request("/report/collected?as=json",
                                  served.cookie() + "If-None-Match: " + known + "\r\n"));
    const auto answer = client.answer();
    if (answer.status == 304) continue;
    known = answer.field("ETag");
    if (answer.status != 200 || !answer.is_whole) {
      seen.wrong.push_back(fmt::format("{} {}", answer.status, answer.body.substr(0, 300)));
      continue;
    }
    const Json page = Json::parse(answer.body, nullptr, false);
    if (page.is_discarded()) {
      seen.wrong.push_back("no document");
      continue;
    }
    seen.runs.push_back(page["runs"]["row"].size());
    for (const auto& row : page["runs"]["row"])
      if (row.get<std::size_t>() >= page["rows"]["name"].size())
        seen.wrong.push_back("no such row");
  }
  return seen;
}

}  // namespace

TEST_CASE("200 readers get whole pages while a collector writes, and it loses nothing") {
  const Workplace here;
  write_logs(here);
  here.pippin("--quiet collect logs/1.log");
  const Served served(here);
  std::atomic<bool> is_over{false};
  std::mutex mutex;
  std::set<std::string> wrong;
  std::size_t pages = 0, most = 0;
  bool runs_back = false;
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      const Seen seen = read_until(served, is_over);
      const std::lock_guard lock(mutex);
      wrong.insert(seen.wrong.begin(), seen.wrong.end());
      pages += seen.runs.size();
      for (std::size_t n = 1; n < seen.runs.size(); ++n)
        runs_back = runs_back || seen.runs[n] < seen.runs[n - 1];
      if (!seen.runs.empty()) most = std::max(most, seen.runs.back());
    });
  }
  const auto collected = here.shell(fmt::format(
      "for i in $(seq {}); do \"$PIPPIN\" --db t.db --quiet collect logs/$i.log || exit; done",
      kLogs));
  is_over = true;
  for (auto& reader : readers) reader.join();
  CAPTURE(collected.err, pages);
  CHECK(collected.exit_code == 0);
  CHECK(collected.err.empty());
  for (const auto& one : wrong) FAIL_CHECK(one);
  CHECK(pages >= kReaders);
  CHECK_FALSE(runs_back);
  CHECK(most > kLogs / 2);
  CHECK(std::to_string(most) == here.sql("SELECT count(*) FROM runs"));
  const std::string counts =
      "SELECT (SELECT count(*) FROM logs) || ' ' || (SELECT count(*) FROM runs) || ' ' || (SELECT "
      "sum(lines) FROM iteration_blocks)";
  const std::string with_readers = here.sql(counts);
  CHECK(here.sql("SELECT count(*) FROM logs") == std::to_string(kLogs));
  const Workplace alone;
  write_logs(alone);
  alone.pippin("--quiet collect logs");
  CHECK(alone.sql(counts) == with_readers);
  CHECK(here.sql("PRAGMA integrity_check") == "ok");
}
