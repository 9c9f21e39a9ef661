// SPDX-License-Identifier: Apache-2.0
#include "probes/device/job_memory.h"

#include <cstdlib>
#include <limits>

#include "core/base/files.h"
#include "core/base/process.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/support/temporary.h"

using pippin::disk;
using pippin::run_program;
using pippin::probes::job_bytes;
using pippin::test::TemporaryDirectory;

namespace {

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

/// What is left for tensors of so many bytes.
std::uint64_t usable(std::uint64_t bytes) { return bytes - bytes / 16; }

/// The variables of Slurm, for as long as it lives.
class Slurm {
 public:
  using Variables = std::vector<std::pair<const char*, const char*>>;
  explicit Slurm(const Variables& variables = {}) {
    for (const char* name : kNames) ::unsetenv(name);
    for (const auto& [name, value] : variables) ::setenv(name, value, 1);
  }
  ~Slurm() {
    for (const char* name : kNames) ::unsetenv(name);
  }
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;

 private:
  static constexpr const char* kNames[] = {"SLURM_MEM_PER_NODE", "SLURM_MEM_PER_CPU",
                                           "SLURM_CPUS_ON_NODE"};
};

void write(const TemporaryDirectory& root, const std::string& file, const std::string& text) {
  disk().write(root.path() / file, text);
}

}  // namespace

TEST_CASE("a job's memory is the least that any cgroup above the rank has left") {
  const Slurm none;
  const TemporaryDirectory root;
  write(root, "proc/self/cgroup", "0::/slurm/job_7/step_0/user/task_0\n");
  write(root, "proc/self/mountinfo",
        "30 23 0:28 / /proc rw - proc proc rw\n"
        "38 31 0:35 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
  CHECK(job_bytes(root.path()) == kNone);
  const std::string slurm = "sys/fs/cgroup/slurm/";
  write(root, slurm + "job_7/step_0/user/task_0/memory.max", "max\n");
  CHECK(job_bytes(root.path()) == kNone);
  write(root, slurm + "job_7/memory.max", "1600000\n");
  CHECK(job_bytes(root.path()) == usable(1600000));
  write(root, slurm + "job_7/memory.current", "700000\n");
  CHECK(job_bytes(root.path()) == usable(900000));
  write(root, slurm + "job_7/memory.stat", "anon 1\ninactive_file 300000\nactive_file 9\n");
  CHECK(job_bytes(root.path()) == usable(1200000));
  write(root, slurm + "memory.max", "16000\n");
  CHECK(job_bytes(root.path()) == usable(16000));
  write(root, slurm + "memory.current", "20000\n");
  CHECK(job_bytes(root.path()) == 0);
}

TEST_CASE("version 1 of cgroups names its memory otherwise, and a container shows a part of it") {
  const Slurm none;
  const TemporaryDirectory root;
  write(root, "proc/self/cgroup", "9:cpu,cpuacct:/x\n4:hugetlb,memory:/docker/abc/job_7\n0::/\n");
  write(root, "proc/self/mountinfo",
        "33 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,hugetlb,memory\n");
  const std::string memory = "sys/fs/cgroup/memory/";
  write(root, memory + "memory.limit_in_bytes", "9223372036854771712\n");
  write(root, memory + "job_7/memory.limit_in_bytes", "1600000\n");
  write(root, memory + "job_7/memory.usage_in_bytes", "900000\n");
  write(root, memory + "job_7/memory.stat", "inactive_file 7\ntotal_inactive_file 100000\n");
  CHECK(job_bytes(root.path()) == usable(800000));
}

TEST_CASE("what Slurm has given a job counts where no cgroup holds it") {
  const TemporaryDirectory root;
  constexpr std::uint64_t kGib = 1 << 30;
  const auto with = [&](const Slurm::Variables& variables) {
    const Slurm slurm(variables);
    return job_bytes(root.path());
  };
  CHECK(with({{"SLURM_MEM_PER_NODE", "2048"}}) == usable(2 * kGib));
  CHECK(with({{"SLURM_MEM_PER_CPU", "512"}, {"SLURM_CPUS_ON_NODE", "8"}}) == usable(4 * kGib));
  for (const char* all : {"0", "", "all"}) CHECK(with({{"SLURM_MEM_PER_NODE", all}}) == kNone);
}

TEST_CASE("a rank in a cgroup of its job's says that it is out of memory and is not killed") {
  const pippin::Outcome outcome = run_program(
      {"bash", "-c",
       "parent=/sys/fs/cgroup/memory; limit=memory.limit_in_bytes\n"
       "if ! [ -d $parent ]; then parent=/sys/fs/cgroup limit=memory.max; fi\n"
       "group=$parent/pippin-test-$$\n"
       "mkdir $group && echo $((80 << 20)) >$group/$limit || { rmdir $group; exit 77; }\n"
       "(echo $BASHPID >$group/cgroup.procs && exec $0 --hidden 1024 --layers 8 --heads 8)\n"
       "code=$?; rmdir $group; exit $code",
       TRAINING_PROBE});
  if (outcome.exit_code == 77) return pippin::test::skip("no cgroup can be made here");
  CHECK(outcome.exit_code == 12);
  CHECK_THAT(outcome.output, Catch::Contains("training: out of memory (std::bad_alloc): tried to"));
}
