// SPDX-License-Identifier: Apache-2.0
// collect that is killed, and several that collect the same.
#include <cstdlib>
#include <fmt/format.h>

#include "core/base/text.h"
#include "tests/harness/cli/pippin.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::Workplace;

namespace {

/// Logs of many trainers, of a job's ranks, long ones, compressed ones, and files that are none.
void write_corpus(const Workplace& here) {
  here.shell(fmt::format("mkdir logs; cp -r {0}/tests/data/logs {0}/tests/data/trainers logs/",
                         test::source_directory().string()));
  for (int log = 0; log < 150; ++log) {
    std::string text = test::dump(test::argument("seed", std::to_string(log)));
    for (int step = 1; step <= 20 + log; ++step) text += test::row(step, 400 + step + log);
    here.write(fmt::format("logs/small-{:03}.log", log + 1), text);
  }
  std::string text = test::dump();
  for (int step = 1; step <= 30000; ++step) text += test::row(step, 400 + step % 97, 0, 30000);
  here.write("logs/long.log", text);
  for (int rank = 0; rank < 4; ++rank)
    here.write(fmt::format("logs/job/rank{}.log", rank),
               test::dump() + test::row(1, 5000) + test::row(2, 700 + rank));
  here.shell("gzip logs/small-05?.log; head -c 100000 /dev/urandom >logs/model.bin");
}

/// All that a database says of logs, without its own numbers.
std::string content(const Workplace& here, const std::string& database) {
  return here
      .shell(fmt::format(
          "sqlite3 {} \"PRAGMA integrity_check; SELECT r.name, r.point, r.state, r.evidence, "
          "r.position, l.path, l.size_bytes, l.content_hash, (SELECT count(*) || ' ' || "
          "sum(step_time_ms) || ' ' || total(lm_loss) || ' ' || sum(flags) FROM iterations AS i "
          "WHERE i.run = r.id), (SELECT count(*) || ' ' || total(number) FROM other_values AS o "
          "WHERE o.run = r.id), (SELECT group_concat(name || value, ' ') FROM arguments AS a WHERE "
          "a.run = r.id), (SELECT count(*) || ' ' || total(max_allocated_mib) FROM rank_memory AS "
          "m "
          "WHERE m.run = r.id) FROM runs AS r JOIN logs AS l ON l.id = r.log ORDER BY l.path, "
          "r.position; SELECT id, name FROM points ORDER BY id; SELECT count(*) FROM logs; SELECT "
          "count(*) FROM canary_readings; SELECT name FROM allocations ORDER BY name\"",
          database))
      .out;
}

int kills() {
  const char* said = std::getenv("PIPPIN_KILLS");
  return said ? std::atoi(said) : 40;
}

}  // namespace

TEST_CASE("collect that is killed again and again ends with what one that was not has") {
  const Workplace here;
  write_corpus(here);
  here.shell("\"$PIPPIN\" --db whole.db --quiet collect logs");
  const std::string whole = content(here, "whole.db");
  REQUIRE(split(whole, '\n').size() > 300);
  // Delays from 1 to 250 ms; where one ends before it is killed, all begins anew.
  const auto call = here.shell(fmt::format(
      "kills=0 whole=0; for i in $(seq 100000); do\n"
      "  \"$PIPPIN\" --db t.db --quiet collect logs >/dev/null 2>&1 & p=$!\n"
      "  sleep 0.$(printf %03d $((i * 37 % 250 + 1)))\n"
      "  if kill -9 $p 2>/dev/null; then kills=$((kills + 1)); fi\n"
      "  if wait $p; then sqlite3 t.db .dump >/dev/null; whole=$((whole + 1)); mv t.db $whole.db; "
      "rm -f t.db-*; fi\n"
      "  if [ $kills -ge {} ]; then break; fi\n"
      "done 2>/dev/null\n"
      "\"$PIPPIN\" --db t.db --quiet collect logs; echo $kills $whole",
      kills()));
  CAPTURE(call.out, call.err);
  CHECK(content(here, "t.db") == whole);
  const auto words = split(trim(call.out), ' ');
  REQUIRE(words.size() == 2);
  CHECK(parse_integer(words[0]) == kills());
  for (int i = 1; i <= parse_integer(words[1]); ++i)
    CHECK(content(here, fmt::format("{}.db", i)) == whole);
}

TEST_CASE("eight that collect the same at once end with what one has") {
  const Workplace here;
  write_corpus(here);
  here.shell("\"$PIPPIN\" --db whole.db --quiet collect logs");
  const auto call = here.shell(
      "for i in 1 2 3 4 5 6 7 8; do \"$PIPPIN\" --db t.db --quiet collect logs & p[$i]=$!; done\n"
      "failed=0; for i in 1 2 3 4 5 6 7 8; do wait ${p[$i]} || failed=$((failed + 1)); done\n"
      "echo $failed");
  CAPTURE(call.err);
  CHECK(call.out == "0\n");
  CHECK(content(here, "t.db") == content(here, "whole.db"));
}
