// SPDX-License-Identifier: Apache-2.0
#include "core/base/compressed_file.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

std::string_view CompressedFile::next() {
  const std::string_view next = begun_ ? rest_.next() : part_;
  begun_ = true;
  gave_end_ = next.empty();
  if (!gave_end_) part_ = next;
  given_bytes_ += static_cast<std::int64_t>(next.size());
  return next;
}

void CompressedFile::look_behind(std::size_t left_bytes) {
  const auto end_bytes = given_bytes_ - static_cast<std::int64_t>(left_bytes);
  std::string_view left = part_.substr(part_.size() - std::min(left_bytes, part_.size()));
  for (; !left.empty(); left = next()) {
    if (left.find_first_not_of('\0') != std::string_view::npos)
      bad_input("{}: behind its {} data, at byte {}, stands something else; make it anew",
                path_.string(), compression_, end_bytes);
  }
}

void CompressedFile::cut_off() const {
  bad_input(
      "{}: is cut off: it ends at byte {} in the midst of its {} data; make it anew, or "
      "collect what '{} -dc' still gives of it",
      path_.string(), given_bytes_, compression_, compression_);
}

void CompressedFile::fail(std::string_view why) const {
  if (gave_end_) cut_off();
  bad_input("{}: its {} data are damaged before byte {} ({}); make it anew", path_.string(),
            compression_, given_bytes_, printable(why));
}

}  // namespace pippin
