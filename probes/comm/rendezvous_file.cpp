// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/rendezvous_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "probes/common/error.h"

namespace pippin::probes {

namespace {

[[noreturn]] void fail(const std::string& file) {
  throw Error(ExitCode::kMachine,
              "PROBES_RENDEZVOUS: cannot write " + file + ": " + std::strerror(errno));
}

}  // namespace

RendezvousEntry read_rendezvous_file(const std::string& file) {
  RendezvousEntry entry;
  std::ifstream stream(file);
  if (!(stream >> entry.host >> entry.port >> entry.password)) return {};
  return entry;
}

RendezvousFile::RendezvousFile(std::string file, const RendezvousEntry& entry)
    : file_(std::move(file)), password_(entry.password) {
  const std::string draft = file_ + "." + std::to_string(entry.password);
  {
    std::ofstream stream(draft);
    stream << entry.host << " " << entry.port << " " << entry.password << "\n";
    if (!stream.flush()) fail(draft);
  }
  if (std::rename(draft.c_str(), file_.c_str()) == 0) return;
  const int reason = errno;
  std::remove(draft.c_str());
  errno = reason;
  fail(file_);
}

RendezvousFile::~RendezvousFile() {
  if (read_rendezvous_file(file_).password == password_) std::remove(file_.c_str());
}

}  // namespace pippin::probes
