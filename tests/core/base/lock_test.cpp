// SPDX-License-Identifier: Apache-2.0
#include "core/base/lock.h"

#include <chrono>
#include <memory>
#include <sys/stat.h>
#include <thread>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

TEST_CASE("a lock behind a link, or that is no file, is not taken") {
  const test::TemporaryDirectory folder;
  disk().write(folder / "private", "secret");
  fs::create_symlink(folder / "private", folder / "link");
  fs::create_symlink(folder / "new", folder / "dangling");
  fs::create_directory(folder / "folder");
  CHECK_THROWS_WITH(FileLock(folder / "link"), Contains("link: is a link"));
  CHECK_THROWS_WITH(FileLock(folder / "dangling"), Contains("dangling: is a link"));
  CHECK_THROWS_WITH(FileLock(folder / "folder"), Contains("folder: cannot open"));
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(FileLock(folder / "fifo"), Contains("fifo: is no file; remove it"));
  CHECK(disk().read(folder / "private") == "secret");
  CHECK_FALSE(fs::exists(folder / "new"));
}

TEST_CASE("a folder for locks is one that only its user can write to") {
  const test::TemporaryDirectory folder;
  make_lock_folder(folder / "locks");
  make_lock_folder(folder / "locks");
  CHECK(fs::status(folder / "locks").permissions() == fs::perms::owner_all);
  fs::create_directory(folder / "open");
  fs::permissions(folder / "open", fs::perms::all);
  fs::create_directory_symlink(folder / "locks", folder / "link");
  for (const char* name : {"open", "link"}) {
    CHECK_THROWS_WITH(make_lock_folder(folder / name),
                      Contains(": is no folder that only you can write to"));
  }
}

TEST_CASE("whether a lock is held is seen without taking it") {
  const test::TemporaryDirectory folder;
  CHECK_FALSE(is_locked(folder / "lock"));
  {
    const FileLock lock(folder / "lock");
    CHECK(is_locked(folder / "lock"));
  }
  CHECK_FALSE(is_locked(folder / "lock"));
}

TEST_CASE("who holds a lock for a moment is waited for") {
  const test::TemporaryDirectory folder;
  auto held = std::make_unique<FileLock>(folder / "lock");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    held.reset();
  });
  CHECK_NOTHROW(FileLock(folder / "lock"));
  other.join();
}
