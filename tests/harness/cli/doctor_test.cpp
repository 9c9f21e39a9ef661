// SPDX-License-Identifier: Apache-2.0
#include <regex>

#include "core/base/text.h"
#include "harness/commands/steps/findings.h"
#include "tests/harness/cli/pippin.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::StartsWith;
using test::Call;
using test::Workplace;

namespace {

/// A folder whose bin/ has some programs of this machine, and others that only say something.
struct Machine : Workplace {
  Machine() {
    shell("mkdir bin; for p in bash sync setsid cat; do ln -s \"$(command -v $p)\" bin/$p; done");
    program("mpirun", "echo 'mpirun (Open MPI) 4.1.4'");
  }
  void program(const std::string& name, const std::string& bash) const {
    write("bin/" + name, "#!/bin/bash\n" + bash + "\n");
    shell("chmod +x bin/" + name);
  }
  /// A cluster of one partition, as its programs describe it; `nodes` is sinfo's, with blanks.
  void slurm(const std::string& nodes) const {
    write("nodes", nodes);
    shell(
        "awk '{print $0 \" k\" NR \"n[1-\" $2 \"]\"}' nodes | tr ' ' '\\037' >sinfo.txt");  // and
                                                                                            // names
    for (const std::string name : {"sbatch", "squeue", "scancel"}) program(name, "exit 1");
    program("sinfo",
            "if [ \"$1\" = --version ]; then echo 'slurm 23.11.4'; else cat sinfo.txt; fi");
    program("scontrol",
            "case \"$*\" in\n"
            "  *config) printf '%s\\n' 'Configuration data as of 100' 'ClusterName = hpc' "
            "'MinJobAge = 300 sec' ;;\n"
            "  *) echo 'PartitionName=gpu Default=YES DefaultTime=NONE MaxNodes=UNLIMITED "
            "MaxTime=UNLIMITED' ;;\n"
            "esac");
    program("srun", "printf 'srun: MPI types are...\\nsrun: pmix_v3\\n' >&2");
  }
  Call doctor(const std::string& arguments = "") const {
    return shell("PATH=\"$PWD/bin\"; \"$PIPPIN\" doctor " + arguments);
  }
};

/// The line of a thing; empty where there is none.
std::string line_of(const std::string& text, const std::string& thing) {
  for (const auto line : split(text, '\n')) {
    if (line.size() > 9 && line.substr(9).starts_with(thing + " ")) return std::string(line);
  }
  return "";
}

}  // namespace

TEST_CASE("an Open MPI that says its version in other words is here, too") {
  const Machine here;
  here.program("mpirun", "echo 'mpirun: Open MPI 5.0.1'");
  CHECK_THAT(line_of(here.doctor().out, "mpirun"), Contains("Open MPI 5.0.1"));
}

TEST_CASE("a machine with all that local sweeps need is well, without Slurm and GPUs") {
  const Machine here;
  const Call call = here.doctor();
  CAPTURE(call.out);
  CHECK(call.exit_code == 0);
  CHECK(call.err.empty());
  for (const std::string thing : {"bash", "sync", "setsid", "probes", "mpirun", "database"})
    CHECK_THAT(line_of(call.out, thing), StartsWith("ok "));
  for (const std::string thing : {"GPUs", "Slurm"})
    CHECK_THAT(line_of(call.out, thing), StartsWith("none "));
  CHECK(here.shell("ls -A | grep doctor").out.empty());
}

TEST_CASE("what local sweeps need and is not here is an error, and says what to do") {
  const Machine here;
  here.shell("rm bin/mpirun bin/setsid");
  const Call call = here.doctor();
  CHECK(call.exit_code == 3);
  CHECK_THAT(line_of(call.out, "mpirun"), StartsWith("MISSING "));
  CHECK_THAT(call.out, Contains("apt install openmpi-bin"));
  CHECK_THAT(call.out, Contains("apt install util-linux"));
  CHECK(call.err == "pippin: sweeps on this machine need what is MISSING: 2 things\n");
}

TEST_CASE("programs that are too old or another's are told from those that will do") {
  const Machine here;
  here.shell("rm bin/sync");
  here.program("sync", "echo 'sync (GNU coreutils) 8.22'");
  here.program("mpirun", "echo 'HYDRA build details:'");
  const Call call = here.doctor();
  CHECK(call.exit_code == 3);
  CHECK_THAT(line_of(call.out, "sync"), StartsWith("MISSING ") && Contains("8.22 is too old"));
  CHECK_THAT(line_of(call.out, "mpirun"), StartsWith("note "));
}

TEST_CASE("a database's folder that is not there or cannot be written is missing") {
  const Machine here;
  const Call none = here.doctor("--db none/t.db");
  CHECK(none.exit_code == 3);
  CHECK_THAT(none.out, Contains("no such folder"));
  CHECK_FALSE(fs::exists(here.path() / "none"));
  const Call closed = here.doctor("--db /proc/t.db");
  CHECK(closed.exit_code == 3);
  CHECK_THAT(closed.out, Contains("cannot write there"));
}

TEST_CASE("GPUs are counted with their driver, and a driver that fails is told") {
  const Machine here;
  here.program("nvidia-smi",
               "printf 'NVIDIA A100-SXM4-80GB, 81920, 535.1\\nNVIDIA A100-SXM4-80GB, 81920, "
               "535.1\\n'");
  CHECK(line_of(here.doctor().out, "GPUs") ==
        "ok       GPUs        2 × NVIDIA A100-SXM4-80GB, driver 535.1");
  here.program("nvidia-smi", "echo 'Failed to initialize NVML: Driver/library mismatch'; exit 18");
  CHECK_THAT(line_of(here.doctor().out, "GPUs"), StartsWith("note ") && Contains("mismatch"));
  const OwnGpus gpus = read_own_gpus("NVIDIA H200, [N/A], 580.1\nTesla T4, 15360, 580.1\n");
  CHECK(gpus.name == "NVIDIA H200");
  CHECK(gpus.count == 2);
  CHECK(gpus.mixed);
  CHECK_FALSE(gpus.memory_gib);
  CHECK(read_own_gpus("No devices were found\n").count == 0);
}

TEST_CASE("PBS's programs are told of where they are, and which of them are missing") {
  const Machine here;
  CHECK(line_of(here.doctor().out, "PBS").empty());
  for (const std::string name : {"qsub", "qstat"}) here.program(name, "exit 1");
  CHECK(line_of(here.doctor().out, "PBS").empty());  // Slurm has these, too
  for (const std::string name : {"qselect", "qdel"}) here.program(name, "exit 1");
  CHECK_THAT(line_of(here.doctor().out, "PBS"), StartsWith("note ") && Contains("qalter not on"));
  here.program("qalter", "exit 1");
  CHECK_THAT(line_of(here.doctor().out, "PBS"), StartsWith("ok ") && Contains("bin/qsub"));
}

TEST_CASE("a cluster without accounting and with another clock is told") {
  const Machine here;
  here.slurm(
      "gpu 6 idle 64 2 32 1 gpu:4 (null) 512000\ngpu 2 down* 64 2 32 1 gpu:4 (null) 512000\n");
  const Call call = here.doctor();
  CAPTURE(call.out, call.err);
  CHECK(call.exit_code == 0);
  CHECK_THAT(line_of(call.out, "Slurm"), StartsWith("ok ") && Contains("23.11.4"));
  CHECK_THAT(line_of(call.out, "cluster"), StartsWith("note ") && Contains("behind this machine"));
  CHECK_THAT(line_of(call.out, "accounting"), StartsWith("note ") && Contains("300 s"));
  CHECK_THAT(line_of(call.out, "partition"),
             Contains("gpu (default): 8 nodes (2 down or drained), 4 GPUs a node, no time limit"));
  for (const auto line : split(call.out, '\n')) CHECK(line.size() <= 100);
}

TEST_CASE("what cannot be asked is told, and all else too") {
  const Machine here;
  here.slurm("gpu 6 idle\n");
  const Call unread = here.doctor();
  CHECK(unread.exit_code == 0);
  CHECK_THAT(line_of(unread.out, "bash"), StartsWith("ok "));
  CHECK_THAT(line_of(unread.out, "Slurm"), StartsWith("note ") && Contains("cannot be asked"));
  here.slurm("gpu 6 idle 64 2 32 1 gpu:4 (null) 512000\n");
  here.program("scontrol", "echo AccountingStorageType=accounting_storage/slurmdbd");
  here.program("sacctmgr", "echo 'sacctmgr: error: Unable to connect' >&2; exit 1");
  const Call silent = here.doctor();
  CHECK(silent.exit_code == 0);
  CHECK_THAT(line_of(silent.out, "accounting"),
             StartsWith("note ") && Contains("Unable to connect"));
}

TEST_CASE("a cluster file is written that plan takes as it is") {
  const Machine here;
  here.slurm("gpu 6 idle 128 2 32 2 gpu:4(S:0-1) (null) 512000\n");
  here.program("nvidia-smi", "echo 'NVIDIA A100-SXM4-80GB, 81920, 535.1'");
  const Call call = here.doctor("--write-cluster mine");
  CAPTURE(call.err);
  CHECK(call.exit_code == 0);
  CHECK(call.out.empty());
  CHECK(call.err ==
        "mine: partition gpu; look it through, then say 'cluster: ./mine' in a sweep\n");
  const std::string text = here.text("mine");
  CHECK_THAT(text, Contains("accelerator: a100-sxm4-80g        # nvidia-smi on this machine"));
  CHECK_THAT(text, Contains("srun --mpi=pmix_v3 --kill-on-bad-exit=1 --nodes"));
  CHECK_THAT(text, Contains("hint: nomultithread"));
  const Call plan = here.pippin("plan --cluster ./mine -L tp 1,2 --gpus 8 -- train.sh {tp}");
  CAPTURE(plan.err);
  CHECK(plan.exit_code == 0);
  CHECK_THAT(plan.out, Contains("hpc-gpu"));
}

TEST_CASE("each kind of nodes gets a file, and what is left out is told with its reason") {
  const Machine here;
  here.slurm(
      "gpu 9 idle 40 2 20 1 (null) ib 192000\n"
      "gpu 2 idle 80 2 20 2 gpu:4 ib,v100-16g 160000\n"
      "gpu 3 idle 80 2 20 2 gpu:4 ib,v100-32g 160000\n"
      "gpu 1 down* 80 2 20 2 gpu:8 ib 720000\n");
  const Call call = here.doctor("--write-cluster mine.yaml");
  CAPTURE(call.err);
  CHECK(call.exit_code == 0);
  CHECK(call.err ==
        "mine.yaml: partition gpu, the 3 with gpu:4, 40 cores, 160 GB, v100-32g, ib; look it "
        "through, then say 'cluster: mine.yaml' in a sweep\n"
        "mine-v100-16g.yaml: partition gpu, the 2 with gpu:4, 40 cores, 160 GB, v100-16g, ib; look "
        "it through, then say 'cluster: mine-v100-16g.yaml' in a sweep\n"
        "left out: 1 with gpu:8, 40 cores, 720 GB, ib: all down or drained\n"
        "left out: 9 with no GPUs, 40 cores, 192 GB, ib: others have GPUs\n");
  CHECK_THAT(here.text("mine.yaml"),
             Contains("constraint: v100-32g") && Contains("hpc-gpu-v100-32g") &&
                 Contains("accelerator: v100-sxm2-32g") && Contains("cpus-per-task: 10"));
  CHECK_THAT(here.text("mine-v100-16g.yaml"),
             Contains("constraint: v100-16g") && Contains("accelerator: v100-sxm2-16g"));
  CHECK_THAT(line_of(here.doctor().out, "partition"),
             Contains("gpu (default): 3 nodes, 4 GPUs a node") && Contains("others: 2 with gpu:4"));
}

TEST_CASE("of several files none is written where one is there already") {
  const Machine here;
  here.slurm(
      "gpu 2 idle 40 2 20 1 gpu:4 (null) 192000\ngpu 3 idle 40 2 20 1 gpu:8 (null) 192000\n");
  here.write("mine-4gpus", "mine\n");
  const Call call = here.doctor("--write-cluster mine");
  CHECK(call.exit_code == 2);
  CHECK_THAT(call.err, Contains("mine-4gpus: is there already"));
  CHECK_FALSE(fs::exists(here.path() / "mine"));
}

TEST_CASE("kinds that no option of sbatch tells apart are told") {
  const Machine here;
  here.slurm(
      "gpu 2 idle 40 2 20 1 gpu:4 (null) 192000\ngpu 3 idle 40 2 20 1 gpu:8 (null) 192000\n");
  const Call call = here.doctor("--write-cluster mine");
  CHECK_THAT(call.err, Contains("mine-4gpus: its jobs may get the 3 with gpu:8, 40 cores, 192 GB, "
                                "too: no option of sbatch tells them"));
  CHECK_THAT(call.err, !Contains("mine: its jobs may get"));
}

TEST_CASE("no file is written over another, or where Slurm cannot be asked") {
  const Machine here;
  here.write("mine.yaml", "mine\n");
  const Call there = here.doctor("--write-cluster mine.yaml");
  CHECK(there.exit_code == 2);
  CHECK(there.err == "pippin: mine.yaml: is there already: name another file, or remove it\n");
  CHECK(here.text("mine.yaml") == "mine\n");
  const Call nothing = here.doctor("--write-cluster other.yaml");
  CHECK(nothing.exit_code == 3);
  CHECK_THAT(nothing.err, Contains("not on PATH"));
  here.slurm("gpu 0 n/a 0 0 0 0 (null) (null) 0\n");
  const Call empty = here.doctor("--write-cluster other.yaml");
  CHECK(empty.exit_code == 2);
  CHECK(empty.err == "pippin: partition 'gpu' has no nodes: name another by --partition\n");
  CHECK_FALSE(fs::exists(here.path() / "other.yaml"));
  CHECK_THAT(here.doctor("--partition gpu").err, Contains("add that"));
}

TEST_CASE("the probes say what they were built with, with CUDA and without") {
  const Machine here;
  // Where a line is broken depends on how long the folder's path is.
  CHECK_THAT(std::regex_replace(here.doctor().out, std::regex("\\s+"), " "),
             Contains("; MPI ") && Contains("BLAS"));
  const std::string line = line_of(here.doctor().out, "CUDA probes");
  CHECK((line.starts_with("none ") || line.starts_with("ok ") || line.starts_with("note ")));
  CHECK_THAT(here.doctor().out, Contains("training-cuda") || Contains("CUDA 1"));
}
