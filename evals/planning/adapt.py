"""Adapts copies of the sentence embedder to choosing: thin matrices beside its weights, and a head on each.

`python evals/planning/adapt.py DATA MODEL OUT [name=value,… …]`, where there is torch; DATA comes from
`python -m evals.planning fit --data FILE`, OUT goes to `fit --adapted FILE`. Each `name=value,…` is a way to
train: `copies` on all rows, and `voices` for each fold, which say what they think of settings left out.
"""
# mypy: ignore-errors
# ruff: noqa: PLR0917
# torch is on the machine that trains and nowhere else

from __future__ import annotations

import struct
import sys
import time

import numpy as np
import torch
from torch.nn import functional

FOLDS, HEADS, MASKED = 6, 12, 103
TARGETS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
USUAL = {"rank": 16, "rounds": 5, "lr": 8e-4, "drop": 0.1, "seed": 0, "decay": 0.02, "smooth": 0.02}
USUAL |= {"mask": 0.0, "copies": 0, "voices": 1, "batch": 64}


class Adapted(torch.nn.Module):
    """Several copies side by side, each with thin matrices and a head of its own over the same weights."""

    def __init__(self, tensors, members, signs, answers, rank, drop):
        super().__init__()
        self.frozen = {
            name: torch.tensor(np.array(t, np.float32), device=DEVICE) for name, t in tensors.items()
        }
        self.thin = torch.nn.ParameterDict()
        for layer in range(6):
            for name in TARGETS:
                out, into = tensors[f"blk.{layer}.{name}.weight"].shape
                key = f"blk|{layer}|{name}"
                self.thin[key + "|down"] = torch.nn.Parameter(torch.randn(members, rank, into) / into**0.5)
                self.thin[key + "|up"] = torch.nn.Parameter(torch.zeros(members, out, rank))
        self.head = torch.nn.Parameter(torch.zeros(members, 384 + signs + 1, answers))
        self.drop = drop

    def linear(self, name, hidden):
        key = name.replace(".", "|")
        down, up = self.thin[key + "|down"].transpose(1, 2), self.thin[key + "|up"].transpose(1, 2)
        members, batch, length, _ = hidden.shape
        thin = torch.bmm(torch.bmm(hidden.flatten(1, 2), down), up).view(members, batch, length, -1)
        return functional.linear(hidden, self.frozen[f"{name}.weight"], self.frozen[f"{name}.bias"]) + thin

    def norm(self, name, hidden):
        return functional.layer_norm(
            hidden, (384,), self.frozen[f"{name}.weight"], self.frozen[f"{name}.bias"], 1e-12
        )

    def forward(self, ids, mask, signs):
        """Return the logits; every tensor is members × batch × …"""
        f = self.frozen
        hidden = (
            f["token_embd.weight"][ids]
            + f["position_embd.weight"][: ids.shape[2]]
            + f["token_types.weight"][0]
        )
        hidden = self.norm("token_embd_norm", hidden)
        members, batch, length, width = hidden.shape
        seen = mask.bool().view(members * batch, 1, 1, length)
        for layer in range(6):
            at = f"blk.{layer}."
            q, k, v = (
                self.linear(at + n, hidden).view(members * batch, length, HEADS, -1).transpose(1, 2)
                for n in ("attn_q", "attn_k", "attn_v")
            )
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
            mixed = mixed.transpose(1, 2).reshape(members, batch, length, width)
            mixed = functional.dropout(self.linear(at + "attn_output", mixed), self.drop, self.training)
            hidden = self.norm(at + "attn_output_norm", hidden + mixed)
            inner = functional.gelu(self.linear(at + "ffn_up", hidden), approximate="tanh")
            inner = functional.dropout(self.linear(at + "ffn_down", inner), self.drop, self.training)
            hidden = self.norm(at + "layer_output_norm", hidden + inner)
        pooled = (hidden * mask[..., None]).sum(2) / mask.sum(2)[..., None]
        pooled = functional.dropout(pooled, 0.2, self.training)
        if self.training:
            signs = signs * (torch.rand_like(signs) > 0.2)
        return torch.bmm(torch.cat([2 * pooled, signs, torch.ones_like(signs[..., :1])], 2), self.head)


def batches(lengths, allowed, size):
    """Yield rows for each member out of those allowed to it, of like length together: less is padding."""
    count = min(len(rows) for rows in allowed)
    orders = [rows[torch.randperm(len(rows), device=DEVICE)][:count] for rows in allowed]
    for start in range(0, count - size + 1, size * 50):
        chunks = [order[start : start + size * 50] for order in orders]
        chunks = torch.stack([chunk[torch.argsort(lengths[chunk])] for chunk in chunks])
        parts = [chunks[:, i : i + size] for i in range(0, chunks.shape[1], size)]
        for i in torch.randperm(len(parts)).tolist():
            yield parts[i]


def train(tensors, given, allowed, use):
    """Return one member for each list of rows in `allowed`."""
    torch.manual_seed(int(use["seed"]))
    ids, mask, signs, wanted, weights = given
    shape = signs.shape[1], wanted.shape[1], int(use["rank"]), use["drop"]
    model = Adapted(tensors, len(allowed), *shape).to(DEVICE)
    lr, rounds, batch = use["lr"], int(use["rounds"]), int(use["batch"])
    groups = [
        {"params": list(model.thin.values()), "lr": lr, "weight_decay": use["decay"]},
        {"params": [model.head], "lr": 3e-3, "weight_decay": 0.05},
    ]
    optimiser = torch.optim.AdamW(groups)
    count = min(len(rows) for rows in allowed)
    steps = rounds * (count // batch + count // (batch * 50) + 2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [lr, 3e-3], total_steps=steps, pct_start=0.1)
    lengths = mask.sum(1)
    aims = wanted * (1 - 2 * use["smooth"]) + use["smooth"]
    model.train()
    for _ in range(rounds):
        for rows in batches(lengths, allowed, batch):
            longest = int(lengths[rows].max())
            read = ids[rows, :longest]
            unread = (torch.rand(read.shape, device=DEVICE) < use["mask"]) & (read > 999)
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                said = model(torch.where(unread, MASKED, read), mask[rows, :longest], signs[rows])
            loss = functional.binary_cross_entropy_with_logits(said.float(), aims[rows], reduction="none")
            loss = (loss.mean(2) * weights[rows]).mean(1).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    model.eval()
    return model


@torch.no_grad()
def say(model, ids, mask, signs, members):
    """Return the mean answer of those members for each row."""
    said = []
    for part in zip(*(t.split(256) for t in (ids, mask, signs)), strict=True):
        longest = int(part[1].sum(1).max())
        cut = (part[0][:, :longest], part[1][:, :longest], part[2])
        every = model(*(t[None].expand(len(model.head), *t.shape) for t in cut))
        said.append(every[members].mean(0))
    return torch.cat(said)


def work(data, tensors, use):
    """Return the copies trained on all rows, and the logits of each fold by members that did not see it."""
    put = lambda name, kind: torch.tensor(data[name], device=DEVICE, dtype=kind)  # noqa: E731
    ids, mask, signs = put("ids", torch.long), put("mask", torch.float32), put("signs_of", torch.float32)
    wanted, weights = put("wanted", torch.float32), put("weights", torch.float32)
    fold, original = put("group", torch.long) % FOLDS, put("original", torch.bool)
    copies, voices = int(use["copies"]), int(use["voices"])
    allowed = [(fold != i % FOLDS).nonzero()[:, 0] for i in range(voices * FOLDS)]
    allowed += [torch.arange(len(ids), device=DEVICE)] * copies
    model = train(tensors, (ids, mask, signs, wanted, weights), allowed, use)
    said = np.zeros(data["wanted"].shape, np.float32)
    for i in range(FOLDS if voices else 0):
        out = (fold == i) & original
        members = list(range(i, voices * FOLDS, FOLDS))
        said[out.cpu().numpy()] = say(model, ids[out], mask[out], signs[out], members).cpu().numpy()
    made = {}
    for copy in range(copies):
        for key, value in model.thin.items():
            array = value[voices * FOLDS + copy].detach().cpu().numpy()
            made[f"{copy}/{key.replace('|', '.')}"] = array.astype(np.float16)
        made[f"{copy}/head"] = model.head[voices * FOLDS + copy].detach().cpu().numpy().astype(np.float32)
    return made, said


def exact(logits, wanted, least=0.12, count=8):
    probabilities = 1 / (1 + np.exp(-logits))
    need = probabilities[:, :count]
    ok = np.maximum(need, probabilities[:, count : 2 * count])
    chosen = (need + ok > 1) & (need > least)
    missed = (wanted[:, :count] > 0.5) & ~chosen
    wrong = chosen & (wanted[:, count : 2 * count] < 0.5)
    return ~(missed | wrong).any(1), missed.sum(0), wrong.sum(0)


def main():
    data_file, model_file, out, *options = sys.argv[1:]
    ways = [
        USUAL | {key: float(value) for key, value in (part.split("=") for part in way.split(","))}
        for way in options
    ] or [USUAL]
    with np.load(data_file) as stored:
        data = dict(stored)
    tensors = dict(np.load(model_file)) if model_file.endswith(".npz") else read_tensors(model_file)
    made, said = {}, []
    for number, way in enumerate(ways):
        began = time.time()
        copies, heard = work(data, tensors, way)
        made |= {f"{number}.{name}": value for name, value in copies.items()}
        if way["voices"]:
            said.append(heard)
            report(way, heard, data)
        print(f"   {time.time() - began:.0f} s", flush=True)
        np.savez(out, said=np.array(said, np.float16), **made)
    if len(said) > 1:
        report("all together", np.mean(said, 0), data)


def report(name, logits, data):
    kept, first = data["original"].astype(bool), data["first"].astype(bool)
    right, missed, wrong = exact(logits, data["wanted"])
    print(name, f"all {right[kept].mean():.3f} first {right[kept & first].mean():.3f}", flush=True)
    for rows in (kept, kept & first):
        _, missed, wrong = exact(logits[rows], data["wanted"][rows])
        print("   missed", missed, "wrong", wrong, flush=True)


def read_tensors(path):
    data = np.memmap(path, np.uint8, "r")
    _, tensors, pairs = struct.unpack_from("<IQQ", data, 4)
    sizes = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
    at = 24

    def text(at):
        (length,) = struct.unpack_from("<Q", data, at)
        return bytes(data[at + 8 : at + 8 + length]).decode(), at + 8 + length

    for _ in range(pairs):
        _, at = text(at)
        (kind,) = struct.unpack_from("<I", data, at)
        at += 4
        if kind == 8:
            _, at = text(at)
        elif kind == 9:
            inner, count = struct.unpack_from("<IQ", data, at)
            at += 12
            for _ in range(count):
                at += 8 + struct.unpack_from("<Q", data, at)[0] if inner == 8 else sizes[inner]
        else:
            at += sizes[kind]
    infos = []
    for _ in range(tensors):
        name, at = text(at)
        (count,) = struct.unpack_from("<I", data, at)
        shape = struct.unpack_from(f"<{count}Q", data, at + 4)
        kind, offset = struct.unpack_from("<IQ", data, at + 4 + 8 * count)
        at += 16 + 8 * count
        infos.append((name, tuple(reversed(shape)), kind, offset))
    start = -(-at // 32) * 32
    return {
        name: data[start + offset : start + offset + int(np.prod(shape)) * (4 if kind == 0 else 2)]
        .view("<f4" if kind == 0 else "<f2")
        .reshape(shape)
        for name, shape, kind, offset in infos
    }


if __name__ == "__main__":
    main()
