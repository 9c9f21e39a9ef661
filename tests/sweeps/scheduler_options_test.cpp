// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"
#include "sweeps/sweep_file.h"
#include "tests/support/catch.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using test::error_of;

namespace {

std::string with_options(const std::string& scheduler, const std::string& options) {
  return "sweep: s\ngrid: {mbs: [1]}\ncluster: {scheduler: " + scheduler +
         ", nodes: 1, gpus_per_node: 1, accelerator: cpu, " + scheduler + ": " + options + "}\n";
}

/// What is said of them in line 3; the whole of it where `expected` ends in no "...".
void refuses(const std::string& scheduler, const std::string& options,
             const std::string& expected) {
  INFO(options);
  const std::string message = error_of(with_options(scheduler, options));
  const std::string whole = "sweep.yaml:3: " + scheduler + ": " + expected;
  if (whole.ends_with("..."))
    CHECK(message.substr(0, whole.size() - 3) + "..." == whole);
  else
    CHECK(message == whole);
}

/// The value that becomes the option's.
std::string slurm_option(const std::string& name, const std::string& value) {
  const Sweep sweep = test::sweep_of(with_options("slurm", "{" + name + ": " + value + "}"));
  const Value* found = find_value(sweep.cluster.scheduler_options, name);
  REQUIRE(found);
  return found->text;
}

}  // namespace

TEST_CASE("options are those of the cluster's own scheduler") {
  CHECK(error_of("sweep: s\ngrid: {mbs: [1]}\ncluster: {slurm: {time: '1'}}\n") ==
        "sweep.yaml:3: slurm: has no meaning with scheduler: local");
  CHECK(error_of("sweep: s\ngrid: {mbs: [1]}\ncluster: {pbs: {q: prod}}\n") ==
        "sweep.yaml:3: pbs: has no meaning with scheduler: local");
}

TEST_CASE("an option of sbatch's that would come between pippin and its jobs is refused") {
  refuses("slurm", "{-n: 1}", "'-n' is no long name of an sbatch option, ...");
  for (const std::string name : {"nodes", "tasks-per-node"})
    refuses("slurm", "{" + name + ": 4}",
            "'" + name + "' is pippin's own: it follows from each job's points");
  refuses("slurm", "{output: x}",
          "'output' cannot be used: pippin keeps what a job prints beside its script");
  refuses("slurm", "{clusters: x}",
          "'clusters' cannot be used: pippin asks one cluster for its jobs; SLURM_CONF says which");
  refuses("slurm", "{uid: nobody}",
          "'uid' cannot be used: pippin asks for the jobs of the user who runs it");
  refuses("slurm", "{het-group: x}",
          "'het-group' cannot be used: it is for who calls sbatch by hand");
  refuses("slurm", "{sig: 'B:TERM@40'}", "'sig' is short for signal: write it out");
  refuses("slurm", "{tasks-per: 4}", "'tasks-per' is short for tasks-per-node: write it out");
  refuses("slurm", "{tme: 20}", "sbatch has no option 'tme', did you mean 'time'?");
  refuses("slurm", "{acount: mine}", "sbatch has no option 'acount', did you mean 'account'?");
  refuses("slurm", "{cpus-pertask: 4}",
          "sbatch has no option 'cpus-pertask', did you mean 'cpus-per-task'?");
  for (const char* of_a_plugin : {"container-mounts", "container-image", "container-env",
                                  "container-name", "x11", "nvmps", "gpu-monitor", "auks"})
    CHECK(slurm_option(of_a_plugin, "/scratch") == "/scratch");
  refuses("slurm", "{time: soon}", "'soon' is no time limit, such as 20 (minutes), ...");
}

TEST_CASE("an option whose value is missing does not take the next line for it") {
  for (const std::string name :
       {"account", "comment", "partition", "qos", "wckey", "reservation"}) {
    refuses("slurm", "{" + name + ": ''}", "'" + name + "' needs a value; 'false' leaves it out");
    CHECK(slurm_option(name, "true") == "true");  // so may a partition be called
    CHECK(slurm_option(name, "false") == "false");
  }
  for (const std::string name : {"hold", "exclusive", "requeue", "container-writable"})
    for (const std::string value : {"''", "true", "True"}) CHECK(slurm_option(name, value).empty());
}

TEST_CASE("a signal that would end the job's script is refused, and one for the trainer is not") {
  for (const std::string signal : {"B:TERM@40", "b:USR2", "RB:HUP@40", "BR:SIGTERM@9", "B:15@40"})
    refuses("slurm", "{signal: '" + signal + "'}",
            "signal '" + signal + "' would end pippin's script; ...");
  for (const std::string signal :
       {"B:USR1@120", "b:sigusr1@9", "RB:10", "USR2@40", "TERM", "R:INT@30", "B:CONT@9"})
    CHECK(slurm_option("signal", "'" + signal + "'") == signal);
}

TEST_CASE("a dependency that any one of several fulfils is refused, as pippin's own would be one") {
  refuses("slurm", "{dependency: 'afterok:1?afterok:2'}",
          "dependency 'afterok:1?afterok:2': pippin's own would be one of several that do; write "
          "',' for all of them in place of '?'");
  CHECK(slurm_option("dependency", "'afterok:1,afterany:2'") == "afterok:1,afterany:2");
}

TEST_CASE("an option of qsub's is a letter or a resource, and none of pippin's own") {
  refuses("pbs", "{l: x}",
          "'l' is neither a letter of qsub's such as q nor a resource such as walltime");
  refuses("pbs", "{N: x}", "'N' is pippin's own: it follows from each job's points");
  refuses("pbs", "{select: 2}",
          "'select' is pippin's own: it follows from each job's points; chunk: ncpus=64:ngpus=4 "
          "says what a node's part asks for");
  refuses("pbs", "{walltime: 20}", "'20' is no walltime, such as 00:20:00");
}

TEST_CASE("a resource of qsub's or a letter that names something has a value") {
  for (const std::string name : {"q", "A", "P", "filesystems"})
    refuses("pbs", "{" + name + ": ''}", "'" + name + "' needs a value; without one, leave it out");
}
