"""Trains a language model to choose: thin matrices beside its weights, so that one letter's token says it.

`python tune.py DATA MODEL OUT name=value,… …`, where there is torch; DATA and MODEL come from
`python -m evals.planning.tuning`, OUT0.npz and so on, one for each way to train, go back to it. With `fold=N`
the settings of that fold are left out, and what is thought of them is written instead of the matrices.
"""
# mypy: ignore-errors
# torch is on the machine that trains and nowhere else

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

FOLDS = 6
# what is read by several weights at once shares the thin matrix that reads it
GROUPS = {
    "qkv": ("attn_q", "attn_k", "attn_v"),
    "out": ("attn_output",),
    "in": ("ffn_gate", "ffn_up"),
    "down": ("ffn_down",),
}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KIND = torch.bfloat16 if DEVICE == "cuda" else torch.float32
USUAL = {
    "rank": 16,
    "rounds": 4,
    "lr": 1.5e-3,
    "seed": 0,
    "smooth": 0.02,
    "batch": 128,
    "first": 0,
    "mask": 0.04,
}
USUAL |= {"mass": 0.05, "fold": -1, "ema": 0.995, "alpha": 2.0, "decay": 0.01, "all": 0}


def dequantized(raw, kind, shape):
    """The numbers of a quantized tensor: `shape` is rows × columns."""
    rows, columns = shape
    if kind == "F32":
        return raw.view(torch.float32).view(shape)
    if kind == "F16":
        return raw.view(torch.float16).view(shape).float()
    raw = raw.view(-1, {"Q8_0": 34, "Q4_1": 20, "Q4_K": 144, "Q6_K": 210}[kind])  # bytes of a block
    if kind == "Q8_0":
        scale = half(raw[:, :2])
        return (scale * raw[:, 2:].view(torch.int8).float()).view(rows, columns)
    if kind == "Q4_1":
        scale, least, nibbles = half(raw[:, :2]), half(raw[:, 2:4]), raw[:, 4:]
        values = torch.cat([nibbles & 15, nibbles >> 4], 1).float()
        return (scale * values + least).view(rows, columns)
    if kind == "Q4_K":
        scale, least, packed, nibbles = half(raw[:, :2]), half(raw[:, 2:4]), raw[:, 4:16], raw[:, 16:]
        a, b, c = packed[:, :4], packed[:, 4:8], packed[:, 8:12]
        scales = torch.cat([a & 63, (c & 15) | ((a >> 6) << 4)], 1).float()
        leasts = torch.cat([b & 63, (c >> 4) | ((b >> 6) << 4)], 1).float()
        nibbles = nibbles.view(-1, 4, 1, 32)
        values = torch.cat([nibbles & 15, nibbles >> 4], 2).view(-1, 8, 32).float()
        return ((scale * scales)[..., None] * values - (least * leasts)[..., None]).view(rows, columns)
    low, high, scales, scale = raw[:, :128], raw[:, 128:192], raw[:, 192:208], half(raw[:, 208:])
    low = low.view(-1, 2, 1, 64)
    low = torch.cat([low & 15, low >> 4], 2).view(-1, 2, 4, 32)
    high = high.view(-1, 2, 1, 32)
    high = torch.cat([high & 3, (high >> 2) & 3, (high >> 4) & 3, high >> 6], 2)
    values = (low | (high << 4)).view(-1, 16, 16).float() - 32
    return ((scale * scales.view(torch.int8).float())[..., None] * values).view(rows, columns)


def half(raw):
    return raw.contiguous().view(torch.float16).float()


def load(file):
    """Name → weights, and what else is told of the model."""
    with Path(file).open("rb") as opened:
        told = json.loads(opened.readline())
        data = np.frombuffer(opened.read(), np.uint8)
    tensors = {}
    for name, kind, shape, offset, size in told["tensors"]:
        raw = torch.tensor(data[offset : offset + size], device=DEVICE)
        tensors[name] = dequantized(raw, kind, shape).to(
            torch.float32 if len(shape) == 1 or shape[0] == 1 else KIND
        )
    return tensors, told


class Tuned(torch.nn.Module):
    def __init__(self, tensors, told, rank, first, alpha):
        super().__init__()
        self.told, self.alpha = told, alpha
        self.frozen, self.bias, self.sizes, self.thin = {}, {}, {}, {}
        for name in ("token_embd", "output", "output_norm"):
            self.frozen[name] = tensors[f"{name}.weight"]
        for layer in range(told["layers"]):
            at = f"blk.{layer}."
            for name in ("attn_norm", "ffn_norm"):
                self.frozen[at + name] = tensors[f"{at}{name}.weight"].view(-1).to(KIND)
            for group, names in GROUPS.items():
                parts = [tensors[f"{at}{name}.weight"] for name in names]
                self.sizes[group] = [len(part) for part in parts]
                self.frozen[at + group] = torch.cat(parts)
                if f"{at}{names[0]}.bias" in tensors:
                    self.bias[at + group] = torch.cat([tensors[f"{at}{n}.bias"].view(-1) for n in names]).to(
                        KIND
                    )
                if layer >= first:
                    out, into = self.frozen[at + group].shape
                    self.thin[at + group + ".a"] = (torch.randn(rank, into, device=DEVICE) / into**0.5).to(
                        KIND
                    )
                    self.thin[at + group + ".b"] = torch.zeros(out, rank, device=DEVICE, dtype=KIND)
        self.frozen["output_norm"] = self.frozen["output_norm"].view(-1).to(KIND)
        for value in self.thin.values():
            value.requires_grad_()

    def linear(self, name, hidden):
        said = functional.linear(hidden, self.frozen[name], self.bias.get(name))
        if name + ".a" in self.thin:
            said = said + functional.linear(
                functional.linear(hidden, self.thin[name + ".a"]), self.thin[name + ".b"] * self.alpha
            )
        return said

    def norm(self, name, hidden):
        return functional.rms_norm(hidden, hidden.shape[-1:], self.frozen[name], self.told["epsilon"])

    def turns(self, length):
        """Of positions, as this family of models has them."""
        width = self.frozen["blk.0.out"].shape[1] // self.told["heads"]
        rates = self.told["base"] ** (
            -torch.arange(width // 2, device=DEVICE, dtype=torch.float32) / (width // 2)
        )
        angles = torch.arange(length, device=DEVICE, dtype=torch.float32)[:, None] * rates[None]
        return angles.cos().to(KIND), angles.sin().to(KIND)

    def turned(self, states, cos, sin):
        if self.told["halves"]:
            x, y = states.chunk(2, -1)
            return torch.cat([x * cos - y * sin, y * cos + x * sin], -1)
        x, y = states[..., ::2], states[..., 1::2]
        return torch.stack([x * cos - y * sin, y * cos + x * sin], -1).flatten(-2)

    def forward(self, ids, last):
        """The logits of the tokens that are kept, after each row's last."""
        told, hidden = self.told, self.frozen["token_embd"][ids]
        batch, length, _ = hidden.shape
        heads, shared = told["heads"], told["shared"]
        turns = self.turns(length)
        for layer in range(told["layers"]):
            at = f"blk.{layer}."
            states = self.linear(at + "qkv", self.norm(at + "attn_norm", hidden))
            states = states.view(batch, length, heads + 2 * shared, -1).transpose(1, 2)
            both = self.turned(states[:, : heads + shared], *turns)
            mixed = functional.scaled_dot_product_attention(
                both[:, :heads], both[:, heads:], states[:, heads + shared :], is_causal=True, enable_gqa=True
            )
            hidden = hidden + self.linear(at + "out", mixed.transpose(1, 2).reshape(batch, length, -1))
            gate, up = self.linear(at + "in", self.norm(at + "ffn_norm", hidden)).chunk(2, -1)
            hidden = hidden + self.linear(at + "down", functional.silu(gate) * up)
        end = hidden[torch.arange(batch, device=DEVICE), last]
        return functional.linear(self.norm("output_norm", end), self.frozen["output"]).float()

    def split(self):
        """The thin matrices by the weights they stand beside."""
        for name, value in self.thin.items():
            at, _, rest = name.rpartition(".")
            layer, _, group = at.rpartition(".")
            sizes = self.sizes[group]
            parts = [value] * len(sizes) if rest == "a" else value.split(sizes)
            for weight, part in zip(GROUPS[group], parts, strict=True):
                yield f"{layer}.{weight}.{rest}", part.detach().half().cpu().numpy()


def batches(lengths, rows, size, shuffled):
    """Rows of like length together: less is padding."""
    order = rows[torch.randperm(len(rows))] if shuffled else rows
    for start in range(0, len(order), size * 50):
        chunk = order[start : start + size * 50]
        chunk = chunk[torch.argsort(lengths[chunk])]
        parts = list(chunk.split(size))
        for i in torch.randperm(len(parts)).tolist() if shuffled else range(len(parts)):
            yield parts[i]


class Given:
    """The rows, where the model is."""

    def __init__(self, file):
        given = dict(np.load(file))
        self.ids = torch.tensor(given["ids"].astype(np.int64), device=DEVICE)
        self.lengths = torch.tensor(given["lengths"].astype(np.int64))
        self.ends = (self.lengths - 1).to(DEVICE)
        self.wanted = torch.tensor(given["wanted"], dtype=torch.float32, device=DEVICE)
        self.weights = torch.tensor(given["weights"], dtype=torch.float32, device=DEVICE)
        self.letters = torch.tensor(given["letters"].astype(np.int64), device=DEVICE)  # the last: nothing
        self.fold = torch.tensor(given["group"].astype(np.int64) % FOLDS)
        self.original = torch.tensor(given["original"])

    def said(self, net, part, mask=0.0):
        longest = int(self.lengths[part].max())
        ids, at = self.ids[part, :longest], self.ends[part]
        if mask:
            others = torch.randint(0, len(net.frozen["output"]), ids.shape, device=DEVICE)
            hidden = (torch.rand(ids.shape, device=DEVICE) < mask) & (
                torch.arange(longest, device=DEVICE) < at[:, None] - 2
            )
            ids = torch.where(hidden, others, ids)
        logits = net(ids, at)
        return logits, logits[:, self.letters[:-1]] - logits[:, self.letters[-1:]]


def train(net, given, use, name):
    rows = torch.arange(len(given.ids))
    if use["fold"] >= 0:
        rows = rows[given.fold != int(use["fold"])]
    aims = given.wanted * (1 - 2 * use["smooth"]) + use["smooth"]
    size, rounds = int(use["batch"]), int(use["rounds"])
    work = list(net.thin.values())
    exact = [value.detach().float().clone().requires_grad_() for value in work]
    optimiser = torch.optim.AdamW(exact, lr=use["lr"], weight_decay=use["decay"], betas=(0.9, 0.98))
    steps = sum(1 for _ in range(rounds) for _ in batches(given.lengths, rows, size, True))
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, use["lr"], total_steps=steps + 1, pct_start=0.08
    )
    kept = [value.detach().clone() for value in exact]
    began, step, total = time.time(), 0, torch.zeros(2, device=DEVICE)
    for number in range(rounds):
        for part in batches(given.lengths, rows, size, True):
            logits, said = given.said(net, part, use["mask"])
            each = functional.binary_cross_entropy_with_logits(said, aims[part], reduction="none").mean(1)
            mass = (torch.logsumexp(logits, 1) - torch.logsumexp(logits[:, given.letters], 1)).mean()
            weight = given.weights[part]
            loss = (each * weight).sum() / weight.sum() + use["mass"] * mass
            for value in work:
                value.grad = None
            loss.backward()
            for value, precise in zip(work, exact, strict=True):
                precise.grad = value.grad.float()
            torch.nn.utils.clip_grad_norm_(exact, 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            with torch.no_grad():
                torch._foreach_copy_(work, exact)
                torch._foreach_lerp_(
                    kept, [e.detach() for e in exact], 1 - min(use["ema"], (1 + step) / (10 + step))
                )
                total += torch.stack([each.mean(), mass])
            if step % 100 == 0:
                lost, mass = (total / 100).tolist()
                total.zero_()
                took = time.time() - began
                print(
                    f"{name} round {number} step {step}/{steps} loss {lost:.4f} mass {mass:.3f} {took:.0f} s",
                    flush=True,
                )
    with torch.no_grad():
        torch._foreach_copy_(work, kept)


def answers(net, given, asked):
    said = torch.zeros(len(given.ids), len(given.letters) - 1)
    with torch.no_grad():
        for part in batches(given.lengths, asked, 512, False):
            said[part] = given.said(net, part)[1].cpu()
    return said[asked].numpy()


def main(data, model, out, *ways):
    tensors, told = load(model)
    given = Given(data)
    for number, way in enumerate(ways):
        use = dict(USUAL) | {k: float(v) for k, _, v in (p.partition("=") for p in way.split(",") if p)}
        torch.manual_seed(int(use["seed"]))
        net = Tuned(tensors, told, int(use["rank"]), int(use["first"]), use["alpha"])
        began = time.time()
        train(net, given, use, way)
        left_out = given.fold == int(use["fold"]) if use["fold"] >= 0 else torch.zeros_like(given.original)
        asked = torch.nonzero(given.original & (left_out | bool(use["all"]))).view(-1)
        arrays = {
            "asked": asked.numpy(),
            "said": answers(net, given, asked),
            "alpha": np.float32(use["alpha"]),
        }
        if use["fold"] < 0:
            arrays |= dict(net.split())
        np.savez(f"{out}{number}.npz", **arrays)
        if len(asked):
            skills, scripts = quick(arrays["said"], given.wanted.cpu().numpy()[asked.numpy()])
            print(f"{way}: right skills {skills:.1%}, scripts {scripts:.1%} of {len(asked)}", flush=True)
        print(f"{way}: {time.time() - began:.0f} s", flush=True)
        del net


def quick(said, wanted, count=8):
    """Right skills and scripts with thresholds of one."""
    chances = 1 / (1 + np.exp(-said))
    need, safe = chances[:, :count], np.maximum(chances[:, :count], chances[:, count : 2 * count])
    chosen = (need + safe > 1) & (need > 0.12)
    needed, allowed = wanted[:, :count] > 0.5, wanted[:, count : 2 * count] > 0.5
    scripts = ~((needed & ~chosen) | (chosen & ~allowed)).any(1)
    groups = [[0], [1, 2], [3, 4], [5, 6], [7]]
    chosen, needed, allowed = (
        np.stack([x[:, g].any(1) for g in groups], 1) for x in (chosen, needed, allowed)
    )
    return (~((needed & ~chosen) | (chosen & ~allowed)).any(1)).mean(), scripts.mean()


if __name__ == "__main__":
    main(*sys.argv[1:])
