// SPDX-License-Identifier: Apache-2.0
#include "core/base/mount.h"

#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

constexpr const char* kMounts =
    "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "27 22 0:40 / /home rw,nosuid shared:9 master:2 - nfs4 server:/home rw,vers=4.2,acdirmax=30\n"
    "31 22 0:41 / /mnt/a\\040b ro - nfs server:/x rw,noac\n"
    "32 22 0:42 / /scratch rw - lustre mds@tcp:/scratch rw,flock\n";

}  // namespace

TEST_CASE("a mount is known by its number, whatever stands between") {
  const Mount home = mount_in(kMounts, "27");
  CHECK(home.type == "nfs4");
  CHECK(home.options == "rw,vers=4.2,acdirmax=30");
  CHECK(mount_in(kMounts, "31").type == "nfs");
  CHECK(mount_in(kMounts, "2").type.empty());
  CHECK(mount_in("", "27").type.empty());
}

TEST_CASE("how long a machine goes by what it has seen is said by the mount") {
  CHECK(longest_kept_s(mount_in(kMounts, "22")) == 0);
  CHECK(longest_kept_s(mount_in(kMounts, "27")) == 60);  // of files; of folders 30
  CHECK(longest_kept_s(mount_in(kMounts, "31")) == 0);
  CHECK(longest_kept_s(mount_in(kMounts, "32")) == 0);
  CHECK(longest_kept_s({"", "nfs4", "rw,acregmax=600,acdirmax=900"}) == 900);
  CHECK(longest_kept_s({"", "cifs", "rw,actimeo=30"}) == 30);
  CHECK(longest_kept_s({"", "cifs", "rw"}) == 1);
}

TEST_CASE("a mount says whether other nodes see its locks") {
  CHECK_FALSE(locks_are_local({"", "ext4", "rw"}));
  CHECK_FALSE(locks_are_local(mount_in(kMounts, "27")));
  CHECK_FALSE(locks_are_local(mount_in(kMounts, "32")));
  CHECK(locks_are_local({"", "lustre", "rw,localflock,lazystatfs"}));
  CHECK(locks_are_local({"", "nfs", "rw,nolock,local_lock=all"}));
  CHECK(locks_are_local({"", "nfs4", "rw,local_lock=flock"}));
  CHECK_FALSE(locks_are_local({"", "nfs4", "rw,local_lock=none"}));
  CHECK_FALSE(locks_are_local({"", "nfs", "rw,local_lock=posix"}));  // that is SQLite's kind
}

TEST_CASE("BeeGFS keeps locks to a node unless its file says that it does not") {
  const test::TemporaryDirectory folder;
  const Mount mount{"", "beegfs", "rw,cfgFile=" + (folder / "client.conf").string() + ",_netdev"};
  CHECK(locks_are_local(mount));
  disk().write(folder / "client.conf", "# tuneUseGlobalFileLocks = true\nother = true\n");
  CHECK(locks_are_local(mount));
  disk().write(folder / "client.conf", "tuneUseGlobalFileLocks       = true\n");
  CHECK_FALSE(locks_are_local(mount));
  CHECK(locks_are_local({"", "beegfs", "rw"}));
}

TEST_CASE("a folder's view is that of every process that uses the same mount") {
  const test::TemporaryDirectory scratch;
  const Mount mount = mount_of(scratch.path());
  CHECK(mount.view == mount_of(scratch.path()).view);
  CHECK(mount.view != mount_of("/proc").view);
  CHECK(mount_of(scratch.path() / "none").view.empty());
}
