// SPDX-License-Identifier: Apache-2.0
// A layout against the oracle, over ranks that mpirun launched; not a Catch2 program, since several
// processes are one test.
//   mpirun -n 8 parallel_test bf16|fp16|float|double [CASE…]     every layout equals one rank
//   mpirun -n 8 parallel_test bf16|fp16|float nccl [CASE…]      … over NCCL, a GPU for each rank
//   mpirun -n 8 parallel_test staged [CASE…]           … through copies of a device's memory
//   mpirun -n 8 parallel_test broken                   every broken communicator is found out
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "probes/comm/session.h"
#include "probes/comm/staged.h"
#include "tests/probes/oracle/trainer.h"
#include "tests/probes/parallel/broken.h"
#include "tests/probes/parallel/cases.h"
#include "tests/probes/parallel/gathered.h"
#include "tests/probes/parallel/ground.h"
#include "tests/probes/parallel/traffic.h"

using namespace pippin::probes;
using namespace pippin::probes::test;

namespace {

constexpr int kLossSteps = 10, kWeightStep = 3;

/// What a run of ten steps leaves behind.
struct Course {
  std::vector<double> losses, norms;
  Tensors gradients;      ///< after step 1
  Tensors weights;        ///< after step 3
  std::string complaint;  ///< what is wrong without an oracle
};

OptimizerSettings optimizer_of(double epsilon) {
  OptimizerSettings settings;
  settings.lr = 0.003;
  settings.epsilon = epsilon;
  return settings;
}

Tensors tensors_of(const oracle::Trainer<double>& trainer, const double* flat) {
  Tensors tensors;
  for (const auto& p : trainer.table())
    tensors[p.name].assign(flat + p.offset, flat + p.offset + p.size());
  return tensors;
}

Course oracle_course(Setup setup, double epsilon) {
  setup.mbs *= setup.gas * setup.dp;
  setup.tp = setup.pp = setup.dp = setup.gas = 1;
  Memory memory;
  oracle::Trainer<double> trainer(memory, setup, optimizer_of(epsilon));
  Course course;
  for (int i = 1; i <= kLossSteps; ++i) {
    const auto result = trainer.step(i);
    course.losses.push_back(result.loss);
    course.norms.push_back(result.grad_norm);
    if (i == 1) course.gradients = tensors_of(trainer, trainer.gradients());
    if (i == kWeightStep) course.weights = tensors_of(trainer, trainer.values());
  }
  return course;
}

/// Adam's epsilon is larger in float: a gradient that is 0 but for rounding, as the keys' bias has,
/// would else be divided by itself, and the weight's step be noise.
template <typename T>
struct Limits;
template <>
struct Limits<BFloat16> {
  static constexpr double kTensor = 1e-1, kLoss = 1e-2, kEpsilon = 1e-3, kScale = 1;
};
template <>
struct Limits<Half> {
  static constexpr double kTensor = 1e-2, kLoss = 2e-3, kEpsilon = 1e-3, kScale = 1024;
};
template <>
struct Limits<float> {
  static constexpr double kTensor = 1e-5, kLoss = 1e-5, kEpsilon = 1e-3, kScale = 1;
};
template <>
struct Limits<double> {
  static constexpr double kTensor = 1e-10, kLoss = 1e-10, kEpsilon = 1e-8, kScale = 1;
};

template <typename T, typename Element>
std::vector<Element> on_host(Device<T>& device, std::int64_t count, const Element* data) {
  std::vector<Element> host(static_cast<std::size_t>(count));
  device.to_host(count * std::int64_t{sizeof(Element)}, data, host.data());
  return host;
}

/// How ranks talk.
struct Talk {
  Groups::Wrap wrap = {};  ///< instead of the ground's
  bool by_nccl = false;
};

template <typename T>
Course parallel_course(Communicator& world, const Setup& setup, double epsilon, const Talk& talk) {
  TestGround<T> test(talk.by_nccl);
  const Ground<T> ground = test.ground();
  Profile profile{ground.clock};
  Groups groups(world, setup, profile, talk.wrap ? talk.wrap : ground.wrap);
  const LossScaling scaling{Limits<T>::kScale, Limits<T>::kScale};
  const auto trainer = make_trainer(ground, setup, optimizer_of(epsilon), scaling, groups);
  const ShardTable& table = trainer->table();
  Course course;
  for (int i = 1; i <= kLossSteps; ++i) {
    const StepResult result = trainer->step(i);
    double loss = result.loss_share;
    world.all_reduce(&loss, &loss, 1, Element::kDouble, Reduction::kSum);
    course.losses.push_back(loss);
    course.norms.push_back(result.outcome.grad_norm);
    if (i == 1) {
      course.complaint += traffic_complaint(setup, groups, sizeof(T), sizeof(Wide<T>));
      trainer->gather_gradients();
      const auto flat = on_host(ground.device, table.size, trainer->gradients());
      auto all = gathered(world, setup, table, flat.data(), Limits<T>::kTensor);
      course.gradients = std::move(all.tensors);
      for (auto& [name, tensor] : course.gradients)
        for (double& element : tensor) element /= Limits<T>::kScale;
      course.complaint += all.complaint;
    }
    if (i == kWeightStep) {
      const auto flat = on_host(ground.device, table.size, trainer->values());
      auto all = gathered(world, setup, table, flat.data(), Limits<T>::kTensor);
      course.weights = std::move(all.tensors);
      course.complaint += all.complaint;
    }
  }
  return course;
}

/// Empty where the courses agree, else what does not.
template <typename T>
std::string disagreement(const Course& ours, const Course& oracle) {
  const auto far = [](double a, double b) { return std::fabs(a - b) / std::fabs(b); };
  char words[200];
  for (std::size_t i = 0; i < oracle.losses.size(); ++i) {
    for (const auto& [what, a, b] : {std::tuple{"loss", ours.losses[i], oracle.losses[i]},
                                     std::tuple{"grad norm", ours.norms[i], oracle.norms[i]}})
      if (!(far(a, b) <= Limits<T>::kLoss * (what[0] == 'g' ? 10 : 1))) {
        std::snprintf(words, sizeof words, "%s %.9g of step %zu, oracle %.9g", what, a, i + 1, b);
        return words;
      }
  }
  for (const auto& [what, a, b] : {std::tuple{"gradient", &ours.gradients, &oracle.gradients},
                                   std::tuple{"weight", &ours.weights, &oracle.weights}}) {
    const Difference d = difference(*a, *b);
    if (d.relative > Limits<T>::kTensor) {
      std::snprintf(words, sizeof words, "%s of %s is off by %.3g", what, d.tensor.c_str(),
                    d.relative);
      return words;
    }
  }
  return "";
}

/// What is wrong with a case; empty where nothing is, as far as this rank knows.
template <typename T>
std::string run_case(Communicator& session, const Setup& setup, const Talk& talk) {
  static std::map<std::string, Course> oracles;
  const auto world = session.split(session.rank() < setup.world() ? 0 : 1);
  if (session.rank() >= setup.world()) return "";
  const double epsilon = Limits<T>::kEpsilon;
  const Course ours = parallel_course<T>(*world, setup, epsilon, talk);
  if (session.rank() > 0 || !ours.complaint.empty()) return ours.complaint;
  const std::string key = setup.style + std::to_string(setup.kv_heads) + " " +
                          std::to_string(setup.vocab) + " " + std::to_string(setup.gbs());
  if (!oracles.count(key)) oracles[key] = oracle_course(setup, epsilon);
  return disagreement<T>(ours, oracles[key]);
}

/// The number of failures over all ranks.
template <typename T>
int run_cases(Communicator& session, const std::vector<Case>& cases, const Talk& talk) {
  int failures = 0;
  for (const auto& c : cases) {
    const std::string wrong = run_case<T>(session, c.setup, talk);
    if (session.rank() == 0)
      std::printf("%s: %s\n", c.name.c_str(), wrong.empty() ? "equal" : wrong.c_str());
    if (session.rank() > 0 && !wrong.empty())
      std::printf("%s: rank %d: %s\n", c.name.c_str(), session.rank(), wrong.c_str());
    failures += wrong.empty() ? 0 : 1;
    session.barrier();
  }
  return failures;
}

/// As where the ranks' memory is a device's.
std::unique_ptr<Communicator> stage(const std::string&, std::unique_ptr<Communicator> group) {
  const auto copy = [](std::int64_t bytes, const void* from, void* to) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  };
  return make_staged_communicator(std::move(group), {copy, copy});
}

/// Every breakage must be seen as a disagreement.
int run_broken(Communicator& session) {
  int failures = 0;
  for (const auto& breakage : breakages()) {
    std::string wrong = run_case<double>(session, breakage.setup, {breakage.wrap});
    const double mine = wrong.empty() ? 0 : 1;
    double found = mine;
    session.all_reduce(&found, &found, 1, Element::kDouble, Reduction::kMax);
    if (session.rank() == 0)
      std::printf("%s: %s\n", breakage.name.c_str(),
                  found > 0 ? ("found out: " + wrong).c_str() : "NOT FOUND OUT");
    failures += found > 0 ? 0 : 1;
  }
  return failures;
}

/// All of these ranks whose names hold one of the words; without words all.
std::vector<Case> chosen_cases(int ranks, const std::vector<std::string>& words) {
  std::vector<Case> cases;
  for (const auto& c : all_cases()) {
    bool chosen = words.empty();
    for (const auto& word : words) chosen = chosen || c.name.find(word) != std::string::npos;
    if (chosen && c.setup.world() <= ranks) cases.push_back(c);
  }
  return cases;
}

}  // namespace

int main(int argc, char* argv[]) {
  constexpr auto kSkipped = static_cast<ExitCode>(77);
  return guarded_main("parallel_test", [&] {
    Session session;
    const std::string what = argc > 1 ? argv[1] : "";
    const bool by_nccl = argc > 2 && std::strcmp(argv[2], "nccl") == 0;
    if (!has_ground(session.world(), by_nccl)) return kSkipped;
    const std::vector<Case> cases =
        chosen_cases(session.world().size(), {argv + std::min(argc, by_nccl ? 3 : 2), argv + argc});
    const Talk talk{{}, by_nccl};
    double failures = what == "bf16"     ? run_cases<BFloat16>(session.world(), cases, talk)
                      : what == "fp16"   ? run_cases<Half>(session.world(), cases, talk)
                      : what == "float"  ? run_cases<float>(session.world(), cases, talk)
                      : what == "staged" ? run_cases<double>(session.world(), cases, {stage})
                      : what == "double" ? run_cases<double>(session.world(), cases, talk)
                                         : run_broken(session.world());
    session.world().all_reduce(&failures, &failures, 1, Element::kDouble, Reduction::kSum);
    if (session.world().rank() == 0)
      std::printf("%zu cases, %d failures\n", what == "broken" ? breakages().size() : cases.size(),
                  static_cast<int>(failures));
    return failures > 0 ? ExitCode::kFailed : ExitCode::kDone;
  });
}
