#include "probes/common/error.h"

#include <cstdio>
#include <new>

#include "probes/common/text.h"

namespace pippin::probes {

void bad_input(const std::string& message) { throw Error(ExitCode::kBadInput, message); }
void bad_layout(const std::string& message) { throw Error(ExitCode::kBadLayout, message); }

namespace {

int fail(const char* program, ExitCode code, const char* message) {
  std::fprintf(stderr, "%s: %s\n", program, printable(message).c_str());
  return static_cast<int>(code);
}

}  // namespace

int guarded_main(const char* program, const std::function<ExitCode()>& body) {
  try {
    return static_cast<int>(body());
  } catch (const Error& error) {
    return fail(program, error.exit_code(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(program, ExitCode::kOutOfMemory, "out of memory (std::bad_alloc)");
  } catch (const std::exception& error) {
    return fail(program, ExitCode::kMachine, error.what());
  }
}

}  // namespace pippin::probes
