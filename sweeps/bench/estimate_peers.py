# SPDX-License-Identifier: Apache-2.0
"""What other models of a training iteration say of the rows of a table, for ./dev bench estimate.

A peer is a class with NAME and FOLDER, made with the path of its checkout. `says(row)` takes a row of the table, all
of whose cells are text, and returns (seconds an iteration, GiB of the fullest GPU), None for what the peer does not
model, and raises whatever the peer raises where it cannot judge the row at all.
"""
import argparse, importlib, json, logging, os, sys, time, types

GIB = 1024.0 ** 3


def whole(row, column, otherwise=None):
    if row[column]: return int(float(row[column]))
    if otherwise is None: raise ValueError(column + " is not known")
    return otherwise


def layout(row):
    """TP, PP, DP, MBS, GAS, GBS; each follows of the others where it is left out."""
    tp, pp = whole(row, "tp", 1), whole(row, "pp", 1)
    gpus = whole(row, "n_gpus", max(8, tp * pp))  # a node's
    if whole(row, "cp", 1) != 1: raise ValueError("context parallelism")
    dp = whole(row, "dp", 0) or gpus // (tp * pp)
    mbs = whole(row, "mbs")
    gbs = whole(row, "gbs", 0) or mbs * dp * whole(row, "gas")
    if dp * mbs == 0 or gbs % (dp * mbs): raise ValueError("GBS is no multiple of DP and MBS")
    return tp, pp, dp, mbs, gbs // (dp * mbs), gbs


def experts(row):
    return json.loads(row["notes"]).get("num-experts", 0) if row["notes"].startswith("{") else 0


class Calculon:
    """With its own A100 and H100, whose memory is the row's."""
    NAME, FOLDER = "calculon", "calculon"
    SYSTEMS = {"A100-SXM4": "a100_80g.json", "H100-SXM5": "h100_80g_nvl8.json", "H800": "h100_80g_nvl8.json"}

    def __init__(self, checkout):
        sys.path.insert(0, checkout)
        self.calculon = importlib.import_module("calculon")
        self.llm = importlib.import_module("calculon.llm")
        self.log = logging.getLogger("calculon")
        self.log.setLevel(logging.CRITICAL)
        self.systems = {}
        for gpu, name in self.SYSTEMS.items():
            with open(os.path.join(checkout, "systems", name)) as file: self.systems[gpu] = json.load(file)

    def says(self, row):
        if experts(row): raise ValueError("experts")
        if whole(row, "zero", 0) > 1: raise ValueError("ZeRO 2 and 3")
        cfg = json.loads(json.dumps(self.systems[row["gpu"]]))
        if row["gpu"] == "A100-SXM4" and row["gpu_mem_gb"] == "40":
            cfg["mem1"].update({"GiB": 40, "GBps": 1555})
        tp, pp, dp, mbs, _, gbs = layout(row)
        hidden, heads = whole(row, "hidden"), whole(row, "heads")
        sharded = row["seq_par"] == "1"
        node = whole(row, "gpus_per_node", 8)
        spans = int(tp * pp * dp > node)
        model = self.llm.Llm(self.llm.Llm.Application(dict(
            hidden=hidden, feedforward=whole(row, "ffn", 4 * hidden), seq_size=whole(row, "seq"), attn_heads=heads,
            attn_size=hidden // heads, num_blocks=whole(row, "layers"))), self.log)
        model.compile(self.calculon.System(cfg), self.llm.Llm.Execution.from_json(dict(
            num_procs=tp * pp * dp, tensor_par=tp, pipeline_par=pp, data_par=dp, tensor_par_net=int(tp > node),
            pipeline_par_net=spans, data_par_net=spans, batch_size=gbs, microbatch_size=mbs, datatype="float16",
            fused_activation=False, attention_type="multihead",
            activation_recompute={"full": "full", "selective": "attn_only"}.get(row["recompute"], "none"),
            pipeline_interleaving=whole(row, "vpp", 1), optimizer_sharding=whole(row, "zero", 0) > 0 and dp > 1,
            tensor_par_comm_type="rs_ag" if sharded else "ar",
            tensor_par_overlap="none", seq_par_ag_redo=sharded and row["recompute"] != "full", data_par_overlap=False,
            weight_offload=False, activations_offload=False, optimizer_offload=False, training=True)))
        model.run(self.calculon.System(cfg))
        return model.get_total_time(), model.get_mem_tier1_cap_req() / GIB


class LlmAnalysis:
    """With 0.5 of the peak and 0.9 of the bandwidth, as its README advises."""
    NAME, FOLDER = "llm-analysis", "llm-analysis"
    GPUS = {("A100-SXM4", "40"): "a100-sxm-40gb", ("A100-SXM4", "80"): "a100-sxm-80gb",
            ("V100-SXM2", "16"): "v100-sxm-16gb", ("V100-SXM2", "32"): "v100-sxm-32gb",
            ("V100-SXM3", "32"): "v100-sxm-32gb", ("H100-SXM5", "80"): "h100-sxm-80gb", ("H800", "80"): "h100-sxm-80gb"}
    RECOMPUTE = {"full": 4, "selective": 1}

    def __init__(self, checkout):
        sys.path.insert(0, checkout)
        self.analysis = importlib.import_module("llm_analysis.analysis")
        self.config = importlib.import_module("llm_analysis.config")
        logging.disable(logging.CRITICAL)

    def says(self, row):
        tp, pp, dp, mbs, gas, gbs = layout(row)
        heads, hidden, seq = whole(row, "heads"), whole(row, "hidden"), whole(row, "seq")
        zero = whole(row, "zero", 0)
        analysis = self.analysis.LLMAnalysis(
            self.config.ModelConfig(
                name="row", num_layers=whole(row, "layers"), n_head=heads, hidden_dim=hidden,
                vocab_size=whole(row, "vocab", 50257), max_seq_len=seq,
                num_key_value_heads=whole(row, "kv_heads", heads), ffn_embed_dim=whole(row, "ffn", 4 * hidden),
                moe_num_experts=experts(row) or 1,
                mlp_gated_linear_units=row["act_fn"] == "swiglu"),
            self.config.get_gpu_config_by_name(self.GPUS[row["gpu"], row["gpu_mem_gb"]]),
            self.config.get_dtype_config_by_name("w16a16e16"),
            self.config.ParallelismConfig(tp_size=tp, pp_size=pp, dp_size=dp, ep_size=whole(row, "ep", 1),
                                          sp_size=tp if row["seq_par"] == "1" else 1),
            hbm_memory_efficiency=0.9, flops_efficiency=0.5)
        # It gathers weights in each forward pass, whatever the stage of ZeRO.
        if zero < 3: analysis.get_latency_fwd_per_layer_shared_dp_comm = lambda: 0
        said = analysis.training(
            batch_size_per_gpu=mbs, gradient_accumulation_steps=gas, global_batch_size=gbs, seq_len=seq,
            activation_recomputation=self.analysis.ActivationRecomputation(self.RECOMPUTE.get(row["recompute"], 0)),
            ds_zero=self.analysis.DSZeRO(zero), flash_attn="unfused" not in row["attn"])
        return said["latency_per_iter"], said["estimated_peak_memory_per_gpu"] / GIB


class MegatronFormula:
    """Megatron-LM's theoretical_memory_usage.py: memory alone, of launches without full recomputation."""
    NAME, FOLDER = "Megatron's formula", "Megatron-LM"

    def __init__(self, checkout):
        folder = os.path.join(checkout, "megatron", "training")
        package = types.ModuleType("megatron_formula")
        package.__path__ = [folder]
        utils = types.ModuleType("megatron_formula.utils")  # the real one imports PyTorch
        utils.is_hybrid_model, utils.print_rank_0 = lambda _: False, lambda _: None
        sys.modules.update({"megatron_formula": package, "megatron_formula.utils": utils})
        self.formula = importlib.import_module("megatron_formula.theoretical_memory_usage")

    def says(self, row):
        if row["recompute"] == "full": raise ValueError("full recomputation")
        if experts(row): raise ValueError("experts, whose width the table does not have")
        tp, pp, dp, mbs, gas, _ = layout(row)
        heads, hidden = whole(row, "heads"), whole(row, "hidden")
        vocab = whole(row, "vocab", 50257)
        args = argparse.Namespace(
            num_layers=whole(row, "layers"), hidden_size=hidden, num_attention_heads=heads, kv_channels=hidden // heads,
            group_query_attention=bool(row["kv_heads"]) and row["kv_heads"] != row["heads"],
            num_query_groups=whole(row, "kv_heads", heads), ffn_hidden_size=whole(row, "ffn", 4 * hidden),
            seq_length=whole(row, "seq"), micro_batch_size=mbs, padded_vocab_size=-(-vocab // (128 * tp)) * 128 * tp,
            swiglu=row["act_fn"] == "swiglu", num_experts=None, moe_shared_expert_intermediate_size=None,
            moe_ffn_hidden_size=None, moe_latent_size=None, moe_router_topk=1, moe_layer_freq=1, mtp_num_layers=None,
            multi_latent_attention=False, normalization="LayerNorm", add_bias_linear=True,
            untie_embeddings_and_output_weights=False, tensor_model_parallel_size=tp, pipeline_model_parallel_size=pp,
            virtual_pipeline_model_parallel_size=whole(row, "vpp", 1) if whole(row, "vpp", 1) > 1 else None,
            expert_model_parallel_size=1, expert_tensor_parallel_size=tp, data_parallel_size=dp,
            world_size=tp * pp * dp, context_parallel_size=1, use_distributed_optimizer=whole(row, "zero", 0) > 0,
            sequence_parallel=row["seq_par"] == "1",
            recompute_granularity=row["recompute"] if row["recompute"] == "selective" else None)
        stdout, sys.stdout = sys.stdout, open(os.devnull, "w")
        try: total = self.formula.report_theoretical_memory(args, num_microbatches=gas)[2]
        finally: sys.stdout = stdout
        return None, total / 1024


def found(folder):
    """The peers whose checkouts stand in `folder`."""
    return [peer(os.path.join(folder, peer.FOLDER)) for peer in (Calculon, LlmAnalysis, MegatronFormula)
            if os.path.isdir(os.path.join(folder, peer.FOLDER))]
