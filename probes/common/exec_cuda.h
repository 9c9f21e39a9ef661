// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pippin::probes {

/// Where the arguments ask for `--device cuda`, this process becomes the program of the same name
/// that was built with CUDA: PROGRAM-cuda in the same folder, so that PROGRAM itself starts where
/// no CUDA is. Returns where they do not, and in that program. Errors: Error (no device) where
/// there is none.
void exec_cuda_program(char* argv[]);

}  // namespace pippin::probes
