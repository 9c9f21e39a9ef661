// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace pippin {

/// The cells of a column, one behind the other in one text; equal ones are there once.
class Cells {
 public:
  Cells() = default;
  Cells(std::initializer_list<std::string_view> cells) : Cells(cells.begin(), cells.end()) {}
  Cells(const std::vector<std::string>& cells) : Cells(cells.begin(), cells.end()) {}

  void push_back(std::string_view cell);
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  bool all_equal() const { return ends_.empty(); }
  /// Holds until a cell is added.
  std::string_view operator[](std::size_t i) const;
  std::string_view front() const { return (*this)[0]; }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::string_view;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::string_view*;
    using reference = std::string_view;

    Iterator() = default;
    Iterator(const Cells& cells, std::size_t at) : cells_(&cells), at_(at) {}
    std::string_view operator*() const { return (*cells_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {*cells_, at_++}; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    const Cells* cells_ = nullptr;
    std::size_t at_ = 0;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

  friend bool operator==(const Cells& a, const Cells& b);

 private:
  template <typename Place>
  Cells(Place begin, Place end) {
    for (; begin != end; ++begin) push_back(*begin);
  }

  std::string text_;               ///< while all are equal: one of them
  std::vector<std::size_t> ends_;  ///< of each in `text_`; empty while all are equal
  std::size_t size_ = 0;
};

}  // namespace pippin
