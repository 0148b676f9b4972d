"""Writes the rows that the matchers are trained on: `python -m evals.answers.fit_match data DATA MODEL`.

Rows come from the dossiers for fitting (which passage answers a question, which offer an action means), from
the topics of the bundled campaigns (other words for one question), from people of campaigns and invented
worlds (what they would say to a line) and from the graded units (which reply fits what was typed).
`evals/answers/match.py` trains; `python -m evals.answers.fit_match take ADAPTED` keeps a matcher of units.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from narratoria.inference.installed_models import find_embedder
from narratoria.inference.numpy_encoder import LONGEST_OF_PAIR, open_encoder, thin_of
from narratoria.narrator.evidence import shared_words
from narratoria.narrator.repertoire import Unit, load_repertoire
from narratoria.narrator.unit_matcher import describe_unit

HERE = Path(__file__).parent
CAMPAIGNS = Path("src/narratoria/bundled/campaigns")
WEIGHTS = Path("src/narratoria/weights")  # name the file in narrator/unit_matcher.py and in the README there
FOLDS, MASK = 10, 103
FITS = 2  # the least grade of a unit that answers
UNGRADED = 12  # other units of the same act, which hardly fit
LOOKING = frozenset(("examine", "look", "search", "read", "listen", "smell", "touch", "taste", "open", "use"))


def read_groups() -> Iterator[dict[str, Any]]:
    """Yield each text with its candidates and those that are meant; `key` keeps a world in one fold."""
    for name in ("dossiers-fit", "offers-fit"):
        for line in (HERE / "cases" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            world = json.loads(line)
            for row in world.get("questions", ()):
                yield _group("q", world["world"], row["text"], world["evidence"], row["answers"])
            for row in world.get("actions", ()):
                meant = [] if row["means"] is None else [row["means"]]
                yield _group("o", world["world"], row["text"], world["offers"], meant)
            yield from read_plain_offers(world["world"], world.get("offers", ()))
    yield from read_typed_groups()
    yield from read_reply_groups()
    yield from read_unit_groups()
    dice = random.Random(1)
    for path in sorted(CAMPAIGNS.glob("*/characters/npcs/*/profile.json")):
        topics = json.loads(path.read_text(encoding="utf-8")).get("topics", ())
        for number, topic in enumerate(topics):
            for wording in topic.get("also", ()):
                candidates = [
                    dice.choice([one["ask"], *(text for text in one.get("also", ()) if text != wording)])
                    for one in topics
                ]
                yield _group("t", path.parent.name, wording, candidates, [number])


def read_plain_offers(world: str, offers: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield each offer in its own words, as somebody types it who has just read it."""
    for number, offer in enumerate(offers):
        plain = offer[:1].lower() + offer[1:]
        text = (offer, f"I {plain}", plain.casefold())[number % 3]
        yield _group("o", world, text, list(offers), [number])


def read_typed_groups() -> Iterator[dict[str, Any]]:
    """Yield what was typed in invented worlds, with the passages that answer it and the offer it means."""
    for line in (HERE / "cases" / "typed-worlds-fit.jsonl").read_text(encoding="utf-8").splitlines():
        world = json.loads(line)
        for row in world["lines"]:
            act = row["label"].partition("/")[0]
            if act == "ask" or act in LOOKING or row["answers"]:
                group = _group("q", world["world"], row["text"], world["passages"], row["answers"])
                yield {**group, "typed": True}
            if "replies" in row:
                yield _group("r", world["world"], row["text"], world["passages"], row["replies"])
            if "offers" in world:
                meant = [] if row["means"] is None else [row["means"]]
                yield _group("o", world["world"], row["text"], world["offers"], meant)
        yield from read_plain_offers(world["world"], world.get("offers", ()))


def read_reply_groups() -> Iterator[dict[str, Any]]:
    """Yield what was typed to somebody with what they would answer to a question, or say in reply."""
    for line in (HERE / "cases" / "replies-fit.jsonl").read_text(encoding="utf-8").splitlines():
        person = json.loads(line)
        for row in person["lines"]:
            task, meant = ("q", row["answers"]) if row["is_question"] else ("r", row["replies"])
            group = _group(task, person["campaign"], row["text"], person["passages"], meant)
            yield {**group, "typed": True}


def read_unit_groups() -> Iterator[dict[str, Any]]:
    """Yield what was typed with the units that were graded as replies to it, and others of the same act."""
    units = {unit.id: unit for unit in load_repertoire()}
    by_act: dict[tuple[str, str], list[Unit]] = {}
    for unit in units.values():
        for act in unit.acts:
            by_act.setdefault((act, unit.outcome), []).append(unit)
    for line in (HERE / "cases" / "units-fit.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        graded = [(units[name], grade) for name, grade in row["grades"].items() if name in units]
        names = {unit.id for unit, _ in graded}
        pool = [unit for unit in by_act.get((row["act"], row["outcome"]), ()) if unit.id not in names]
        few = 0 if row.get("across") else UNGRADED  # those of several acts have been graded
        others = random.Random(row["text"]).sample(pool, min(few, len(pool)))
        texts = [describe_unit(unit) for unit in (*(unit for unit, _ in graded), *others)]
        fitting = [at for at, (_, grade) in enumerate(graded) if grade >= FITS]
        yield _group("u", row["text"], row["text"], texts, fitting)


def _group(task: str, key: str, text: str, candidates: list[str], meant: list[int]) -> dict[str, Any]:
    return {"task": task, "key": key, "text": text, "candidates": candidates, "meant": meant}


def write_data(target: Path, model: Path) -> None:
    folder = find_embedder()
    assert folder is not None
    encoder, texts = open_encoder(folder), dict[str, int]()
    rows = [
        {
            "task": group["task"],
            "fold": int(hashlib.sha256(group["key"].encode()).hexdigest(), 16) % FOLDS,
            "q": texts.setdefault(group["text"], len(texts)),
            "ps": [texts.setdefault(one, len(texts)) for one in group["candidates"]],
            "meant": group["meant"],
            "typed": group["task"] in "ou" or group.get("typed", False),
            "shared": [round(one, 3) for one in shared_words(group["text"], group["candidates"])],
        }
        for group in read_groups()
    ]
    units = {unit.id: texts.setdefault(describe_unit(unit), len(texts)) for unit in load_repertoire()}
    pieces = [encoder.pieces(text)[:LONGEST_OF_PAIR] for text in texts]
    used = sorted({piece for row in pieces for piece in row} | {0, MASK})
    place = {piece: at for at, piece in enumerate(used)}
    document = {
        "units": units,
        "groups": rows,
        "texts": [[place[piece] for piece in row] for row in pieces],
        "masked": place[MASK],
        "special": sum(piece < 1000 for piece in used) - 1,
    }
    target.write_text(json.dumps(document), encoding="utf-8")
    tensors = {name: np.asarray(tensor, np.float16) for name, tensor in encoder._tensors.items()}
    tensors["token_embd.weight"] = np.asarray(encoder._tokens[used], np.float16)
    np.savez(model, **tensors)
    print(len(rows), "groups,", len(texts), "texts,", len(used), "word pieces")


def take(adapted: Path) -> None:
    """Keep a matcher of units under the name of its content, with the vectors of all units that ship."""
    folder = find_embedder()
    assert folder is not None
    with np.load(adapted, allow_pickle=False) as stored:
        made = {name: stored[name] for name in stored.files}
    thin = thin_of(
        [{name: part.astype(np.float32) for name, part in made.items() if name.startswith("blk.")}]
    )
    units = {unit.id: unit for unit in load_repertoire()}
    known = dict(zip(map(str, made["ids"]), made["vectors"], strict=True))
    encoder = open_encoder(folder)
    for name, unit in units.items():
        if name not in known:  # written after the training
            row = encoder.encode_batch([(describe_unit(unit), "")], thin)[0]
            known[name] = np.round(row / np.abs(row).max() * 127).astype(np.int8)
    made |= {"ids": np.array(list(units)), "vectors": np.stack([known[name] for name in units])}
    target = WEIGHTS / "units.npz"
    np.savez_compressed(target, **made)
    named = target.with_stem(hashlib.sha256(target.read_bytes()).hexdigest()[:16])
    target.replace(named)
    print(named, named.stat().st_size)


if __name__ == "__main__":
    if sys.argv[1] == "data":
        write_data(Path(sys.argv[2]), Path(sys.argv[3]))
    else:
        take(Path(sys.argv[2]))
