// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace pippin {

/// The epochs that a trainer prints with its losses. They rise while it trains: where they go back,
/// another training has begun.
class LossEpochs {
 public:
  enum class Seen {
    kGoesOn,
    kAnew,        ///< another training, from its first step
    kAnewBehind,  ///< one that goes on from a checkpoint
  };
  /// `losses`: the text that says them. What a process repeats of another, however late, is no
  /// news.
  Seen see(double epoch, std::string_view losses, const std::string& speaker);
  void clear();

 private:
  struct Place {
    double epoch = 0, first = 0;
    std::optional<double> most_apart;  ///< of two that follow each other
  };
  std::map<std::string, Place> places_;  ///< by speaker
  std::unordered_set<std::size_t> said_;
};

}  // namespace pippin
