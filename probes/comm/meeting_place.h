// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace pippin::probes {

/// Where the ranks of a run find their first one: a file that all of them see, or a port of its
/// machine.
struct MeetingPlace {
  std::string file;  ///< empty where it is a port
  std::string host;
  std::uint16_t port = 0;

  /// As a person reads it: "n1:29500" or "the place that /shared/meet names".
  std::string name() const;
};

/// From $PROBES_RENDEZVOUS, file:///path or tcp://host:port, else from torchrun's $MASTER_ADDR and
/// $MASTER_PORT. Where torchrun keeps that port for itself ($TORCHELASTIC_USE_AGENT_STORE is True)
/// it is the next one. Errors: Error (bad input) where none is set or one cannot be read.
/// Source: torch/distributed/rendezvous.py, PyTorch 2.4.
MeetingPlace meeting_place();

}  // namespace pippin::probes
