// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"
#include "tests/support/catch.h"

using namespace pippin;
using test::dump;
using test::row;

namespace {

struct End {
  std::optional<RunState> state;
  std::string evidence;
};

End end_of(const std::string& lines, int iterations = 3) {
  std::string log = dump();
  for (int number = 1; number <= iterations; ++number) log += row(number, 100);
  const auto runs = scrape(log + lines);
  REQUIRE(runs.size() == 1);
  return {runs[0].end, runs[0].evidence};
}

const std::string kOutOfMemory =
    "RuntimeError: CUDA out of memory. Tried to allocate 1.50 GiB (GPU 0; 31.75 GiB total)\n";
const std::string kCancelled =
    "slurmstepd: error: *** STEP 1809579.0 ON r8i3n1 CANCELLED AT 2021-05-23T08:45:57 ***\n";
const std::string kTimeLimit =
    "slurmstepd: error: *** STEP 1.0 ON r6i4n3 CANCELLED AT 2021-05-24T09:50:34 DUE TO TIME LIMIT "
    "***\n";
const std::string kWatchdog =
    "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580, "
    "OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600060 milliseconds before timing out.\n";
const std::string kAftermath = "Killing subprocess 7949\nMain process received SIGTERM, exiting\n";

}  // namespace

TEST_CASE("every way to die has its state") {
  struct Case {
    const char* line;
    RunState state;
  };
  const Case cases[] = {
      {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB", RunState::kOom},
      {"RuntimeError: CUDA out of memory. Tried to allocate 2 GiB", RunState::kOom},
      {"slurmstepd: error: Detected 1 oom_kill event in StepId=440575.0.", RunState::kOom},
      {"srun: error: nid001277: tasks 1-3: Out Of Memory", RunState::kOom},
      {"terminate called after throwing an instance of 'std::bad_alloc'", RunState::kOom},
      {"training: out of memory (cudaMalloc): tried to allocate 192.00 MiB", RunState::kOom},
      {"training: rank 3 on node2 died: no word from it for 5 s", RunState::kFailed},
      {"[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1580)",
       RunState::kFailed},
      {"n1:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1 with status=12 vendor err "
       "129",
       RunState::kFailed},
      {"slurmstepd: error: *** STEP 1809655.0 ON r6i4n3 CANCELLED AT 2021-05-24T09:50:34 DUE TO "
       "TIME LIMIT ***",
       RunState::kTimeout},
      {"slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2021-05-24T09:50:34 DUE TO PREEMPTION ***",
       RunState::kCancelled},
      {"srun: error: Node failure on jean-zay-iam37", RunState::kFailed},
      {"slurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2021-05-24T09:50:34 DUE TO NODE "
       "FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
       RunState::kFailed},
      {"slurmstepd: error: *** STEP 1809579.0 ON r8i3n1 CANCELLED AT 2021-05-23T08:45:57 ***",
       RunState::kCancelled},
      {"  exitcode  : -11 (pid: 2125)", RunState::kFailed},
      {"  traceback : Signal 11 (SIGSEGV) received by PID 2125", RunState::kFailed},
      {"srun: error: Orion-18-69: task 289: Bus error", RunState::kFailed},
      {"srun: error: n2: task 3: Killed", RunState::kFailed},
      {"srun: error: n2: tasks 2-3: Killed", RunState::kFailed},
      {"srun: error: Orion-18-69: task 2: Exited with exit code 1", RunState::kFailed},
      {"RuntimeError: cudaErrorECCUncorrectable: uncorrectable ECC error encountered",
       RunState::kFailed},
      {"pippin: stopped (run_time after=600 s)", RunState::kTimeout},
      {"[exiting program after 1190.03 minutes] datetime: 2021-05-24 09:50:34", RunState::kOk},
      {"[after training is done] datetime: 2021-05-24 09:50:34", RunState::kOk},
  };
  for (const auto& entry : cases) {
    CAPTURE(entry.line);
    const End end = end_of(std::string(entry.line) + "\n" + kAftermath);
    CHECK(end.state == entry.state);
    CHECK(end.evidence.find(std::string(entry.line).substr(2, 20)) != std::string::npos);
  }
}

TEST_CASE("a Python error is a cause where there is no better one") {
  const std::string error =
      "Traceback (most recent call last):\n  File \"train.py\", line 5\n"
      "ValueError: could not broadcast\n";
  CHECK(end_of(error).state == RunState::kFailed);
  CHECK(end_of(error).evidence == "ValueError: could not broadcast");
  CHECK(end_of("[rank0]: torch.distributed.DistBackendError: x\n").state == RunState::kFailed);
  CHECK(end_of(error + kCancelled).state == RunState::kCancelled);
  CHECK(end_of(error + kOutOfMemory).state == RunState::kOom);
  CHECK_FALSE(end_of("WARNING: Error: no plugin\n").state);
  CHECK_FALSE(end_of("    raise ValueError: x\n").state);
}

TEST_CASE("other makers' devices, JAX and torchrun's one line have their ends, too") {
  struct Case {
    const char* line;
    RunState state;
  };
  const Case cases[] = {
      {"RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 0)", RunState::kOom},
      {"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 2.00 GiB", RunState::kOom},
      {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 1 bytes",
       RunState::kOom},
      {"Memory access fault by GPU node-4 (Agent handle: 0x55) on address 0x7f", RunState::kFailed},
      {"E1120 10:11:12.123456 4711 torch/distributed/elastic/multiprocessing/api.py:882] failed "
       "(exitcode: 1) local_rank: 0 (pid: 12) of binary: /usr/bin/python",
       RunState::kFailed},
      {"[exiting program after receiving SIGTERM.] datetime: 2024-05-01 10:00:00 ",
       RunState::kCancelled},
      {"exiting program at iteration 3", RunState::kOk},
      {"AssertionError", RunState::kFailed},
      {"AssertionError: x", RunState::kFailed},
      {"Exception: foo", RunState::kFailed},
      {"[rank3]: AssertionError", RunState::kFailed},
      {"2024-05-01 10:00:00,137 - root - ERROR - ValueError: foo", RunState::kFailed},
  };
  for (const auto& end : cases) {
    INFO(end.line);
    CHECK(end_of(std::string(end.line) + "\n").state == end.state);
  }
}

TEST_CASE("schedulers, launchers and shells say how they ended a run") {
  struct Case {
    const char* line;
    RunState state;
  };
  const Case cases[] = {
      {"=>> PBS: job killed: walltime 3616 exceeded limit 3600", RunState::kTimeout},
      {"=>> PBS: job killed: mem 1048900kb exceeded limit 1048576kb", RunState::kOom},
      {"TERM_RUNLIMIT: job killed after reaching LSF run time limit.\nExited with exit code 140.",
       RunState::kTimeout},
      {"TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.\nExited with exit code 1.",
       RunState::kOom},
      {"TERM_OWNER: job killed by owner.\nExited with exit code 130.", RunState::kCancelled},
      {"0.123s: job.exception type=timeout severity=0 resource allocation expired",
       RunState::kTimeout},
      {"mpirun noticed that process rank 7 with PID 0 on node n1 exited on signal 9 (Killed).",
       RunState::kFailed},
      {"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES", RunState::kFailed},
      {"YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)", RunState::kFailed},
      {"x1921c0s3b0n0.hsn.cm.sunspot.alcf.anl.gov: rank 9 died from signal 9", RunState::kFailed},
      {"/var/spool/slurmd/job00191/slurm_script: line 28:  8156 Killed                  python3 x",
       RunState::kFailed},
      {"run.sh: line 5: 7125 Segmentation fault      (core dumped) python3 x", RunState::kFailed},
      {"Killed", RunState::kFailed},
      {"torch.distributed.elastic.multiprocessing.api.SignalException: Process 1359 got signal: 15",
       RunState::kCancelled},
      {"W0409 07:28:49.530000 1359 torch/distributed/elastic/agent/server/api.py:719] Received 15 "
       "death signal, shutting down workers",
       RunState::kCancelled},
      {"KeyboardInterrupt", RunState::kCancelled},
      {"[rank0]: KeyboardInterrupt", RunState::kCancelled},
  };
  for (const auto& end : cases) {
    INFO(end.line);
    CHECK(end_of(std::string(end.line) + "\n").state == end.state);
  }
  // What is said first brought about the other.
  const std::string signal =
      "torch.distributed.elastic.SignalException: Process 7 got signal: 15\n";
  CHECK(end_of("ValueError: bad shape\n" + signal).state == RunState::kFailed);
  CHECK(end_of("RuntimeError: boo\nKeyboardInterrupt\n").state == RunState::kFailed);
  CHECK(end_of(signal + "RuntimeError: a queue was closed\n").state == RunState::kCancelled);
  CHECK(end_of("  exitcode  : 1 (pid: 7)\nSignalException: Process 1 got signal: 15\n").state ==
        RunState::kFailed);
}

TEST_CASE("memory and crashes have each maker's and library's own words") {
  struct Case {
    const char* line;
    RunState state;
  };
  const Case cases[] = {
      {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. "
       "Ran out of memory in memory space hbm. Used 21.90G of 7.48G hbm.",
       RunState::kOom},
      {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Failed to allocate request for "
       "1.50GiB",
       RunState::kOom},
      {"jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Error allocating device buffer",
       RunState::kOom},
      {"RuntimeError: RESOURCE_EXHAUSTED: Attempting to reserve 6.48G at the bottom of memory.",
       RunState::kOom},
      {"RuntimeError: Native API failed. Native API returns: 39 "
       "(UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)",
       RunState::kOom},
      {"RuntimeError: Device(id:0) memory isn't enough and alloc failed, kernel name: x",
       RunState::kOom},
      {"MemoryError", RunState::kOom},
      {"numpy.core._exceptions._ArrayMemoryError: Unable to allocate 2.00 GiB", RunState::kOom},
      {"[rank0]:[E ProcessGroupNCCL.cpp:1316] [PG 0 Rank 0] Heartbeat monitor timed out! Process "
       "will be terminated after dumping debug info.",
       RunState::kFailed},
      {"[F ProcessGroupNCCL.cpp:1169] ProcessGroupNCCL's watchdog got stuck for 600 seconds",
       RunState::kFailed},
      {":0:rocdevice.cpp :2614: Device::callbackQueue aborting with error : "
       "HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION: The agent attempted to access memory",
       RunState::kFailed},
      {"[ERROR] 2025-06-09-06:57:54 (PID:92380, Device:0, RankID:-1) ERR99999 UNKNOWN applicaiton "
       "exception",
       RunState::kFailed},
      {"[CUDA ERROR] at file train_gpt2.cu:1042:\nout of memory", RunState::kOom},
      {"[CUDA ERROR] at file train_gpt2.cu:1042:\nan illegal memory access was encountered",
       RunState::kFailed},
      {":0:rocdevice.cpp:2875: Callback: Queue 0x7f4c aborting with error : "
       "HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate resources. code: 0x1008 "
       "Available Free mem : 0 MB",
       RunState::kOom},
      {"pod train-worker-0 failed: OOMKilled (exit code 137)", RunState::kOom},
      {"torch.distributed.elastic.rendezvous.api.RendezvousClosedError", RunState::kFailed},
  };
  for (const auto& end : cases) {
    INFO(end.line);
    CHECK(end_of(std::string(end.line) + "\n").state == end.state);
  }
}

TEST_CASE("what only has a shell's or a launcher's words is no end") {
  for (const char* line :
       {"Killed 3 old processes", "train.sh: line 12: 4 ranks", "see notes: line 3: Killed is said",
        "  except KeyboardInterrupt:", "raise MemoryError", "n1: rank 9 died from signal 15",
        "mpirun noticed that process rank 0 with PID 1 on node n1 exited on signal 15 "
        "(Terminated)."}) {
    INFO(line);
    CHECK_FALSE(end_of(std::string(line) + "\n").state);
  }
}

TEST_CASE("a name that only has an error's name in it is no end") {
  for (const char* line :
       {"    raise AssertionError", "except Exception: pass", "assertAssertionErrorText is set",
        "we saw the Exception: it is known", "torchelastic: (exitcode: -15) is aftermath"}) {
    INFO(line);
    CHECK_FALSE(end_of(std::string(line) + "\n").state);
  }
}

TEST_CASE("out of memory before the first iteration is that, whatever follows") {
  const std::string done = "[exiting program after 2.0 minutes] datetime: 2021-06-10 20:47:54\n";
  CHECK(end_of(kOutOfMemory + done, 0).state == RunState::kOom);
  CHECK(end_of(kOutOfMemory + kAftermath + kCancelled, 0).state == RunState::kOom);
  CHECK(end_of(kOutOfMemory + done, 3).state == RunState::kOk);
}

TEST_CASE("aftermath alone says nothing") {
  CHECK_FALSE(end_of(kAftermath).state);
  CHECK_FALSE(end_of("  exitcode  : -15 (pid: 2125)\n").state);
  CHECK_FALSE(end_of("").state);
}

TEST_CASE("memory explains what follows it") {
  CHECK(end_of(kOutOfMemory + kCancelled).state == RunState::kOom);
  CHECK(end_of(kWatchdog + kOutOfMemory + "  exitcode  : -6 (pid: 2)\n").state == RunState::kOom);
  CHECK(end_of(kOutOfMemory + kTimeLimit).state == RunState::kOom);
  CHECK(
      end_of(kCancelled + "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.\n").state ==
      RunState::kOom);
}

TEST_CASE("what follows the scheduler's line is its consequence") {
  CHECK(end_of(kTimeLimit + kWatchdog).state == RunState::kTimeout);
  CHECK(end_of(kCancelled + "srun: error: n1: task 2: Segmentation fault\n").state ==
        RunState::kCancelled);
  CHECK(end_of(kWatchdog + kTimeLimit).state == RunState::kFailed);
}

TEST_CASE("of a crash and a timeout the first is the cause") {
  CHECK(end_of(kWatchdog + "  exitcode  : -6 (pid: 2)\n").evidence.find("Watchdog") !=
        std::string::npos);
  CHECK(end_of("  exitcode  : -11 (pid: 2)\n" + kWatchdog).evidence.find("exitcode") !=
        std::string::npos);
}

TEST_CASE("a cause that the launch outlived did not end it") {
  const std::string on = row(4, 100) + row(5, 100) + row(6, 100) + row(7, 100);
  CHECK_FALSE(end_of(kOutOfMemory + on).state);
  CHECK(end_of(kOutOfMemory + on + kTimeLimit).state == RunState::kTimeout);
  CHECK(end_of(kOutOfMemory + row(4, 100)).state == RunState::kOom);
  // Two more lines may be under way when a rank dies; a third is written by one that lives.
  const std::string two = row(4, 100) + row(5, 100);
  CHECK(end_of(kOutOfMemory + two).state == RunState::kOom);
  CHECK_FALSE(end_of(kOutOfMemory + two + row(6, 100)).state);
  CHECK(end_of(kOutOfMemory + two + kTimeLimit).state == RunState::kOom);
  CHECK(end_of(kOutOfMemory + two + row(6, 100) + kTimeLimit).state == RunState::kTimeout);
}

TEST_CASE("a launch that reached its last iteration is ok") {
  std::string log = dump() + row(1, 100, 0, 2) + row(2, 100, 0, 2) + kCancelled;
  const auto runs = scrape(log);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].end == RunState::kOk);
  CHECK(runs[0].evidence.find("iteration        2/") != std::string::npos);
}

TEST_CASE("a launch that died before its first iteration is still a launch") {
  const auto runs = scrape(dump() + kOutOfMemory);
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].end == RunState::kOom);
  CHECK(runs[0].iterations.empty());
  CHECK(scrape(dump()).size() == 1);
  CHECK(scrape(kOutOfMemory).empty());
}

TEST_CASE("a driver's out of memory before the first iteration is doubtful") {
  const std::string line = "RuntimeError: CUDA error: out of memory\n";
  CHECK(end_of(line, 0).evidence.find("doubtful") != std::string::npos);
  CHECK(end_of(line, 1).evidence.find("doubtful") == std::string::npos);
}

TEST_CASE("what standard error said before the dump is of the launch that it begins") {
  const auto runs = scrape(kOutOfMemory + dump());
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].end == RunState::kOom);
  const auto survived = scrape(kOutOfMemory + dump() + row(1, 100) + row(2, 100) + row(3, 100));
  REQUIRE(survived.size() == 1);
  CHECK(survived[0].end != RunState::kOom);
}

TEST_CASE("each launch of a log has its own end") {
  const auto runs = scrape(dump() + row(1, 100) + kOutOfMemory + dump() + row(1, 100) + kCancelled);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].end == RunState::kOom);
  CHECK(runs[1].end == RunState::kCancelled);
}

TEST_CASE("every sign of a crash, a limit or an exit status is known") {
  for (const char* line :
       {"error: (SIGABRT)", "error: (SIGBUS)", "error: (SIGFPE)", "error: (SIGILL)",
        "error: (SIGKILL)", "n1: task 2: Segmentation fault", "n1: task 2: Bus error",
        "n1: task 2: Aborted", "returned non-zero exit status 1", "  exitcode  : 1 (pid: 7)",
        "uncorrectable ECC error", "cudaErrorECCUncorrectable"})
    CHECK(end_of(std::string(line) + "\n").state == RunState::kFailed);
  for (const char* line :
       {"HIP out of memory", "OutOfMemoryError: x", "oom-kill event", "CUDA error: out of memory"})
    CHECK(end_of(std::string(line) + "\n").state == RunState::kOom);
}

TEST_CASE("what a launcher says of the ranks that it ended is no cause") {
  for (const char* line :
       {"  exitcode  : -15 (pid: 1)", "error: (SIGTERM) returned non-zero exit status",
        "srun: error: n1: task 0: Exited with exit code 143", "returned non-zero exit status -15"})
    CHECK_FALSE(end_of(std::string(line) + "\n").state);
  CHECK_FALSE(end_of("training: rank 3 on node2 lives\n").state);
}

TEST_CASE("evidence is the first of five hundred characters of its line") {
  const std::string line = "RuntimeError: CUDA out of memory " + std::string(600, 'x');
  CHECK(end_of("  " + line + "  \n").evidence == line.substr(0, 500));
}

TEST_CASE("of two causes the one that explains the other is told, in either order") {
  const std::string ecc = "uncorrectable ECC error\n", host = "Detected 1 oom_kill event in x\n",
                    node = "srun: error: Node failure on n1\n",
                    net = "NET/IB : Got completion from peer x\n",
                    crash = "  exitcode  : -11 (pid: 2)\n", status = "  exitcode  : 1 (pid: 2)\n",
                    python = "ValueError: x\n";
  const std::vector<std::string> by_strength{python, status, crash,        net,
                                             node,   host,   kOutOfMemory, ecc};
  for (std::size_t i = 0; i + 1 < by_strength.size(); ++i) {
    const std::string strong(trim(by_strength[i + 1]));
    CAPTURE(strong);
    CHECK(end_of(by_strength[i] + by_strength[i + 1]).evidence == strong);
    CHECK(end_of(by_strength[i + 1] + by_strength[i]).evidence == strong);
  }
}

TEST_CASE("a log that ends in the midst of a traceback is of a run that failed") {
  const std::string frames =
      "  File \"train.py\", line 5, in main\n    step()\n  File \"loop.py\", line 7, in st";
  for (const char* before : {"", "[rank1]: ", "3: ", "2024-05-01 10:00:00,137 - ERROR - ",
                             "  3%|3   | 9/352 [40:55<25:10:16, 264.19s/it][rank1]: "}) {
    INFO(before);
    const End end = end_of(std::string(before) + "Traceback (most recent call last):\n" + frames);
    CHECK(end.state == RunState::kFailed);
    CHECK(end.evidence == "Traceback (most recent call last):");
  }
  CHECK(end_of("Traceback (most recent call last): File \"train.py\", line 5").state ==
        RunState::kFailed);
  // The error says more, and so does whoever ended it.
  const std::string whole = "Traceback (most recent call last):\n" + frames + "\n";
  CHECK(end_of(whole + "ValueError: x\n").evidence == "ValueError: x");
  CHECK(end_of(whole + "KeyboardInterrupt\n").state == RunState::kCancelled);
  CHECK(end_of(whole + kTimeLimit).state == RunState::kTimeout);
  CHECK_FALSE(end_of("a 'Traceback (most recent call last):' is printed\n").state);
  CHECK_FALSE(end_of("Traceback (most recent call last): see below\n").state);
  CHECK_FALSE(end_of(whole + row(4, 100) + row(5, 100) + row(6, 100)).state);
}
