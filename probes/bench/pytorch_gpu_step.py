# SPDX-License-Identifier: Apache-2.0
"""The training probe's step in PyTorch on a GPU: its blocks compiled, flash attention, bf16 by autocast over
fp32 weights, fused AdamW. The peer of gpu.sh bench.

Prints the milliseconds and the loss of each step. Same model as pytorch_step.py.
"""
import argparse
import time

import torch
from torch import nn
from torch.nn import functional as F


class Block(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, 4 * hidden), nn.Linear(4 * hidden, hidden)

    def attention(self, x):
        batch, seq, hidden = x.shape
        q, k, v = self.qkv(x).view(batch, seq, self.heads, -1).transpose(1, 2).chunk(3, dim=-1)
        context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(context.transpose(1, 2).reshape(batch, seq, hidden))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Model(nn.Module):
    def __init__(self, o):
        super().__init__()
        # The vocabulary is padded as the probe pads it.
        self.tokens = nn.Embedding((o.vocab + 127) // 128 * 128, o.hidden)
        self.positions = nn.Embedding(o.seq, o.hidden)
        self.blocks = nn.ModuleList(Block(o.hidden, o.heads) for _ in range(o.layers))
        self.norm = nn.LayerNorm(o.hidden)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens, targets):
        x = self.tokens(tokens) + self.positions.weight
        for block in self.blocks:
            x = block(x)
        logits = self.norm(x) @ self.tokens.weight.t()
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def main():
    parser = argparse.ArgumentParser()
    for name in ("layers", "hidden", "heads", "seq", "vocab", "mbs", "gas", "iterations"):
        parser.add_argument("--" + name, type=int, required=True)
    o = parser.parse_args()
    torch.manual_seed(1234)
    device = torch.device("cuda")
    model = Model(o).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003, weight_decay=0.01, fused=True)
    batches = torch.randint(o.vocab, (o.gas, o.mbs, o.seq + 1), device=device)
    for block in model.blocks:  # alike: compiled once
        block.compile()
    for _ in range(o.iterations):
        torch.cuda.synchronize()
        start = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = torch.zeros((), device=device)
        for batch in batches:
            with torch.autocast("cuda", torch.bfloat16):
                part = model(batch[:, :-1].contiguous(), batch[:, 1:].contiguous()) / o.gas
            part.backward()
            loss += part.detach()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        torch.cuda.synchronize()
        print(f"{1000 * (time.perf_counter() - start):.3f} {loss.item():.4f}", flush=True)


main()
