"""The native runtime in a process of its own: requests and answers are JSON objects, one a line.

Started by `native.py`. A crash, a hang or an empty memory in here costs one answer, never the story.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import xllamacpp

Answer = Callable[..., None]


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what native code prints must not stand between the answers

    def answer(**fields: Any) -> None:
        answers.write(json.dumps(fields).encode() + b"\n")

    server = load(json.loads(sys.stdin.buffer.readline()))
    answer(ready=True)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            vectors = embed(server, request["texts"])
        except (RuntimeError, ValueError, KeyError, TypeError) as error:  # refused by the native code
            answer(id=request["id"], error=str(error))
        else:
            answer(
                id=request["id"], shape=vectors.shape, vectors=base64.b64encode(vectors.tobytes()).decode()
            )


def load(settings: dict[str, Any]) -> xllamacpp.Server:
    params = xllamacpp.CommonParams()
    params.model.path = settings["model"]
    params.embedding = True
    params.n_ctx = params.n_batch = params.n_ubatch = settings["context"]
    params.n_parallel = settings["parallel"]
    params.kv_unified = True
    params.cpuparams.n_threads = settings["threads"]
    params.warmup = False
    params.verbosity = -1
    # the library serves HTTP by default: keep it to a socket that only this user can reach
    params.hostnames = [settings["socket"]]
    params.ui = False
    return xllamacpp.Server(params)


def embed(server: xllamacpp.Server, texts: list[str]) -> np.ndarray:
    answer = server.handle_embeddings({"input": texts})
    if "data" not in answer:
        raise RuntimeError(answer.get("error", {}).get("message", "no answer"))
    rows = sorted(answer["data"], key=lambda row: row["index"])
    vectors = np.array([row["embedding"] for row in rows], dtype="<f4")
    unit: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


if __name__ == "__main__":
    main()
