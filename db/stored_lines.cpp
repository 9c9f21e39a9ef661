// SPDX-License-Identifier: Apache-2.0
// Lines of runs, read from the blocks that db/README.md describes.
#include "db/stored_lines.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <string_view>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin::db {

namespace {

using Block = IterationBlock;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

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

}  // namespace pippin::db
