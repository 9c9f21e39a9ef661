// SPDX-License-Identifier: Apache-2.0
#include "reports/row_range.h"

namespace pippin {

RowRange::Iterator::reference RowRange::Iterator::operator*() const {
  const std::size_t place = range_->chosen_ ? (*range_->chosen_)[at_] : at_;
  if (range_->kept_) return (*range_->kept_)[place];
  if (!made_) made_ = std::make_shared<Made>(Made{{}, at_ + 1});
  if (made_->at != at_) range_->made_->make(range_->made_->order[place], made_->row);
  made_->at = at_;
  return made_->row;
}

}  // namespace pippin
