// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/expert_layers.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace pippin {

namespace {

constexpr std::int64_t kMostLayers = 100'000;

/// Python's sums and products of lists of numbers and of numbers, as far as lists of layers need
/// them: "[0]*3+[1]*58", "([0]*1+[1]*1)*14", "[0, 1]".
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<std::vector<std::int64_t>> list() {
    auto value = sum();
    skip_blanks();
    if (!value || !value->is_list || !rest_.empty()) return std::nullopt;
    return std::move(value->list);
  }

 private:
  struct Operand {
    bool is_list = false;
    std::int64_t number = 0;
    std::vector<std::int64_t> list;
  };
  using Read = std::optional<Operand>;

  void skip_blanks() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())) != 0)
      rest_.remove_prefix(1);
  }
  bool take(char wanted) {
    skip_blanks();
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::int64_t> whole() {
    skip_blanks();
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc() || number < 0 || number > kMostLayers) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  Read bracketed() {
    Operand read{true, 0, {}};
    if (take(']')) return read;
    do {
      const auto element = whole();
      if (!element) return std::nullopt;
      read.list.push_back(*element);
    } while (take(','));
    return take(']') ? Read(std::move(read)) : std::nullopt;
  }

  Read factor() {
    constexpr int kDeepest = 16;
    if (take('[')) return bracketed();
    if (take('(')) {
      if (++depth_ > kDeepest) return std::nullopt;
      Read inner = sum();
      --depth_;
      return take(')') ? std::move(inner) : std::nullopt;
    }
    if (const auto number = whole()) return Operand{false, *number, {}};
    return std::nullopt;
  }

  static Read times(Operand a, Operand b) {
    if (a.is_list && b.is_list) return std::nullopt;
    if (b.is_list) std::swap(a, b);
    if (!a.is_list) {
      a.number *= b.number;
      return a.number <= kMostLayers ? Read(std::move(a)) : std::nullopt;
    }
    if (std::ssize(a.list) * b.number > kMostLayers) return std::nullopt;
    Operand all{true, 0, {}};
    for (std::int64_t i = 0; i < b.number; ++i)
      all.list.insert(all.list.end(), a.list.begin(), a.list.end());
    return all;
  }

  static Read plus(Operand a, const Operand& b) {
    if (a.is_list != b.is_list) return std::nullopt;
    a.number += b.number;
    a.list.insert(a.list.end(), b.list.begin(), b.list.end());
    const std::int64_t size = std::max<std::int64_t>(a.number, std::ssize(a.list));
    return size <= kMostLayers ? Read(std::move(a)) : std::nullopt;
  }

  Read product() {
    Read left = factor();
    while (left && take('*')) {
      Read right = factor();
      if (!right) return std::nullopt;
      left = times(std::move(*left), std::move(*right));
    }
    return left;
  }

  Read sum() {
    Read left = product();
    while (left && take('+')) {
      const Read right = product();
      if (!right) return std::nullopt;
      left = plus(std::move(*left), *right);
    }
    return left;
  }

  std::string_view rest_;
  int depth_ = 0;
};

}  // namespace

std::optional<std::vector<bool>> layers_with_experts(std::string_view frequency,
                                                     std::int64_t layers) {
  if (layers < 1 || layers > kMostLayers) return std::nullopt;
  std::vector<bool> with(static_cast<std::size_t>(layers));
  std::int64_t every = 1;
  const char* const end = frequency.data() + frequency.size();
  const auto [read_to, error] = std::from_chars(frequency.data(), end, every);
  if (error == std::errc::result_out_of_range) return std::nullopt;
  const bool is_number = frequency.empty() || (error == std::errc() && read_to == end);
  if (is_number) {
    if (every < 1) return std::nullopt;
    for (std::int64_t i = 0; i < layers; i += every) with[static_cast<std::size_t>(i)] = true;
    return with;
  }
  const auto list = Reader(frequency).list();
  if (!list || list->size() != with.size()) return std::nullopt;
  if (std::any_of(list->begin(), list->end(), [](std::int64_t one) { return one > 1; }))
    return std::nullopt;
  std::transform(list->begin(), list->end(), with.begin(), [](auto one) { return one == 1; });
  return with;
}

std::optional<ExpertSteps> steps_of(const std::vector<bool>& with_experts) {
  const auto begin = with_experts.begin(), end = with_experts.end();
  const auto first = std::find(begin, end, true);
  if (first == end) return std::nullopt;
  const auto second = std::find(first + 1, end, true);
  const ExpertSteps steps{first - begin, second - first};
  for (std::int64_t i = 0; i < std::ssize(with_experts); ++i) {
    const bool is_step = i >= steps.first && (i - steps.first) % steps.every == 0;
    if (with_experts[static_cast<std::size_t>(i)] != is_step) return std::nullopt;
  }
  return steps;
}

}  // namespace pippin
