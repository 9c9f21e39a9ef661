// SPDX-License-Identifier: Apache-2.0
#include "probes/common/json_log.h"

#include <cerrno>
#include <cstring>

#include "probes/common/error.h"

namespace pippin::probes {

namespace {

std::FILE* open_file(const std::string& name, bool first_rank) {
  if (!first_rank || name.empty() || name == "-") return nullptr;
  std::FILE* file = std::fopen(name.c_str(), "w");
  if (!file) bad_input("--json " + name + ": cannot write: " + std::strerror(errno));
  return file;
}

}  // namespace

TwoLogs::TwoLogs(const std::string& name, bool first_rank)
    : file_(open_file(name, first_rank)),
      table(stdout, first_rank && name != "-"),
      json(file_ ? file_.get() : stdout, file_ || (first_rank && name == "-")) {}

}  // namespace pippin::probes
