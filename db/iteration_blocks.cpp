// SPDX-License-Identifier: Apache-2.0
// Lines of runs, some hundred to a row. db/README.md says how a row is read.
#include "db/iteration_blocks.h"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "db/block_columns.h"
#include "db/json.h"

namespace pippin::db {

namespace {

using Block = IterationBlock;

constexpr std::string_view kColumns[] = {
    "iteration", "interval",     "flags",   "gbs",           "consumed_samples", "skipped",
    "nan",       "step_time_ms", "lm_loss", "learning_rate", "loss_scale",       "grad_norm"};

/// The fields of a block's row behind run and before: how many lines; of a column base, width and
/// offsets, of a real one also the scale.
std::string fields_text() {
  std::string fields = "lines";
  for (std::size_t i = 0; i < std::size(kColumns); ++i) {
    const std::string scale = i >= Block::kWholes ? fmt::format(", {}_scale", kColumns[i]) : "";
    fields += fmt::format(", {0}_base, {0}_width{1}, {0}_offsets", kColumns[i], scale);
  }
  return fields;
}

const std::string& insert_text() {
  static const std::string text = [] {
    const std::string fields = fields_text();
    std::string values = "?, ?, ?";
    for (auto left = std::count(fields.begin(), fields.end(), ','); left > 0; --left)
      values += ", ?";
    return fmt::format("INSERT INTO iteration_blocks (run, before, {}) VALUES ({})", fields,
                       values);
  }();
  return text;
}

const std::string& select_text() {
  static const std::string text = fmt::format(
      "SELECT before, {} FROM iteration_blocks WHERE run = ? ORDER BY before", fields_text());
  return text;
}

/// What a block's rows hold behind run and before: its own, and one for each name of what its lines
/// say besides.
struct BlockRows {
  std::vector<AnyValue> lines;
  std::vector<std::vector<AnyValue>> others;
  BlockColumns columns;           ///< what they point to
  std::deque<std::string> names;  ///< likewise
};

/// Gives the rows of each block, and how many lines stand before it.
template <typename Take>
void each_rows(const Iterations& iterations, Take take) {
  std::vector<std::int64_t> ranks(iterations.names().size());
  for (std::size_t i = 0; i < iterations.order().size(); ++i)
    ranks[iterations.order()[i]] = static_cast<std::int64_t>(i) + 1;
  std::int64_t before = 0;
  iterations.each_block([&](const Block& block) {
    BlockRows rows;
    rows.lines.reserve(1 + Block::kWholes * 3 + Block::kReals * 4);
    rows.lines.emplace_back(static_cast<std::int64_t>(block.lines));
    for (const auto& numbers : block.wholes) {
      const BlockColumn column = rows.columns.wholes(numbers);
      rows.lines.insert(rows.lines.end(), {column.base, column.width, column.offsets});
    }
    for (const auto& numbers : block.reals) {
      const BlockColumn column = rows.columns.reals(numbers);
      rows.lines.insert(rows.lines.end(),
                        {column.base, column.width, column.scale, column.offsets});
    }
    rows.others.reserve(block.others.size());
    for (const auto& other : block.others) {
      const BlockColumn column = rows.columns.others(other);
      const std::string& name = rows.names.emplace_back(printable(iterations.names()[other.name]));
      rows.others.push_back({ranks[other.name], std::string_view(name), column.base, column.width,
                             column.scale, column.offsets});
    }
    take(rows, before);
    before += static_cast<std::int64_t>(block.lines);
  });
}

/// Writes the rows of blocks.
class BlockInsert {
 public:
  BlockInsert(Connection& connection, std::int64_t run)
      : run_(run),
        lines_(connection.prepare(insert_text())),
        others_(connection.prepare(
            "INSERT INTO other_blocks (run, before, rank, name, base, width, scale, offsets) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)")) {}

  void put(const BlockRows& rows, std::int64_t before) {
    lines_.run(run_, before, rows.lines);
    for (const auto& other : rows.others) others_.run(run_, before, other);
  }

 private:
  std::int64_t run_;
  Statement lines_, others_;
};

/// Compares blocks, from the first on, with those that are stored.
class StoredBlocks {
 public:
  StoredBlocks(Connection& connection, std::int64_t run)
      : lines_(connection.prepare(select_text())),
        others_(connection.prepare(
            "SELECT before, rank, name, base, width, scale, offsets FROM other_blocks "
            "WHERE run = ? ORDER BY before, rank")) {
    lines_.bind(run);
    has_other_ = others_.bind(run).step();
  }

  bool next_is(BlockRows& rows, std::int64_t before) {
    if (!lines_.step() || lines_.integer(0) != before || !are(lines_, rows.lines)) return false;
    std::sort(rows.others.begin(), rows.others.end(), [](const auto& a, const auto& b) {
      return std::get<std::int64_t>(a[0]) < std::get<std::int64_t>(b[0]);
    });
    for (const auto& other : rows.others) {
      if (!has_other_ || others_.integer(0) != before || !are(others_, other)) return false;
      has_other_ = others_.step();
    }
    return !has_other_ || others_.integer(0) != before;
  }

 private:
  static bool are(const Statement& row, const std::vector<AnyValue>& values) {
    int column = 0;
    return std::all_of(values.begin(), values.end(),
                       [&](const auto& value) { return row.is(++column, value); });
  }

  Statement lines_, others_;
  bool has_other_ = false;
};

void delete_blocks_from(Connection& connection, std::int64_t run, std::int64_t before) {
  connection.prepare("DELETE FROM iteration_blocks WHERE run = ? AND before >= ?").run(run, before);
  connection.prepare("DELETE FROM other_blocks WHERE run = ? AND before >= ?").run(run, before);
}

}  // namespace

void put_iterations(Connection& connection, std::int64_t run, const Iterations& iterations) {
  BlockInsert insert(connection, run);
  each_rows(iterations,
            [&](const BlockRows& rows, std::int64_t before) { insert.put(rows, before); });
}

void replace_iterations(Connection& connection, std::int64_t run, const Iterations& iterations) {
  BlockInsert insert(connection, run);
  std::optional<StoredBlocks> stored(std::in_place, connection, run);
  const auto differs_from = [&](std::int64_t before) {
    stored.reset();
    delete_blocks_from(connection, run, before);
  };
  each_rows(iterations, [&](BlockRows& rows, std::int64_t before) {
    if (stored && stored->next_is(rows, before)) return;
    if (stored) differs_from(before);
    insert.put(rows, before);
  });
  if (stored) differs_from(static_cast<std::int64_t>(iterations.size()));
}

std::int64_t count_iterations(Connection& connection, std::int64_t run) {
  Statement count = connection.prepare("SELECT sum(lines) FROM iteration_blocks WHERE run = ?");
  count.bind(run).step();
  return count.maybe_integer(0).value_or(0);
}

void delete_iterations(Connection& connection, std::int64_t run) {
  connection.prepare("DELETE FROM iteration_blocks WHERE run = ?").run(run);
  connection.prepare("DELETE FROM other_blocks WHERE run = ?").run(run);
}

void pack_old_iterations(Connection& connection) {
  Statement rows = connection.prepare(
      "SELECT run, iteration, step_time_ms, interval, flags, gbs, consumed_samples, skipped, nan, "
      "lm_loss, learning_rate, loss_scale, grad_norm, other FROM iterations "
      "ORDER BY run, position");
  std::optional<std::int64_t> run;
  Iterations lines;
  while (rows.step()) {
    if (run && *run != rows.integer(0)) {
      put_iterations(connection, *run, lines);
      lines = {};
    }
    run = rows.integer(0);
    int column = 0;
    Iteration line;
    line.number = rows.integer(++column);
    line.step_time_ms = rows.real(++column);
    line.interval = rows.integer(++column);
    line.flags = static_cast<unsigned>(rows.integer(++column));
    for (auto* count : {&line.gbs, &line.consumed_samples, &line.skipped, &line.nan})
      *count = rows.maybe_integer(++column);
    for (auto* real : {&line.lm_loss, &line.learning_rate, &line.loss_scale, &line.grad_norm})
      *real = rows.maybe_real(++column);
    if (!rows.null(++column)) line.other = values_in(rows.text(column));
    lines.push_back(std::move(line));
  }
  if (run) put_iterations(connection, *run, lines);
}

}  // namespace pippin::db
