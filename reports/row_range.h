// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <vector>

#include "core/records/summary.h"

namespace pippin {

/// Rows that are made each time they are looked at: however many there are, one of them is there.
struct MadeRows {
  std::vector<std::uint32_t> order;  ///< what `make` knows each row by
  /// Overwrites all of `row`; the same again gives the same.
  std::function<void(std::uint32_t of, Summary& row)> make;
};

/// The rows of a table, kept or made, which must outlive it. What a place refers to holds until
/// that place moves on.
class RowRange {
 public:
  RowRange(const std::vector<Summary>& kept) : kept_(&kept), size_(kept.size()) {}
  RowRange(const MadeRows& made) : made_(&made), size_(made.order.size()) {}

  /// A place among them. Copies share the row that was made last.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Summary;
    using difference_type = std::ptrdiff_t;
    using pointer = const Summary*;
    using reference = const Summary&;

    Iterator(const RowRange& range, std::size_t at) : range_(&range), at_(at) {}
    reference operator*() const;
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    void operator++(int) { ++at_; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    struct Made {
      Summary row;
      std::size_t at;
    };
    const RowRange* range_;
    std::size_t at_;
    mutable std::shared_ptr<Made> made_ = {};
  };

  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Those for which `holds(row)` does, in their order.
  template <typename Condition>
  RowRange where(const Condition& holds) const;

 private:
  const std::vector<Summary>* kept_ = nullptr;
  const MadeRows* made_ = nullptr;
  std::shared_ptr<std::vector<std::uint32_t>> chosen_ = {};  ///< none: all
  std::size_t size_ = 0;
};

template <typename Condition>
RowRange RowRange::where(const Condition& holds) const {
  RowRange result = *this;
  result.chosen_ = std::make_shared<std::vector<std::uint32_t>>();
  std::size_t at = 0;
  for (auto row = begin(); row != end(); ++row, ++at) {
    if (holds(*row))
      result.chosen_->push_back(chosen_ ? (*chosen_)[at] : static_cast<std::uint32_t>(at));
  }
  result.size_ = result.chosen_->size();
  return result;
}

}  // namespace pippin
