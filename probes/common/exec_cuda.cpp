// SPDX-License-Identifier: Apache-2.0
#include "probes/common/exec_cuda.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>

#include "probes/common/error.h"

namespace pippin::probes {

namespace {

constexpr const char* kSuffix = "-cuda";

bool asks_for_cuda(char* const argv[]) {
  for (; *argv; ++argv) {
    const std::string word = *argv;
    if (word == "--device=cuda") return true;
    if (word == "--device" && argv[1] && std::string(argv[1]) == "cuda") return true;
  }
  return false;
}

}  // namespace

void exec_cuda_program(char* argv[]) {
  if (!asks_for_cuda(argv)) return;
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  if (own.ends_with(kSuffix)) return;
  const std::string other = own + kSuffix;
  ::execv(other.c_str(), argv);
  if (errno == ENOENT)
    throw Error(ExitCode::kNoDevice,
                "--device cuda: built without CUDA: there is no " + other +
                    "; put nvcc on PATH, configure and build the probes again");
  throw Error(ExitCode::kNoDevice,
              "--device cuda: cannot start " + other + ": " + std::strerror(errno));
}

}  // namespace pippin::probes
