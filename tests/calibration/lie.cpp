// SPDX-License-Identifier: Apache-2.0
// lie DATABASE [NAME=VALUE]...: fills a database with campaigns of a known truth.

#include <cstdio>
#include <exception>
#include <string>

#include "tests/calibration/lying_cluster.h"

int main(int argc, char* argv[]) {
  using namespace pippin;
  if (argc < 2) {
    std::fputs("usage: lie DATABASE [NAME=VALUE]...\n", stderr);
    return 2;
  }
  try {
    calibration::Lies lies;
    for (int i = 2; i < argc; ++i) calibration::set(lies, argv[i]);
    Database database(argv[1]);
    calibration::fill(database, lies);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lie: %s\n", error.what());
    return 2;
  }
  return 0;
}
