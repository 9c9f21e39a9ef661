// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "probes/comm/session.h"

namespace pippin::probes {

/// guarded_main() for a program of several ranks: joins them and runs `body` on each. An exception
/// on any rank ends all of them within seconds, with one line: "PROGRAM: what happened" where the
/// first rank has it, as when all have the same, else "PROGRAM: rank 3 on n2: what happened". A
/// rank that dies does, too: see watch.h.
/// `argv`, where given: of a program that can run on GPUs, see exec_cuda_program().
int ranked_main(const char* program, const std::function<ExitCode(Session&)>& body,
                char* argv[] = nullptr);

}  // namespace pippin::probes
