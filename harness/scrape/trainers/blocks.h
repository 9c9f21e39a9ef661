// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/scrape/trainers/figures.h"

namespace pippin {

/// What a trainer says of a step in several lines: a head, and a name and a value in each that
/// follows.
struct Block {
  std::string before;  ///< what stands before the head's words
  std::string head;
  unsigned flags = 0;  ///< IterationFlag, as the reader has them where it begins
  std::map<std::string, std::string, std::less<>> fields;

  std::optional<std::string_view> text(std::string_view name) const;
  std::optional<Figure> figure(std::string_view name) const;
  Count count(std::string_view name) const;
};

/// The blocks that are being read, one of each speaker: those of several ranks may be mixed.
class Blocks {
 public:
  using Take = std::function<void(const Block&)>;

  /// A head: takes the block that this speaker had open. The same head again, as of a line that is
  /// printed twice, goes on with it.
  Block& begin(std::string_view before, std::string_view head, const Take& take);
  /// A field of the block that the speaker has open. Loggers put what they add before the head
  /// only: then it is of the last head that has more before it. Of none it is nobody's.
  void add(std::string_view before, std::string_view name, std::string_view value);
  /// The speaker's is at its end.
  void end(std::string_view before, const Take& take);
  /// All of them are.
  void flush(const Take& take);

 private:
  using Open = std::pair<std::string, Block>;  ///< by speaker
  std::vector<Open>::iterator open_of(std::string_view speaker);

  std::vector<Open> open_;  ///< the last one last
};

}  // namespace pippin
