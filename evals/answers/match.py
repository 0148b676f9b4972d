"""Trains the text matcher, where there is torch: which passage answers a question, which offer is meant.

`python -m evals.answers.fit_match data DATA MODEL` writes the rows; `python evals/answers/match.py DATA MODEL
OUT [mode=apart|together tasks=qot fold=N rounds=8 …]` trains one copy, on all rows or without a fold that it
then scores. With `tasks=u` it learns which replies fit, and keeps what it makes of every unit that ships.
A group is a text, its candidates and those that are meant; "none" has a score of its own, so that a copy
learns when nothing is meant. Candidates of a group compete, and shared words count beside the likeness.
"""
# mypy: ignore-errors
# torch is on the machine that trains and nowhere else

from __future__ import annotations

import json
import random
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

from evals.planning.adapt import TARGETS

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
USUAL = {"rank": 16, "rounds": 8, "lr": 6e-4, "drop": 0.1, "seed": 1, "mask": 0.08, "fold": -1, "groups": 16}
TASKS = {"q": "question", "o": "offer", "t": "topic", "u": "unit"}
HEADS, WIDTH, LAYERS = 12, 384, 6


class Copy(torch.nn.Module):
    """The embedder with thin matrices beside its weights."""

    def __init__(self, tensors, use):
        super().__init__()
        self.frozen, self.use, rank = tensors, use, int(use["rank"])
        self.thin = torch.nn.ParameterDict()
        for layer in range(LAYERS):
            for name in TARGETS:
                out, into = tensors[f"blk.{layer}.{name}.weight"].shape
                key = f"blk|{layer}|{name}"
                down = torch.randn(rank, into, device=DEVICE) / into**0.5
                self.thin[f"{key}|down"] = torch.nn.Parameter(down)
                self.thin[f"{key}|up"] = torch.nn.Parameter(torch.zeros(out, rank, device=DEVICE))
        # for each task: how much likeness counts, how much shared words, and the score of none
        self.task = torch.nn.ParameterDict(
            {name: torch.nn.Parameter(torch.tensor([12.0, 1.0, 6.0], device=DEVICE)) for name in TASKS}
        )
        self.head = torch.nn.Parameter(torch.zeros(WIDTH, device=DEVICE))

    def linear(self, name, hidden):
        key = name.replace(".", "|")
        thin = functional.linear(functional.linear(hidden, self.thin[f"{key}|down"]), self.thin[f"{key}|up"])
        return functional.linear(hidden, self.frozen[f"{name}.weight"], self.frozen[f"{name}.bias"]) + thin

    def norm(self, name, hidden):
        weight, bias = self.frozen[f"{name}.weight"], self.frozen[f"{name}.bias"]
        return functional.layer_norm(hidden, (WIDTH,), weight, bias, 1e-12)

    def encode(self, ids, mask, types):
        hidden = self.frozen["token_embd.weight"][ids] + self.frozen["token_types.weight"][types]
        hidden = self.norm("token_embd_norm", hidden + self.frozen["position_embd.weight"][: ids.shape[1]])
        count, length, _ = hidden.shape
        seen, drop = mask.bool()[:, None, None, :], self.use["drop"]
        for layer in range(LAYERS):
            at = f"blk.{layer}."
            query, key, value = (
                self.linear(at + name, hidden).view(count, length, HEADS, -1).transpose(1, 2)
                for name in TARGETS[:3]
            )
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
            mixed = self.linear(at + "attn_output", mixed.transpose(1, 2).reshape(count, length, WIDTH))
            mixed = functional.dropout(mixed, drop, self.training)
            hidden = self.norm(at + "attn_output_norm", hidden + mixed)
            inner = functional.gelu(self.linear(at + "ffn_up", hidden), approximate="tanh")
            inner = functional.dropout(self.linear(at + "ffn_down", inner), drop, self.training)
            hidden = self.norm(at + "layer_output_norm", hidden + inner)
        return (hidden * mask[..., None]).sum(1) / mask.sum(1)[:, None]


def pad(rows, seconds):
    """Return ids, mask and token types; the pieces of a row from `second` on are another text's."""
    longest = max(map(len, rows))
    ids, types = (torch.zeros(len(rows), longest, dtype=torch.long) for _ in range(2))
    mask = torch.zeros(len(rows), longest)
    for number, (row, second) in enumerate(zip(rows, seconds, strict=True)):
        ids[number, : len(row)] = torch.tensor(row)
        mask[number, : len(row)] = 1
        types[number, second : len(row)] = 1
    return ids.to(DEVICE), mask.to(DEVICE), types.to(DEVICE)


def run(copy, rows, seconds, data):
    ids, mask, types = pad(rows, seconds)
    if copy.training and copy.use["mask"]:
        is_hidden = (torch.rand(ids.shape, device=DEVICE) < copy.use["mask"]) & (ids > data["special"])
        ids = torch.where(is_hidden, data["masked"], ids)
    with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
        return copy.encode(ids, mask, types).float()


def score(copy, groups, data, mode):
    """Return for each group the scores of its candidates, and that of none at the end."""
    texts, scores = data["texts"], []
    if mode == "apart":
        used = sorted({group["q"] for group in groups} | {one for group in groups for one in group["ps"]})
        at = {text: number for number, text in enumerate(used)}
        rows = [texts[text] for text in used]
        vectors = functional.normalize(run(copy, rows, [len(row) for row in rows], data), dim=1)
        for group in groups:
            scale, shared, none = copy.task[group["task"]]
            likeness = vectors[[at[one] for one in group["ps"]]] @ vectors[at[group["q"]]]
            own = scale * likeness + shared * torch.tensor(group["shared"], device=DEVICE)
            scores.append(torch.cat([own, none[None]]))
        return scores
    pairs = [(texts[group["q"]], texts[one][1:]) for group in groups for one in group["ps"]]
    vectors = run(copy, [first + second for first, second in pairs], [len(first) for first, _ in pairs], data)
    values, start = vectors @ copy.head * 2, 0
    for group in groups:
        _, shared, none = copy.task[group["task"]]
        own = values[start : start + len(group["ps"])] + shared * torch.tensor(group["shared"], device=DEVICE)
        scores.append(torch.cat([own, (none - 6)[None]]))
        start += len(group["ps"])
    return scores


def loss_of(scores, groups):
    total = 0
    for row, group in zip(scores, groups, strict=True):
        meant = group["meant"] or [len(group["ps"])]
        total = total - torch.logsumexp(row[meant], 0) + torch.logsumexp(row, 0)
    return total / len(groups)


@torch.no_grad()
def report(copy, groups, data, mode):
    copy.eval()
    for task, name in TASKS.items():
        rows = [group for group in groups if group["task"] == task]
        first = right = silent = meant = 0
        for start in range(0, len(rows), 16):
            part = rows[start : start + 16]
            for row, group in zip(score(copy, part, data, mode), part, strict=True):
                best = int(row[:-1].argmax())
                meant += bool(group["meant"])
                first += best in group["meant"]
                right += best in group["meant"] and bool(row[best] > row[-1])
                silent += not group["meant"] and bool(row[best] <= row[-1])
        if rows:
            figures = first / max(1, meant), right / max(1, meant), silent / max(1, len(rows) - meant)
            print(name, len(rows), "best-ranked right {:.3f}, told {:.3f}, none told {:.3f}".format(*figures))
    copy.train()


@torch.no_grad()
def encode_units(copy, data):
    """Return the vectors of all units, in eight bits."""
    copy.eval()
    rows = [data["texts"][at] for at in data["units"].values()]
    vectors = [
        functional.normalize(run(copy, part, [len(row) for row in part], data), dim=1).cpu().numpy()
        for start in range(0, len(rows), 256)
        for part in (rows[start : start + 256],)
    ]
    whole = np.concatenate(vectors)
    whole = whole / np.abs(whole).max(1, keepdims=True)
    return {"ids": np.array(list(data["units"])), "vectors": np.round(whole * 127).astype(np.int8)}


def main():
    data_file, model_file, out, *options = sys.argv[1:]
    given = dict(part.split("=") for part in options)
    mode, tasks = given.pop("mode", "apart"), given.pop("tasks", "qot")
    use = USUAL | {key: float(value) for key, value in given.items()}
    torch.manual_seed(int(use["seed"]))
    random.seed(int(use["seed"]))
    data = json.loads(Path(data_file).read_text(encoding="utf-8"))
    loaded = np.load(model_file).items()
    tensors = {name: torch.tensor(np.array(one, np.float32), device=DEVICE) for name, one in loaded}
    copy, size = Copy(tensors, use), int(use["groups"])
    groups = [group for group in data["groups"] if group["task"] in tasks]
    rows = [group for group in groups if group["fold"] != use["fold"]]
    others = [group for group in groups if group["fold"] == use["fold"]]
    rates = [use["lr"], 2e-2, 3e-3]
    parts = [list(copy.thin.values()), list(copy.task.values()), [copy.head]]
    optimiser = torch.optim.AdamW(
        [
            {"params": part, "lr": rate, "weight_decay": decay}
            for part, rate, decay in zip(parts, rates, (0.02, 0.0, 0.01), strict=True)
        ]
    )
    steps = int(use["rounds"]) * (len(rows) // size) + 1
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rates, total_steps=steps, pct_start=0.1)
    began = time.time()
    for _ in range(int(use["rounds"])):
        random.shuffle(rows)
        for start in range(0, len(rows) - size + 1, size):
            part = rows[start : start + size]
            loss = loss_of(score(copy, part, data, mode), part)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(copy.parameters(), 1.0)
            optimiser.step()
            schedule.step()
    report(copy, others, data, mode)
    print(f"{time.time() - began:.0f} s")
    made = {
        key.replace("|", "."): one.detach().cpu().numpy().astype(np.float16) for key, one in copy.thin.items()
    }
    made |= {f"task.{key}": one.detach().cpu().numpy() for key, one in copy.task.items()}
    if "u" in tasks:
        made |= encode_units(copy, data)
    np.savez_compressed(out, head=copy.head.detach().cpu().numpy(), **made)


if __name__ == "__main__":
    main()
