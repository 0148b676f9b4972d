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

from evals.planning.adapt import DEVICE, export_copies, load_tensors, mean_answer, train

USUAL = {"rank": 12, "rounds": 10, "lr": 8e-4, "drop": 0.1, "seed": 0, "decay": 0.02, "smooth": 0.05}
USUAL |= {"mask": 0.08, "copies": 2, "folds": 5, "batch": 64, "head_lr": 4e-3}


def shared_label_loss(wanted, smooth):
    """Return the cross entropy of the answers with labels that share a row's weight."""
    aims = wanted * (1 - smooth) + smooth / wanted.shape[1]

    def loss_of(logits, rows):
        return -(functional.log_softmax(logits, 2) * aims[rows]).sum(2).mean(1).sum()

    return loss_of


def log_probabilities(logits):
    return functional.log_softmax(logits, 2)


def main():
    data_file, model_file, out, *options = sys.argv[1:]
    use = USUAL | {key: float(value) for key, value in (part.split("=") for part in options)}
    data = dict(np.load(data_file))
    use |= {"masked": int(data["masked"]), "ordinary": int(data["ordinary"])}
    tensors = load_tensors(model_file)
    put = lambda name, kind: torch.tensor(data[name], device=DEVICE, dtype=kind)  # noqa: E731
    ids, mask, signs = put("ids", torch.long), put("mask", torch.float32), put("signs", torch.float32)
    wanted, fold = put("wanted", torch.float32), put("fold", torch.long)
    folds, copies = int(use["folds"]), int(use["copies"])
    allowed = [(fold % folds != i).nonzero()[:, 0] for i in range(folds)] if folds else []
    allowed += [torch.arange(len(ids), device=DEVICE)] * copies
    began = time.time()
    inputs = (ids, mask, signs)
    loss_of = shared_label_loss(wanted, use["smooth"])
    model = train(tensors, inputs, allowed, use, wanted.shape[1], loss_of)
    answers = np.zeros(data["wanted"].shape, np.float32)
    for i in range(folds):
        rows = fold % folds == i
        part = tuple(tensor[rows] for tensor in inputs)
        answers[rows.cpu().numpy()] = mean_answer(model, part, [i], log_probabilities).cpu().numpy()
    best = answers.argmax(1)
    if folds:
        accepted = data["accepted"][np.arange(len(best)), best] > 0
        first = data["wanted"].argmax(1) == best
        is_real = data["real"] > 0
        print(
            use,
            f"accepted {accepted[is_real].mean():.4f} first {first[is_real].mean():.4f}",
            f"{time.time() - began:.0f} s",
        )
    np.savez(out, said=answers.astype(np.float16), **export_copies(model, folds, copies))


if __name__ == "__main__":
    main()
