// SPDX-License-Identifier: Apache-2.0
// What AddressSanitizer asks a program as it starts. Open MPI's modules leak at their end, and are
// gone by then, so that no suppression could name them.

extern "C" const char* __asan_default_options();  // NOLINT(bugprone-reserved-identifier)

const char* __asan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "detect_leaks=0";
}
