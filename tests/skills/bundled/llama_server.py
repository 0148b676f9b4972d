"""Runs llama.cpp's own HTTP server with a model file until standard input is closed."""

from __future__ import annotations

import sys

from xllamacpp import CommonParams, Server


def main(model: str, port: int) -> None:
    params = CommonParams()
    params.model.path = model
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_ctx, params.n_parallel, params.n_gpu_layers = 2048, 1, 0
    params.cpuparams.n_threads = 1
    server = Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
