"""Trains the text matcher, where there is torch: which passage answers a question, which offer is meant.

`python -m evals.answers.fit_match data DATA MODEL` writes the rows; `python evals/answers/match.py DATA MODEL
OUT [mode=apart|together tasks=qot fold=N rounds=8 …]` trains one copy, on all rows or without a fold that it
then scores. With `tasks=u` it learns which replies fit, and keeps what it makes of every unit that ships.
A group is a text, its candidates and those that are meant; "none" has a score of its own, so that a copy
learns when nothing is meant. Candidates of a group compete, and shared words count beside the likeness.
Where there is no accelerator, `start=FILE` goes on from a copy that ships, `seconds=N` ends in time,
`apart=FILE most=N` keeps for each group only what that copy ranks first, and `only=typed` takes typed lines.
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
USUAL = {
    "most": 99,
    "seconds": 1e9,
    "rank": 16,
    "rounds": 8,
    "lr": 6e-4,
    "drop": 0.1,
    "seed": 1,
    "mask": 0.08,
    "fold": -1,
    "groups": 16,
}
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


class Texts:
    """All texts as word pieces on the device, read alone or two as one."""

    def __init__(self, data):
        longest = max(map(len, data["texts"]))
        rows = np.zeros((len(data["texts"]), longest), np.int64)
        for at, row in enumerate(data["texts"]):
            rows[at, : len(row)] = row
        self.ids = torch.tensor(rows, device=DEVICE)
        self.lengths = torch.tensor([len(row) for row in data["texts"]], device=DEVICE)
        self.masked, self.special = data["masked"], data["special"]

    def read_alone(self, copy, texts):
        lengths = self.lengths[texts]
        at = torch.arange(int(lengths.max()), device=DEVICE)[None]
        return self._run(copy, self.ids[texts][:, : at.shape[1]], at < lengths[:, None], at * 0)

    def read_pairs(self, copy, firsts, seconds):
        """Return what a copy makes of each pair; the second text goes without its first piece."""
        first, both = (
            self.lengths[firsts][:, None],
            (self.lengths[firsts] + self.lengths[seconds] - 1)[:, None],
        )
        at = torch.arange(int(both.max()), device=DEVICE)[None].expand(len(firsts), -1)
        own = self.ids[firsts].gather(1, at.clamp(max=self.ids.shape[1] - 1))
        other = self.ids[seconds].gather(1, (at - first + 1).clamp(0, self.ids.shape[1] - 1))
        return self._run(copy, torch.where(at < first, own, other), at < both, (at >= first).long())

    def _run(self, copy, ids, mask, types):
        if copy.training and copy.use["mask"]:
            is_hidden = (torch.rand(ids.shape, device=DEVICE) < copy.use["mask"]) & (ids > self.special)
            ids = torch.where(is_hidden, self.masked, ids)
        types = (types * mask).expand(ids.shape)
        with torch.autocast(DEVICE, torch.bfloat16):
            return copy.encode(ids * mask, mask.float(), types).float()


class Batch:
    """Groups side by side: a row for each, a column for each candidate, and one for none at the end."""

    def __init__(self, groups):
        widest = max(len(group["ps"]) for group in groups)
        shape = (len(groups), widest + 1)
        texts, meant, there = np.zeros(shape, np.int64), np.zeros(shape, bool), np.zeros(shape, bool)
        shared = np.zeros(shape, np.float32)
        for at, group in enumerate(groups):
            count = len(group["ps"])
            texts[at, :count], shared[at, :count] = group["ps"], group["shared"]
            there[at, :count] = there[at, -1] = True
            meant[at, group["meant"] or [-1]] = True
        self.texts, self.shared, self.meant, self.there = (
            torch.tensor(one, device=DEVICE) for one in (texts, shared, meant, there)
        )
        self.questions = torch.tensor([group["q"] for group in groups], device=DEVICE)
        self.tasks = torch.tensor([list(TASKS).index(group["task"]) for group in groups], device=DEVICE)


def score(copy, batch, texts, mode):
    """Return for each group the scores of its candidates, and that of none at the end."""
    scale, shared, none = torch.stack(list(copy.task.values()))[batch.tasks].T
    own = batch.there[:, :-1]
    rows, columns = own.nonzero(as_tuple=True)
    values = torch.full(own.shape, -1e4, device=DEVICE)
    if mode == "apart":
        used, places = torch.unique(
            torch.cat([batch.questions, batch.texts[:, :-1][own]]), return_inverse=True
        )
        vectors = functional.normalize(texts.read_alone(copy, used), dim=1)[places]
        questions, candidates = vectors[: len(own)], vectors[len(own) :]
        made = scale[rows] * (questions[rows] * candidates).sum(1)
    else:
        made = texts.read_pairs(copy, batch.questions[rows], batch.texts[rows, columns]) @ copy.head * 2
        none = none - 6
    values[rows, columns] = made + shared[rows] * batch.shared[rows, columns]
    return torch.cat([values, none[:, None]], 1)


def loss_of(scores, batch):
    meant = torch.logsumexp(scores.masked_fill(~batch.meant, -1e4), 1)
    return (torch.logsumexp(scores, 1) - meant).mean()


@torch.no_grad()
def report(copy, groups, texts, mode):
    copy.eval()
    for task, name in TASKS.items():
        rows = [group for group in groups if group["task"] == task]
        figures = []
        for start in range(0, len(rows), 64):
            batch = Batch(rows[start : start + 64])
            scores = score(copy, batch, texts, mode)
            best = scores[:, :-1].argmax(1, keepdim=True)
            is_right = batch.meant.gather(1, best)[:, 0]
            lead = scores.gather(1, best)[:, 0] - scores[:, -1]
            figures.append(torch.stack([is_right.float(), lead, (~batch.meant[:, -1]).float()]))
        if rows:
            right, lead, has_answer = torch.cat(figures, 1)
            first = (right * has_answer).sum() / has_answer.sum().clamp(min=1)
            print(name, len(rows), f"best-ranked right {first:.3f}", end="")
            for least in (0.0, 1.0, 2.0):
                told = (lead >= least).float()
                precision = (right * told * has_answer).sum() / told.sum().clamp(min=1)
                recall = (right * told * has_answer).sum() / has_answer.sum().clamp(min=1)
                print(f"; at {least:.0f} precision {precision:.3f} recall {recall:.3f}", end="")
            print(flush=True)
    copy.train()


@torch.no_grad()
def encode_units(copy, data, texts):
    """Return the vectors of all units, in eight bits."""
    copy.eval()
    rows = torch.tensor(list(data["units"].values()), device=DEVICE)
    parts = [functional.normalize(texts.read_alone(copy, part), dim=1) for part in rows.split(256)]
    whole = torch.cat(parts).cpu().numpy()
    whole = whole / np.abs(whole).max(1, keepdims=True)
    return {"ids": np.array(list(data["units"])), "vectors": np.round(whole * 127).astype(np.int8)}


def load_copy(file, tensors, use):
    """Return a copy that was trained before, to be used or trained on."""
    stored = np.load(file)
    copy = Copy(tensors, use | {"rank": stored["blk.0.attn_q.down"].shape[0]})
    with torch.no_grad():
        for key, value in copy.thin.items():
            value.copy_(torch.tensor(stored[key.replace("|", ".")].astype(np.float32)))
        for key, value in copy.task.items():
            if f"task.{key}" in stored:
                value.copy_(torch.tensor(stored[f"task.{key}"].astype(np.float32)))
        copy.head.copy_(torch.tensor(stored["head"].astype(np.float32)))
    return copy


@torch.no_grad()
def keep_likeliest(groups, copy, texts, most):
    """Leave each group those that are meant and the likeliest others, by a copy that encodes texts apart."""
    copy.eval()
    used = sorted(
        {one for group in groups for one in (group["q"], *group["ps"])}, key=lambda at: texts.lengths[at]
    )
    parts = [texts.read_alone(copy, part) for part in torch.tensor(used, device=DEVICE).split(256)]
    vectors = functional.normalize(torch.cat(parts), dim=1)
    at = {text: place for place, text in enumerate(used)}
    for group in groups:
        likeness = vectors[[at[one] for one in group["ps"]]] @ vectors[at[group["q"]]]
        order = [int(one) for one in likeness.argsort(descending=True) if int(one) not in group["meant"]]
        kept = [*group["meant"][:2], *order[: max(1, most - len(group["meant"][:2]))]]
        group["meant"] = list(range(len(group["meant"][:2])))
        group["ps"], group["shared"] = ([group[name][one] for one in kept] for name in ("ps", "shared"))


def batches(groups, texts, size):
    """Yield batches of groups that are about as long as each other, in random order."""
    random.shuffle(groups)
    groups = sorted(
        groups, key=lambda group: int(texts.lengths[group["ps"]].max() + texts.lengths[group["q"]]) // 8
    )
    parts = [groups[start : start + size] for start in range(0, len(groups), size)]
    random.shuffle(parts)
    yield from map(Batch, parts)


def main():
    data_file, model_file, out, *options = sys.argv[1:]
    given = dict(part.split("=") for part in options)
    mode, tasks, only = given.pop("mode", "apart"), given.pop("tasks", "qot"), given.pop("only", "")
    start, apart = given.pop("start", ""), given.pop("apart", "")
    use = USUAL | {key: float(value) for key, value in given.items()}
    torch.manual_seed(int(use["seed"]))
    random.seed(int(use["seed"]))
    data = json.loads(Path(data_file).read_text(encoding="utf-8"))
    loaded = np.load(model_file).items()
    tensors = {name: torch.tensor(np.array(one, np.float32), device=DEVICE) for name, one in loaded}
    texts, size = Texts(data), int(use["groups"])
    copy = load_copy(start, tensors, use) if start else Copy(tensors, use)
    groups = [group for group in data["groups"] if group["task"] in tasks and (group["typed"] or not only)]
    if apart:
        keep_likeliest(groups, load_copy(apart, tensors, use), texts, int(use["most"]))
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
    began, rounds = time.time(), int(use["rounds"])
    steps = rounds * -(-len(rows) // size)
    rate = lambda share: min(1.0, share / 0.06) * max(0.02, 1 - share)  # noqa: E731
    for number in range(rounds):
        for step, batch in enumerate(batches(rows, texts, size), number * -(-len(rows) // size)):
            share = max(step / steps, (time.time() - began) / use["seconds"])
            for group, full in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = full * rate(min(1.0, share))
            if share > 1:
                break
            loss = loss_of(score(copy, batch, texts, mode), batch)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(copy.parameters(), 1.0)
            optimiser.step()
            if step % 50 == 0:
                print(
                    f"{time.time() - began:.0f} s, step {step} of {steps}, loss {loss.item():.3f}", flush=True
                )
    made = {
        key.replace("|", "."): one.detach().cpu().numpy().astype(np.float16) for key, one in copy.thin.items()
    }
    made |= {f"task.{key}": one.detach().cpu().numpy() for key, one in copy.task.items()}
    if "u" in tasks:
        made |= encode_units(copy, data, texts)
    np.savez_compressed(out, head=copy.head.detach().cpu().numpy(), **made)
    report(copy, others, texts, mode)
    print(f"{time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
