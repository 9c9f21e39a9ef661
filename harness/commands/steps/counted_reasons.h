// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace pippin {

/// Why points are left out, each reason with how many it is of.
class CountedReasons {
 public:
  void add(const std::string& why);
  std::size_t count() const { return count_; }
  /// "WHY (2 points); WHY (1 point); 4 other reasons"; the first ones by name.
  std::string words() const;

 private:
  std::size_t count_ = 0;
  std::map<std::string, std::size_t> points_;
  std::vector<std::string> first_;
};

}  // namespace pippin
