"""Asks a provider as the storyteller does, in a process of its own, and prints what came."""

from __future__ import annotations

import json
import sys
from typing import Any

import _providers  # type: ignore[import-not-found]  # of the storyteller, by PYTHONPATH

from narratoria import sdk


def main() -> None:
    request = sdk.read_request()
    config, asked = request.config, request.input
    provider = _providers.ProviderRequest(
        config["provider"],
        url=config.get("baseUrl", ""),
        model=config.get("model", ""),
        key=config.get("apiKey", ""),
        timeout_s=asked.get("timeout", 5),
    )
    pieces: list[str] = []
    answer: dict[str, Any] = {"features": provider.features._asdict(), "error": ""}
    more = {name: asked[name] for name in ("stable", "schema") if name in asked}
    try:
        stream = provider.stream("You tell.", "Tell.", limits=(200, 0.8), **more)
        for piece in stream:
            pieces.append(piece)
            if len(pieces) == asked.get("most"):
                break
    except _providers.ProviderError as error:
        answer["error"] = str(error)
    answer |= {"text": "".join(pieces), "signs": pieces.count("")}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
