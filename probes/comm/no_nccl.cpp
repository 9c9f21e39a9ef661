// SPDX-License-Identifier: Apache-2.0
#include "probes/comm/nccl.h"

namespace pippin::probes {

namespace {

[[noreturn]] void refuse() { throw Error(ExitCode::kMachine, "built without NCCL"); }

}  // namespace

class NcclWatch::Post {};

NcclWatch::NcclWatch(std::chrono::seconds, Fail) { refuse(); }
NcclWatch::~NcclWatch() = default;

std::unique_ptr<Communicator> make_nccl_communicator(std::unique_ptr<Communicator>,
                                                     const std::string&, const NcclPlace&) {
  refuse();
}

bool has_nccl() { return false; }
std::string nccl_version() { return "none"; }

}  // namespace pippin::probes
