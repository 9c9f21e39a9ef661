// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <stdexcept>
#include <string>

namespace pippin {

/// What the process tells the shell; README and `--help` list the same numbers.
/// kInterrupted is what shells report of a process that Ctrl-C ended.
enum class ExitCode { kDone = 0, kRunFailed = 1, kBadInput = 2, kMachine = 3, kInterrupted = 130 };

/// An error a person reads: what, where and what to do, in one line. Caught once, in `main`.
class Error : public std::runtime_error {
 public:
  Error(ExitCode exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  ExitCode exit_code() const { return exit_code_; }

 private:
  ExitCode exit_code_;
};

/// A program that is not installed, or not on PATH.
class MissingProgram : public Error {
 public:
  explicit MissingProgram(const std::string& name)
      : Error(ExitCode::kMachine, fmt::format("cannot find '{}' on PATH", name)) {}
};

/// Throws the Error of bad usage or input (exit status 2).
template <typename... Args>
[[noreturn]] void bad_input(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(ExitCode::kBadInput, fmt::format(text, std::forward<Args>(args)...));
}

/// Throws the Error of a machine or service that failed (exit status 3).
template <typename... Args>
[[noreturn]] void machine_failed(fmt::format_string<Args...> text, Args&&... args) {
  throw Error(ExitCode::kMachine, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace pippin
