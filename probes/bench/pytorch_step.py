# SPDX-License-Identifier: Apache-2.0
"""The training probe's step in PyTorch, eager, fp32, on the CPU: the peer of ./dev bench probes.

Prints the milliseconds of each step. Same model (pre-norm GPT-2, tied output), same batch, same
optimizer (AdamW, clipping by norm), tokens made beforehand.
"""
import argparse
import math
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

    def attention(self, x, mask):
        batch, seq, hidden = x.shape
        q, k, v = self.qkv(x).view(batch, seq, self.heads, -1).permute(0, 2, 1, 3).chunk(3, dim=-1)
        scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(hidden // self.heads))
        weights = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, seq, hidden))

    def forward(self, x, mask):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class Model(nn.Module):
    def __init__(self, o):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(o.vocab, o.hidden), nn.Embedding(o.seq, o.hidden)
        self.blocks = nn.ModuleList(Block(o.hidden, o.heads) for _ in range(o.layers))
        self.norm = nn.LayerNorm(o.hidden)
        self.register_buffer("mask", torch.ones(o.seq, o.seq, dtype=torch.bool).triu(1))
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions.weight
        for block in self.blocks:
            x = block(x, self.mask)
        return self.norm(x) @ self.tokens.weight.t()


def main():
    parser = argparse.ArgumentParser()
    for name in ("layers", "hidden", "heads", "seq", "vocab", "mbs", "gas", "threads", "iterations"):
        parser.add_argument("--" + name, type=int, required=True)
    o = parser.parse_args()
    torch.set_num_threads(o.threads)
    torch.manual_seed(1234)
    model = Model(o)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.003, weight_decay=0.01)
    batches = torch.randint(o.vocab, (o.gas, o.mbs, o.seq + 1))
    for _ in range(o.iterations):
        start = time.perf_counter()
        optimizer.zero_grad()
        loss = 0.0
        for batch in batches:
            logits = model(batch[:, :-1])
            part = F.cross_entropy(logits.reshape(-1, o.vocab), batch[:, 1:].reshape(-1)) / o.gas
            part.backward()
            loss += part.item()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(f"{1000 * (time.perf_counter() - start):.3f} {loss:.4f}", flush=True)


main()
