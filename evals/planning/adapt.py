"""Adapts a copy of the sentence embedder to choosing: thin matrices beside its weights.

`python evals/planning/adapt.py DATA MODEL OUT [A ROUNDS RANK]`, where there is torch; DATA comes from
`python -m evals.planning fit --data FILE`, and OUT goes to `fit --adapted FILE`.
"""
# mypy: ignore-errors
# ruff: noqa: PLR0917
# torch is on the machine that trains and nowhere else

from __future__ import annotations

import struct
import sys

import numpy as np
import torch
from torch.nn import functional

RANK, ROUNDS, BATCH, HEADS = 8, 16, 32, 12
TARGETS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_up", "ffn_down")
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Adapted(torch.nn.Module):
    def __init__(self, tensors, signs, answers, rank=RANK, drop=0.1):
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
        weight = self.frozen[f"{name}.weight"]
        key = name.replace(".", "|")
        weight = weight + self.thin[key + "|up"] @ self.thin[key + "|down"]
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
            inner = functional.gelu(self.linear(at + "ffn_up", hidden))
            inner = functional.dropout(self.linear(at + "ffn_down", inner), self.drop, self.training)
            hidden = self.norm(at + "layer_output_norm", hidden + inner)
        pooled = (hidden * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        pooled = functional.dropout(pooled, 0.2, self.training)
        if self.training:
            signs = signs * (torch.rand_like(signs) > 0.15)
        return self.head(torch.cat([2 * pooled, signs], 1))


def train(tensors, ids, mask, signs, wanted, rounds=ROUNDS, lr=1e-3, rank=RANK, seed=0, decay=0.02):
    torch.manual_seed(seed)
    model = Adapted(tensors, signs.shape[1], wanted.shape[1], rank).to(DEVICE)
    groups = [
        {"params": list(model.thin.values()), "lr": lr, "weight_decay": decay},
        {"params": model.head.parameters(), "lr": 5e-3, "weight_decay": 0.05},
    ]
    optimiser = torch.optim.AdamW(groups)
    steps = rounds * -(-len(ids) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [lr, 5e-3], total_steps=steps, pct_start=0.1)
    model.train()
    for _ in range(rounds):
        order = torch.randperm(len(ids), device=DEVICE)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            loss = functional.binary_cross_entropy_with_logits(
                model(ids[rows], mask[rows], signs[rows]), wanted[rows]
            )
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    model.eval()
    return model


def exact(probabilities, wanted, count=8):
    need, ok = (
        probabilities[:, :count],
        np.maximum(probabilities[:, :count], probabilities[:, count : 2 * count]),
    )
    chosen = (need + ok > 1) & (need > 0.12)
    missed = (wanted[:, :count] > 0.5) & ~chosen
    wrong = chosen & (wanted[:, count : 2 * count] < 0.5)
    return ~(missed | wrong).any(1), missed.sum(0), wrong.sum(0)


def main():
    data_file, model_file, out = sys.argv[1:4]
    data = np.load(data_file)
    tensors = read_tensors(model_file)
    put = lambda name, kind: torch.tensor(data[name], device=DEVICE, dtype=kind)  # noqa: E731
    signs, wanted = put("X", torch.float32), put("y", torch.float32)
    if "--folds" in sys.argv:
        groups = data["g"]
        for which in sys.argv[sys.argv.index("--folds") + 1 :]:
            side, *options = which.split(",")
            use = {key: float(value) for key, value in (option.split("=") for option in options)}
            use = {key: int(value) if key in ("rounds", "rank") else value for key, value in use.items()}
            blind = use.pop("blind", 0)
            ids, mask = put(side, torch.long), put(side + "m", torch.float32)
            told = signs * 0 if blind else signs
            found = np.zeros(data["y"].shape)
            for fold in range(6):
                out_ = groups % 6 == fold
                keep = torch.tensor(~out_, device=DEVICE)
                model = train(tensors, ids[keep], mask[keep], told[keep], wanted[keep], **use)
                with torch.no_grad():
                    found[out_] = torch.sigmoid(model(ids[~keep], mask[~keep], told[~keep])).cpu().numpy()
            right, missed, wrong = exact(found, data["y"])
            print(
                which,
                f"all {right.mean():.3f} fit {right[data['isfit']].mean():.3f}",
                missed,
                wrong,
                flush=True,
            )
        return
    side = sys.argv[4] if len(sys.argv) > 4 else "A"
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else ROUNDS
    rank = int(sys.argv[6]) if len(sys.argv) > 6 else RANK
    model = train(
        tensors,
        put(side, torch.long),
        put(side + "m", torch.float32),
        signs,
        wanted,
        rounds=rounds,
        rank=rank,
    )
    arrays = {
        key.replace("|", "."): value.detach().cpu().numpy().astype(np.float16)
        for key, value in model.thin.items()
    }
    weights = model.head.weight.detach().cpu().numpy().astype(np.float32)
    bias = model.head.bias.detach().cpu().numpy().astype(np.float32)
    np.savez(out, head=np.vstack([weights.T, bias]), signs=data["signs"], **arrays)


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
