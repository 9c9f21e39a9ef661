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
  kUncaughtError,
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

// Sources: messages of PyTorch (c10/cuda, ProcessGroupNCCL, torch.distributed.elastic), NCCL,
// Slurm 21-24 (slurmstepd, srun), Megatron-LM, ROCm, Ascend's torch_npu and JAX, as found in public
// training logs.
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
    {"CUDA error: out of memory", kGpuMemory, RunState::kOom},
    {"OutOfMemoryError:", kGpuMemory, RunState::kOom},
    {"oom_kill event", kHostMemory, RunState::kOom},
    {"oom-kill event", kHostMemory, RunState::kOom},
    {": Out Of Memory", kHostMemory, RunState::kOom},
    {"std::bad_alloc", kHostMemory, RunState::kOom},
    {"training: out of memory", kHostMemory, RunState::kOom},
    {kLostRank, kLostNode, RunState::kFailed},
    {"error: Node failure on", kLostNode, RunState::kFailed},
    {"NET/IB : Got completion from peer", kNetwork, RunState::kFailed},
    {"Watchdog caught collective operation timeout", kCrash, RunState::kFailed},
    {"Memory access fault by GPU", kCrash, RunState::kFailed},
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
    {" CANCELLED AT ", kBareCancel, RunState::kCancelled},
    {kStoppedByJob, kSchedulersLimit, RunState::kTimeout},
    {kLeftOnSignal, kSchedulersLimit, RunState::kCancelled},
    {"Error: ", kUncaughtError, RunState::kFailed},
    {"Exception: ", kUncaughtError, RunState::kFailed},
    {"AssertionError", kUncaughtError, RunState::kFailed},
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
         contains(line, "exit status -15");
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

Sign meaning(const Sign& sign, std::string_view line) {
  if (sign.strength != kBareCancel) return sign;
  for (const auto& reason : kReasons) {
    if (contains(line, reason.text)) return reason;
  }
  return sign;
}

std::string evidence_of(const Sign& sign, std::string_view line, std::size_t iterations) {
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
  if (sign.text == kLostRank && !contains(line, " died")) return;
  if (sign.text == kKilledTask && !contains(line, ": task")) return;
  if (sign.strength == kUncaughtError && !is_python_error(line, sign.text)) return;
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
