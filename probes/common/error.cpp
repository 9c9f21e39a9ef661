// SPDX-License-Identifier: Apache-2.0
#include "probes/common/error.h"

#include <cstdio>
#include <new>

#include "probes/common/text.h"

namespace pippin::probes {

void bad_input(const std::string& message) { throw Error(ExitCode::kBadInput, message); }
void bad_layout(const std::string& message) { throw Error(ExitCode::kBadLayout, message); }

namespace {

int fail(const char* program, ExitCode code, const char* message) {
  if (*message) std::fprintf(stderr, "%s: %s\n", program, printable(message).c_str());
  return static_cast<int>(code);
}

}  // namespace

ExitCode exit_code_of(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) return own->exit_code();
  if (dynamic_cast<const std::bad_alloc*>(&error)) return ExitCode::kOutOfMemory;
  return ExitCode::kMachine;
}

int guarded_main(const char* program, const std::function<ExitCode()>& body) {
  try {
    return static_cast<int>(body());
  } catch (const std::bad_alloc& error) {
    return fail(program, exit_code_of(error), "out of memory (std::bad_alloc)");
  } catch (const std::exception& error) {
    return fail(program, exit_code_of(error), error.what());
  }
}

}  // namespace pippin::probes
