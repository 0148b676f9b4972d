"""Defines `narratoria model find`, `connect`, `disconnect` and `usage`: models that others serve."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click
import msgspec

from narratoria import paths
from narratoria.cli.model import AS_JSON, DECLINED
from narratoria.cli.skills import find_skill
from narratoria.errors import NarratoriaException
from narratoria.inference.provider_presets import PROVIDERS, SERVERS, find_provider, is_loopback
from narratoria.narrator.provider_setup import (
    ProviderChoice,
    consent_question,
    price_hint,
    use_provider,
    use_this_machine,
)
from narratoria.sdk.usage import Usage, UsageLog
from narratoria.skills.skill import Skill, data_path
from narratoria.terminal import say, visible

if TYPE_CHECKING:
    from narratoria.inference.local_servers import FoundServer

OLLAMA_PORT = SERVERS[0].port


@click.command(short_help="Look for model servers on this machine.")
@click.option(
    "--port", "ports", multiple=True, type=click.IntRange(1, 65535), help="Look at this port as well."
)
@AS_JSON
def find(*, ports: tuple[int, ...], as_json: bool) -> None:
    """Look for model servers on this machine: Ollama, llama.cpp, LM Studio, vLLM, KoboldCpp and their like.

    Only this machine is asked, on the ports that they usually have, and nothing of a story is sent.
    """
    from narratoria.inference.local_servers import find_servers

    servers = find_servers(ports)
    if as_json:
        say(msgspec.json.format(msgspec.json.encode({"servers": [asdict(one) for one in servers]})).decode())
        return
    for server in servers:
        say(f"{server.title}  {server.base_url}")
        if server.needs_key:
            say("  it asks for a key")
        elif not server.models:
            say("  it serves no model yet")
        for model in server.models:
            say(f"  {visible(model)}")
        say(f"  → narratoria model connect {server.base_url}{' MODEL' if len(server.models) != 1 else ''}")
    if not servers:
        say("No model server answers on this machine. Is it started? `--port` looks elsewhere.")


@click.command(short_help="Have a model server or a service tell the scenes.")
@click.argument("target")
@click.argument("model", required=False, default="")
@click.option("--key", "with_key", is_flag=True, help="Ask for an API key, or read it from standard input.")
@click.option("--key-from", metavar="VARIABLE", help="Take the API key from this environment variable.")
@click.option("--tokens", type=click.IntRange(0), help="Budget in tokens; 0 for none.")
@click.option("--money", type=click.FloatRange(0), help="Budget in money; 0 for none.")
@click.option("--per", type=click.Choice(["day", "story"]), help="What the budget is for.")
@click.option("--yes", "-y", is_flag=True, help="Answer yes to every question.")
@click.pass_context
def connect(
    ctx: click.Context,
    *,
    target: str,
    model: str,
    with_key: bool,
    key_from: str | None,
    tokens: int | None,
    money: float | None,
    per: str | None,
    yes: bool,
) -> None:
    """Have TARGET tell the scenes: a service by its name, a server on this machine, or an address.

    Services are anthropic, openai, openrouter, mistral, groq, deepseek and gemini. A server on this machine
    is named as `narratoria model find` names it. Sets the provider, its address, the model and the
    permission.

    \b
    Examples:
      narratoria model connect ollama llama3.2
      narratoria model connect http://127.0.0.1:8080/v1
      narratoria model connect openrouter --key --money 0.50
    """
    choice = _choose(target, model)
    key = _read_key(target, key_from, ask=with_key or (find_provider(target) is not None and not yes))
    choice = msgspec.structs.replace(
        choice, api_key=key, budget_tokens=tokens, budget_money=money, budget_per=per
    )
    question = consent_question(choice)
    if hint := price_hint(choice.provider, choice.base_url, choice.model):
        price, trust = hint
        question += f" A scene costs about {price.per_scene:.4f} USD ({trust})."
    say(question)
    if not yes and not click.confirm("Do you agree?", default=False, err=True):
        ctx.exit(DECLINED)
    use_provider(_storyteller(), paths.shared_home(), choice, in_terminal=True)
    _say_teller()


@click.command(short_help="Have scenes told on this machine alone again.")
def disconnect() -> None:
    """Have scenes told on this machine alone, and take the network back from the storyteller."""
    use_this_machine(_storyteller(), paths.shared_home())
    _say_teller()


@click.command(short_help="Show what hosted models have used today.")
@AS_JSON
def usage(*, as_json: bool) -> None:
    """Show what hosted models have read and written today, as their providers counted it."""
    used = UsageLog(str(data_path(_storyteller().name))).of_day()
    if as_json:
        say(msgspec.json.format(msgspec.json.encode(used._asdict())).decode())
        return
    say(describe_usage(used))


def describe_usage(used: Usage) -> str:
    """Return what was used, in a sentence."""
    if not used.requests:
        return "No hosted model was asked today."
    money = f", about {used.money:.4f} in money" if used.money else ""
    estimated = (
        f" ({used.estimated} of the answers were not counted by the provider)" if used.estimated else ""
    )
    return (
        f"Today: {used.requests} answers, {used.input:,} tokens read ({used.cached:,} of them from a cache), "
        f"{used.output:,} written{money}{estimated}."
    )


def _choose(target: str, model: str) -> ProviderChoice:
    if preset := find_provider(target):
        return ProviderChoice(provider=preset.provider, base_url=preset.base_url, model=model or preset.model)
    if server := _find_server(target):
        if not model and len(server.models) > 1:
            names = "\n  ".join(map(visible, server.models))
            raise NarratoriaException(f"{server.title} serves several models; name one of them:\n  {names}")
        chosen = model or next(iter(server.models), "")
        return ProviderChoice(provider=server.provider, base_url=server.base_url, model=chosen)
    where = urlsplit(target)
    if not where.scheme or not where.hostname:
        names = ", ".join(one.name for one in PROVIDERS)
        raise NarratoriaException(
            f"no service is called {target!r} and no server of that name answers on this machine; there are "
            f"{names}, those of `narratoria model find`, and any address"
        )
    if not model:
        raise NarratoriaException(f"which model of {target}? `narratoria model connect {target} MODEL`")
    is_ollama = where.port == OLLAMA_PORT and where.path in ("", "/")
    return ProviderChoice(
        provider="ollama" if is_ollama else "openai", base_url=target.rstrip("/"), model=model
    )


def _find_server(target: str) -> FoundServer | None:
    """Return the server on this machine that a name or a local address means."""
    from narratoria.inference.local_servers import find_servers

    if "://" not in target:
        return next((one for one in find_servers() if one.name == target.lower()), None)
    where = urlsplit(target)
    if not is_loopback(where.hostname or "") or not where.port:
        return None
    servers = find_servers([where.port])
    return next((one for one in servers if urlsplit(one.base_url).port == where.port), None)


def _read_key(target: str, key_from: str | None, *, ask: bool) -> str | None:
    if key_from:
        return f"${{{key_from}}}"
    if not ask:
        return None
    if sys.stdin.isatty():
        return str(click.prompt(f"API key of {target}", hide_input=True, err=True))
    return sys.stdin.readline().rstrip("\n") or None


def _storyteller() -> Skill:
    return find_skill("storyteller").skill


def _say_teller() -> None:
    from narratoria.app import who_tells

    teller = who_tells()
    say(visible(teller.sentence))
    if teller.advice:
        say(visible(teller.advice))
