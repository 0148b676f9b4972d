"""The worker by itself: settings and requests in, one line an answer, and gone with whoever asked."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from narratoria.inference.model_process import WORKER

STORY = "Once upon a time"


class Worker:
    """A real worker on a pipe."""

    def __init__(self, folder: Path, model: Path) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [sys.executable, str(WORKER)], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        settings = {"model": str(model), "context": 256, "parallel": 1, "cache_mib": 0}
        self.send(id=0, **settings, threads=1, adapters=[], socket=str(folder / "worker.sock"))

    def send(self, **fields: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(fields).encode() + b"\n")
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def ask(self, number: int, completion: dict[str, Any], **fields: Any) -> list[dict[str, Any]]:
        """All lines that answer one request."""
        self.send(id=number, completion=completion, **{"within": 600.0, **fields})
        return list(self.answers(number))

    def answers(self, number: int) -> Iterator[dict[str, Any]]:
        while True:
            answer = self.read()
            assert answer["id"] == number
            yield answer
            if "text" not in answer:
                return

    def leave(self) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        code = self.process.wait(60)
        self.process.stdout.close()
        return code


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory, model_file: Path) -> Iterator[Worker]:
    running = Worker(tmp_path_factory.mktemp("worker"), model_file)
    assert running.read() == {"id": 0, "ready": True}
    yield running
    assert running.leave() == 0, "it ends when nobody asks any more"


def test_an_answer_comes_in_pieces_and_ends_with_what_it_cost(worker: Worker) -> None:
    *pieces, end = worker.ask(1, {"prompt": STORY, "n_predict": 4, "temperature": 0})
    assert pieces
    assert all(piece["text"] for piece in pieces)
    assert (end["end"], end["generated"]) == ("length", 4)
    assert end["prompt"] > 0
    assert end["total_ms"] >= end["first_ms"] > 0


def test_labels_are_scored_by_their_likelihood(worker: Worker) -> None:
    answer = worker.ask(2, {"prompt": f"{STORY},"}, labels=[" there", " x"])[-1]
    assert answer["scores"][" x"] < answer["scores"][" there"] <= 0


def test_a_label_that_is_no_token_is_named(worker: Worker) -> None:
    answer = worker.ask(3, {"prompt": STORY}, labels=["no such token at all"])[-1]
    assert "'no such token at all'" in answer["error"]


@pytest.mark.parametrize("completion", [{}, {"prompt": 7}, {"prompt": STORY, "grammar": "root ::= ("}])
def test_a_request_that_cannot_be_answered_is_refused_and_the_next_is_answered(
    worker: Worker, completion: dict[str, Any]
) -> None:
    assert worker.ask(4, completion)[-1]["error"]
    assert worker.ask(5, {"prompt": STORY, "n_predict": 1})[-1]["end"] == "length"


def test_a_prompt_that_is_too_long_is_refused_with_its_length(worker: Worker) -> None:
    assert "the context holds 256" in worker.ask(6, {"prompt": "word " * 900})[-1]["error"]


def test_an_answer_that_nobody_wants_any_more_is_stopped(worker: Worker) -> None:
    worker.send(id=7, completion={"prompt": STORY, "n_predict": -1, "ignore_eos": True}, within=600.0)
    assert worker.read()["text"]
    worker.send(cancel=7)
    assert list(worker.answers(7))[-1]["end"] == "cancelled"


def test_an_answer_ends_at_its_deadline(worker: Worker) -> None:
    answers = worker.ask(8, {"prompt": STORY, "n_predict": -1, "ignore_eos": True}, within=0.0)
    assert answers[-1]["end"] == "deadline"


def test_a_file_that_is_no_model_is_told_and_ends_it(tmp_path: Path) -> None:
    (tmp_path / "model.gguf").write_bytes(b"not a model")
    worker = Worker(tmp_path, tmp_path / "model.gguf")
    answer = worker.read()
    assert answer["id"] == 0
    assert answer["error"]
    assert worker.leave() == 0
