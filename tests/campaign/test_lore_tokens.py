"""Tokens are counted as cl100k_base does."""

from __future__ import annotations

import socket

from narratoria.campaign import lore
from narratoria.campaign.lore import count_tokens


def test_tokens_are_those_of_cl100k_base_and_are_counted_without_a_network(monkeypatch):
    def no_network(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    lore._encoding.cache_clear()

    assert count_tokens("tiktoken is great!") == 6
    assert count_tokens("antidisestablishmentarianism") == 6
    assert count_tokens("お誕生日おめでとう") == 9
    assert count_tokens("") == 0
