// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "core/records/iterations.h"
#include "db/sqlite.h"

namespace pippin::db {

/// How a row writes one column of its lines; db/README.md says how it is read.
struct BlockColumn {
  AnyValue base, width, scale, offsets;
};

/// Makes columns, and keeps the texts that they point to.
class BlockColumns {
 public:
  BlockColumn wholes(const PackedNumbers& numbers);
  BlockColumn reals(const PackedNumbers& numbers);
  /// Of what else lines say: numbers, texts, or both.
  BlockColumn others(const IterationBlock::Other& other);

 private:
  BlockColumn digits(const PackedNumbers& numbers);
  template <typename Text>
  BlockColumn written(std::size_t lines, Text text_of);

  std::deque<std::string> texts_;
};

}  // namespace pippin::db
