// SPDX-License-Identifier: Apache-2.0
#include "probes/common/log.h"

#include <cerrno>
#include <cstring>

#include "probes/common/error.h"

namespace pippin::probes {

void Log::line(const std::string& text) { lines({text}); }

void Log::lines(const std::vector<std::string>& texts) {
  if (!speaks_) return;
  std::string whole;
  for (const auto& text : texts) whole += text + "\n";
  const bool written = std::fwrite(whole.data(), 1, whole.size(), out_) == whole.size();
  if (!written || std::fflush(out_) != 0)
    throw Error(ExitCode::kMachine, std::string("cannot write the log: ") + std::strerror(errno));
}

}  // namespace pippin::probes
