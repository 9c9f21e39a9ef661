// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/records/iterations.h"
#include "db/sqlite.h"

namespace pippin::db {

/// The lines of a run, in their order. Shape: only number, time, interval, flags, GBS and loss.
/// Errors: bad input where a row is damaged.
class StoredLines {
 public:
  /// `file`: "main", or the name of an attached database.
  StoredLines(Connection& connection, const std::string& file, std::int64_t run);
  /// Goes to the next line, first to the first; false behind the last.
  bool next();

  std::int64_t number() const { return numbers_[at_]; }
  double step_time_ms() const { return times_[at_]; }
  std::int64_t interval() const { return intervals_[at_]; }
  unsigned flags() const { return static_cast<unsigned>(flags_[at_]); }
  /// Whether the line is the first of a block; and how many that has.
  bool begins_block() const { return at_ == 0; }
  std::size_t lines_of_block() const { return numbers_.size(); }
  Count gbs() const;
  std::optional<double> lm_loss() const;

 private:
  void read_block();

  Connection* connection_;
  std::string file_;
  std::int64_t run_;
  Statement blocks_;
  std::vector<std::int64_t> numbers_, intervals_, flags_, gbs_;
  std::vector<double> times_, losses_;
  std::size_t at_ = 0;
};

/// Shape: only number, time, interval, flags and GBS.
void each_line(Connection& connection, std::int64_t run,
               const std::function<void(const Iteration&)>& take);
/// … and of what else they say the numbers.
void each_line_with_others(Connection& connection, std::int64_t run,
                           const std::function<void(const Iteration&)>& take);
std::vector<Iteration> lines_of(Connection& connection, std::int64_t run);
/// Whether the first lines of a run are these: by number, time and loss.
bool begins_with(Connection& connection, std::int64_t run, const Iterations& iterations);

}  // namespace pippin::db
