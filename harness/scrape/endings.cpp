// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/endings.h"

#include <algorithm>

#include "core/base/text.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

namespace {

constexpr std::size_t kLongestEvidence = 500, kStrayIterations = 2;

/// By strength: of two causes in one log the greater is the one that explains the other.
enum Strength {
  kTraceback,      // of which the log may not have the end, which says the error
  kUncaughtError,  // as strong as a signal: what is said first brought about the other
  kBareCancel,
  kSchedulersLimit,
  kExitStatus,
  kCrash,
  kNetwork,
  kLostNode,
  kHostMemory,
  kGpuMemory,
  kHardware,
  kDone,
};

struct Sign {
  std::string_view text;
  Strength strength;
  RunState state;
};

constexpr std::string_view kKilledTask = ": Killed";             // srun's "n2: task 3: Killed"
constexpr std::string_view kStoppedByJob = "pippin: stopped (";  // core/jobs/script/watch.bash
constexpr std::string_view kLostRank = "training: rank ";  // … "3 on node2 died: …", our probe's

// Megatron-LM saves and leaves when the scheduler warns it.
constexpr std::string_view kLeftOnSignal = "exiting program after receiving SIGTERM";
constexpr std::string_view kDoneWords = "[exiting program ";

constexpr std::string_view kTracebackBegins = "Traceback (most recent call last)";

// What llm.c prints behind "[CUDA ERROR] at file train_gpt2.cu:1042:".
constexpr std::string_view kOutOfMemoryAlone = "\nout of memory";

constexpr std::string_view kShellsReport = ": line ";  // bash's "job.sh: line 28:  8156 Killed  …"
constexpr std::string_view kKilledByShell = "Killed";
constexpr std::string_view kLostByPals = " died from signal ";  // "n1: rank 9 died from signal 9"
constexpr std::string_view kLostByMpi = " noticed that process rank ";

// Sources: messages of PyTorch (c10/cuda, ProcessGroupNCCL, torch.distributed.elastic), NCCL,
// Slurm 21-24 (slurmstepd, srun), PBS, LSF, Flux, Open MPI, MPICH, Cray PALS, bash, Megatron-LM,
// llm.c, ROCm, oneAPI, Ascend's torch_npu, MindSpore and JAX, as found in public training logs.
constexpr Sign kSigns[] = {
    {kDoneWords, kDone, RunState::kOk},
    {"exiting program at iteration ", kDone, RunState::kOk},
    {"[after training is done]", kDone, RunState::kOk},
    {"uncorrectable ECC error", kHardware, RunState::kFailed},
    {"cudaErrorECCUncorrectable", kHardware, RunState::kFailed},
    {"CUDA out of memory", kGpuMemory, RunState::kOom},
    {"HIP out of memory", kGpuMemory, RunState::kOom},
    {"NPU out of memory", kGpuMemory, RunState::kOom},
    {"XPU out of memory", kGpuMemory, RunState::kOom},
    {"RESOURCE_EXHAUSTED: Out of memory", kGpuMemory, RunState::kOom},
    {"RESOURCE_EXHAUSTED: Attempting to ", kGpuMemory, RunState::kOom},
    {"XlaRuntimeError: RESOURCE_EXHAUSTED", kGpuMemory, RunState::kOom},
    {"JaxRuntimeError: RESOURCE_EXHAUSTED", kGpuMemory, RunState::kOom},
    {"ERROR_OUT_OF_DEVICE_MEMORY", kGpuMemory, RunState::kOom},
    {"memory isn't enough and alloc failed", kGpuMemory, RunState::kOom},
    {"CUDA error: out of memory", kGpuMemory, RunState::kOom},
    {"error : HSA_STATUS_ERROR_OUT_OF_RESOURCES", kGpuMemory, RunState::kOom},
    {kOutOfMemoryAlone, kGpuMemory, RunState::kOom},
    {"OutOfMemoryError:", kGpuMemory, RunState::kOom},
    {"oom_kill event", kHostMemory, RunState::kOom},
    {"oom-kill event", kHostMemory, RunState::kOom},
    {"OOMKilled", kHostMemory, RunState::kOom},  // Kubernetes
    {": Out Of Memory", kHostMemory, RunState::kOom},
    {"std::bad_alloc", kHostMemory, RunState::kOom},
    {"training: out of memory", kHostMemory, RunState::kOom},
    {"TERM_MEMLIMIT: job killed", kHostMemory, RunState::kOom},
    {"PBS: job killed: mem ", kHostMemory, RunState::kOom},
    {"PBS: job killed: vmem ", kHostMemory, RunState::kOom},
    {"MemoryError", kHostMemory, RunState::kOom},
    {kLostRank, kLostNode, RunState::kFailed},
    {"error: Node failure on", kLostNode, RunState::kFailed},
    {"NET/IB : Got completion from peer", kNetwork, RunState::kFailed},
    {"Watchdog caught collective operation timeout", kCrash, RunState::kFailed},
    {"ProcessGroupNCCL's watchdog got stuck", kCrash, RunState::kFailed},
    {"Heartbeat monitor timed out!", kCrash, RunState::kFailed},
    {"Memory access fault by GPU", kCrash, RunState::kFailed},
    {"aborting with error : HSA_STATUS_ERROR", kCrash, RunState::kFailed},
    {"[CUDA ERROR] at file ", kCrash, RunState::kFailed},
    {"[NCCL ERROR] at file ", kCrash, RunState::kFailed},
    {kLostByMpi, kCrash, RunState::kFailed},
    {"TERMINATED WITH THE EXIT STRING: ", kCrash, RunState::kFailed},
    {kLostByPals, kCrash, RunState::kFailed},
    {kShellsReport, kCrash, RunState::kFailed},
    {kKilledByShell, kCrash, RunState::kFailed},
    {"(SIGSEGV)", kCrash, RunState::kFailed},
    {"(SIGABRT)", kCrash, RunState::kFailed},
    {"(SIGBUS)", kCrash, RunState::kFailed},
    {"(SIGFPE)", kCrash, RunState::kFailed},
    {"(SIGILL)", kCrash, RunState::kFailed},
    {"(SIGKILL)", kCrash, RunState::kFailed},
    {": Segmentation fault", kCrash, RunState::kFailed},
    {": Bus error", kCrash, RunState::kFailed},
    {": Aborted", kCrash, RunState::kFailed},
    {"exitcode  : -", kCrash, RunState::kFailed},
    {"failed (exitcode: -", kCrash, RunState::kFailed},
    {"failed (exitcode: ", kExitStatus, RunState::kFailed},
    {"exitcode  : ", kExitStatus, RunState::kFailed},
    {kKilledTask, kExitStatus, RunState::kFailed},
    {"Exited with exit code ", kExitStatus, RunState::kFailed},
    {"returned non-zero exit status", kExitStatus, RunState::kFailed},
    {"BAD TERMINATION OF ONE OF YOUR APPLICATION", kExitStatus, RunState::kFailed},
    {"ERR99999 UNKNOWN appl", kExitStatus, RunState::kFailed},
    {" CANCELLED AT ", kBareCancel, RunState::kCancelled},
    {"TERM_OWNER: job killed", kBareCancel, RunState::kCancelled},
    {"job.exception type=cancel", kBareCancel, RunState::kCancelled},
    {"TERM_RUNLIMIT: job killed", kSchedulersLimit, RunState::kTimeout},
    {"PBS: job killed: walltime ", kSchedulersLimit, RunState::kTimeout},
    {"job.exception type=timeout", kSchedulersLimit, RunState::kTimeout},
    {kStoppedByJob, kSchedulersLimit, RunState::kTimeout},
    {kLeftOnSignal, kSchedulersLimit, RunState::kCancelled},
    {"SignalException: Process ", kUncaughtError, RunState::kCancelled},
    {"death signal, shutting down workers", kUncaughtError, RunState::kCancelled},
    {"KeyboardInterrupt", kUncaughtError, RunState::kCancelled},
    {"RendezvousClosedError", kUncaughtError, RunState::kFailed},
    {"NotImplementedError", kUncaughtError, RunState::kFailed},
    {"Error: ", kUncaughtError, RunState::kFailed},
    {"Exception: ", kUncaughtError, RunState::kFailed},
    {"AssertionError", kUncaughtError, RunState::kFailed},
    {kTracebackBegins, kTraceback, RunState::kFailed},
};

/// The words after "CANCELLED AT …" that say why.
constexpr Sign kReasons[] = {
    {"DUE TO TIME LIMIT", kSchedulersLimit, RunState::kTimeout},
    {"DUE TO PREEMPTION", kSchedulersLimit, RunState::kCancelled},
    {"DUE TO NODE FAILURE", kLostNode, RunState::kFailed},
};

bool contains(std::string_view line, std::string_view text) {
  return line.find(text) != std::string_view::npos;
}

/// SIGTERM is what a launcher sends to the others once one has failed.
bool is_aftermath(std::string_view line) {
  return contains(line, "exitcode  : -15") || contains(line, "(exitcode: -15)") ||
         contains(line, "(SIGTERM)") || contains(line, "Exited with exit code 143") ||
         contains(line, "exit status -15") || contains(line, "died from signal 15") ||
         contains(line, "exited on signal 15 ");
}

/// What a shell says of a command that a signal ended: "Killed", or in a script
/// "/var/spool/slurmd/job7/slurm_script: line 28:  8156 Killed                  python3 main.py".
bool is_shells_report(std::string_view line) {
  if (trim(line) == kKilledByShell) return true;
  const auto at = line.find(kShellsReport);
  if (at == std::string_view::npos) return false;
  const auto skip_number = [](std::string_view text) {
    const auto end = text.find_first_not_of("0123456789");
    return end == 0 || end == std::string_view::npos ? std::string_view() : text.substr(end);
  };
  const auto behind = skip_number(line.substr(at + kShellsReport.size()));
  if (!behind.starts_with(": ")) return false;
  const auto said = skip_number(left_trim(behind.substr(2)));
  return said.starts_with(" Killed ") || said.starts_with(" Segmentation fault") ||
         said.starts_with(" Aborted") || said.starts_with(" Bus error") ||
         said.starts_with(" Illegal instruction") || said.starts_with(" Floating point exception");
}

/// "RuntimeError: …", or the name alone, behind what loggers put before a line: the end of a Python
/// traceback.
bool is_python_error(std::string_view line, std::string_view sign) {
  line = trim(line);
  const auto end = std::min(line.find(sign) + sign.size(), line.size());
  const auto rest = line.substr(0, end);
  const auto name_end = rest.ends_with(": ") ? rest.size() - 2 : rest.size();
  const bool stands_alone = end == line.size() || rest.ends_with(": ") || line[end] == ':';
  const auto before = rest.find_last_of(" \t:]", name_end == 0 ? 0 : name_end - 1);
  const auto begin = before == std::string_view::npos ? 0 : before + 1;
  const auto name = rest.substr(begin, name_end - begin);
  const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(),
                                                    [](char c) { return is_word(c) || c == '.'; });
  // "WARNING: Error: no plugin" ends nothing.
  const bool is_class = begin == 0 || (name != "Error" && name != "Exception");
  return stands_alone && is_name && is_class && is_prefix(rest.substr(0, begin));
}

/// "[rank1]: Traceback (most recent call last):", also behind a bar; a console may have joined it
/// with its first frame.
bool begins_traceback(std::string_view line) {
  const auto at = line.find(kTracebackBegins);
  const auto behind = trim(line.substr(at + kTracebackBegins.size()));
  const bool is_whole =
      behind == ":" || behind.starts_with(": File \"") || behind.starts_with(":   File \"");
  return is_whole && is_prefix(line.substr(0, at));
}

bool is_name_of_error(std::string_view sign) {
  return sign == "MemoryError" || sign == "KeyboardInterrupt";
}

/// Others have some signs' words, too.
bool means_it(const Sign& sign, std::string_view line) {
  if (sign.text == kLostRank) return contains(line, " died");
  if (sign.text == kOutOfMemoryAlone) return trim(line) == trim(kOutOfMemoryAlone);
  if (sign.text == kTracebackBegins) return begins_traceback(line);
  if (sign.text == kKilledTask) return contains(line, ": task");
  if (sign.text == kLostByPals) return contains(line, "rank ");
  if (sign.text == kShellsReport || sign.text == kKilledByShell) return is_shells_report(line);
  const bool is_failure = sign.strength == kUncaughtError && sign.state == RunState::kFailed;
  const bool is_error = is_failure || is_name_of_error(sign.text);
  return !is_error || is_python_error(line, sign.text);
}

Sign meaning(const Sign& sign, std::string_view line) {
  if (sign.strength != kBareCancel) return sign;
  for (const auto& reason : kReasons) {
    if (contains(line, reason.text)) return reason;
  }
  return sign;
}

std::string evidence_of(const Sign& sign, std::string_view line, std::size_t iterations) {
  if (sign.text == kTracebackBegins) line.remove_prefix(line.find(kTracebackBegins));
  std::string text = printable(trim(line).substr(0, kLongestEvidence));
  // A faulty GPU has printed this at the first barrier, with its memory empty.
  if (sign.text == "CUDA error: out of memory" && iterations == 0) {
    text += " (before the first iteration: doubtful, a faulty GPU says the same)";
  }
  return text;
}

}  // namespace

std::vector<std::string_view> Ending::signs() {
  std::vector<std::string_view> texts;
  for (const auto& sign : kSigns) texts.push_back(sign.text);
  return texts;
}

void Ending::see(std::size_t number, std::string_view line, std::size_t iterations) {
  const Sign sign = meaning(kSigns[number], line);
  if (sign.text == kDoneWords && contains(line, kLeftOnSignal)) return;
  if (sign.strength == kDone) {
    reached_last_iteration(line);
    return;
  }
  if (is_aftermath(line)) return;
  if (!means_it(sign, line)) return;
  std::erase_if(causes_, [&](const Cause& cause) { return survived(cause, iterations); });
  for (const auto& cause : causes_) {
    const bool consequence = cause.strength == kSchedulersLimit ||
                             (cause.strength == kBareCancel && sign.strength < kLostNode);
    if (consequence || cause.strength == sign.strength) return;
  }
  causes_.push_back({sign.strength, sign.state, evidence_of(sign, line, iterations), iterations});
}

void Ending::reached_last_iteration(std::string_view line) {
  if (done_) return;
  done_ = true;
  done_line_ = printable(trim(line).substr(0, kLongestEvidence));
}

bool Ending::survived(const Cause& cause, std::size_t iterations) {
  return iterations > cause.iterations + kStrayIterations;
}

const Ending::Cause* Ending::strongest(std::size_t iterations) const {
  const Cause* strongest = nullptr;
  for (const auto& cause : causes_) {
    const bool stronger = !strongest || cause.strength > strongest->strength;
    if (stronger && !survived(cause, iterations)) strongest = &cause;
  }
  return strongest;
}

/// A launch without an iteration that ran out of memory is not done, whatever it says after that.
bool Ending::is_done(std::size_t iterations) const {
  const Cause* cause = strongest(iterations);
  const bool no_memory = cause && cause->state == RunState::kOom && iterations == 0;
  return done_ && !no_memory;
}

std::optional<RunState> Ending::state(std::size_t iterations) const {
  if (is_done(iterations)) return RunState::kOk;
  const Cause* cause = strongest(iterations);
  return cause ? std::optional(cause->state) : std::nullopt;
}

std::string Ending::evidence(std::size_t iterations) const {
  if (is_done(iterations)) return done_line_;
  const Cause* cause = strongest(iterations);
  return cause ? cause->line : std::string();
}

}  // namespace pippin
