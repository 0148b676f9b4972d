"""Adapts copies of the sentence embedder to telling acts and their kinds apart, where there is torch.

`python -m evals.answers.adapt DATA MODEL OUT [copies=2 rank=12 rounds=8 …]`; DATA and MODEL come from
`python -m evals.answers.fit_acts data DATA MODEL`; OUT goes to `python -m evals.answers.fit_acts take OUT`.
An act is as probable as all its labels together: the act itself, and each kind of it. Rows that name an act
alone train the sum, rows that name a kind its own label as well.
"""
# mypy: ignore-errors
# torch is on the machine that trains and nowhere else

from __future__ import annotations

import sys
import time

import numpy as np
import torch
from torch.nn import functional

from evals.planning.adapt import DEVICE, export_copies, load_tensors, mean_answer, train

USUAL = {"rank": 12, "rounds": 10, "lr": 8e-4, "drop": 0.1, "seed": 0, "decay": 0.02, "smooth": 0.05}
USUAL |= {"kinds": 2.0, "repeat": 3, "mask": 0.08, "copies": 2, "folds": 5, "batch": 64, "head_lr": 4e-3}
USUAL |= {"typed": 3}  # how often a row that was written as players type is seen, beside the others


def sum_labels(act_of):
    """Return a function from the logits of labels to the log probabilities of acts."""
    count = int(act_of.max()) + 1
    widest = int(torch.bincount(act_of).max())
    table = torch.full((count, widest), len(act_of), device=DEVICE)
    for act in range(count):
        own = (act_of == act).nonzero()[:, 0]
        table[act, : len(own)] = own

    def act_scores(logits):
        nothing = torch.full_like(logits[..., :1], -1e4)
        padded = torch.cat([functional.log_softmax(logits, -1), nothing], -1)
        return torch.logsumexp(padded[..., table], -1)

    return act_scores


def label_loss(wanted, kind, act_scores, use):
    """Return the loss of the acts, whose labels share a row's weight, and of the kinds that are known."""
    smooth = use["smooth"]
    aims = wanted * (1 - smooth) + smooth / wanted.shape[1]

    def loss_of(logits, rows):
        acts = -(act_scores(logits) * aims[rows]).sum(2).mean(1).sum()
        known = kind[rows] >= 0
        if not known.any():
            return acts
        of_kinds = functional.cross_entropy(
            logits[known], kind[rows][known], reduction="sum", label_smoothing=smooth
        )
        return acts + use["kinds"] * of_kinds / rows.shape[1]

    return loss_of


def main():
    data_file, model_file, out, *options = sys.argv[1:]
    use = USUAL | {key: float(value) for key, value in (part.split("=") for part in options)}
    data = dict(np.load(data_file))
    use |= {"masked": int(data["masked"]), "ordinary": int(data["ordinary"])}
    tensors = load_tensors(model_file)
    put = lambda name, kind: torch.tensor(data[name], device=DEVICE, dtype=kind)  # noqa: E731
    ids, mask, signs = put("ids", torch.long), put("mask", torch.float32), put("signs", torch.float32)
    wanted, fold = put("wanted", torch.float32), put("fold", torch.long)
    kind, act_scores = put("kind", torch.long), sum_labels(put("act_of", torch.long))
    folds, copies = int(use["folds"]), int(use["copies"])
    every = torch.arange(len(ids), device=DEVICE)
    is_typed = put("typed", torch.bool)
    every = torch.cat([every, *[((kind >= 0) & ~is_typed).nonzero()[:, 0]] * (int(use["repeat"]) - 1)])
    every = torch.cat([every, *[is_typed.nonzero()[:, 0]] * (int(use["typed"]) - 1)])
    allowed = [every[fold[every] != 0]] * bool(folds) + [every] * copies
    began = time.time()
    inputs = (ids, mask, signs)
    loss_of = label_loss(wanted, kind, act_scores, use)
    model = train(tensors, inputs, allowed, use, len(data["act_of"]), loss_of)
    if folds:
        report(model, tuple(tensor[fold == 0] for tensor in inputs), data, act_scores)
    print(use, f"{time.time() - began:.0f} s")
    np.savez(out, **export_copies(model, int(bool(folds)), copies))


def report(model, inputs, data, act_scores):
    """Print how many acts and kinds the first member gets right on the fold it has not seen."""
    left_out = data["fold"] == 0
    scores = mean_answer(model, inputs, [0])
    acts = act_scores(scores).argmax(1).cpu().numpy()
    accepted = data["accepted"][left_out][np.arange(len(acts)), acts] > 0
    is_real, kind = data["real"][left_out] > 0, data["kind"][left_out]
    values, act_of = scores.cpu().numpy(), data["act_of"]
    rows = np.nonzero(kind >= 0)[0]
    own = [np.where(act_of == act_of[kind[row]], values[row], -1e9).argmax() for row in rows]
    print(
        f"acts accepted {accepted[is_real].mean():.4f}, of kinds {accepted[rows].mean():.4f};",
        f"kinds {(values[rows].argmax(1) == kind[rows]).mean():.4f},",
        f"where the act is known {(np.array(own) == kind[rows]).mean():.4f}",
    )


if __name__ == "__main__":
    main()
