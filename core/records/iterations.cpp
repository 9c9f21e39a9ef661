#include "core/records/iterations.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

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

/// One name's values in some lines.
class OtherColumn {
 public:
  OtherColumn(std::size_t name, std::size_t lines) : numbers_(lines, kNoNumber) {
    column_.name = name;
  }

  void put(std::size_t line, const Value& value) {
    any_ = true;
    if (value.number && !std::isnan(*value.number)) {
      numbers_[line] = *value.number;
      if (!text_of_.empty()) text_of_[line] = PackedNumbers::kUnknown;
      return;
    }
    numbers_[line] = kNoNumber;
    if (text_of_.empty()) text_of_.assign(numbers_.size(), PackedNumbers::kUnknown);
    auto& texts = column_.texts;
    const auto known = std::find(texts.begin(), texts.end(), value.text);
    text_of_[line] = known - texts.begin();
    if (known == texts.end()) texts.push_back(value.text);
  }

  bool any() const { return any_; }

  Block::Other take() {
    column_.numbers = PackedNumbers::of_reals(numbers_);
    if (!column_.texts.empty()) column_.text_of = PackedNumbers::of_integers(text_of_);
    return std::move(column_);
  }

 private:
  Block::Other column_;
  std::vector<double> numbers_;
  std::vector<std::int64_t> text_of_;
  bool any_ = false;
};

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
  if (!line.other.empty()) learn_names(line);
  open_.push_back(std::move(line));
  if (open_.size() >= next_pack_) pack_open();
}

/// A new name's place is behind the one that stands before it in its line.
void Iterations::learn_names(const Iteration& line) {
  auto& [names, order] = columns_;
  std::size_t before = 0;
  for (const auto& field : line.other) {
    const auto same = [&](std::size_t name) { return names[name] == field.first; };
    auto place = order.begin() + static_cast<std::ptrdiff_t>(before);
    // Mostly the next one.
    if (place == order.end() || !same(*place))
      place = std::find_if(order.begin(), order.end(), same);
    if (place == order.end()) {
      place = order.insert(order.begin() + static_cast<std::ptrdiff_t>(before), names.size());
      names.push_back(field.first);
    }
    before = static_cast<std::size_t>(place - order.begin()) + 1;
  }
}

IterationBlock Iterations::packed(std::size_t lines, const Columns& columns) const {
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
  std::vector<OtherColumn> others;
  others.reserve(columns.order.size());
  for (const std::size_t name : columns.order) others.emplace_back(name, lines);
  for (std::size_t i = 0; i < lines; ++i) {
    std::size_t next = 0;
    for (const auto& [name, value] : open_[i].other) {
      const auto& text = name;
      const auto same = [&](std::size_t at) { return columns.names[columns.order[at]] == text; };
      if (next >= others.size() || !same(next)) {
        for (next = 0; !same(next);) ++next;
      }
      others[next++].put(i, value);
    }
  }
  for (auto& other : others) {
    if (other.any()) block.others.push_back(other.take());
  }
  return block;
}

void Iterations::pack_open() {
  Block block = packed(open_.size(), columns_);
  const std::size_t bytes = std::max<std::size_t>(digit_bytes(block), 1);
  const std::size_t fitting = std::min(block.lines * kBlockBytes / bytes, kMostBlockLines);
  if (fitting > block.lines + block.lines / 16) {
    next_pack_ = fitting;
    return;
  }
  // What fits of some lines need not fit of fewer: their digits may be as many.
  for (std::size_t lines = fitting; bytes > kBlockBytes && lines > 0;
       lines = lines - std::max<std::size_t>(lines / 16, 1)) {
    block = packed(lines, columns_);
    if (digit_bytes(block) <= kBlockBytes) break;
  }
  begins_.push_back(packed_lines_);
  packed_lines_ += block.lines;
  next_pack_ = std::max(block.lines, open_.size() - block.lines + 1);
  open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(block.lines));
  blocks_.push_back(std::move(block));
}

Iteration Iterations::line_of(const IterationBlock& block, std::size_t i) const {
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
  for (const auto& other : block.others) {
    const std::string& name = columns_.names[other.name];
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
  if (i >= packed_lines_) return open_[i - packed_lines_];
  const std::size_t block = block_of(i);
  return line_of(blocks_[block], i - begins_[block]);
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
