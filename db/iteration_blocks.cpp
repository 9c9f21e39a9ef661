// SPDX-License-Identifier: Apache-2.0
// Lines of runs, some hundred to a row. db/README.md says how a row is read.
#include "db/iteration_blocks.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"
#include "db/json.h"

namespace pippin::db {

namespace {

using Block = IterationBlock;
using Form = PackedNumbers::Form;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// How a row writes one column of its lines.
struct Column {
  AnyValue base, width, scale, offsets;
};

/// Columns, and the texts that they point to.
class Writer {
 public:
  Column wholes(const PackedNumbers& numbers) { return column(numbers); }

  Column reals(const PackedNumbers& numbers) {
    if (numbers.form() == Form::kReals)
      return written(numbers.size(), [&](std::size_t i) { return real_text(numbers.real(i)); });
    if (numbers.form() == Form::kConstant) return {numbers.real(0), {}, {}, {}};
    Column column = this->column(numbers);
    if (numbers.form() != Form::kUnknown) column.scale = numbers.scale();
    return column;
  }

  /// Numbers whose text SQLite would not write as json_of() does, and texts, are written out.
  Column others(const Block::Other& other) {
    const PackedNumbers& numbers = other.numbers;
    if (!other.texts.empty() || !is_plain(numbers))
      return written(numbers.size(), [&](std::size_t i) { return json_text(other, i); });
    if (numbers.form() == Form::kConstant && numbers.scale() != 1)
      return {numbers.real(0), {}, {}, {}};
    Column column = this->column(numbers);
    if (numbers.form() == Form::kOffsets) column.scale = numbers.scale();
    return column;
  }

 private:
  Column column(const PackedNumbers& numbers) {
    switch (numbers.form()) {
      case Form::kConstant:
        return {numbers.base(), {}, {}, {}};
      case Form::kLinear:
        return {numbers.base(), std::int64_t{0}, {}, numbers.step()};
      case Form::kOffsets:
        return digits(numbers);
      case Form::kUnknown:
      case Form::kReals:
        break;
    }
    return {};
  }

  /// The offsets as digits of one width; an unknown one as blanks.
  Column digits(const PackedNumbers& numbers) {
    constexpr std::uint64_t kTen = 10;
    std::size_t width = 1;
    for (auto rest = numbers.largest_offset(); rest >= kTen; rest /= kTen) ++width;
    std::string& text = texts_.emplace_back(numbers.size() * width, ' ');
    char* end = text.data();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      end += width;
      std::uint64_t rest = numbers.offset(i);
      if (rest > numbers.largest_offset()) continue;
      for (char* digit = end; digit != end - width; rest /= kTen)
        *--digit = static_cast<char>('0' + rest % kTen);
    }
    const auto characters = static_cast<std::int64_t>(width);
    return {numbers.base(), numbers.has_unknown() ? -characters : characters, {}, Bytes{text}};
  }

  /// Texts of one width; nothing as blanks.
  template <typename Text>
  Column written(std::size_t lines, Text text_of) {
    std::vector<std::string> texts;
    texts.reserve(lines);
    std::size_t width = 1;
    for (std::size_t i = 0; i < lines; ++i) {
      texts.push_back(text_of(i));
      width = std::max(width, texts.back().size());
    }
    std::string& all = texts_.emplace_back();
    for (const auto& text : texts) {
      all += text;
      all.append(width - text.size(), ' ');
    }
    return {{}, -static_cast<std::int64_t>(width), {}, Bytes{all}};
  }

  /// With so many digits that SQLite, which rounds twice, comes to the same number; of the few that
  /// tell a number from its neighbours it makes the neighbour once in some thousand. SQL has no
  /// other word for infinity.
  static std::string real_text(double real) {
    if (std::isnan(real)) return "";
    if (std::isinf(real)) return real > 0 ? "9e999" : "-9e999";
    constexpr double kSmall = 1e-280;  // of smaller ones it reads few digits better than many
    return std::abs(real) < kSmall ? fmt::format("{}", real) : fmt::format("{:.19g}", real);
  }

  static std::string json_text(const Block::Other& other, std::size_t i) {
    const double number = other.numbers.real(i);
    if (!std::isnan(number)) return json_of({"", number});
    if (other.texts.empty()) return "";
    const std::int64_t text = other.text_of.integer(i);
    if (text == PackedNumbers::kUnknown) return "";
    return json_of({other.texts[static_cast<std::size_t>(text)], {}});
  }

  /// Whether SQLite writes them without an exponent and with all digits.
  static bool is_plain(const PackedNumbers& numbers) {
    constexpr double kTen = 10, kLeast = 1e-4, kMost = 1e15;
    if (numbers.form() == Form::kReals) return false;
    if (numbers.scale() != 1 && std::fmod(numbers.scale(), kTen) != 0) return false;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double size = std::abs(numbers.real(i));
      if (size >= kMost || (size > 0 && size < kLeast)) return false;
    }
    return true;
  }

  std::deque<std::string> texts_;
};

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

/// The numbers of a block that a row writes. Shape: nothing of them where digits are missing.
class Reader {
 public:
  /// Requires 0 < lines <= kMostBlockLines.
  Reader(const Statement& row, std::size_t lines) : row_(row), lines_(lines) {}

  /// From base, width and offsets, the first in `column`.
  void wholes(int column, std::vector<std::int64_t>& numbers) const {
    numbers.assign(lines_, PackedNumbers::kUnknown);
    if (row_.null(column)) return;
    each_whole(column, column + 1, column + 2,
               [&](std::size_t i, std::int64_t number) { numbers[i] = number; });
  }

  /// From base, width, scale and offsets, the first in `column`.
  void reals(int column, std::vector<double>& numbers) const {
    numbers.assign(lines_, kNoNumber);
    const int width = column + 1, scale = column + 2, offsets = column + 3;
    if (row_.null(width)) {
      if (!row_.null(column)) numbers.assign(lines_, row_.real(column));
    } else if (row_.null(scale)) {
      each_text(width, offsets, [&](std::size_t i, std::string_view text) {
        const double infinity = std::numeric_limits<double>::infinity();
        numbers[i] = parse_number(text).value_or(text.starts_with('-') ? -infinity : infinity);
      });
    } else {
      const double of = row_.real(scale);
      each_whole(column, width, offsets, [&](std::size_t i, std::int64_t number) {
        numbers[i] = static_cast<double>(number) / of;
      });
    }
  }

  /// The same of what else lines say; of a text infinity.
  void others(int column, std::vector<double>& numbers) const {
    const int width = column + 1, offsets = column + 3;
    if (row_.null(width) || row_.integer(width) != 0) return reals(column, numbers);
    numbers.assign(lines_, kNoNumber);
    each_whole(column, width, offsets, [&](std::size_t i, std::int64_t number) {
      numbers[i] = static_cast<double>(number);
    });
  }

 private:
  template <typename Take>
  void each_whole(int base_column, int width_column, int offsets, Take take) const {
    const auto base = static_cast<std::uint64_t>(row_.integer(base_column));
    const auto above = [&](std::uint64_t offset) {
      return static_cast<std::int64_t>(base + offset);
    };
    const std::int64_t width = row_.maybe_integer(width_column).value_or(0);
    if (width == 0) {
      const auto step = static_cast<std::uint64_t>(row_.integer(offsets));  // of NULL 0
      for (std::size_t i = 0; i < lines_; ++i) take(i, above(i * step));
    } else if (width > 0) {
      const std::string_view digits = row_.view(offsets);
      const auto many = static_cast<std::size_t>(width);
      if (digits.size() / lines_ < many) return;
      for (std::size_t i = 0; i < lines_; ++i) take(i, above(number_in(&digits[i * many], many)));
    } else {
      each_text(width_column, offsets, [&](std::size_t i, std::string_view digits) {
        take(i, above(number_in(digits.data(), digits.size())));
      });
    }
  }

  /// Of those that are known.
  template <typename Take>
  void each_text(int width_column, int column, Take take) const {
    const std::string_view all = row_.view(column);
    const std::size_t width = std::size_t{0} - static_cast<std::size_t>(row_.integer(width_column));
    if (all.size() / lines_ < width) return;
    for (std::size_t i = 0; i < lines_; ++i) {
      const std::string_view text = trim(all.substr(i * width, width));
      if (!text.empty()) take(i, text);
    }
  }

  static std::uint64_t number_in(const char* digits, std::size_t width) {
    constexpr std::uint64_t kTen = 10;
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < width; ++i)
      number = number * kTen + static_cast<std::uint64_t>(digits[i] - '0');
    return number;
  }

  const Statement& row_;
  std::size_t lines_;
};

}  // namespace

namespace {

/// What a block's rows hold behind run and before: its own, and one for each name of what its lines
/// say besides.
struct BlockRows {
  std::vector<AnyValue> lines;
  std::vector<std::vector<AnyValue>> others;
  Writer writer;                  ///< what they point to
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
      const Column column = rows.writer.wholes(numbers);
      rows.lines.insert(rows.lines.end(), {column.base, column.width, column.offsets});
    }
    for (const auto& numbers : block.reals) {
      const Column column = rows.writer.reals(numbers);
      rows.lines.insert(rows.lines.end(),
                        {column.base, column.width, column.scale, column.offsets});
    }
    rows.others.reserve(block.others.size());
    for (const auto& other : block.others) {
      const Column column = rows.writer.others(other);
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

StoredLines::StoredLines(Connection& connection, const std::string& file, std::int64_t run)
    : connection_(&connection),
      file_(file),
      run_(run),
      blocks_(connection.prepare(fmt::format(
          "SELECT lines, iteration_base, iteration_width, iteration_offsets, interval_base, "
          "interval_width, interval_offsets, flags_base, flags_width, flags_offsets, gbs_base, "
          "gbs_width, gbs_offsets, step_time_ms_base, step_time_ms_width, step_time_ms_scale, "
          "step_time_ms_offsets, lm_loss_base, lm_loss_width, lm_loss_scale, lm_loss_offsets "
          "FROM {}.iteration_blocks WHERE run = ? ORDER BY before",
          file))) {
  blocks_.bind(run);
}

bool StoredLines::next() {
  if (++at_ < numbers_.size()) return true;
  if (!blocks_.step()) return false;
  read_block();
  at_ = 0;
  return true;
}

void StoredLines::read_block() {
  const auto refuse = [&](const char* why) {
    Statement file = connection_->prepare("SELECT file FROM pragma_database_list WHERE name = ?");
    file.bind(file_).step();
    bad_input("{}: is a damaged database (lines of its run {} {}); name another file with --db",
              file.text(0), run_, why);
  };
  const std::int64_t lines = blocks_.integer(0);
  if (lines < 1 || lines > static_cast<std::int64_t>(kMostBlockLines))
    refuse("stand in a block of an impossible size");
  const Reader block(blocks_, static_cast<std::size_t>(lines));
  int column = 1;
  for (auto* wholes : {&numbers_, &intervals_, &flags_, &gbs_}) {
    block.wholes(column, *wholes);
    column += 3;
  }
  for (auto* reals : {&times_, &losses_}) {
    block.reals(column, *reals);
    column += 4;
  }
  // What every line has; what some lack, such as a loss, may be missing in all.
  for (const auto* wholes : {&numbers_, &intervals_, &flags_}) {
    if (std::find(wholes->begin(), wholes->end(), PackedNumbers::kUnknown) != wholes->end())
      refuse("lack figures");
  }
  if (std::any_of(times_.begin(), times_.end(), [](double x) { return std::isnan(x); }))
    refuse("lack their time");
}

Count StoredLines::gbs() const {
  return gbs_[at_] == PackedNumbers::kUnknown ? std::nullopt : Count(gbs_[at_]);
}

std::optional<double> StoredLines::lm_loss() const {
  return std::isnan(losses_[at_]) ? std::nullopt : std::optional(losses_[at_]);
}

namespace {

/// All that StoredLines gives but the loss.
void copy_line(const StoredLines& stored, Iteration& line) {
  line.number = stored.number();
  line.step_time_ms = stored.step_time_ms();
  line.interval = stored.interval();
  line.flags = stored.flags();
  line.gbs = stored.gbs();
}

}  // namespace

void each_line(Connection& connection, std::int64_t run,
               const std::function<void(const Iteration&)>& take) {
  Iteration line;
  for (StoredLines stored(connection, "main", run); stored.next();) {
    copy_line(stored, line);
    take(line);
  }
}

namespace {

/// A name of what else the lines of a block say, and the number of each; none is not finite.
struct OtherNumbers {
  std::string name;
  std::vector<double> of_lines;
};

/// Of the block with the lines behind the first `before`.
std::vector<OtherNumbers> others_of_block(Statement& rows, std::int64_t run, std::int64_t before,
                                          std::size_t lines) {
  std::vector<OtherNumbers> others;
  for (rows.bind(run, before); rows.step();) {
    OtherNumbers& other = others.emplace_back();
    other.name = rows.text(0);
    Reader(rows, lines).others(1, other.of_lines);
  }
  return others;
}

}  // namespace

void each_line_with_others(Connection& connection, std::int64_t run,
                           const std::function<void(const Iteration&)>& take) {
  Statement rows = connection.prepare(
      "SELECT name, base, width, scale, offsets FROM other_blocks "
      "WHERE run = ? AND before = ? ORDER BY rank");
  std::vector<OtherNumbers> others;
  std::int64_t before = 0;
  std::size_t place = 0;
  for (StoredLines stored(connection, "main", run); stored.next(); ++before, ++place) {
    if (stored.begins_block()) {
      place = 0;
      others = others_of_block(rows, run, before, stored.lines_of_block());
    }
    Iteration line;
    copy_line(stored, line);
    for (const auto& other : others) {
      const double number = other.of_lines[place];
      if (std::isfinite(number)) line.other.emplace_back(other.name, Value{"", number});
    }
    take(line);
  }
}

std::vector<Iteration> lines_of(Connection& connection, std::int64_t run) {
  std::vector<Iteration> lines;
  each_line(connection, run, [&](const Iteration& line) { lines.push_back(line); });
  return lines;
}

bool begins_with(Connection& connection, std::int64_t run, const Iterations& iterations) {
  StoredLines stored(connection, "main", run);
  bool same = true;
  iterations.each_block([&](const Block& block) {
    const auto &times = block.reals[Block::kStepTime], &losses = block.reals[Block::kLmLoss];
    for (std::size_t i = 0; same && i < block.lines; ++i) {
      const double loss = losses.real(i);
      same = stored.next() && stored.number() == block.wholes[Block::kNumber].integer(i) &&
             stored.step_time_ms() == times.real(i) &&
             stored.lm_loss() == (std::isnan(loss) ? std::nullopt : std::optional(loss));
    }
  });
  return same;
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
