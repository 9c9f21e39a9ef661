// SPDX-License-Identifier: Apache-2.0
#include "sweeps/evaluation_order.h"

#include <algorithm>
#include <optional>

#include "sweeps/keys.h"

namespace pippin {

namespace {

using Names = std::vector<std::string>;

/// Depth-first search over what needs what.
class Orderer {
 public:
  explicit Orderer(const Draft& draft) : draft_(draft) {
    // First what most formulas ask for, so that they find it also where this order is not forced.
    for (const auto kind : {Step::Kind::kLayout, Step::Kind::kBatch, Step::Kind::kModel}) {
      steps_.push_back({kind, 0});
    }
    for (std::size_t i = 0; i < draft.derive.size(); ++i)
      steps_.push_back({Step::Kind::kDerive, i});
    states_.resize(steps_.size(), State::kNew);
  }

  std::vector<Step> run() {
    for (std::size_t i = 0; i < steps_.size(); ++i) visit(i);
    return ordered_;
  }

 private:
  enum class State { kNew, kOpen, kDone };
  static constexpr std::size_t kLayout = 0, kBatch = 1, kModel = 2, kFirstFormula = 3;

  void visit(std::size_t step) {
    if (states_[step] == State::kDone) return;
    if (states_[step] == State::kOpen) refuse_circle();
    states_[step] = State::kOpen;
    open_.push_back(step);
    for (const auto& name : needs_of(step)) {
      const auto provider = provider_of(name, step);
      if (provider) visit(*provider);
    }
    open_.pop_back();
    states_[step] = State::kDone;
    ordered_.push_back(steps_[step]);
  }

  Names needs_of(std::size_t step) const {
    switch (steps_[step].kind) {
      case Step::Kind::kDerive:
        return draft_.derive[steps_[step].formula].expression.names();
      case Step::Kind::kLayout:
        return {"tp", "pp", "cp", "dp", "gpus"};
      case Step::Kind::kBatch:
        return {"mbs", "gas", "dp"};
      case Step::Kind::kModel:
        break;
    }
    Names names = model_count_names();
    names.push_back("tp");
    return names;
  }

  /// The step that works `name` out; nothing where the file gives it.
  std::optional<std::size_t> provider_of(const std::string& name, std::size_t asking) const {
    for (std::size_t i = 0; i < draft_.derive.size(); ++i) {
      if (draft_.derive[i].name == name) return kFirstFormula + i;
    }
    std::optional<std::size_t> provider;
    if (name == "nodes" || name == "gpus_per_node") provider = kLayout;
    if ((name == "dp" || name == "gpus") && !draft_.gives(name)) provider = kLayout;
    if (name == "gbs") provider = kBatch;
    if (name == "params" || name == "padded_vocab") provider = kModel;
    if (name == "ffn" && !draft_.gives("ffn")) provider = kModel;
    return provider == asking ? std::nullopt : provider;
  }

  /// A circle always leads through a formula: the other steps need none of one another's circles.
  [[noreturn]] void refuse_circle() const {
    const auto is_formula = [](std::size_t step) { return step >= kFirstFormula; };
    const auto last = std::find_if(open_.rbegin(), open_.rend(), is_formula);
    const Formula& formula = draft_.derive[*last - kFirstFormula];
    fail(formula.place, "derive: {} needs itself to be worked out", in_quotes(formula.name));
  }

  const Draft& draft_;
  std::vector<Step> steps_, ordered_;
  std::vector<State> states_;
  std::vector<std::size_t> open_;
};

}  // namespace

std::vector<Step> evaluation_order(const Draft& draft) { return Orderer(draft).run(); }

}  // namespace pippin
