// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stdexcept>
#include <string>

namespace pippin::probes {

/// What a probe tells the shell; LOG_FORMAT.md lists the same numbers.
enum class ExitCode {
  kDone = 0,
  kFailed = 1,
  kBadInput = 2,
  kMachine = 3,
  kOutOfMemory = 12,
  kBadLayout = 13,  ///< the model and the ranks do not fit together
  kNoDevice = 14,   ///< what the probe should run on is missing
  kLostRank = 15,   ///< another rank of the run died
};

/// An error a person reads: what, where and what to do, in one line. Caught once, in `main`.
class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  ExitCode exit_code() const { return exit_code_; }

 private:
  ExitCode exit_code_;
};

/// Of an Error its own, of others what fits.
ExitCode exit_code_of(const std::exception& error);

/// Throws the Error of bad usage.
[[noreturn]] void bad_input(const std::string& message);
/// Throws the Error of a layout that cannot be.
[[noreturn]] void bad_layout(const std::string& message);

/// Runs the body of a probe's `main`: an exception becomes one line on standard error,
/// "PROGRAM: what happened", and its exit code. One without words ends it in silence, as where
/// another process has spoken.
int guarded_main(const char* program, const std::function<ExitCode()>& body);

}  // namespace pippin::probes
