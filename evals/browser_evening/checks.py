"""Finds what reads wrongly in a scene, and what a page does that a reader would notice."""

from __future__ import annotations

import re
from collections.abc import Iterator

# watches from the first scene on: what moved, which own words vanished, whether it thinks out of sight
WATCH = """() => {
    window.shifts = []; window.missing = []; window.unseen = 0; window.said = "";
    const at = box => [box.left, box.top, box.width, box.height].map(Math.round).join(" ");
    const describe = one => `${(one.node?.outerHTML ?? one.node?.textContent ?? "").slice(0, 60)}`
        + ` from ${at(one.previousRect)} to ${at(one.currentRect)}`;
    new PerformanceObserver(list => {
        const scene = document.querySelectorAll("article.scene").length;
        for (const entry of list.getEntries().filter(one => !one.hadRecentInput)) window.shifts.push(
            `${entry.value.toFixed(4)} in scene ${scene}: ${entry.sources.map(describe).join(" / ")}`);
    }).observe({ type: "layout-shift" });
    const headings = () => [...document.querySelectorAll("article.scene h2")];
    const isSaid = () => document.getElementById("own-words")?.value === window.said
        || headings().some(one => one.textContent.includes(window.said));
    const look = () => {
        if (window.said && !isSaid()) { window.missing.push(window.said); window.said = ""; }
        const box = document.querySelector(".writing")?.getBoundingClientRect();
        if (box && (box.bottom > innerHeight + 1 || box.top < 0)) window.unseen += 1;
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}"""
ATTACHED = """() => {
    const walk = document.createTreeWalker(document, NodeFilter.SHOW_ALL);
    let count = 1;
    while (walk.nextNode()) count += 1;
    return count;
}"""
SIDEWAYS = "document.documentElement.scrollWidth > innerWidth"

_FAULTS = (
    ("an unfilled slot", re.compile(r"[{}]|\$\w|%s|<[a-z/]")),
    ("a value that is none", re.compile(r"\b(?:undefined|NaN|null|None|True|False)\b|\[object")),
    (
        "a doubled word",
        re.compile(r"\b(?!(?:had|that|you|so|very|no|there|her|long|knock|come|now|yes)\b)(\w{2,}) \1\b"),
    ),
    (
        "doubled punctuation",
        re.compile(r"[,;:]{2}|[.,;]\?|\?\.|!\.|(?<!\.)\.\.(?!\.)|,\.| [,.;:?!](?![.\w])"),
    ),
    ("an id", re.compile(r"\b[a-z]+(?:-[a-z]+){2,}\b(?<!out-of-the-way)|\b[a-z]+_[a-z]+\b|\w/topic/")),
    ("a sentence in small letters", re.compile(r"(?:^|(?<=[^.…][.?!] ))[a-z]")),
    ("an unfinished sentence", re.compile(r"[\w,;:]$")),
)
_HYPHENATED = re.compile(r"\b\w+-(?:of|in|the|to|and|a|by|for|up|at)-\w+(?:-\w+)*\b|\b\w+-\w+-(?:old|long)\b")


def list_faults(paragraph: str) -> Iterator[str]:
    """Yield what a proof-reader would mark in a paragraph."""
    text = _HYPHENATED.sub("it", paragraph)
    for name, pattern in _FAULTS:
        if match := pattern.search(text):
            yield f"{name} ({match[0]!r}): {paragraph[:160]}"
    if paragraph.count("“") != paragraph.count("”") and not paragraph.startswith("“"):
        yield f"quotation marks that do not match: {paragraph[:160]}"
