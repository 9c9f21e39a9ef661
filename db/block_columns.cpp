// SPDX-License-Identifier: Apache-2.0
#include "db/block_columns.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "db/json.h"

namespace pippin::db {

namespace {

using Form = PackedNumbers::Form;

/// With so many digits that SQLite, which rounds twice, comes to the same number; of the few that
/// tell a number from its neighbours it makes the neighbour once in some thousand. SQL has no
/// other word for infinity.
std::string real_text(double real) {
  if (std::isnan(real)) return "";
  if (std::isinf(real)) return real > 0 ? "9e999" : "-9e999";
  constexpr double kSmall = 1e-280;  // of smaller ones it reads few digits better than many
  return std::abs(real) < kSmall ? fmt::format("{}", real) : fmt::format("{:.19g}", real);
}

std::string json_text(const IterationBlock::Other& other, std::size_t i) {
  const double number = other.numbers.real(i);
  if (!std::isnan(number)) return json_of({"", number});
  if (other.texts.empty()) return "";
  const std::int64_t text = other.text_of.integer(i);
  if (text == PackedNumbers::kUnknown) return "";
  return json_of({other.texts[static_cast<std::size_t>(text)], {}});
}

/// Whether SQLite writes them without an exponent and with all digits.
bool is_plain(const PackedNumbers& numbers) {
  constexpr double kTen = 10, kLeast = 1e-4, kMost = 1e15;
  if (numbers.form() == Form::kReals) return false;
  if (numbers.scale() != 1 && std::fmod(numbers.scale(), kTen) != 0) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double size = std::abs(numbers.real(i));
    if (size >= kMost || (size > 0 && size < kLeast)) return false;
  }
  return true;
}

}  // namespace

/// The offsets as digits of one width; an unknown one as blanks.
BlockColumn BlockColumns::digits(const PackedNumbers& numbers) {
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
BlockColumn BlockColumns::written(std::size_t lines, Text text_of) {
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

BlockColumn BlockColumns::wholes(const PackedNumbers& numbers) {
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

BlockColumn BlockColumns::reals(const PackedNumbers& numbers) {
  if (numbers.form() == Form::kReals)
    return written(numbers.size(), [&](std::size_t i) { return real_text(numbers.real(i)); });
  if (numbers.form() == Form::kConstant) return {numbers.real(0), {}, {}, {}};
  BlockColumn column = wholes(numbers);
  if (numbers.form() != Form::kUnknown) column.scale = numbers.scale();
  return column;
}

/// Numbers whose text SQLite would not write as json_of() does, and texts, are written out.
BlockColumn BlockColumns::others(const IterationBlock::Other& other) {
  const PackedNumbers& numbers = other.numbers;
  if (!other.texts.empty() || !is_plain(numbers))
    return written(numbers.size(), [&](std::size_t i) { return json_text(other, i); });
  if (numbers.form() == Form::kConstant && numbers.scale() != 1)
    return {numbers.real(0), {}, {}, {}};
  BlockColumn column = wholes(numbers);
  if (numbers.form() == Form::kOffsets) column.scale = numbers.scale();
  return column;
}

}  // namespace pippin::db
