// SPDX-License-Identifier: Apache-2.0
// Memory that runs out while a log is read: the n-th allocation fails, for many n.
#include <cstdint>
#include <cstdlib>
#include <new>
#include <optional>

#include "core/base/files.h"
#include "harness/scrape/scraped_file.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

thread_local std::int64_t allocations_left = -1;  // below 0: as many as are asked for

/// Whether it did what it was to do, where there are so many allocations left.
template <typename Action>
bool succeeds_with(std::int64_t allocations, Action action) {
  allocations_left = allocations;
  try {
    action();
    allocations_left = -1;
    return true;
  } catch (const std::bad_alloc&) {
    allocations_left = -1;
    return false;
  }
}

}  // namespace

#ifndef __SANITIZE_ADDRESS__  // which has its own
void* operator new(std::size_t size) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

TEST_CASE("a growing file whose reading lacked memory is read anew, with all its lines") {
#ifdef __SANITIZE_ADDRESS__
  return test::skip("AddressSanitizer has an operator new of its own");
#endif
  const test::TemporaryDirectory folder;
  const fs::path path = folder / "a.log";
  constexpr int kLines = 600, kMore = 300;
  std::string text = test::dump(), more;
  for (int i = 1; i <= kLines; ++i) text += test::row(i, 100 + i % 7);
  for (int i = kLines + 1; i <= kLines + kMore; ++i) more += test::row(i, 100 + i % 7);
  bool is_done = false;
  int failures = 0;
  for (std::int64_t n = 1; !is_done; n += 1 + n / 20) {
    disk().write(path, text);
    GrowingFile growing(path, {});
    std::optional<ScrapedFile> found;
    is_done = succeeds_with(n, [&] { found = growing.read(); });
    failures += is_done ? 0 : 1;
    disk().write(path, text + more);
    found = growing.read();
    REQUIRE(found);
    REQUIRE(found->runs.size() == 1);
    REQUIRE(found->runs.front().iterations.size() == kLines + kMore);
  }
  CHECK(failures > 20);
}
