// SPDX-License-Identifier: Apache-2.0
// `pippin probes build` up to the compiler, which is the real one in portable_build_test.cpp alone:
// it takes minutes.
#include "core/base/text.h"
#include "tests/packaging/unpacked.h"
#include "tests/support/catch.h"

using namespace pippin;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
using test::Call;
using test::Unpacked;

namespace {

const std::string kBuild = "unpacked/bin/pippin --quiet probes build ";

/// CMake that takes the probes of this build for those that it was told to build.
const std::string kCMake =
    "case $1 in\n"
    "  --version) echo 'cmake version 3.18.4' ;;\n"
    "  --build) cp '" PIPPIN_BUILD
    "'/probes/{training,replay,collective,gemm,canary} \"$2\" ;;\n"
    "  -S) mkdir \"$4\" ;;\n"
    "esac";

/// No file of an attempt is left behind.
void check_nothing_left(const Unpacked& here) {
  CHECK(
      here.shell("ls -d pippin-probes-* unpacked/libexec/* home/.local/share/pippin/* 2>/dev/null")
          .out.empty());
}

std::int64_t lines_in(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_CASE("without a compiler the build says so at once, and what to do") {
  const Unpacked here;
  const Call call = here.bare(kBuild);
  CHECK(call.exit_code == 3);
  CHECK(call.out.empty());
  CHECK(lines_in(call.err) == 1);
  CHECK_THAT(call.err, StartsWith("pippin: probes build: no C++ compiler on PATH: the probes need "
                                  "GCC 11, Clang 14 or newer: ") &&
                           Contains("module load gcc"));
  check_nothing_left(here);
}

TEST_CASE("a compiler that is too old is named with what it is") {
  const Unpacked here;
  here.program("c++", "if [ $1 = --version ]; then echo 'c++ 8.5.0'; else exit 1; fi");
  const Call call = here.bare(kBuild);
  CHECK(call.exit_code == 3);
  CHECK(lines_in(call.err) == 1);
  CHECK_THAT(call.err, Contains("GCC 11 or Clang 14 or newer, and c++ (c++ 8.5.0) is older"));
  check_nothing_left(here);
  here.program("g++-12", "exit 0");
  CHECK_THAT(here.bare(kBuild).err, Contains("no cmake on PATH"));
  CHECK_THAT(here.bare("CXX=c++ " + kBuild).err, Contains("and c++ (c++ 8.5.0) is older"));
}

TEST_CASE("CMake and make must be here, and new enough") {
  const Unpacked here;
  here.program("c++", "exit 0");
  CHECK_THAT(here.bare(kBuild).err,
             Contains("no cmake on PATH: the probes need CMake 3.18 or newer"));
  here.program("cmake", "echo 'cmake version 3.9.6'");
  CHECK_THAT(here.bare(kBuild).err,
             Contains("CMake 3.9.6 is too old: the probes need 3.18 or newer"));
  here.program("cmake", kCMake);
  CHECK_THAT(here.bare(kBuild).err, Contains("neither make nor ninja on PATH"));
  check_nothing_left(here);
}

TEST_CASE("a cluster's environment and prolog come before the build") {
  const Unpacked here;
  here.shell("mkdir gcc && printf '#!/bin/bash\\nexit 0\\n' >gcc/c++ && chmod +x gcc/c++");
  here.write("mine.yaml",
             "scheduler: local\nenv: {GCC: ./gcc}\nprolog: ['module() { PATH+=:$GCC; }', module "
             "load gcc]\n");
  CHECK_THAT(here.bare(kBuild + "--cluster mine.yaml").err, Contains("no cmake on PATH"));
  here.write("mine.yaml", "scheduler: local\nprolog: [module load gcc]\n");
  CHECK_THAT(here.bare(kBuild + "--cluster mine.yaml").err,
             Contains("no C++ compiler on PATH") && Contains("; the prolog said: ") &&
                 EndsWith("module: command not found\n"));
  const Call none = here.bare(kBuild + "--cluster none.yaml");
  CHECK(none.exit_code == 2);
  CHECK(none.err == "pippin: --cluster: no cluster file 'none.yaml'\n");
}

TEST_CASE("a build that fails keeps its log, and what was there") {
  const Unpacked here;
  here.shell("mkdir -p unpacked/libexec/pippin && echo old >unpacked/libexec/pippin/built.txt");
  here.program("cmake",
               "case $1 in --build) echo 'stage.cpp:7: error: no such stage'; exit 1 ;; *) "
               "echo cmake version 3.25 ;; esac");
  const Call call = here.with_bin(kBuild);
  CHECK(call.exit_code == 3);
  CHECK(lines_in(call.err) == 1);
  CHECK_THAT(call.err,
             Contains("the probes do not build: stage.cpp:7: error: no such stage; the log is "));
  CHECK(here.shell("grep -c 'no such stage' pippin-probes-*/log").out == "1\n");
  CHECK(here.text("unpacked/libexec/pippin/built.txt") == "old\n");
}

TEST_CASE("a probe that is built and does not run is not put anywhere") {
  const Unpacked here;
  here.program("cmake", kCMake + "\nif [ $1 = --build ]; then echo exit 1 >\"$2/canary\"; fi");
  const Call call = here.with_bin(kBuild);
  CHECK(call.exit_code == 3);
  CHECK_THAT(call.err, Contains("the probes are built, but 'canary --help' fails: "));
  CHECK(here.shell("ls unpacked/libexec").out.empty());
}

TEST_CASE("MPI that is asked for and not found is an error") {
  const Unpacked here;
  // The real CMake, on a machine that has no MPI.
  const std::string cmake(trim(here.shell("command -v cmake").out));
  here.program("cmake", "case $1 in -S) exec '" + cmake +
                            "' \"$@\" -DPROBES_USE_MPI=OFF -DPROBES_USE_CUDA=OFF ;; *) exec '" +
                            cmake + "' \"$@\" ;; esac");
  const Call mpi = here.with_bin(kBuild + "--with mpi");
  CHECK(mpi.exit_code == 3);
  CHECK(lines_in(mpi.err) == 1);
  CHECK_THAT(mpi.err,
             StartsWith("pippin: probes build: --with mpi: CMake finds no MPI: have its mpicxx"));
  const Call cuda = here.with_bin(kBuild + "--with cuda");
  CHECK_THAT(cuda.err, Contains("--with cuda: CMake finds no CUDA from 12 on"));
  const Call typo = here.with_bin(kBuild + "--with mqi");
  CHECK(typo.exit_code == 2);
  CHECK(lines_in(typo.err) == 1);
}

TEST_CASE("probes that are built lie where a sweep finds them") {
  const Unpacked here;
  here.program("cmake", kCMake);
  here.write("s.yaml", test::replay_sweep(""));
  const Call before = here.with_bin("unpacked/bin/pippin --db t.db run s.yaml");
  CHECK(before.exit_code == 3);
  CHECK_THAT(before.err,
             Contains("its probe is not here") && Contains("'pippin probes build' builds"));
  const Call build = here.with_bin(kBuild);
  CAPTURE(build.err);
  REQUIRE(build.exit_code == 0);
  const std::string place = (here.path() / "unpacked/libexec/pippin").string();
  CHECK_THAT(build.out, StartsWith("the probes are in " + place + "\ntraining: MPI "));
  CHECK_THAT(here.with_bin("unpacked/bin/pippin doctor").out,
             Contains("training, replay, collective, gemm in"));
  const Call run = here.with_bin("unpacked/bin/pippin --db t.db run s.yaml --poll 0.1");
  CAPTURE(run.err);
  CHECK(run.exit_code == 0);
  CHECK(here.sql("SELECT count(*) FROM runs WHERE state = 'ok' AND command LIKE '%" + place +
                 "/replay%'") == here.sql("SELECT count(*) FROM runs"));
  CHECK(here.shell("ls -d pippin-probes-*").out.empty());
  // Again over its own, by the example of its help.
  here.write("mine.yaml", "scheduler: local\n");
  const std::string help = here.shell("\"$PIPPIN\" probes --help").out;
  const std::string example(trim(help.substr(help.find("Example: ") + 9)));
  CHECK(example.starts_with("pippin probes build "));
  const Call again = here.with_bin("PATH=\"$PWD/unpacked/bin:$PATH\"; " + example);
  CAPTURE(again.err);
  CHECK(again.exit_code == 0);
}

TEST_CASE("probes that another has installed stay, and the user's own go before them") {
  const Unpacked here;
  here.program("cmake", kCMake);
  here.shell("mkdir -p unpacked/libexec/pippin && cp /bin/false unpacked/libexec/pippin/training");
  const Call build = here.with_bin(kBuild);
  CAPTURE(build.err);
  REQUIRE(build.exit_code == 0);
  const std::string own = (here.path() / "home/.local/share/pippin/probes-").string();
  CHECK_THAT(build.out, StartsWith("the probes are in " + own));
  CHECK(here.shell("cmp /bin/false unpacked/libexec/pippin/training").exit_code == 0);
  here.write("s.yaml", test::replay_sweep(""));
  CHECK_THAT(
      here.with_bin("unpacked/bin/pippin plan s.yaml --script model-tp1-pp1-dp16-mbs1-gas1").out +
          here.with_bin("unpacked/bin/pippin doctor").out,
      Contains("/home/.local/share/pippin/probes-"));
  const Call elsewhere = here.with_bin("XDG_DATA_HOME=\"$PWD/data\" " + kBuild);
  CHECK_THAT(elsewhere.out,
             StartsWith("the probes are in " + (here.path() / "data/pippin/probes-").string()));
}

TEST_CASE("a program that came without the probes' source says so") {
  const test::Workplace here;
  const Call call = here.pippin("probes build");
  CHECK(call.exit_code == 3);
  CHECK_THAT(call.err, Contains("came without the probes' source"));
}
