"""Adapts copies of the sentence embedder to telling acts apart, where there is torch.

`python -m evals.answers.adapt DATA MODEL OUT [copies=2 rank=12 rounds=8 …]`; DATA comes from
`python -m evals.answers fit --data FILE`, and OUT goes to `python -m evals.answers fit --adapted FILE`.
"""
# mypy: ignore-errors
# torch is on the machine that trains and nowhere else

from __future__ import annotations

import sys
import time

import numpy as np
import torch
from torch.nn import functional

from evals.planning.adapt import DEVICE, Adapted, batches, read_tensors

USUAL = {"rank": 12, "rounds": 10, "lr": 8e-4, "drop": 0.1, "seed": 0, "decay": 0.02, "smooth": 0.05}
USUAL |= {"mask": 0.08, "copies": 2, "folds": 5, "batch": 64}


def train(tensors, given, allowed, use):
    """Return one member for each list of rows in `allowed`, trained by cross entropy on shared labels."""
    torch.manual_seed(int(use["seed"]))
    ids, mask, signs, wanted = given
    model = Adapted(tensors, len(allowed), signs.shape[1], wanted.shape[1], int(use["rank"]), use["drop"])
    model = model.to(DEVICE)
    lr, rounds, size = use["lr"], int(use["rounds"]), int(use["batch"])
    groups = [
        {"params": list(model.thin.values()), "lr": lr, "weight_decay": use["decay"]},
        {"params": [model.head], "lr": 4e-3, "weight_decay": 0.05},
    ]
    optimiser = torch.optim.AdamW(groups)
    count = min(len(rows) for rows in allowed)
    steps = rounds * (count // size + count // (size * 50) + 2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, [lr, 4e-3], total_steps=steps, pct_start=0.1)
    lengths = mask.sum(1)
    aims = wanted * (1 - use["smooth"]) + use["smooth"] / wanted.shape[1]
    model.train()
    for _ in range(rounds):
        for rows in batches(lengths, allowed, size):
            longest = int(lengths[rows].max())
            read = ids[rows, :longest]
            unread = (torch.rand(read.shape, device=DEVICE) < use["mask"]) & (read >= use["ordinary"])
            with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
                said = model(torch.where(unread, int(use["masked"]), read), mask[rows, :longest], signs[rows])
            loss = -(functional.log_softmax(said.float(), 2) * aims[rows]).sum(2).mean(1).sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    model.eval()
    return model


@torch.no_grad()
def score(model, ids, mask, signs, members):
    """Return the mean logits of some members for each row."""
    found = []
    for part in zip(*(t.split(256) for t in (ids, mask, signs)), strict=True):
        longest = int(part[1].sum(1).max())
        cut = (part[0][:, :longest], part[1][:, :longest], part[2])
        every = model(*(t[None].expand(len(model.head), *t.shape) for t in cut))
        found.append(functional.log_softmax(every[members], 2).mean(0))
    return torch.cat(found)


def main():
    data_file, model_file, out, *options = sys.argv[1:]
    use = USUAL | {key: float(value) for key, value in (part.split("=") for part in options)}
    data = dict(np.load(data_file))
    use |= {"masked": int(data["masked"]), "ordinary": int(data["ordinary"])}
    tensors = dict(np.load(model_file)) if model_file.endswith(".npz") else read_tensors(model_file)
    put = lambda name, kind: torch.tensor(data[name], device=DEVICE, dtype=kind)  # noqa: E731
    ids, mask, signs = put("ids", torch.long), put("mask", torch.float32), put("signs", torch.float32)
    wanted, fold = put("wanted", torch.float32), put("fold", torch.long)
    folds, copies = int(use["folds"]), int(use["copies"])
    allowed = [(fold % folds != i).nonzero()[:, 0] for i in range(folds)] if folds else []
    allowed += [torch.arange(len(ids), device=DEVICE)] * copies
    began = time.time()
    model = train(tensors, (ids, mask, signs, wanted), allowed, use)
    said = np.zeros(data["wanted"].shape, np.float32)
    for i in range(folds):
        rows = fold % folds == i
        said[rows.cpu().numpy()] = score(model, ids[rows], mask[rows], signs[rows], [i]).cpu().numpy()
    best = said.argmax(1)
    if folds:
        accepted = data["accepted"][np.arange(len(best)), best] > 0
        first = data["wanted"].argmax(1) == best
        kept = data["real"] > 0
        print(
            use,
            f"accepted {accepted[kept].mean():.4f} first {first[kept].mean():.4f}",
            f"{time.time() - began:.0f} s",
        )
    made = {"said": said.astype(np.float16)}
    for copy in range(copies):
        for key, value in model.thin.items():
            made[f"{copy}/{key.replace('|', '.')}"] = (
                value[folds + copy].detach().cpu().numpy().astype(np.float16)
            )
        made[f"{copy}/head"] = model.head[folds + copy].detach().cpu().numpy().astype(np.float32)
    np.savez(out, **made)


if __name__ == "__main__":
    main()
