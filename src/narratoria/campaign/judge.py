"""The local model as a judge: it is shown a few sentences and says which goes best with the author's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narratoria.errors import ModelUnavailable
from narratoria.inference.chat import Message

if TYPE_CHECKING:
    from narratoria.inference.model import LocalModel

LETTERS = "ABCDEFGH"
PATIENCE = 10.0  # seconds for one question, the loading of the model with the first of them


class ModelJudge:
    """Weighing is what every model here can be trusted with, the smallest too."""

    def __init__(self, name: str, model: LocalModel) -> None:
        self.name, self._model = name, model

    async def weigh(self, text: str, answers: Sequence[str]) -> int:
        """Which of the answers; ModelUnavailable when it cannot say."""
        labels = LETTERS[: len(answers)]
        listed = "\n".join(f"{label}: {answer}" for label, answer in zip(labels, answers, strict=False))
        question = "Which of these sentences goes best with this story?"
        prompt = f"{text}\n\n{question}\n{listed}\nAnswer with one letter."
        scores = await self._model.score([Message("user", prompt)], tuple(labels), within=PATIENCE)
        return max(range(len(labels)), key=lambda place: scores[labels[place]])

    async def close(self) -> None:
        await self._model.close()


def open_judge() -> ModelJudge | None:
    """The model that is chosen on this machine, if there is one."""
    from narratoria.inference.models import chosen_model

    try:
        found = chosen_model()
    except (ModelUnavailable, OSError):
        return None
    if found is None:
        return None
    from narratoria.inference.model import LocalModel

    return ModelJudge(found.name, LocalModel(found.path, sha256=found.sha256))
