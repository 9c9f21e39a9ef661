// SPDX-License-Identifier: Apache-2.0
#include "slurm/cluster_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/base/text.h"
#include "sweeps/accelerators.h"

namespace pippin::slurm {

namespace {

/// A value and what is said of it.
struct Told {
  std::string value, comment;
};

bool is_plain(std::string_view text) {
  const auto is_part = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x80 &&
           (std::isalnum(byte) != 0 || std::string_view("_-.+/@:").find(c) != std::string::npos);
  };
  static const std::vector<std::string> kWords{"null", "true", "false", "yes", "no",
                                               "on",   "off",  "y",     "n"};
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         text.back() != ':' && std::all_of(text.begin(), text.end(), is_part) &&
         std::find(kWords.begin(), kWords.end(), lower(text)) == kWords.end();
}

/// A text of YAML that is read as `text`, inside a map in braces too; bytes that are none as \xNN.
std::string yaml_word(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  if (!is_text(text)) return yaml_word(printable(text));
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') result += '\\';
    result += byte < 0x20 ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return result + "\"";
}

/// "key: value   # comment"; the comment goes before where both are too long for a line.
std::string line(const std::string& text, const std::string& comment) {
  constexpr std::size_t kColumn = 34, kLongest = 110;
  const std::string words = printable(comment);
  if (words.empty()) return text + "\n";
  if (std::max(text.size() + 1, kColumn) + words.size() > kLongest) {
    const auto indent = text.find_first_not_of(' ');
    return fmt::format("{:{}}# {}\n{}\n", "", indent, words, text);
  }
  return fmt::format("{:<{}} # {}\n", text, kColumn - 1, words);
}

std::string plural(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Told nodes_of(const ClusterFacts& facts) {
  const Kind& kind = facts.kind;
  const std::int64_t most = facts.partition.max_nodes.value_or(kind.node.count);
  std::string comment = most < kind.node.count
                            ? fmt::format("scontrol: MaxNodes of a job; there are {}",
                                          plural(kind.node.count, "node"))
                        : facts.others.empty() ? "sinfo: nodes of the partition"
                                               : "sinfo: nodes of this kind";
  if (kind.broken > 0) comment += fmt::format("; {} of them down or drained now", kind.broken);
  return {std::to_string(std::min(most, kind.node.count)), comment};
}

Told ranks_of(const ClusterFacts& facts) {
  const Nodes& node = facts.kind.node;
  const std::int64_t ranks = shape_of(node, facts.partition).ranks;
  if (node.gpus.count > 0) {
    std::string comment = fmt::format("sinfo: Gres {}", gres_text(node.gpus));
    if (node.gpus.mixed) comment += "; the nodes have other GPUs too";
    return {std::to_string(ranks), comment};
  }
  if (ranks > 1) return {std::to_string(ranks), "no GPUs: one rank for each socket (sinfo)"};
  return {"1", "no GPUs: one rank for each node; more where that suits the command"};
}

/// Features of the nodes of which one says which device it is.
std::optional<Told> device_by_features(const ClusterFacts& facts,
                                       const std::vector<std::string>& known) {
  for (std::string_view feature : split(facts.kind.node.features, ',')) {
    const auto names = accelerators_called(feature);
    if (names.size() != 1) continue;
    if (known.empty() || std::find(known.begin(), known.end(), names[0]) != known.end())
      return Told{names[0], fmt::format("sinfo: feature {} of the nodes", feature)};
  }
  return std::nullopt;
}

/// The device of the machine that asks, where it may be that of the nodes.
std::optional<Told> device_like_own(const ClusterFacts& facts,
                                    const std::vector<std::string>& known) {
  std::vector<std::string> names;
  for (const auto& name : accelerators_called(facts.own_gpu)) {
    const bool may_be = known.empty() || std::find(known.begin(), known.end(), name) != known.end();
    const auto memory = facts.own_gpu_memory_gib;
    if (may_be && (!memory || has_memory(*find_accelerator(name), *memory))) names.push_back(name);
  }
  if (names.size() != 1) return std::nullopt;
  return Told{names[0], fmt::format("nvidia-smi on this machine: {}", facts.own_gpu)};
}

/// What to write for a device that nothing tells.
std::string to_fill_in(const std::string& type, const std::vector<std::string>& known) {
  const std::string said = type.empty() ? "no type" : fmt::format("only '{}'", type);
  if (known.empty())
    return fmt::format("fill in a name such as a100-sxm4-80g, or memory_gib: Slurm says {}", said);
  return fmt::format("fill in {}: Slurm says {}", join(known, " or "), said);
}

Told device_of(const ClusterFacts& facts) {
  const Gpus& gpus = facts.kind.node.gpus;
  if (gpus.count == 0) return {"cpu", "sinfo: no GPUs in the Gres of the nodes"};
  const auto known = accelerators_called(gpus.type);
  if (known.size() == 1)
    return {known[0], fmt::format("sinfo: Gres type {}; check form and memory", gpus.type)};
  // A type that says nothing to us may be any device, not that of this machine.
  if (gpus.type.empty() || !known.empty()) {
    if (const auto device = device_by_features(facts, known)) return *device;
    if (const auto device = device_like_own(facts, known)) return *device;
  }
  return {fmt::format("{{name: {}}}", yaml_word(gpus.type.empty() ? "gpu" : gpus.type)),
          to_fill_in(gpus.type, known)};
}

std::string launch_text(const ClusterFacts& facts) {
  // A rank that dies ends the others, which else may wait for it for ever.
  // Since 22.05 srun no longer takes a job's --cpus-per-task over to its steps.
  const std::string srun =
      "srun --kill-on-bad-exit=1 --nodes={nodes} --ntasks={ranks} "
      "--ntasks-per-node={ranks_per_node} --cpus-per-task=${SLURM_CPUS_PER_TASK:-1}";
  if (facts.pmix.empty())
    return line("launch: " + srun, "srun --mpi=list has no PMIx: an MPI without it needs mpirun");
  return line(fmt::format("launch: srun --mpi={}{}", facts.pmix, srun.substr(4)),
              fmt::format("srun --mpi=list: {}", facts.pmix));
}

Told time_of(const ClusterFacts& facts) {
  const Partition& partition = facts.partition;
  if (!partition.default_time.empty())
    return {partition.default_time, "scontrol: DefaultTime of the partition"};
  if (!partition.max_time.empty())
    return {partition.max_time, "scontrol: MaxTime of the partition; less starts sooner"};
  return {"", "the partition has neither DefaultTime nor MaxTime"};
}

/// "  # qos: long                  # yours: normal, long"
std::string remark(const std::string& text, const std::string& comment) {
  return line("  # " + text, comment);
}

std::string account_text(const ClusterFacts& facts) {
  std::vector<std::string> others = facts.accounts;
  std::erase(others, facts.account);
  const std::string also = others.empty() ? "" : "yours too: " + join(others, ", ");
  if (facts.account.empty()) return remark("account: …", also.empty() ? "none is known" : also);
  if (!facts.partition.may_use(facts.account)) {
    const auto other = std::find_if(others.begin(), others.end(), [&](const std::string& account) {
      return facts.partition.may_use(account);
    });
    if (other == others.end())
      return remark("account: …",
                    "scontrol: the partition is for accounts " +
                        (facts.partition.accounts.empty() ? "other than " + facts.account
                                                          : join(facts.partition.accounts, ", ")));
    return line("  account: " + yaml_word(*other),
                "sacctmgr: yours; the partition is not for your default, " + facts.account);
  }
  return line("  account: " + yaml_word(facts.account),
              "sacctmgr: your default" + (also.empty() ? "" : "; " + also));
}

/// One that the partition takes, where it does not take all of the user's.
std::string qos_text(const ClusterFacts& facts) {
  std::vector<std::string> taken = facts.qos;
  std::erase_if(taken, [&](const std::string& qos) { return !facts.partition.takes_qos(qos); });
  if (facts.qos.empty() && !facts.partition.qos.empty())
    return remark("qos: …", "scontrol: the partition is for " + join(facts.partition.qos, ", "));
  if (facts.qos.empty()) return remark("qos: …", "none is known");
  if (taken.size() == facts.qos.size()) return remark("qos: …", "yours: " + join(facts.qos, ", "));
  if (taken.empty())
    return remark("qos: …", fmt::format("scontrol: the partition takes none of yours: {}",
                                        join(facts.qos, ", ")));
  return line("  qos: " + yaml_word(taken.front()),
              fmt::format("scontrol: of yours ({}) the partition takes {}", join(facts.qos, ", "),
                          join(taken, ", ")));
}

std::string time_text(const ClusterFacts& facts) {
  const Told time = time_of(facts);
  return time.value.empty() ? remark("time: \"01:00:00\"", time.comment)
                            : line("  time: " + yaml_word(time.value), time.comment);
}

std::string cpus_text(const ClusterFacts& facts) {
  const Nodes& node = facts.kind.node;
  const JobShape shape = shape_of(node, facts.partition);
  const bool is_cores = shape.one_thread || node.cpus <= node.sockets * node.cores;
  const std::string reserved =
      node.reserved_cores > 0 ? fmt::format(", {} more are reserved,", node.reserved_cores) : "";
  std::string text =
      line(fmt::format("  cpus-per-task: {}", shape.cpus_a_rank),
           fmt::format("sinfo: {} of a node{} / {}", plural(shape.cpus, is_cores ? "core" : "CPU"),
                       reserved, plural(shape.ranks, node.gpus.count > 0 ? "GPU" : "rank")));
  if (shape.one_thread) {
    text +=
        line("  hint: nomultithread", fmt::format("one thread a core; sinfo: {} CPUs", node.cpus));
  }
  return text;
}

/// What keeps jobs off nodes of other kinds.
std::string kind_text(const ClusterFacts& facts) {
  const Kind& kind = facts.kind;
  const std::string features = kind.node.features.empty()
                                   ? "the nodes have no features"
                                   : "features of the nodes: " + kind.node.features;
  const std::string reserved =
      kind.node.reserved_mb > 0 ? fmt::format(", {} of them reserved", kind.node.reserved_mb) : "";
  const std::string memory = fmt::format("of a node's {} MB{}", kind.node.memory_mb, reserved);
  return (kind.constraint.empty() ? remark("constraint: …", features)
                                  : line("  constraint: " + yaml_word(kind.constraint),
                                         "keeps off nodes of other kinds; " + features)) +
         (kind.memory_mb ? line(fmt::format("  mem: {}M", *kind.memory_mb),
                                memory + ", which nodes of other kinds have not")
                         : remark("mem: 0", "all memory of a node"));
}

/// What Slurm is asked for, and what the user may want to ask for.
std::string options_text(const ClusterFacts& facts) {
  const Nodes& node = facts.kind.node;
  std::string text = "slurm:\n";
  text += line("  partition: " + yaml_word(facts.partition.name),
               facts.partition.is_default ? "scontrol: Slurm's default" : "");
  text += account_text(facts) + time_text(facts) + cpus_text(facts);
  if (node.gpus.count > 0)
    text += line("  gres: " + yaml_word(gres_text(node.gpus)), "sinfo: the GPUs of a node");
  text += kind_text(facts);
  text += remark("exclusive: true", "no job of others on the same nodes, which would be measured");
  return text + qos_text(facts);
}

std::string name_of(const ClusterFacts& facts) {
  const std::string& label = facts.kind.label;
  return facts.cluster + "-" + facts.partition.name + (label.empty() ? "" : "-" + label);
}

std::string heading(const ClusterFacts& facts) {
  const Kind& kind = facts.kind;
  std::string text = fmt::format(
      "# Partition {} of cluster {}, as Slurm {} described it on {}. Change what you know "
      "better.\n",
      printable(facts.partition.name), printable(facts.cluster), printable(facts.version),
      facts.asked_on);
  if (const std::string why = facts.partition.why_shut(); !why.empty())
    text += fmt::format("# Of the partition: {}.\n", why);
  if (!facts.others.empty()) {
    text += fmt::format("# Its nodes differ. This file is for the {}.\n", printable(kind.words));
    for (const auto& other : facts.others) text += fmt::format("# Not for {}.\n", printable(other));
  }
  for (const auto& other : kind.also) {
    text +=
        fmt::format("# No option of sbatch keeps its jobs off the {}: look at each run's nodes.\n",
                    printable(other));
  }
  return text;
}

}  // namespace

std::string cluster_text(const ClusterFacts& facts) {
  const auto told = [](const char* key, const Told& value) {
    return line(fmt::format("{}: {}", key, value.value), value.comment);
  };
  std::string text = heading(facts);
  text += told("cluster", {yaml_word(name_of(facts)), ""});
  text += "scheduler: slurm\n";
  text += told("nodes", nodes_of(facts));
  text += told("gpus_per_node", ranks_of(facts));
  text += told("accelerator", device_of(facts));
  text += launch_text(facts);
  text += options_text(facts);
  text += line("# prolog: [module load cuda]", "bash before the first run of a job");
  text += line("# env: {NCCL_DEBUG: WARN}", "of each run");
  text +=
      line("# links: {node: …, cluster: …}", "what joins GPUs, and nodes: nvlink3, infiniband-200");
  return text;
}

}  // namespace pippin::slurm
