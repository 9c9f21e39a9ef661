// SPDX-License-Identifier: Apache-2.0
#include "reports/cells.h"

#include <algorithm>

namespace pippin {

void Cells::push_back(std::string_view cell) {
  if (size_ == 0) text_ = cell;
  if (ends_.empty() && cell != text_) {
    const std::string first = text_;
    text_.clear();
    for (std::size_t i = 0; i < size_; ++i) {
      text_ += first;
      ends_.push_back(text_.size());
    }
  }
  ++size_;
  if (ends_.empty()) return;
  text_ += cell;
  ends_.push_back(text_.size());
}

std::string_view Cells::operator[](std::size_t i) const {
  if (ends_.empty()) return text_;
  const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
  return std::string_view(text_).substr(begin, ends_[i] - begin);
}

bool operator==(const Cells& a, const Cells& b) {
  return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
}

}  // namespace pippin
