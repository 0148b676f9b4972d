"""Eighteen Agent Skills in the forms in which such skills are published; every text is ours.

Front matter: plain, quoted, folded and literal descriptions, a license, allowed tools as a line or as a list,
compatibility, nested metadata, keys that only other programs know, a byte order mark, CRLF. Beside it: no
script, nested scripts, packages of modules, shell scripts, requirements, fonts, archives, a Mac's own files.
"""

from __future__ import annotations

from collections.abc import Mapping

Files = Mapping[str, str | bytes]

LICENSE = "license: Complete terms in LICENSE.txt\n"
OWN_TERMS = "license: Proprietary. LICENSE.txt has complete terms\n"
TERMS = "Do as you like.\n"
SCRIPT = 'import sys\n\nprint("done", *sys.argv[1:])\n'


def _skill(name: str, description: str, more: str = LICENSE) -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\n\n# {name}\n\nBegin with a sketch.\n"


SKILLS: dict[str, Files] = {
    "algorithmic-art": {
        "SKILL.md": _skill("algorithmic-art", "Draws by code, from a seed. Use it for generative art."),
        "LICENSE.txt": TERMS,
        "templates/viewer.html": "<html></html>",
        "templates/generator.js": "function setup() {}\n",
    },
    "brand-guidelines": {
        "SKILL.md": _skill(
            "brand-guidelines", "Applies a house's colours to what should have its look-and-feel."
        ),
        "LICENSE.txt": TERMS,
    },
    "canvas-design": {
        "SKILL.md": _skill(
            "canvas-design", "Makes posters as .png and .pdf. Use it when a poster is wanted."
        ),
        **{f"canvas-fonts/Face{number}-Regular.ttf": bytes(range(256)) * 200 for number in range(80)},
        **{f"canvas-fonts/Face{number}-OFL.txt": TERMS for number in range(80)},
    },
    "claude-api": {
        "SKILL.md": _skill(
            "claude-api",
            '"Builds on a model. TRIGGER when: code says `import sdk`; somebody asks for \\"the API\\"'
            " — caching, tools. SKIP: another provider's SDK.\"",
        ),
        "python/README.md": "how\n",
        "python/streaming/notes.md": "how\n",
        "shared/models.md": "which\n",
    },
    "doc-coauthoring": {"SKILL.md": _skill("doc-coauthoring", "Writes a document with you.", more="")},
    "docx": {
        "SKILL.md": _skill(
            "docx",
            "\"Use it for letters. Triggers: 'Word doc', '.docx'. Do NOT use for PDFs.\"",
            OWN_TERMS,
        ),
        "scripts/__init__.py": "",
        "scripts/comment.py": f'#!/usr/bin/env python3\n"""Adds a comment."""\n{SCRIPT}',
        "scripts/office/unpack.py": SCRIPT,
        "scripts/office/validators/__init__.py": "",
        "scripts/office/schemas/document.xsd": "<schema/>",
        "scripts/templates/comments.xml": "<comments/>",
    },
    "frontend-design": {
        "SKILL.md": _skill(
            "frontend-design", "Designs pages (examples include shops, posters, or dashboards)."
        )
    },
    "internal-comms": {
        "SKILL.md": _skill(
            "internal-comms", "Writes what a company tells itself (reports, updates, FAQs, etc.)."
        ),
        "examples/updates.md": "so\n",
    },
    "mcp-builder": {
        "SKILL.md": _skill(
            "mcp-builder", "Guide for MCP servers, in Python (with an SDK) or Node/TypeScript."
        ),
        "scripts/evaluation.py": SCRIPT,
        "scripts/connections.py": SCRIPT,
        "scripts/requirements.txt": "anything>=1.0\n",
        "scripts/example.xml": "<evaluation/>",
        "reference/node.md": "so\n",
    },
    "pdf": {
        "SKILL.md": _skill("pdf", "Use it for everything with PDFs: text/tables, forms, OCR.", OWN_TERMS),
        "forms.md": "so\n",
        "scripts/check_fields.py": SCRIPT,
        "scripts/fill_fields.py": SCRIPT,
    },
    "pptx": {
        "SKILL.md": _skill(
            "pptx",
            '"Use it for slides. This includes: making, reading, splitting."',
            f"{OWN_TERMS}compatibility: Needs an office program\nallowed-tools: Bash(python:*) Read Write\n",
        ),
        "scripts/thumbnail.py": SCRIPT,
        "editing.md": "so\n",
    },
    "skill-creator": {
        "SKILL.md": _skill(
            "skill-creator",
            "Makes new skills and measures them.",
            "allowed-tools:\n  - Read\n  - Bash(npm:*)\n"
            "metadata:\n  author: us\n  tags: [a, b]\n  nested:\n    deep: 1\n",
        ),
        "scripts/__init__.py": "",
        "scripts/run_eval.py": "from scripts.utils import x\n",
        "scripts/utils.py": "x = 1\n",
        "agents/grader.md": "so\n",
        "eval-viewer/viewer.html": "<html></html>",
        "eval-viewer/generate_review.py": SCRIPT,
    },
    "slack-gif-creator": {
        "SKILL.md": _skill(
            "slack-gif-creator", 'Makes animated GIFs, as in "make me a GIF of a cat for Slack."'
        ),
        "core/builder.py": SCRIPT,
        "requirements.txt": "anything>=1.0\n",
    },
    "template-skill": {"SKILL.md": _skill("template-skill", "Say here what it does.", more="")},
    "theme-factory": {
        "SKILL.md": _skill("theme-factory", ">-\n  Styles things with a theme,\n  etc.\n\n  There are ten."),
        "showcase.pdf": b"%PDF-1.4\n",
        "themes/frost.md": "blue\n",
    },
    "web-artifacts-builder": {
        "SKILL.md": _skill(
            "web-artifacts-builder", "Builds pages of many parts (React, Tailwind CSS, shadcn/ui)."
        ),
        "scripts/init.sh": "#!/bin/bash\nset -e\n",
        "scripts/components.tar.gz": b"\x1f\x8b\x08" + bytes(1000),
    },
    "webapp-testing": {
        "SKILL.md": b"\xef\xbb\xbf"
        + _skill("webapp-testing", "Tests pages in a browser.").replace("\n", "\r\n").encode(),
        "scripts/with_server.py": SCRIPT,
        "examples/logging.py": SCRIPT,
    },
    "xlsx": {
        "SKILL.md": _skill(
            "xlsx",
            "|\n  Use it for spreadsheets.\n  This means: .xlsx, .csv.",
            "version: 2.1\nmodel: inherit\nuser-invocable: true\n"
            'triggers: [table, "a sheet"]\nargument-hint: "[file]"\n',
        ),
        "scripts/recalc.py": SCRIPT,
        "scripts/office/soffice.py": SCRIPT,
        "__MACOSX/._SKILL.md": b"\x00\x05\x16\x07",
        ".DS_Store": b"\x00\x00\x00\x01",
    },
}
