// SPDX-License-Identifier: Apache-2.0
#include "db/iteration_blocks.h"

#include <cmath>
#include <fmt/format.h>
#include <random>

#include "core/base/text.h"
#include "db/json.h"
#include "db/migrate.h"
#include "db/stored_lines.h"
#include "tests/db/sql.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

/// A database with a run to put lines to.
struct Home {
  test::TemporaryDirectory folder;
  db::Connection connection{folder / "t.db", true};

  /// `version`: as it was then; 0: today's.
  explicit Home(std::size_t version = 0) {
    if (version == 0) db::migrate(connection);
    for (std::size_t i = 0; i < version; ++i) connection.run(std::string(migrations()[i].text));
    if (version > 0)
      connection.run(
          fmt::format("PRAGMA application_id = 1885958256; PRAGMA user_version = {}", version));
    connection.run(
        "INSERT INTO points (id, name, trainer) VALUES ('p', 'p', 'megatron');"
        "INSERT INTO allocations (name) VALUES ('a')");
  }

  void add_run(std::int64_t id) {
    connection
        .prepare(
            "INSERT INTO runs (id, name, point, allocation, position, state, scraper_version) "
            "VALUES (?1, ?1, 'p', 1, 1, 'ok', 1)")
        .run(id);
  }
};

std::string object_of(const NamedValues& values) {
  std::vector<std::string> members;
  for (const auto& [name, value] : values)
    members.push_back(db::json_of({name, {}}) + ":" + db::json_of(value));
  return values.empty() ? "" : "{" + join(members, ",") + "}";
}

/// A number as a log may write it, or as a quotient comes out, or none.
std::optional<double> real_of(std::mt19937_64& random, unsigned kind) {
  const auto whole = static_cast<double>(random() % 100000);
  switch (kind % 9) {
    case 0:
      return std::nullopt;
    case 1:
      return 65536.0;
    case 2:
      return whole / 10;
    case 3:
      return whole / 1e7;
    case 4:
      return whole / 3;
    case 5:
      return random() % 5 == 0 ? std::nullopt : std::optional(whole / 1000);
    case 6:
      return random() % 5 == 0 ? std::numeric_limits<double>::infinity() : -whole;
    case 7:
      return std::ldexp(whole, static_cast<int>(random() % 1000) - 500);
    default:
      return whole - 50000;
  }
}

Count count_of(std::mt19937_64& random, unsigned kind, std::size_t i) {
  const auto line = static_cast<std::int64_t>(i);
  switch (kind % 5) {
    case 0:
      return std::nullopt;
    case 1:
      return 512;
    case 2:
      return line * 512 - 100;
    case 3:
      return random() % 5 == 0 ? std::nullopt : Count(line % 100);
    default:
      return static_cast<std::int64_t>(random() % 1000000) - 500000;
  }
}

std::vector<Iteration> random_lines(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  unsigned kinds[16];
  for (auto& kind : kinds) kind = static_cast<unsigned>(random());
  std::vector<Iteration> lines(count);
  for (std::size_t i = 0; i < count; ++i) {
    Iteration& line = lines[i];
    line.number = count_of(random, kinds[0], i).value_or(static_cast<std::int64_t>(i));
    line.step_time_ms = real_of(random, kinds[1]).value_or(1.5);
    line.interval = count_of(random, kinds[2], i).value_or(1);
    line.flags = random() % 10 == 0 ? 5 : 0;
    line.gbs = count_of(random, kinds[3], i);
    line.consumed_samples = count_of(random, kinds[4], i);
    line.skipped = count_of(random, kinds[5], i);
    line.nan = count_of(random, kinds[6], i);
    line.lm_loss = real_of(random, kinds[7]);
    line.learning_rate = real_of(random, kinds[8]);
    line.loss_scale = real_of(random, kinds[9]);
    line.grad_norm = real_of(random, kinds[10]);
    for (unsigned name = 0; name < 4; ++name) {
      // The first line has all names, which fixes their order.
      const auto real = i == 0 ? 1.5 : real_of(random, kinds[11 + name]);
      if (random() % 9 == 0 || i == 0)
        line.other.emplace_back(fmt::format("text \"{}\"", name), Value{"gr\xc3\xbcn  x", {}});
      if (real && std::isfinite(*real))
        line.other.emplace_back(fmt::format("number {}", name), value_of(*real));
    }
  }
  return lines;
}

const std::string kAll =
    "SELECT run, position, iteration, step_time_ms, interval, flags, gbs, consumed_samples, "
    "skipped, nan, lm_loss, learning_rate, loss_scale, grad_norm, other FROM iterations ";

/// A cell in full, with its type.
std::string cell(const db::Statement& row, int column) {
  if (row.null(column)) return "NULL";
  if (row.is_text(column)) return "text " + row.text(column);
  return fmt::format("{}", row.real(column));
}

std::string types_of(db::Connection& connection) {
  return test::sql_text(
      connection,
      "SELECT group_concat(types, '; ') FROM (SELECT DISTINCT typeof(iteration) || "
      "typeof(step_time_ms) || typeof(interval) || typeof(flags) || typeof(coalesce(gbs, 0)) || "
      "typeof(coalesce(lm_loss, 0.0)) || typeof(coalesce(grad_norm, 0.0)) AS types FROM "
      "iterations)");
}

std::vector<std::string> rows_of(db::Connection& connection, const std::string& sql) {
  std::vector<std::string> rows;
  db::Statement statement = connection.prepare(sql);
  while (statement.step()) {
    std::string row;
    for (int column = 0; column < 15; ++column) row += cell(statement, column) + "|";
    rows.push_back(row);
  }
  return rows;
}

template <typename T>
std::string cell(const std::optional<T>& value) {
  return value ? fmt::format("{}", static_cast<double>(*value)) : "NULL";
}

std::string row_of(std::int64_t run, std::size_t position, const Iteration& line) {
  const std::string other = object_of(line.other);
  return fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|", run, position + 1,
                     line.number, line.step_time_ms, line.interval, line.flags, cell(line.gbs),
                     cell(line.consumed_samples), cell(line.skipped), cell(line.nan),
                     cell(line.lm_loss), cell(line.learning_rate), cell(line.loss_scale),
                     cell(line.grad_norm), other.empty() ? "NULL" : "text " + other);
}

}  // namespace

TEST_CASE("plain SQL gives every line as it was stored, and so does the program") {
  Home home;
  for (std::int64_t run = 1; run <= 60; ++run) {
    home.add_run(run);
    const auto lines = random_lines(static_cast<std::uint64_t>(run), run % 7 == 0 ? 700 : 40);
    const Iterations iterations(lines);
    db::put_iterations(home.connection, run, iterations);
    CHECK(db::count_iterations(home.connection, run) == static_cast<std::int64_t>(lines.size()));
    const auto rows = rows_of(home.connection, fmt::format("{} WHERE run = {}", kAll, run));
    REQUIRE(rows.size() == lines.size());
    for (std::size_t i = 0; i < rows.size(); ++i) REQUIRE(rows[i] == row_of(run, i, lines[i]));
    const auto read = db::lines_of(home.connection, run);
    REQUIRE(read.size() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
      REQUIRE(read[i].number == lines[i].number);
      REQUIRE(read[i].step_time_ms == lines[i].step_time_ms);
      REQUIRE(read[i].interval == lines[i].interval);
      REQUIRE(read[i].flags == lines[i].flags);
      REQUIRE(read[i].gbs == lines[i].gbs);
    }
    CHECK(db::begins_with(home.connection, run, Iterations(iterations.first(30))));
    CHECK(db::begins_with(home.connection, run, iterations));
    auto longer = lines;
    longer.emplace_back();
    CHECK_FALSE(db::begins_with(home.connection, run, Iterations(longer)));
    longer = lines;
    longer[20].step_time_ms = -1.25;
    CHECK_FALSE(db::begins_with(home.connection, run, Iterations(longer)));
  }
  CHECK(types_of(home.connection) == "integerrealintegerintegerintegerrealreal");
  CHECK(test::sql_text(home.connection, "SELECT count(*) FROM pragma_foreign_key_check") == "0");
}

TEST_CASE("lines that are replaced are stored as if they were the first") {
  Home home;
  std::mt19937_64 random(4);
  std::int64_t run = 0;
  const auto blocks_of = [&](std::int64_t of) {
    return test::sql_text(
        home.connection,
        fmt::format("SELECT group_concat(quote(before) || quote(lines) || quote(iteration_base) || "
                    "quote(step_time_ms_base) || quote(step_time_ms_offsets) || "
                    "quote(lm_loss_offsets) || quote(flags_offsets) || coalesce((SELECT "
                    "group_concat(quote(rank) || quote(name) || quote(base) || quote(width) || "
                    "quote(scale) || quote(offsets)) FROM other_blocks WHERE other_blocks.run = "
                    "iteration_blocks.run AND other_blocks.before = iteration_blocks.before), '')) "
                    "FROM iteration_blocks WHERE run = {}",
                    of));
  };
  for (int round = 0; round < 60; ++round) {
    const auto before = random_lines(random(), random() % 900);
    auto after = before;
    const auto other = random_lines(random(), random() % 900);
    if (round % 3 > 0) after.resize(random() % (after.size() + 1));
    if (round % 2 > 0) after.insert(after.end(), other.begin(), other.end());
    if (round % 5 == 0 && !after.empty()) after[random() % after.size()].flags ^= 1U;
    if (round % 7 == 0 && !after.empty()) after[0].other = {{"a new name", {"", 1.0}}};
    home.add_run(++run);
    db::put_iterations(home.connection, run, Iterations(before));
    db::replace_iterations(home.connection, run, Iterations(after));
    home.add_run(++run);
    db::put_iterations(home.connection, run, Iterations(after));
    CAPTURE(round);
    REQUIRE(blocks_of(run - 1) == blocks_of(run));
    const auto rows_of_run = [&](std::int64_t of) {
      return test::sql_text(home.connection,
                            fmt::format("SELECT (SELECT count(*) FROM iteration_blocks WHERE run = "
                                        "{0}) || ' ' || (SELECT count(*) FROM other_blocks WHERE "
                                        "run = {0})",
                                        of));
    };
    REQUIRE(rows_of_run(run - 1) == rows_of_run(run));
  }
}

TEST_CASE("of a run that goes on only the blocks that change are written") {
  Home home;
  home.add_run(1);
  std::vector<Iteration> lines;
  const auto add = [&](int count) {
    for (; count > 0; --count) {
      Iteration line;
      line.number = static_cast<std::int64_t>(lines.size()) + 1;
      line.step_time_ms = 1000 + static_cast<double>(lines.size() % 977) / 10;
      line.other = {{"forward", {"", static_cast<double>(lines.size() % 89)}}};
      lines.push_back(line);
    }
  };
  add(20'000);
  db::put_iterations(home.connection, 1, Iterations(lines));
  const auto written_by = [&] {
    const std::int64_t before = home.connection.changes();
    db::replace_iterations(home.connection, 1, Iterations(lines));
    return home.connection.changes() - before;
  };
  CHECK(written_by() == 0);
  add(10);
  const auto written = written_by();
  CHECK(written > 0);
  CHECK(written <= 8);  // two tables: the last block goes, and one or two come
  lines.resize(5000);
  CHECK(db::count_iterations(home.connection, 1) == 20'010);
  CHECK(written_by() > 8);
  CHECK(db::count_iterations(home.connection, 1) == 5000);
}

TEST_CASE("reals of all sizes are to SQLite what they are here") {
  Home home;
  home.add_run(1);
  std::mt19937_64 random(7);
  std::vector<Iteration> lines(5000);
  for (auto& line : lines) {
    line.step_time_ms = static_cast<double>(random() % 1'000'000'000) * 1e-5;
    const auto exponent = static_cast<int>(random() % 24) - 22;
    const auto digits = static_cast<double>(random() % 10'000'000);
    line.learning_rate = parse_number(fmt::format("{}e{}", digits, exponent));
    line.grad_norm = std::ldexp(static_cast<double>(random() >> 11), exponent * 40);
  }
  lines[0].lm_loss = 1.120225e-16;
  lines[1].lm_loss = 5.973931e-07;
  lines[2].lm_loss = 1e300;
  db::put_iterations(home.connection, 1, Iterations(lines));
  db::Statement rows = home.connection.prepare(
      "SELECT step_time_ms, learning_rate, grad_norm, lm_loss FROM iterations WHERE run = 1 "
      "ORDER BY position");
  int others = 0;
  for (const auto& line : lines) {
    REQUIRE(rows.step());
    others += rows.real(0) != line.step_time_ms || rows.real(1) != line.learning_rate ||
              rows.real(2) != line.grad_norm || rows.maybe_real(3) != line.lm_loss;
  }
  CHECK(others == 0);
}

TEST_CASE("what else lines say can be asked by its name") {
  Home home;
  home.add_run(1);
  std::vector<Iteration> lines(400);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i].other = {{"forward", value_of(static_cast<double>(i) + 0.25)}};
    if (i % 100 == 3) lines[i].other.emplace_back("lm loss", Value{"nan", {}});
  }
  db::put_iterations(home.connection, 1, Iterations(lines));
  CHECK(test::sql_text(home.connection,
                       "SELECT count(*) || ' ' || sum(number) || ' ' || count(text) FROM "
                       "other_values WHERE run = 1 AND name = 'forward'") == "400 79900.0 0");
  CHECK(test::sql_text(home.connection,
                       "SELECT group_concat(position || text, ' ') FROM other_values "
                       "WHERE name = 'lm loss' AND number IS NULL") == "4nan 104nan 204nan 304nan");
}

TEST_CASE("of a damaged block the file and the run are named") {
  const char* const damages[] = {"lines = 0",
                                 "lines = -1",
                                 "lines = 9223372036854775807",
                                 "iteration_base = NULL, iteration_width = NULL",
                                 "iteration_width = 5, iteration_offsets = x'31'",
                                 "iteration_width = 4611686018427387904, iteration_offsets = ''",
                                 "flags_width = -9223372036854775807 - 1, flags_offsets = x'30'",
                                 "step_time_ms_offsets = substr(step_time_ms_offsets, 2)",
                                 "step_time_ms_scale = 0.0, step_time_ms_base = 0, "
                                 "step_time_ms_width = 1, step_time_ms_offsets = '0000'"};
  for (const char* damage : damages) {
    CAPTURE(damage);
    Home home;
    home.add_run(1);
    std::vector<Iteration> lines(4);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      lines[i].number = static_cast<std::int64_t>(i) + 1;
      lines[i].step_time_ms = 100.25 + static_cast<double>(i * i);
    }
    db::put_iterations(home.connection, 1, Iterations(lines));
    CHECK(db::lines_of(home.connection, 1).size() == 4);
    home.connection.run(fmt::format("UPDATE iteration_blocks SET {}", damage));
    CHECK_THROWS_WITH(db::lines_of(home.connection, 1), Catch::Contains("damaged") &&
                                                            Catch::Contains("run 1") &&
                                                            Catch::Contains("t.db"));
  }
}

TEST_CASE("a file of the last version with a row for each line becomes one of blocks") {
  constexpr std::size_t kRows = 13;
  Home home(kRows);
  db::Statement put = home.connection.prepare(
      "INSERT INTO iterations VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  for (std::int64_t run = 1; run <= 40; ++run) {
    home.add_run(run);
    std::int64_t position = 0;
    for (const auto& line : random_lines(static_cast<std::uint64_t>(run), run == 9 ? 3000 : 30)) {
      const std::string other = object_of(line.other);
      put.run(run, ++position, line.number, line.step_time_ms, line.interval, line.flags, line.gbs,
              line.consumed_samples, line.skipped, line.nan, line.lm_loss, line.learning_rate,
              line.loss_scale, line.grad_norm, db::known(other));
    }
  }
  home.connection.run(
      "INSERT INTO arguments VALUES (2, 1, 'b', '1'), (2, 2, 'a', 'x \"y\"'), (1, 1, 'c', ''), "
      "(2, 3, 'b', '2')");
  const auto before = rows_of(home.connection, kAll);
  const std::string types = types_of(home.connection);
  db::migrate(home.connection);
  const auto after = rows_of(home.connection, kAll);
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < before.size(); ++i) REQUIRE(after[i] == before[i]);
  CHECK(types_of(home.connection) == types);
  CHECK(test::sql_text(home.connection,
                       "SELECT group_concat(run || position || name || '=' || value, ' ') FROM "
                       "arguments") == "11c= 21b=1 22a=x \"y\" 23b=2");
}

TEST_CASE("every line comes with the numbers of what else it says, block by block") {
  Home home;
  home.connection.run("PRAGMA synchronous = OFF");
  for (std::int64_t run = 1; run <= 60; ++run) {
    home.add_run(run);
    const auto lines = random_lines(static_cast<std::uint64_t>(run), run % 7 == 0 ? 1700 : 40);
    db::put_iterations(home.connection, run, Iterations(lines));
    std::size_t position = 0;
    db::each_line_with_others(home.connection, run, [&](const Iteration& line) {
      const Iteration& stored = lines.at(position++);
      NamedValues numbers;
      for (const auto& [name, value] : stored.other)
        if (value.number) numbers.emplace_back(printable(name), value);
      CAPTURE(run, position);
      REQUIRE(line.number == stored.number);
      REQUIRE(line.step_time_ms == stored.step_time_ms);
      REQUIRE(line.interval == stored.interval);
      REQUIRE(line.other == numbers);
    });
    CHECK(position == lines.size());
  }
}
