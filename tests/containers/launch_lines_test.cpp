// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "core/jobs/script.h"
#include "sweeps/cluster_file.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// How the cluster of this name launches a probe on four ranks of two nodes.
ScriptRun launched_on(const std::string& cluster) {
  Sweep sweep;
  sweep.name = "s";
  sweep.trainer.probe = "training";
  sweep.env = {{"OWN", "x y"}, {"NCCL_DEBUG", "INFO"}};
  sweep.canary_s = 2;
  sweep.cluster = load_cluster(parse_yaml("{from: " + cluster + "}", "test"), "");
  sweep.cluster.gpus_per_node = 2;
  Point point;
  point.name = "p";
  point.layout.tp = 4;
  point.layout.gpus = 4;
  return script_run(sweep, point, {"r", "", 1, 1}, 1, "/opt/probes");
}

/// The variables that a run finds: pippin's, the cluster's and the sweep's.
std::string names_after(const std::string& own) {
  return "PIPPIN_JOB,PIPPIN_RUN_DIR,MASTER_ADDR,MASTER_PORT," + own +
         "PIPPIN_SWEEP,PIPPIN_POINT,PIPPIN_RUN,PIPPIN_TP,PIPPIN_GPUS,PIPPIN_RANKS,"
         "PIPPIN_NODES,PIPPIN_RANKS_PER_NODE,"
         "PIPPIN_GPUS_PER_NODE,PIPPIN_ITERATIONS,PIPPIN_SEED,PIPPIN_ALLOCATION,PIPPIN_REPEAT,"
         "PIPPIN_NAME,";
}

std::string as_options(const std::string& names) {
  std::string options;
  for (std::string_view name : split(names, ',')) options += " --env=" + std::string(name);
  return options.substr(1);
}

void check_launch(const ScriptRun& run, const std::string& launch) {
  CHECK(run.command == launch + " /opt/probes/training");
  CHECK(run.canary == launch + " /opt/probes/canary --seconds 2 --sizes-in \"$pippin_root\"");
}

}  // namespace

// podman-run(1): podman run [options] image [command [arg …]]; --env=NAME takes the machine's
// value,
// --env=PREFIX* those of all that begin so; --volume=HOST:CONTAINER[:OPTIONS].
TEST_CASE("podman gets the line that is documented for mpirun, and every variable by its name") {
  check_launch(launched_on("podman"),
               "mpirun --oversubscribe --bind-to none -n 4 podman run --rm --net=host --pid=host "
               "--ipc=host '--env=OMPI_*' '--env=PMIX_*' '--env=PRTE_*' " +
                   as_options(names_after("PIPPIN_QUEUE_ENTRY,") +
                              "IMAGE,PODMAN_USERNS,OMPI_MCA_btl_vader_single_copy_mechanism,"
                              "OMPI_MCA_btl_tcp_if_include,OMPI_ALLOW_RUN_AS_ROOT,"
                              "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM,OWN,NCCL_DEBUG") +
                   " --volume=/tmp:/tmp --volume=/opt/probes:/opt/probes:ro "
                   "--volume=\"${pippin_root}\":\"${pippin_root}\" --volume=\"$PWD\":\"$PWD\" "
                   "--workdir=\"$PWD\" \"$IMAGE\"");
}

// README of https://github.com/NVIDIA/pyxis: srun
// --container-image=[USER@][REGISTRY#]IMAGE[:TAG]|PATH,
// --container-mounts=SRC:DST[:FLAGS][,SRC:DST…], --container-workdir=PATH,
// --container-env=NAME[,NAME…], --no-container-mount-home.
TEST_CASE("Pyxis gets its options of srun as its README has them") {
  check_launch(
      launched_on("slurm-pyxis"),
      "srun --mpi=pmix --kill-on-bad-exit=1 --nodes=2 --ntasks=4 --ntasks-per-node=2 "
      "--cpus-per-task=${SLURM_CPUS_PER_TASK:-1} --container-image=\"$IMAGE\" "
      "--container-mounts=\"${pippin_root}\":\"${pippin_root}\",/opt/probes:/opt/probes:ro,"
      "\"$PWD\":\"$PWD\" --container-workdir=\"$PWD\" --container-env=" +
          names_after("") + "IMAGE,NCCL_DEBUG,OWN --no-container-mount-home");
}

// https://apptainer.org/docs/user/latest/cli/apptainer_exec.html: apptainer exec [options]
// container command; --bind src[:dest[:opts]], --pwd, --nv. Variables of the machine are there
// without a word.
TEST_CASE("Apptainer stands between srun and the command as its documents have it") {
  check_launch(launched_on("slurm-apptainer"),
               "srun --mpi=pmix --kill-on-bad-exit=1 --nodes=2 --ntasks=4 --ntasks-per-node=2 "
               "--cpus-per-task=${SLURM_CPUS_PER_TASK:-1} apptainer exec --nv "
               "--bind \"${pippin_root}\" --bind /opt/probes:/opt/probes:ro --bind \"$PWD\" "
               "--pwd \"$PWD\" \"$IMAGE\"");
}

TEST_CASE("a command of one's own can start a container without a launch line") {
  Sweep sweep;
  sweep.name = "s";
  sweep.cluster.scheduler = "local";
  sweep.trainer.command = "docker run {env} -v '{sweep_dir}' -v {probe_dir} i {env_names}";
  Point point;
  point.name = "p";
  const auto command_with = [&](const std::string& probes) {
    return script_run(sweep, point, {"r", "", 1, 1}, 1, probes).command;
  };
  const std::string command = command_with("/pro bes");
  CHECK_THAT(command, Catch::StartsWith("docker run --env=PIPPIN_JOB --env=PIPPIN_RUN_DIR "));
  CHECK_THAT(command, Catch::Contains(" -v ''\"${pippin_root}\"'' -v '/pro bes' i PIPPIN_JOB,"));
}
