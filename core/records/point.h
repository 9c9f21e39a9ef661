// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/records/value.h"

namespace pippin {

/// A count that may be unknown; never a 0 for "unknown".
using Count = std::optional<std::int64_t>;

/// The shape of a transformer, as far as it is known.
struct Model {
  std::string size;   ///< a name such as "52B"; empty where only the shape is known
  std::string style;  ///< "gpt2", "llama", "moe": with experts, "hybrid": with layers of other
                      ///< kinds; empty where unknown
  Count layers, hidden, heads, kv_heads, ffn, seq;
  Count vocab;         ///< as the tokenizer has it
  Count padded_vocab;  ///< as the embedding has it (Megatron pads to a multiple of 128 TP)
  Count params;        ///< of the whole model, tied embeddings once
  /// Where the shape does not say them: the parameters that a token meets, of a mixture of experts;
  /// the weights of all matrices that it is multiplied with, the output's included; and the widths
  /// of queries and of values, of all heads and layers.
  Count active_params, token_weights, attention_widths;
  std::optional<bool> tied = {};  ///< whether embedding and output share weights; else as the style
                                  ///< has it. Not stored: params has it.
  friend bool operator==(const Model&, const Model&) = default;
};

/// Whether its layers are those of the papers, attention of the hidden size and an MLP, so that its
/// shape says its work.
bool has_usual_shape(const Model& model);

/// How a global batch is spread over GPUs. World = TP x PP x DP x CP, GBS = MBS x GAS x DP.
struct Layout {
  Count tp, pp, dp, cp, mbs, gas;
  Count gpus;  ///< the world: one rank a GPU
  Count gbs;   ///< sequences per iteration
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// One configuration. Two runs of equal `id` are repeats of one another.
struct Point {
  std::string id;    ///< 16 hex digits: the hash of everything below but `name`
  std::string name;  ///< a person's: "52b-tp4-pp16-dp1-mbs4-gas256"
  std::string
      trainer;  ///< what prints the log: "training", "replay", "megatron", or a command's text
  Model model;
  Layout layout;
  NamedValues axes;  ///< the user's own, in the sweep's order; of a foreign log, every argument
                     ///< that matters to speed
};

/// Whether it says what ran: the model's shape or size, GPUs and batch.
bool is_configured(const Point& point);

/// Fills in what follows: GPUs from TP, PP, CP and DP or the other way round, and one of GBS, MBS
/// and GAS from the others.
void complete(Layout& layout);

/// What a person says of a log, and cannot be.
class ToldError : public Error {
 public:
  explicit ToldError(const std::string& message) : Error(ExitCode::kBadInput, message) {}
};

/// Sets what a person says of a point whose log does not say it, under the names that sweeps have,
/// and completes it: a count of model or layout, `size`, `style`, `trainer`, else an axis. Leaves
/// name and id as they are. Patterns, and what is taken back (empty), are passed over.
/// Errors: ToldError where a count is none.
void tell(Point& point, const NamedValues& told);
/// Errors: ToldError where what was told of a point's layout contradicts itself or the rest: GPUs
/// that are not TP x PP x CP x DP, a GBS that is not MBS x GAS x DP.
void check_told(const Point& point, const NamedValues& told);
/// The counts of a point of which a person says otherwise, as the point has them.
NamedValues overruled_by(const NamedValues& told, const Point& point);

/// How a person says that a log's lines are read: the names of such patterns begin so.
inline constexpr std::string_view kPatternPrefix = "scrape.";
inline bool is_pattern_name(std::string_view name) { return name.starts_with(kPatternPrefix); }

/// Adds to what is said now what was said before of other things; patterns are those of one of
/// them.
void add_unsaid(NamedValues& now, const NamedValues& before);

/// The counts of model and layout that are known of a point.
NamedValues counts_of(const Point& point);

/// Everything known of a point under the names that sweeps, commands and expressions use:
/// size style layers … tp pp dp cp mbs gas gpus gbs, then the own axes.
NamedValues named_values(const Point& point);

/// The identity of a point: a hash over trainer, model, layout and axes, and the environment that
/// its sweep sets, in which equal numbers are equal however written and no order counts. params is
/// derived: not hashed.
std::string point_id(const Point& point, Environment env = {});

/// point_id() of many points under one environment.
class PointIds {
 public:
  explicit PointIds(Environment env = {});
  std::string id_of(const Point& point);

 private:
  /// A named value of the point at hand: a count, or a value that lies elsewhere.
  struct Part {
    std::string_view name;
    const Value* value = nullptr;
    const std::string* text = nullptr;
    std::int64_t count = 0;
  };

  void gather(const Point& point);
  void sort();
  void add(const Part& part);

  std::string env_key_, key_;
  std::vector<Part> parts_;
  std::vector<std::string>
      names_;  ///< of the parts sorted last, unsorted: mostly the next ones' too
  std::vector<std::size_t> order_;  ///< in which those stand sorted
};

/// "52b-tp4-pp16-dp1-mbs4-gas256", then "-NAME VALUE" of each own axis without the blank
/// ("-zero1"); CP only above 1; the size in billions of parameters, or layers and hidden size,
/// where the model has no name; unknown parts are left out. May hold any character of a value:
/// use file_name_of() for a path.
std::string point_name(const Point& point);

}  // namespace pippin
