"""Adapts copies of the sentence embedder to choosing: thin matrices beside its weights, and a head on each.

`python evals/planning/adapt.py DATA MODEL OUT [--folds] [name=value,… …]`, where there is torch; DATA comes
from `python -m evals.planning fit --data FILE`, OUT goes to `fit --adapted FILE`. Each `name=value,…` is a
copy; with --folds each is a way to train, tried on settings it was not trained on; OUT holds what it said.
"""
# mypy: ignore-errors
# ruff: noqa: PLR0917
# torch is on the machine that trains and nowhere else

from __future__ import annotations

import struct
import sys

import numpy as np
import torch
from torch import multiprocessing
from torch.nn import functional

FOLDS, BATCH, HEADS = 6, 64, 12
TARGETS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
USUAL = {"rank": 16, "rounds": 5, "lr": 8e-4, "drop": 0.1, "seed": 0, "decay": 0.02, "smooth": 0.02}


class Adapted(torch.nn.Module):
    def __init__(self, tensors, signs, answers, rank, drop):
        super().__init__()
        self.frozen = {
            name: torch.tensor(np.array(t, np.float32), device=DEVICE) for name, t in tensors.items()
        }
        self.thin = torch.nn.ParameterDict()
        for layer in range(6):
            for name in TARGETS:
                out, into = tensors[f"blk.{layer}.{name}.weight"].shape
                key = f"blk|{layer}|{name}"
                self.thin[key + "|down"] = torch.nn.Parameter(torch.randn(rank, into) / into**0.5)
                self.thin[key + "|up"] = torch.nn.Parameter(torch.zeros(out, rank))
        self.head = torch.nn.Linear(384 + signs, answers)
        torch.nn.init.zeros_(self.head.weight)
        torch.nn.init.zeros_(self.head.bias)
        self.drop = drop

    def linear(self, name, hidden):
        key = name.replace(".", "|")
        weight = self.frozen[f"{name}.weight"] + self.thin[key + "|up"] @ self.thin[key + "|down"]
        return functional.linear(hidden, weight, self.frozen[f"{name}.bias"])

    def norm(self, name, hidden):
        return functional.layer_norm(
            hidden, (384,), self.frozen[f"{name}.weight"], self.frozen[f"{name}.bias"], 1e-12
        )

    def forward(self, ids, mask, signs):
        f = self.frozen
        hidden = (
            f["token_embd.weight"][ids]
            + f["position_embd.weight"][: ids.shape[1]]
            + f["token_types.weight"][0]
        )
        hidden = self.norm("token_embd_norm", hidden)
        batch, length, width = hidden.shape
        for layer in range(6):
            at = f"blk.{layer}."
            q, k, v = (
                self.linear(at + n, hidden).view(batch, length, HEADS, -1).transpose(1, 2)
                for n in ("attn_q", "attn_k", "attn_v")
            )
            mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :].bool())
            mixed = mixed.transpose(1, 2).reshape(batch, length, width)
            mixed = functional.dropout(self.linear(at + "attn_output", mixed), self.drop, self.training)
            hidden = self.norm(at + "attn_output_norm", hidden + mixed)
            inner = functional.gelu(self.linear(at + "ffn_up", hidden), approximate="tanh")
            inner = functional.dropout(self.linear(at + "ffn_down", inner), self.drop, self.training)
            hidden = self.norm(at + "layer_output_norm", hidden + inner)
        pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        pooled = functional.dropout(pooled, 0.2, self.training)
        if self.training:
            signs = signs * (torch.rand_like(signs) > 0.2)
        return self.head(torch.cat([2 * pooled, signs], 1))


def batches(lengths, order):
    """Rows of like length together: less of a batch is padding."""
    for start in range(0, len(order), BATCH * 50):
        chunk = order[start : start + BATCH * 50]
        chunk = chunk[torch.argsort(lengths[chunk])]
        parts = [chunk[i : i + BATCH] for i in range(0, len(chunk), BATCH)]
        for i in torch.randperm(len(parts)).tolist():
            yield parts[i]


def train(tensors, ids, mask, signs, wanted, weights, use):
    torch.manual_seed(int(use["seed"]))
    model = Adapted(tensors, signs.shape[1], wanted.shape[1], int(use["rank"]), use["drop"]).to(DEVICE)
    lr, rounds = use["lr"], int(use["rounds"])
    groups = [
        {"params": list(model.thin.values()), "lr": lr, "weight_decay": use["decay"]},
        {"params": model.head.parameters(), "lr": 3e-3, "weight_decay": 0.05},
    ]
    optimiser = torch.optim.AdamW(groups)
    steps = rounds * (-(-len(ids) // BATCH) + -(-len(ids) // (BATCH * 50)))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [lr, 3e-3], total_steps=steps, pct_start=0.1)
    lengths = mask.sum(1)
    aims = wanted * (1 - 2 * use["smooth"]) + use["smooth"]
    model.train()
    for _ in range(rounds):
        for rows in batches(lengths, torch.randperm(len(ids), device=DEVICE)):
            longest = int(lengths[rows].max())
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                said = model(ids[rows, :longest], mask[rows, :longest], signs[rows])
            loss = functional.binary_cross_entropy_with_logits(said.float(), aims[rows], reduction="none")
            loss = (loss.mean(1) * weights[rows]).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    model.eval()
    return model


@torch.no_grad()
def say(model, ids, mask, signs):
    return torch.cat([model(*part) for part in zip(*(t.split(256) for t in (ids, mask, signs)), strict=True)])


def work(job):
    """One copy trained on all rows, or one fold of one way to train."""
    data_file, model_file, use, fold = job
    torch.set_num_threads(2)
    data, tensors = np.load(data_file), read_tensors(model_file)
    put = lambda name, kind: torch.tensor(data[name], device=DEVICE, dtype=kind)  # noqa: E731
    ids, mask, signs = put("ids", torch.long), put("mask", torch.float32), put("signs_of", torch.float32)
    wanted, weights = put("wanted", torch.float32), put("weights", torch.float32)
    if use.get("only"):  # the rows as they were written
        weights = weights * put("original", torch.float32)
    if fold is None:
        keep = torch.ones(len(ids), dtype=torch.bool, device=DEVICE)
    else:
        keep = put("group", torch.long) % FOLDS != fold
    keep &= weights > 0
    model = train(tensors, ids[keep], mask[keep], signs[keep], wanted[keep], weights[keep], use)
    if fold is not None:
        out = (put("group", torch.long) % FOLDS == fold) & put("original", torch.bool)
        return out.nonzero()[:, 0].cpu().numpy(), say(model, ids[out], mask[out], signs[out]).cpu().numpy()
    arrays = {
        key.replace("|", "."): value.detach().cpu().numpy().astype(np.float16)
        for key, value in model.thin.items()
    }
    head = np.vstack([model.head.weight.detach().cpu().numpy().T, model.head.bias.detach().cpu().numpy()])
    return {**arrays, "head": head.astype(np.float32)}


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
    folds = "--folds" in options
    ways = [
        USUAL | {key: float(value) for key, value in (part.split("=") for part in way.split(","))}
        for way in options
        if not way.startswith("--")
    ] or [USUAL]
    with multiprocessing.get_context("spawn").Pool(8 if DEVICE == "cuda" else 1) as pool:
        if not folds:
            made = pool.map(work, [(data_file, model_file, way, None) for way in ways], chunksize=1)
            named = {f"{i}/{key}": value for i, copy in enumerate(made) for key, value in copy.items()}
            np.savez(out, **named)
            return
        data = np.load(data_file)
        said = np.zeros((len(ways), *data["wanted"].shape), np.float32)
        jobs = [(data_file, model_file, way, fold) for way in ways for fold in range(FOLDS)]
        for i, (rows, logits) in enumerate(pool.imap(work, jobs, chunksize=1)):
            said[i // FOLDS, rows] = logits
            if i % FOLDS == FOLDS - 1:
                report(ways[i // FOLDS], said[i // FOLDS], data)
        report("all together", said.mean(0), data)
        np.savez(out, said=said.astype(np.float16))


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
