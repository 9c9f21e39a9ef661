// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/all.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

enum Text : std::size_t {
  kRate,
  kSigns,
  kTokensOfRank = kSigns,
  kTokensOfAll,
  kBatch,
  kParameters,
  kNewParameters,
  kMemory,
  kDone,
  kConfig,
  kValidated,
  kScored,
  kScoredChat,
  kTexts,
};

// Source: karpathy/nanochat, scripts/base_train.py and chat_sft.py, 2025-2026.
constexpr std::array<std::string_view, kTexts> kSaid{
    "ms | tok/sec: ",
    "Tokens / micro-batch / rank: ",
    "Tokens / micro-batch: ",
    "Total batch size ",
    "Number of parameters: ",
    "total                   : ",
    "Peak memory usage: ",
    "Total training time: ",
    "Building model with config: {",
    " | Validation ",
    " | CORE metric: ",
    " | ChatCORE: ",
};

// The trainer itself leaves steps 0 to 10 out of its training time. Source: the same.
constexpr std::int64_t kStartupSteps = 11;

/// Where "step 00050" or "Step 00050" stands, also where it is glued to the end of a line that was
/// printed without one.
std::size_t find_step(std::string_view text, std::size_t from, bool either) {
  constexpr std::string_view kStep = "tep ";
  for (auto at = text.find(kStep, from); at != std::string_view::npos;
       at = text.find(kStep, at + 1)) {
    const auto digits = text.substr(at + kStep.size());
    const bool named = at > 0 && (text[at - 1] == 's' || (either && text[at - 1] == 'S'));
    if (named && digits.size() >= 5 && std::all_of(digits.begin(), digits.begin() + 5, is_digit))
      return at - 1;
  }
  return std::string_view::npos;
}

class Reader : public TrainerReader {
 public:
  explicit Reader(std::size_t number) : number_(number) {}
  std::unique_ptr<TrainerReader> copy() const override { return std::make_unique<Reader>(*this); }

  void read(const TrainerLine& line, TrainerLog& log) override {
    if (line.has(kTokensOfRank)) read_tokens(line.text, log);
    LaunchFacts& facts = log.launch().facts;
    if (line.has(kTokensOfAll)) tokens_of_all(line.text, facts);
    if (line.has(kBatch)) {
      facts.tokens_per_step = count_after(line.text, kSaid[kBatch]);
      facts.layout.gas = count_after(line.text, "gradient accumulation steps: ");
    }
    for (const Text text : {kParameters, kNewParameters})
      if (line.has(text)) params_ = count_after(line.text, kSaid[text]);
    if (line.has(kConfig)) read_config(line.text);
    if (line.has(kRate) || is_evaluation(line)) read_steps(line.text, log);
    if (line.has(kMemory))
      raise(memory_of(log.launch(), 0).max_allocated_mib,
            value_of_figure(figure_after(line.text, kSaid[kMemory])));
    if (line.has(kDone) && !log.launch().rows(number_).empty())
      log.launch().ending.reached_last_iteration(line.text);
  }

 private:
  /// "Tokens / micro-batch / rank: 32 x 2048 = 65,536".
  void read_tokens(std::string_view line, TrainerLog& log) {
    const auto at = find_key(line, kSaid[kTokensOfRank]);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    log.begin_launch(number_, line.substr(0, at));
    is_evaluated_ = false;
    LaunchFacts& facts = log.launch().facts;
    facts.model = std::exchange(model_, {});
    facts.model.params = params_;
    facts.layout.mbs = count_after(line, kSaid[kTokensOfRank]);
    facts.model.seq = count_after(line, " x ");
    facts.say("tokens / micro-batch / rank", line.substr(at + kSaid[kTokensOfRank].size()));
  }

  /// Of all ranks: how many there are.
  static void tokens_of_all(std::string_view line, LaunchFacts& facts) {
    const Count tokens = count_after(line, kSaid[kTokensOfAll]);
    if (!tokens || !facts.layout.mbs || !facts.model.seq) return;
    const std::int64_t of_rank = *facts.layout.mbs * *facts.model.seq;
    if (of_rank <= 0 || *tokens % of_rank != 0) return;
    facts.layout.dp = facts.layout.gpus = *tokens / of_rank;
  }

  /// "Building model with config: {'sequence_len': 2048, 'vocab_size': 65536, 'n_layer': 20, …}",
  /// of the launch to come. The vocabulary is left out: with it the parameters would be counted as
  /// those of a GPT-2, which has tied embeddings.
  void read_config(std::string_view line) {
    const auto at = find_key(line, kSaid[kConfig]);
    if (at == std::string_view::npos || !is_prefix(line.substr(0, at))) return;
    model_ = {};
    model_.layers = count_after(line, "'n_layer': ");
    model_.hidden = count_after(line, "'n_embd': ");
    model_.heads = count_after(line, "'n_head': ");
    model_.kv_heads = count_after(line, "'n_kv_head': ");
  }

  static bool is_evaluation(const TrainerLine& line) {
    return line.has(kValidated) || line.has(kScored) || line.has(kScoredChat);
  }

  /// "Step 00150 | Validation bpb: 0.5126".
  static bool is_evaluation(std::string_view said) {
    const auto bar = said.substr(std::min(said.find(" | "), said.size()));
    return said.starts_with('S') &&
           (bar.starts_with(kSaid[kValidated]) || bar.starts_with(kSaid[kScored]) ||
            bar.starts_with(kSaid[kScoredChat]));
  }

  /// All that the line holds: they are glued where a line end is missing.
  void read_steps(std::string_view line, TrainerLog& log) {
    const auto before = line.substr(0, find_step(line, 0, true));
    if (!is_prefix(before)) return;
    for (auto at = before.size(); at < line.size();) {
      const auto next = std::min(find_step(line, at + 2, true), line.size());
      const auto said = line.substr(at, next - at);
      if (said.starts_with('s')) read_step(said, before, log);
      is_evaluated_ = is_evaluated_ || is_evaluation(said);
      at = next;
    }
  }

  /// "step 00050/200000 (0.03%) | loss: 3.1 | lrm: 1.00 | dt: 1343.33ms | tok/sec: 12,196 | …".
  void read_step(std::string_view said, std::string_view before, TrainerLog& log) {
    const Count step = count_after(said, "step ");
    const auto time = figure_after(said, "| dt: ");
    const auto rate = figure_after(said, "| tok/sec: ");
    if (!step || !time || !rate ||
        said.find(" | ", said.find("tok/sec: ")) == std::string_view::npos)
      return;
    StepRecord record;
    record.step = *step;
    record.figure = *time;
    keep_loss(record, text_after(said, "| loss: "));
    if (const auto norm = figure_after(said, "| grad norm: ")) record.grad_norm = norm->value;
    keep(record, "tokens/s", rate);
    for (const std::string_view key : {"| bf16_mfu: ", "| mfu: "})
      keep(record, "MFU %", figure_after(said, key));
    keep(record, "lrm", figure_after(said, "| lrm: "));
    record.at = time_of(before);
    if (std::exchange(is_evaluated_, false)) record.flags |= kAfterEvaluation;
    TrainerLaunch& launch = log.launch();
    launch.first_step = 0;
    launch.startup_steps = kStartupSteps;
    const auto slash = said.find('/');
    if (slash < said.find(' ', 5))
      if (const Count steps = count_of(figure_at(said.substr(slash + 1))))
        launch.planned = *steps - 1;
    log.add(number_, record, before);
  }

  const std::size_t number_;
  Count params_;               ///< of the launch to come
  Model model_;                ///< of the same, as its configuration is printed
  bool is_evaluated_ = false;  ///< since the step before
};

void apply_laws(LaunchFacts& facts, const StepRows& rows) {
  const auto tokens = median_of(rows, [](const StepRecord& record) -> std::optional<double> {
    const auto rate = value_named(record, "tokens/s");
    return rate ? std::optional(*rate * record.figure.value / kMsPerSecond) : std::nullopt;
  });
  if (tokens)
    facts.derive(facts.tokens_per_step, "tokens per step", near_power_of_two(*tokens),
                 "tok/sec · dt", 0);
}

}  // namespace

constinit const TrainerFormat kNanochat{"nanochat", kSaid, kSigns, reader_of<Reader>, apply_laws};

}  // namespace pippin
