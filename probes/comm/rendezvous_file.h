// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace pippin::probes {

/// What the first rank writes into the file by which the others find it.
struct RendezvousEntry {
  std::string host;
  std::uint16_t port = 0;
  std::uint64_t password = 0;
};

/// Port 0 where the file is not there or not whole.
RendezvousEntry read_rendezvous_file(const std::string& file);

/// The first rank's file, which appears whole and is gone when this goes; a later run's that has
/// taken its place is left alone. Errors: Error (machine) where it cannot be written.
class RendezvousFile {
 public:
  RendezvousFile(std::string file, const RendezvousEntry& entry);
  ~RendezvousFile();
  RendezvousFile(const RendezvousFile&) = delete;
  RendezvousFile& operator=(const RendezvousFile&) = delete;

 private:
  std::string file_;
  std::uint64_t password_;
};

}  // namespace pippin::probes
