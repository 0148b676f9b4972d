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

FOLDS, HEADS = 6, 12
MASKED, ORDINARY = 103, 1000  # the token that hides another, and the first that may be hidden
HEAD_LR = 3e-3
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


def train(tensors, inputs, allowed, use, answers, loss_of):
    """Return one member for each list of rows in `allowed`, trained on `loss_of(logits, rows)`.

    `inputs` are token ids, their mask and the signs; `answers` is the number of logits.
    """
    torch.manual_seed(int(use["seed"]))
    ids, mask, signs = inputs
    model = Adapted(tensors, len(allowed), signs.shape[1], answers, int(use["rank"]), use["drop"]).to(DEVICE)
    lr, head_lr = use["lr"], use.get("head_lr", HEAD_LR)
    rounds, batch = int(use["rounds"]), int(use["batch"])
    masked, ordinary = int(use.get("masked", MASKED)), use.get("ordinary", ORDINARY)
    groups = [
        {"params": list(model.thin.values()), "lr": lr, "weight_decay": use["decay"]},
        {"params": [model.head], "lr": head_lr, "weight_decay": 0.05},
    ]
    optimiser = torch.optim.AdamW(groups)
    count = min(len(rows) for rows in allowed)
    steps = rounds * (count // batch + count // (batch * 50) + 2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [lr, head_lr], total_steps=steps, pct_start=0.1)
    lengths = mask.sum(1)
    model.train()
    for _ in range(rounds):
        for rows in batches(lengths, allowed, batch):
            longest = int(lengths[rows].max())
            tokens = ids[rows, :longest]
            is_hidden = (torch.rand(tokens.shape, device=DEVICE) < use["mask"]) & (tokens >= ordinary)
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                logits = model(torch.where(is_hidden, masked, tokens), mask[rows, :longest], signs[rows])
            loss = loss_of(logits.float(), rows)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    model.eval()
    return model


def binary_loss(wanted, weights, smooth):
    """Return the loss of independent answers, each row by its weight."""
    aims = wanted * (1 - 2 * smooth) + smooth

    def loss_of(logits, rows):
        loss = functional.binary_cross_entropy_with_logits(logits, aims[rows], reduction="none")
        return (loss.mean(2) * weights[rows]).mean(1).sum()

    return loss_of


@torch.no_grad()
def mean_answer(model, inputs, members, normalise=lambda logits: logits):
    """Return the mean of those members' normalised logits for each row."""
    answers = []
    for ids, mask, signs in zip(*(tensor.split(256) for tensor in inputs), strict=True):
        longest = int(mask.sum(1).max())
        part = (ids[:, :longest], mask[:, :longest], signs)
        logits = model(*(tensor[None].expand(len(model.head), *tensor.shape) for tensor in part))
        answers.append(normalise(logits[members]).mean(0))
    return torch.cat(answers)


def export_copies(model, first, copies):
    """Return the arrays of the members from `first` on, by copy and name."""
    arrays = {}
    for copy in range(copies):
        for key, value in model.thin.items():
            array = value[first + copy].detach().cpu().numpy()
            arrays[f"{copy}/{key.replace('|', '.')}"] = array.astype(np.float16)
        arrays[f"{copy}/head"] = model.head[first + copy].detach().cpu().numpy().astype(np.float32)
    return arrays


def load_tensors(path):
    """Return the embedder's tensors out of an .npz or a GGUF file."""
    return dict(np.load(path)) if path.endswith(".npz") else read_tensors(path)


def work(data, tensors, use):
    """Return the copies trained on all rows, and the logits of each fold by members that did not see it."""
    put = lambda name, kind: torch.tensor(data[name], device=DEVICE, dtype=kind)  # noqa: E731
    ids, mask, signs = put("ids", torch.long), put("mask", torch.float32), put("signs_of", torch.float32)
    wanted, weights = put("wanted", torch.float32), put("weights", torch.float32)
    fold, original = put("group", torch.long) % FOLDS, put("original", torch.bool)
    copies, voices = int(use["copies"]), int(use["voices"])
    allowed = [(fold != i % FOLDS).nonzero()[:, 0] for i in range(voices * FOLDS)]
    allowed += [torch.arange(len(ids), device=DEVICE)] * copies
    inputs = (ids, mask, signs)
    loss_of = binary_loss(wanted, weights, use["smooth"])
    model = train(tensors, inputs, allowed, use, wanted.shape[1], loss_of)
    logits = np.zeros(data["wanted"].shape, np.float32)
    for i in range(FOLDS if voices else 0):
        out = (fold == i) & original
        members = list(range(i, voices * FOLDS, FOLDS))
        part = tuple(tensor[out] for tensor in inputs)
        logits[out.cpu().numpy()] = mean_answer(model, part, members).cpu().numpy()
    return export_copies(model, voices * FOLDS, copies), logits


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
    tensors = load_tensors(model_file)
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
