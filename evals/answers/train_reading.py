"""Trains the reading model, where there is torch: which act is typed, and which text is right for it.

`python evals/answers/train_reading.py FOLDER OUT [epochs=8 seconds=330 …]` with what `evals/answers/
fit_reading.py` wrote to FOLDER; OUT gets the trained layers in files of at most 14.5 MB. One set of layers
learns both: an act is as probable as all its labels together, and the candidates of a group compete with
"none", whose score is 0. From `rounded` of the time on, every product is rounded to eight bits as it will be
in play. Training goes on from the layers that ship. Worlds that are left out, and the lines for scoring, are
scored at the end.
"""
# mypy: ignore-errors
# torch is on the machine that trains and nowhere else

from __future__ import annotations

import gzip
import json
import math
import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
USUAL = {"epochs": 8, "seconds": 330, "lr": 5e-5, "head_lr": 1e-3, "rows": 256, "groups": 48, "most": 10}
USUAL |= {"mask": 0.06, "smooth": 0.05, "drop": 0.1, "rounded": 0.45, "typed": 3, "often": 2, "seed": 1}
WIDTH, HEADS, LAYERS, BUCKETS, FARTHEST = 768, 12, 12, 32, 128
LONGEST = 200  # word pieces of a pair
TASKS = "qotur"
LARGEST_FILE = 14.5e6
LARGE = 100_000  # numbers of a matrix that travels in eight bits
WIDE = 3072
SHAPES = dict.fromkeys("qkvo", (WIDTH, WIDTH)) | {"up": (WIDE, WIDTH), "down": (WIDTH, WIDE)}
NORMS = ("attention_norm", "norm")


def bucket_of(distance):
    """Return the bucket of a distance between two pieces: near ones have their own, far ones share."""
    half = BUCKETS // 2
    exact, back = half // 2, -distance
    side, far = (back < 0).long() * half, back.abs()
    share = torch.log(far.float().clamp(min=1) / exact) / math.log(FARTHEST / exact)
    large = exact + (share * (half - exact)).long()
    return side + torch.where(far < exact, far, large.clamp(max=half - 1))


class Reader(nn.Module):
    """The layers, a head for the labels of one text, and one for the tasks of a pair."""

    def __init__(self, words, labels, use):
        super().__init__()
        self.use, self.is_rounded = use, False
        self.register_buffer("words", words)
        self.register_buffer("places", torch.zeros(LONGEST, WIDTH))
        shapes = {"first_norm|weight": (WIDTH,), "first_norm|bias": (WIDTH,), "distance": (BUCKETS, HEADS)}
        for layer in range(LAYERS):
            for name, shape in SHAPES.items():
                shapes |= {f"{layer}|{name}|weight": shape, f"{layer}|{name}|bias": shape[:1]}
            for name in NORMS:
                shapes |= {f"{layer}|{name}|{part}": (WIDTH,) for part in ("weight", "bias")}
        self.parts = nn.ParameterDict({name: nn.Parameter(torch.zeros(one)) for name, one in shapes.items()})
        self.labels = nn.Linear(WIDTH, labels)
        self.middle, self.tasks = nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, len(TASKS))

    def linear(self, name, hidden):
        weight = self.parts[f"{name}|weight"]
        if self.is_rounded:
            with torch.no_grad():
                low, high = hidden.amin().clamp(max=0).float(), hidden.amax().clamp(min=0).float()
                step = (high - low) / 255 + 1e-9
                zero = torch.round(-low / step)
                whole = ((torch.round(hidden.float() / step) + zero).clamp(0, 255) - zero) * step
                of_hidden = (whole - hidden.float()).to(hidden.dtype)
                scale = weight.abs().amax(1, keepdim=True) / 127 + 1e-12
                of_weight = torch.round(weight / scale) * scale - weight
            hidden, weight = hidden + of_hidden, weight + of_weight
        return functional.linear(hidden, weight, self.parts[f"{name}|bias"])

    def norm(self, name, hidden):
        weight, bias = self.parts[f"{name}|weight"], self.parts[f"{name}|bias"]
        return functional.layer_norm(hidden, (WIDTH,), weight, bias, 1e-5)

    def run_layers(self, embeddings, mask):
        """Return the mean of the last layer; `mask` is 1 for the pieces of a text and 0 beyond its end."""
        count, length = mask.shape
        drop = lambda one: functional.dropout(one, self.use["drop"], self.training)  # noqa: E731
        hidden = drop(self.norm("first_norm", embeddings + self.places[:length]))
        at = torch.arange(length, device=mask.device)
        bias = self.parts["distance"][bucket_of(at[None] - at[:, None])].permute(2, 0, 1)[None]
        bias = bias + (1 - mask)[:, None, None, :] * -1e4
        for layer in range(LAYERS):
            query, key, value = (
                self.linear(f"{layer}|{name}", hidden)
                .view(count, length, HEADS, WIDTH // HEADS)
                .transpose(1, 2)
                for name in "qkv"
            )
            weights = torch.softmax(query @ key.transpose(2, 3) * (WIDTH // HEADS) ** -0.5 + bias, -1)
            mixed = (drop(weights) @ value).transpose(1, 2).reshape(count, length, WIDTH)
            hidden = self.norm(f"{layer}|attention_norm", hidden + drop(self.linear(f"{layer}|o", mixed)))
            inner = functional.gelu(self.linear(f"{layer}|up", hidden))
            hidden = self.norm(f"{layer}|norm", hidden + drop(self.linear(f"{layer}|down", inner)))
        return (hidden * mask[..., None]).sum(1) / mask.sum(1)[:, None]

    def forward(self, embeddings, mask):
        mean = self.run_layers(embeddings, mask.float()).float()
        return self.labels(mean), self.tasks(torch.tanh(self.middle(mean)))

    def read(self, ids, mask, special):
        if self.training:
            is_hidden = (torch.rand(ids.shape, device=DEVICE) < self.use["mask"]) & mask
            is_hidden &= (ids != special["[CLS]"]) & (ids != special["[SEP]"])
            ids = torch.where(is_hidden, special["[MASK]"], ids)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            return self(self.words[ids], mask)


class Data:
    """All rows, groups and texts, as tensors on the device."""

    def __init__(self, document, use):
        self.use, self.special = use, document["special"]
        self.acts, self.labels = document["acts"], document["labels"]
        self.rows, self.groups, self.scored = document["rows"], document["groups"], document["scored"]
        self.pad = self.special["[PAD]"]
        self.act_of = [self.acts.index(label.partition("/")[0]) for label in self.labels]
        self.is_of_act = functional.one_hot(torch.tensor(self.act_of), len(self.acts)).bool().to(DEVICE)
        self.ids, self.lengths = self._padded([row["ids"] for row in self.rows])
        self.texts, self.text_lengths = self._padded(document["texts"])
        aims = torch.zeros(len(self.rows), len(self.acts))
        for at, row in enumerate(self.rows):
            aims[at, self.act_of[row["label"]]] = 0.75 if row["also"] else 1.0
            for other in row["also"]:
                aims[at, other] += 0.25 / len(row["also"])
        self.aims = (aims * (1 - use["smooth"]) + use["smooth"] / len(self.acts)).to(DEVICE)
        kinds = [row["label"] if "/" in self.labels[row["label"]] else -1 for row in self.rows]
        self.kinds = torch.tensor(kinds, device=DEVICE)

    def _padded(self, rows):
        lengths = np.array([len(row) for row in rows])
        ids = np.full((len(rows), lengths.max()), self.pad, np.int64)
        for at, row in enumerate(rows):
            ids[at, : len(row)] = row
        return torch.tensor(ids, device=DEVICE), lengths

    def act_scores(self, logits):
        """Return the log probability of each act: that of all its labels."""
        scores = functional.log_softmax(logits, -1)
        return torch.logsumexp(scores[:, :, None].masked_fill(~self.is_of_act[None], -1e4), 1)

    def label_loss(self, reader, at):
        longest, at = int(self.lengths[at].max()), torch.tensor(at, device=DEVICE)
        ids = self.ids[at][:, :longest]
        logits, _ = reader.read(ids, ids != self.pad, self.special)
        loss = -(self.act_scores(logits) * self.aims[at]).sum(1).mean()
        kinds = self.kinds[at]
        known = kinds >= 0
        if known.any():
            of_kinds = functional.cross_entropy(
                logits[known], kinds[known], label_smoothing=self.use["smooth"]
            )
            loss = loss + of_kinds * known.float().mean()
        return loss

    def group_scores(self, reader, groups, *, is_training):
        """Return for each group the scores of its candidates and of none, and which of them are meant."""
        firsts, seconds, tasks, rows, columns, meant = [], [], [], [], [], []
        for number, group in enumerate(groups):
            kept, right = list(range(len(group["candidates"]))), set(group["meant"])
            if is_training and len(kept) > self.use["most"]:
                chosen = random.sample(group["meant"], min(2, len(group["meant"])))
                others = [one for one in kept if one not in right]
                kept = chosen + random.sample(others, min(len(others), int(self.use["most"]) - len(chosen)))
            meant.append([column for column, one in enumerate(kept) if one in right])
            firsts += [group["text"]] * len(kept)
            seconds += [group["candidates"][one] for one in kept]
            tasks += [TASKS.index(group["task"])] * len(kept)
            rows += [number] * len(kept)
            columns += range(len(kept))
        own = np.minimum(self.text_lengths[firsts], 64)
        both = own + self.text_lengths[seconds]
        put = lambda one: torch.tensor(one, device=DEVICE)  # noqa: E731
        at = torch.arange(int(both.max()), device=DEVICE)[None].expand(len(firsts), -1)
        last, own, both = self.texts.shape[1] - 1, put(own)[:, None], put(both)[:, None]
        ids = self.texts[put(firsts)].gather(1, at.clamp(max=last))
        other = self.texts[put(seconds)].gather(1, (at - own).clamp(0, last))
        ids = torch.where(at < own, ids, torch.where(at == own, self.special["[SEP]"], other))
        ids = torch.where(at < both, ids, self.pad)
        _, values = reader.read(ids, at < both, self.special)
        scores = torch.full((len(groups), max(columns) + 2), -1e4, device=DEVICE)
        scores[:, -1] = 0
        scores[put(rows), put(columns)] = values.gather(1, put(tasks)[:, None])[:, 0].float()
        is_meant = np.zeros(scores.shape, bool)
        for number, right in enumerate(meant):
            is_meant[number, right or [-1]] = True
        return scores, put(is_meant)

    def group_loss(self, reader, groups):
        scores, is_meant = self.group_scores(reader, groups, is_training=True)
        meant = torch.logsumexp(scores.masked_fill(~is_meant, -1e4), 1)
        return (torch.logsumexp(scores, 1) - meant).mean()

    def row_batches(self):
        """Return batches of rows of like length in random order, typed ones more often than the others."""
        rows = [at for at, row in enumerate(self.rows) if not row["left_out"]]
        rows += [at for at in rows if self.rows[at]["typed"]] * (int(self.use["typed"]) - 1)
        order = np.random.permutation(rows)
        order = order[np.argsort(self.lengths[order] // 4, kind="stable")]
        return _shuffled_parts(order, int(self.use["rows"]))

    def group_batches(self):
        groups = [group for group in self.groups if not group["left_out"]]
        typed = [group for group in groups if group["typed"] and group["task"] in "qr"]
        groups += typed * (int(self.use["often"]) - 1)
        random.shuffle(groups)
        groups.sort(key=lambda group: self.text_lengths[group["candidates"]].max() // 8)
        return _shuffled_parts(groups, int(self.use["groups"]))


def _shuffled_parts(rows, size):
    parts = [rows[start : start + size] for start in range(0, len(rows), size)]
    random.shuffle(parts)
    return parts


def train(reader, data, use):
    heads = [*reader.labels.parameters(), *reader.middle.parameters(), *reader.tasks.parameters()]
    rates = (use["lr"], use["head_lr"])
    parts = (list(reader.parts.values()), heads)
    optimiser = torch.optim.AdamW(
        [{"params": part, "lr": rate, "weight_decay": 0.01} for part, rate in zip(parts, rates, strict=True)]
    )
    began, step, waiting = time.time(), 0, []
    steps = int(use["epochs"]) * len(data.group_batches())
    reader.train()
    for _ in range(int(use["epochs"])):
        for groups in data.group_batches():
            share = max(step / steps, (time.time() - began) / use["seconds"])
            if share >= 1:
                break
            reader.is_rounded = share >= use["rounded"]
            for group, rate in zip(optimiser.param_groups, rates, strict=True):
                group["lr"] = rate * min(1, share / 0.06) * max(0.02, 1 - share)
            waiting = waiting or data.row_batches()
            of_labels, of_groups = data.label_loss(reader, waiting.pop()), data.group_loss(reader, groups)
            optimiser.zero_grad(set_to_none=True)
            (of_labels + of_groups).backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            step += 1
            if step % 100 == 0:
                took = time.time() - began
                print(f"{took:.0f} s, step {step} of {steps}, labels {of_labels:.3f}, groups {of_groups:.3f}")
    print(f"{step} steps in {time.time() - began:.0f} s", flush=True)


@torch.no_grad()
def report(reader, data):
    reader.eval()
    reader.is_rounded = True

    def read_labels(rows):
        for row in rows:
            ids = torch.tensor([row["ids"]], device=DEVICE)
            logits, _ = reader.read(ids, ids != data.pad, data.special)
            yield row, int(data.act_scores(logits).argmax()), int(logits.argmax())

    for name, rows in data.scored.items():
        right = sum(data.acts[act] in row["accepted"] for row, act, _ in read_labels(rows))
        print(f"{name}: act accepted in {right / len(rows):.3f} of {len(rows)}")
    left_out = [row for row in data.rows if row["left_out"]]
    right = sum(act in (data.act_of[row["label"]], *row["also"]) for row, act, _ in read_labels(left_out))
    print(f"worlds left out: act right in {right / len(left_out):.3f} of {len(left_out)}")
    for task in TASKS:
        groups = [one for one in data.groups if one["left_out"] and one["task"] == task and one["typed"]]
        if not groups:
            continue
        told = right = wanted = 0
        for start in range(0, len(groups), 16):
            scores, meant = data.group_scores(reader, groups[start : start + 16], is_training=False)
            value, best = scores[:, :-1].max(1)
            is_right = meant.gather(1, best[:, None])[:, 0] & (value >= 0)
            told, right = told + int((value >= 0).sum()), right + int(is_right.sum())
            wanted += int((~meant[:, -1]).sum())
        print(f"{task}: precision {right / max(1, told):.3f}, recall {right / max(1, wanted):.3f}")


def round_to_bytes(tensors):
    """Return large matrices as whole numbers, with a scale for each row under `NAME#scale`."""
    rounded = {}
    for name, tensor in tensors.items():
        if tensor.ndim != 2 or tensor.size <= LARGE:
            rounded[name] = np.asarray(tensor, np.float32)
            continue
        scale = np.abs(tensor).max(1, keepdims=True) / 127
        scale[scale == 0] = 1
        rounded[name] = np.round(tensor / scale).astype(np.int8)
        rounded[f"{name}#scale"] = scale.astype(np.float32)
    return rounded


def save(reader, out):
    """Write the layers in eight bits, in files that are small enough to travel."""
    whole = {name: one.float().cpu().numpy() for name, one in reader.state_dict().items() if name != "words"}
    rounded = round_to_bytes(whole)
    count = math.ceil(sum(one.nbytes for one in rounded.values()) / LARGEST_FILE)
    files = [{} for _ in range(count)]
    for name, tensor in sorted(rounded.items(), key=lambda item: -item[1].nbytes):
        min(files, key=lambda file: sum(one.nbytes for one in file.values()))[name] = tensor
    for at, file in enumerate(files):
        np.savez(out / f"layers-{at}.npz", **file)


def read_document(folder):
    return json.loads(gzip.decompress((folder / "data.json.gz").read_bytes()))


def load_rounded(files):
    """Return the tensors of files that hold large ones as whole numbers."""
    stored = {}
    for file in files:
        stored |= dict(np.load(file))
    return {
        name: torch.tensor(one * stored[f"{name}#scale"] if f"{name}#scale" in stored else one)
        for name, one in stored.items()
        if not name.endswith("#scale")
    }


def open_reader(folder, labels, use, pattern):
    """Return a reader with the layers of some files; a task that they do not know begins as a question."""
    start = load_rounded(sorted(folder.glob("start-*.npz")))
    layers = start | load_rounded(sorted(folder.glob(pattern)))
    missing = len(TASKS) - len(layers["tasks.bias"])
    for name in ("tasks.weight", "tasks.bias"):
        layers[name] = torch.cat([layers[name], layers[name][:1].repeat_interleave(missing, 0)])
    reader = Reader(start["words"].float(), labels, use)
    reader.load_state_dict({name: one.float() for name, one in layers.items()})
    return reader


def write_layers(folder, target):
    """Write the trained layers as an ONNX file whose products are of whole numbers."""
    import onnx
    from onnxruntime.quantization import QuantType, quantize_dynamic

    document = read_document(folder)
    reader = open_reader(folder, len(document["labels"]), USUAL, "layers-*.npz")
    reader.eval()
    example = (torch.randn(2, 20, WIDTH), torch.ones(2, 20, dtype=torch.long))
    axes = {name: {0: "rows", 1: "pieces"} for name in ("embeddings", "mask")}
    axes |= {name: {0: "rows"} for name in ("labels", "pairs")}
    with tempfile.TemporaryDirectory() as scratch:
        whole = f"{scratch}/whole.onnx"
        torch.onnx.export(
            reader,
            example,
            whole,
            input_names=["embeddings", "mask"],
            output_names=["labels", "pairs"],
            dynamic_axes=axes,
            opset_version=17,
            dynamo=False,
        )
        nodes = [node.name for node in onnx.load(whole).graph.node if node.op_type in ("MatMul", "Gemm")]
        quantize_dynamic(
            whole,
            str(target),
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=["MatMul"],
            nodes_to_exclude=nodes[-3:],  # the heads
        )


def main():
    folder, out, *options = sys.argv[1:]
    use = USUAL | {key: float(value) for key, value in (option.split("=") for option in options)}
    for seed in (random.seed, np.random.seed, torch.manual_seed):
        seed(int(use["seed"]))
    data = Data(read_document(Path(folder)), use)
    reader = open_reader(Path(folder), len(data.labels), use, "start-*.npz").to(DEVICE)
    report(reader, data)
    train(reader, data, use)
    save(reader, Path(out))
    report(reader, data)


if __name__ == "__main__":
    main()
