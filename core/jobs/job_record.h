// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pippin {

/// How an attempt at a run ended, as far as it has.
struct AttemptEnd {
  std::optional<std::int64_t> ended;  ///< seconds since 1970
  std::optional<int> exit_code;       ///< nothing while it runs, or when it was lost
  bool interrupted = false;           ///< ended from outside
  bool time_up = false;               ///< … because its job's time was up
  std::string stopped = {};           ///< by its job, after "run_time" or as its log had "stalled"
  std::int64_t stopped_after_s = 0;
  bool suspended = false;      ///< its job was held still for a time
  std::string last_line = {};  ///< of its log, when it was stopped
};

/// What a job writes of itself and of a run, in lines that begin with "pippin: " among what it
/// prints (protocol.h has their words).
struct JobRecord {
  bool is_claim = false;                     ///< a job's own
  std::int64_t task = 0;                     ///< 0: it does not say
  std::string view = {};                     ///< Mount::view; empty: it does not say
  std::string fault = {};                    ///< why its prolog ended the job; empty: it did not
  std::string provenance = {};               ///< lines of "NAME=VALUE"
  std::optional<std::int64_t> started = {};  ///< of a run, seconds since 1970
  std::string command = {};                  ///< the bash function that was called
  AttemptEnd end = {};
};

/// A line that a power cut or a full disk has torn says nothing, nor does one of an end that does
/// not repeat when its run was started: only its job could know that.
JobRecord read_record(std::string_view text);

/// The end that a file `done` of an older pippin tells, and what `interrupted` and `stopped` beside
/// it do; empty where they are not there.
AttemptEnd read_older_end(std::string_view done, std::string_view interrupted,
                          std::string_view stopped);

/// "exit=0 ended=1700000000" → the word behind "exit="; empty where it is not there.
std::string_view word_of(std::string_view line, std::string_view name);
/// … as a number.
std::optional<std::int64_t> number_of(std::string_view line, std::string_view name);

}  // namespace pippin
