// SPDX-License-Identifier: Apache-2.0
#include "core/records/iterations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace pippin {

namespace {

using Block = IterationBlock;

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

std::int64_t known(const Count& count) { return count.value_or(PackedNumbers::kUnknown); }
double known(const std::optional<double>& number) { return number.value_or(kNoNumber); }

Count count_at(const PackedNumbers& numbers, std::size_t i) {
  const std::int64_t number = numbers.integer(i);
  return number == PackedNumbers::kUnknown ? std::nullopt : Count(number);
}

std::optional<double> real_at(const PackedNumbers& numbers, std::size_t i) {
  const double number = numbers.real(i);
  return std::isnan(number) ? std::nullopt : std::optional(number);
}

std::int64_t whole_of(const Iteration& line, int column) {
  switch (column) {
    case Block::kNumber:
      return line.number;
    case Block::kInterval:
      return line.interval;
    case Block::kFlags:
      return line.flags;
    case Block::kGbs:
      return known(line.gbs);
    case Block::kConsumedSamples:
      return known(line.consumed_samples);
    case Block::kSkipped:
      return known(line.skipped);
    default:
      return known(line.nan);
  }
}

double real_of(const Iteration& line, int column) {
  switch (column) {
    case Block::kStepTime:
      return line.step_time_ms;
    case Block::kLmLoss:
      return known(line.lm_loss);
    case Block::kLearningRate:
      return known(line.learning_rate);
    case Block::kLossScale:
      return known(line.loss_scale);
    default:
      return known(line.grad_norm);
  }
}

std::size_t digits_of(std::uint64_t number) {
  constexpr unsigned kTen = 10;
  std::size_t digits = 1;
  for (; number >= kTen; number /= kTen) ++digits;
  return digits;
}

std::size_t digits_of(const PackedNumbers& numbers) {
  constexpr std::size_t kWritten = 24;  // a real in full
  if (numbers.form() == PackedNumbers::Form::kReals) return kWritten;
  return numbers.form() == PackedNumbers::Form::kOffsets ? digits_of(numbers.largest_offset()) : 0;
}

}  // namespace

std::size_t digit_bytes(const IterationBlock& block) {
  std::size_t a_line = 0;
  for (const auto& column : block.wholes) a_line += digits_of(column);
  for (const auto& column : block.reals) a_line += digits_of(column);
  // Flags come last, when the block stands.
  if (digits_of(block.wholes[Block::kFlags]) == 0) ++a_line;
  return a_line * block.lines;
}

Iterations::Iterations(const std::vector<Iteration>& lines) {
  for (const auto& line : lines) push_back(line);
}

void Iterations::push_back(Iteration line) {
  if (open_.size() >= next_pack_ || is_sparse()) pack_open();
  last_put_.reset();
  const NamedValues others = std::exchange(line.other, {});
  open_.push_back(std::move(line));
  for (const auto& [name, value] : others) put(name, value);
}

/// A block has a column for each name that a line of it has: of names that are seldom there, most
/// is empty, the more so the longer the block.
bool Iterations::is_sparse() const {
  constexpr std::size_t kFewCells = 1 << 15, kCellsAValue = 16;
  return open_cells_ > kFewCells && open_cells_ > kCellsAValue * open_values_;
}

/// A new name's place is behind the one that stands before it in its line.
std::size_t Iterations::name_of(std::string_view name) {
  const std::size_t guess = last_put_ ? *last_put_ + 1 : 0;
  if (guess < names_.size() && names_[guess] == name) return guess;
  const auto known = by_name_.find(std::string(name));
  if (known != by_name_.end()) return known->second;
  if (names_.size() == kMostNames) return kNoName;
  by_name_.emplace(name, names_.size());
  auto place = order_.begin();
  if (names_.size() > kMostInOrder) {
    place = order_.end();
  } else if (last_put_) {
    place = std::find(order_.begin(), order_.end(), *last_put_) + 1;
  }
  order_.insert(place, names_.size());
  names_.emplace_back(name);
  open_others_.emplace_back();
  return names_.size() - 1;
}

void Iterations::put(std::size_t name, double number) {
  if (name == kNoName) {
    ++left_out_;
    return;
  }
  OpenOther& other = open_others_[name];
  if (other.numbers.size() < open_.size()) {
    open_cells_ += open_.size() - other.numbers.size();
    ++open_values_;
  }
  other.numbers.resize(open_.size() - 1, kNoNumber);
  other.numbers.push_back(number);
  if (other.text_of.size() == open_.size()) other.text_of.pop_back();
  last_put_ = name;
}

void Iterations::put(std::string_view name, const Value& value) {
  const std::size_t place = name_of(name);
  put(place, value.number.value_or(kNoNumber));
  if (place == kNoName) return;
  if (value.number && !std::isnan(*value.number)) return;
  OpenOther& other = open_others_[place];
  const auto known = std::find(other.texts.begin(), other.texts.end(), value.text);
  other.text_of.resize(open_.size() - 1, PackedNumbers::kUnknown);
  other.text_of.push_back(known - other.texts.begin());
  if (known == other.texts.end()) other.texts.push_back(value.text);
}

bool Iterations::last_has(std::size_t name) const {
  if (name == kNoName) return false;
  const OpenOther& other = open_others_[name];
  const bool number = other.numbers.size() == open_.size() && !std::isnan(other.numbers.back());
  return number || other.text_of.size() == open_.size();
}

void Iterations::put_first(std::string_view name, const Value& value) {
  if (!last_has(name_of(name))) put(name, value);
}

void Iterations::put_first(std::string_view name, double number) {
  const std::size_t place = name_of(name);
  if (!last_has(place)) put(place, number);
}

std::optional<Value> Iterations::open_other(std::size_t name, std::size_t line) const {
  const OpenOther& other = open_others_[name];
  if (line < other.numbers.size() && !std::isnan(other.numbers[line]))
    return value_of(other.numbers[line]);
  if (line >= other.text_of.size() || other.text_of[line] == PackedNumbers::kUnknown)
    return std::nullopt;
  return Value{other.texts[static_cast<std::size_t>(other.text_of[line])], {}};
}

IterationBlock::Other Iterations::packed_other(std::size_t name, std::size_t lines) const {
  const OpenOther& other = open_others_[name];
  Block::Other packed;
  packed.name = name;
  std::vector<double> numbers = other.numbers;
  numbers.resize(lines, kNoNumber);
  packed.numbers = PackedNumbers::of_reals(numbers);
  std::vector<std::int64_t> text_of = other.text_of;
  text_of.resize(lines, PackedNumbers::kUnknown);
  packed.text_of = PackedNumbers::of_integers(text_of);
  if (packed.text_of.form() != PackedNumbers::Form::kUnknown) packed.texts = other.texts;
  return packed;
}

IterationBlock Iterations::packed(std::size_t lines) const {
  Block block;
  block.lines = lines;
  std::vector<std::int64_t> wholes(lines);
  for (int column = 0; column < Block::kWholes; ++column) {
    for (std::size_t i = 0; i < lines; ++i) wholes[i] = whole_of(open_[i], column);
    block.wholes.at(static_cast<std::size_t>(column)) = PackedNumbers::of_integers(wholes);
  }
  std::vector<double> reals(lines);
  for (int column = 0; column < Block::kReals; ++column) {
    for (std::size_t i = 0; i < lines; ++i) reals[i] = real_of(open_[i], column);
    block.reals.at(static_cast<std::size_t>(column)) = PackedNumbers::of_reals(reals);
  }
  for (const std::size_t name : order_) {
    if (open_others_[name].numbers.empty()) continue;
    Block::Other other = packed_other(name, lines);
    const bool any = other.numbers.form() != PackedNumbers::Form::kUnknown || !other.texts.empty();
    if (any) block.others.push_back(std::move(other));
  }
  return block;
}

namespace {

/// Requires no particular size.
template <typename T>
void drop_first(std::vector<T>& values, std::size_t count) {
  values.erase(values.begin(),
               values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size())));
}

}  // namespace

void Iterations::pack_open() {
  Block block = packed(open_.size());
  const std::size_t bytes = std::max<std::size_t>(digit_bytes(block), 1);
  const std::size_t fitting = std::min(block.lines * kBlockBytes / bytes, kMostBlockLines);
  if (fitting > block.lines + block.lines / 16 && !is_sparse()) {
    next_pack_ = fitting;
    return;
  }
  // What fits of some lines need not fit of fewer: their digits may be as many.
  for (std::size_t lines = fitting; bytes > kBlockBytes && lines > 0;
       lines = lines - std::max<std::size_t>(lines / 16, 1)) {
    block = packed(lines);
    if (digit_bytes(block) <= kBlockBytes) break;
  }
  begins_.push_back(packed_lines_);
  packed_lines_ += block.lines;
  next_pack_ = std::max(block.lines, open_.size() - block.lines + 1);
  drop_first(open_, block.lines);
  open_cells_ = open_values_ = 0;
  for (auto& other : open_others_) {
    drop_first(other.numbers, block.lines);
    drop_first(other.text_of, block.lines);
    if (other.text_of.empty()) other.texts.clear();
    open_cells_ += other.numbers.size();
    open_values_ += other.numbers.size();  // nearly: what is left are the last few lines
  }
  blocks_.push_back(std::move(block));
}

Iteration Iterations::bare_line_of(const IterationBlock& block, std::size_t i) {
  Iteration line;
  const auto count = [&](Block::Whole column) { return count_at(block.wholes.at(column), i); };
  const auto real = [&](Block::Real column) { return real_at(block.reals.at(column), i); };
  line.number = block.wholes[Block::kNumber].integer(i);
  line.step_time_ms = block.reals[Block::kStepTime].real(i);
  line.interval = block.wholes[Block::kInterval].integer(i);
  line.flags = static_cast<unsigned>(block.wholes[Block::kFlags].integer(i));
  line.gbs = count(Block::kGbs);
  line.consumed_samples = count(Block::kConsumedSamples);
  line.skipped = count(Block::kSkipped);
  line.nan = count(Block::kNan);
  line.lm_loss = real(Block::kLmLoss);
  line.learning_rate = real(Block::kLearningRate);
  line.loss_scale = real(Block::kLossScale);
  line.grad_norm = real(Block::kGradNorm);
  return line;
}

Iteration Iterations::line_of(const IterationBlock& block, std::size_t i) const {
  Iteration line = bare_line_of(block, i);
  for (const auto& other : block.others) {
    const std::string& name = names_[other.name];
    const auto number = real_at(other.numbers, i);
    const Count text = other.texts.empty() ? std::nullopt : count_at(other.text_of, i);
    if (number) line.other.emplace_back(name, value_of(*number));
    if (text)
      line.other.emplace_back(name, Value{other.texts[static_cast<std::size_t>(*text)], {}});
  }
  return line;
}

/// Requires that line i is in a block.
std::size_t Iterations::block_of(std::size_t i) const {
  return static_cast<std::size_t>(std::upper_bound(begins_.begin(), begins_.end(), i) -
                                  begins_.begin() - 1);
}

Iteration Iterations::operator[](std::size_t i) const {
  if (i >= packed_lines_) {
    Iteration line = open_[i - packed_lines_];
    for (const std::size_t name : order_) {
      if (auto value = open_other(name, i - packed_lines_))
        line.other.emplace_back(names_[name], *std::move(value));
    }
    return line;
  }
  const std::size_t block = block_of(i);
  return line_of(blocks_[block], i - begins_[block]);
}

Iteration Iterations::bare(std::size_t i) const {
  if (i >= packed_lines_) return open_[i - packed_lines_];
  const std::size_t block = block_of(i);
  return bare_line_of(blocks_[block], i - begins_[block]);
}

void Iterations::each_line(const std::function<void(const Iteration&)>& take) const {
  Iteration line;
  for (const auto& block : blocks_) {
    for (std::size_t i = 0; i < block.lines; ++i) {
      line.number = block.wholes[Block::kNumber].integer(i);
      line.step_time_ms = block.reals[Block::kStepTime].real(i);
      line.interval = block.wholes[Block::kInterval].integer(i);
      line.flags = static_cast<unsigned>(block.wholes[Block::kFlags].integer(i));
      line.gbs = count_at(block.wholes[Block::kGbs], i);
      take(line);
    }
  }
  for (const auto& open : open_) take(open);
}

std::int64_t Iterations::number_of(std::size_t i) const {
  if (i >= packed_lines_) return open_[i - packed_lines_].number;
  const std::size_t block = block_of(i);
  return blocks_[block].wholes[Block::kNumber].integer(i - begins_[block]);
}

Iteration Iterations::at(std::size_t i) const {
  if (i >= size()) throw std::out_of_range("no such iteration");
  return (*this)[i];
}

std::vector<Iteration> Iterations::first(std::size_t count) const {
  std::vector<Iteration> lines;
  lines.reserve(count);
  for (std::size_t i = 0; i < count; ++i) lines.push_back((*this)[i]);
  return lines;
}

std::vector<Iterations::Marks> Iterations::marks_of(const IterationBlock& block) {
  std::vector<Marks> marks;
  marks.reserve(block.lines);
  for (std::size_t i = 0; i < block.lines; ++i)
    marks.push_back({block.wholes[Block::kNumber].integer(i),
                     block.wholes[Block::kInterval].integer(i),
                     static_cast<unsigned>(block.wholes[Block::kFlags].integer(i)),
                     count_at(block.wholes[Block::kGbs], i)});
  return marks;
}

void Iterations::put_marks(IterationBlock& block, const std::vector<Marks>& marks) {
  std::vector<std::int64_t> numbers(marks.size());
  const auto put = [&](Block::Whole column, auto number_of) {
    std::transform(marks.begin(), marks.end(), numbers.begin(), number_of);
    block.wholes.at(column) = PackedNumbers::of_integers(numbers);
  };
  put(Block::kInterval, [](const Marks& line) { return line.interval; });
  put(Block::kFlags, [](const Marks& line) { return std::int64_t{line.flags}; });
  put(Block::kGbs, [](const Marks& line) { return known(line.gbs); });
}

}  // namespace pippin
