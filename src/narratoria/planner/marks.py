"""The marks between the turns of a chat, as models' templates write them: in a story nobody says them."""

from __future__ import annotations

import re

_HEADED = r"(?<!#)#{2,}+[ \t]*+(?:instructions?|input|response|system|assistant|user|human)\b"
_MARK = re.compile(
    r"[<＜][|｜][ \t]{0,9}/?[\w▁][\w▁./:=-]{0,60}[ \t]{0,9}[|｜][>＞]?"  # <|im_end|>
    r"|[<＜][|｜]/?[\w▁][\w▁./:=-]{0,60}[>＞]?"  # also where it is not closed
    r"|[<＜][\w▁]{1,60}[|｜][>＞]"
    r"|[<＜]{1,2}/?(?:s|bos|eos|bot|eot|eod|unk|pad|cls|sep|mask|sop|eop|sys|system|assistant|user|human|developer"
    r"|start_of_\w+|end_of_\w+|extra_id_\d+|unused\d+|reserved_\w+|think|tools?|tool_\w+|function_\w+)[>＞]{1,2}"
    r"|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+)\]"
    r"|(?-i:\[/?(?:[BE]OS|CLS|SEP|g?MASK|PAD|UNK)\])"
    # with a colon, or alone in its line: “## Human remains” is a heading of the player's own
    rf"|{_HEADED}[ \t]*+:|(?:^|(?<=[>＞\]]))[ \t]*+{_HEADED}[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
# behind a mark: whose words follow it
_SPEAKER = re.compile(
    r"\s*(system|assistant|developer|model|tool|function|ipython|environment|observation|analysis|commentary"
    r"|user|human)\b[ \t]*:?",
    re.IGNORECASE,
)
_PART = re.compile(r"[a-z]+")
_NOT_THE_PLAYER = frozenset((
    "system", "sys", "assistant", "developer", "model", "tool", "tools", "function", "functions", "ipython",
    "environment", "observation", "analysis", "commentary", "chatbot", "bot", "response", "think", "thinking",
))  # fmt: skip
_THE_PLAYER = frozenset(["user", "human", "inst", "instruction", "instructions", "input"])
_CLOSING = frozenset(["end", "eot", "eom", "eos", "eod", "eop", "endoftext", "return", "stop"])


def without_marks(text: str) -> str:
    """The text without a template's marks, each the end of a line, nor what they give others to say."""
    kept: list[str] = []
    at, by_player = 0, True
    for mark in _MARK.finditer(text):
        if by_player:
            kept.append(text[at : mark.start()].strip())
        at, by_player = mark.end(), _is_players(mark[0].casefold(), by_player)
        if speaker := _SPEAKER.match(text, at):
            at, by_player = speaker.end(), speaker[1].casefold() in _THE_PLAYER
    if not at:
        return text
    if by_player:
        kept.append(text[at:].strip())
    return "\n".join(filter(None, kept))


def _is_players(mark: str, so_far: bool) -> bool:
    """Whether what follows a mark is the player's: one that closes a turn leaves it to them."""
    parts = frozenset(_PART.findall(mark))
    if "header" in parts:  # it closes a speaker's name
        return so_far
    if "/" in mark or parts & (_CLOSING | _THE_PLAYER):
        return True
    return so_far and not parts & _NOT_THE_PLAYER
