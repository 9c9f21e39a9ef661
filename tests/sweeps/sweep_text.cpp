// SPDX-License-Identifier: Apache-2.0
#include "tests/sweeps/sweep_text.h"

#include <fstream>

#include "core/base/error.h"
#include "sweeps/sweep_file.h"
#include "tests/support/temporary.h"

namespace pippin::test {

Sweep sweep_of(const std::string& text, const AskProbe& ask) {
  const TemporaryDirectory folder;
  std::ofstream(folder / "sweep.yaml", std::ios::binary) << text;  // disk() would sync each
  return load_sweep(folder / "sweep.yaml", ask);
}

std::string error_of(const std::string& text, const AskProbe& ask) {
  try {
    return "no error, points: " + std::to_string(sweep_of(text, ask).points.size());
  } catch (const Error& error) {
    const std::string message = error.what();
    if (error.exit_code() != ExitCode::kBadInput) return "exit 3: " + message;
    const auto start = message.find("sweep.yaml");
    return start == std::string::npos ? message : message.substr(start);
  }
}

}  // namespace pippin::test
