"""Models are found, chosen, added and removed; nothing that is not ours is ever deleted."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from narratoria.errors import ModelUnavailable
from narratoria.inference import installed_models
from narratoria.inference.catalogue import CAPABLE, EMBEDDED, RECOMMENDED
from narratoria.inference.gguf import read_gguf_header
from narratoria.inference.model import verify
from narratoria.paths import write_atomically


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_file: Path) -> Path:
    monkeypatch.setenv("NARRATORIA_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("NARRATORIA_MODEL", raising=False)
    return tmp_path / "home"


@pytest.fixture
def own_file(tmp_path: Path, model_file: Path) -> Path:
    return Path(shutil.copy(model_file, tmp_path / "My Own (1).gguf"))


def test_the_smallest_model_is_here_and_is_what_the_catalogue_says(model_file: Path) -> None:
    assert model_file.stat().st_size == EMBEDDED.size
    verify(model_file, EMBEDDED.sha256)
    assert read_gguf_header(model_file).licence == "apache-2.0"


def test_without_a_choice_the_best_model_here_is_used() -> None:
    chosen = installed_models.chosen_model()
    assert chosen is not None
    assert chosen.name == EMBEDDED.name
    assert not chosen.removable


def test_a_file_of_ones_own_is_added_used_and_removed_and_stays_where_it_is(own_file: Path) -> None:
    added = installed_models.add_model(own_file)
    assert added.name == "my-own-1"
    assert added.sha256 == EMBEDDED.sha256
    installed_models.choose_model("my-own-1")
    assert installed_models.chosen_model() == added
    installed_models.remove_model("my-own-1")
    assert own_file.is_file()
    chosen = installed_models.chosen_model()
    assert chosen is not None
    assert chosen.name == EMBEDDED.name


def test_a_path_is_as_good_as_a_name(own_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert installed_models.choose_model(str(own_file)).name == "my-own-1"
    chosen = installed_models.chosen_model()
    assert chosen is not None
    assert chosen.path == own_file
    monkeypatch.setenv("NARRATORIA_MODEL", EMBEDDED.name)
    chosen = installed_models.chosen_model()
    assert chosen is not None
    assert chosen.name == EMBEDDED.name


def test_a_chosen_model_whose_file_is_gone_is_not_used(own_file: Path) -> None:
    installed_models.choose_model(str(own_file))
    own_file.unlink()
    chosen = installed_models.chosen_model()
    assert chosen is not None
    assert chosen.name == EMBEDDED.name


def test_a_file_that_went_bad_or_away_is_not_chosen(own_file: Path) -> None:
    installed_models.add_model(own_file)
    own_file.write_bytes(own_file.read_bytes()[:-1])
    with pytest.raises(ModelUnavailable, match="cut off"):
        installed_models.choose_model("my-own-1")
    own_file.unlink()
    with pytest.raises(ModelUnavailable, match="there is no such model file"):
        installed_models.choose_model("my-own-1")


def test_a_name_is_not_given_twice(own_file: Path) -> None:
    with pytest.raises(ModelUnavailable, match="another name"):
        installed_models.add_model(own_file, name="smollm2-135m")


@pytest.mark.parametrize("name", ["chosen.json", "tiers.json", "../../chosen.json", "x" * 300, "!"])
def test_no_name_stands_in_the_way_of_another_or_of_our_own_files(own_file: Path, name: str) -> None:
    added = installed_models.add_model(own_file, name)
    assert installed_models.choose_model(added.name) == installed_models.chosen_model()
    assert installed_models.find_model(str(own_file)) == added  # by its path as well
    installed_models.remove_model(str(own_file))
    assert own_file.is_file()
    assert added not in installed_models.installed_models()


def test_what_was_never_added_cannot_be_removed_and_is_not_said_to_have_come_along(own_file: Path) -> None:
    with pytest.raises(ModelUnavailable, match="is not among the models"):
        installed_models.remove_model(str(own_file))


def test_what_is_no_model_is_not_added(tmp_path: Path) -> None:
    page = tmp_path / "page.gguf"
    page.write_text("<html>404</html>")
    with pytest.raises(ModelUnavailable, match="not a GGUF"):
        installed_models.add_model(page)


def test_what_came_along_is_not_removed(model_file: Path) -> None:
    with pytest.raises(ModelUnavailable, match="came with the program"):
        installed_models.remove_model(EMBEDDED.name)
    assert model_file.is_file()


@pytest.mark.parametrize(
    ("name", "told"), [("phi-3.5-mini", "model download phi-3.5-mini"), ("gpt", "model list")]
)
def test_a_model_that_is_not_here_is_told_with_what_to_do(name: str, told: str) -> None:
    with pytest.raises(ModelUnavailable, match=told):
        installed_models.find_model(name)


def test_a_broken_record_is_passed_over(home: Path) -> None:
    for name, content in {"a": b"{", "b": b"[]", "c": b'{"file": 3}'}.items():
        (home / "models" / name).mkdir(parents=True)
        (home / "models" / name / "model.json").write_bytes(content)
    assert [model.name for model in installed_models.installed_models()] == [EMBEDDED.name]


@pytest.mark.parametrize(
    ("gigabytes", "entry"), [(1, EMBEDDED), (4, EMBEDDED), (6, CAPABLE), (16, RECOMMENDED)]
)
def test_a_machine_is_offered_what_it_can_carry(gigabytes: int, entry: object) -> None:
    assert installed_models.best_affordable(gigabytes * 10**9) is entry


def test_a_file_that_changed_since_it_was_checked_is_checked_again(own_file: Path) -> None:
    verify(own_file, EMBEDDED.sha256)
    verify(own_file, EMBEDDED.sha256)
    with own_file.open("r+b") as file:
        file.seek(90_000_000)
        file.write(b"another byte")
    with pytest.raises(ModelUnavailable, match="fetch it again"):
        verify(own_file, EMBEDDED.sha256)


def test_two_that_choose_at_once_leave_one_whole_choice(tmp_path: Path) -> None:
    file = tmp_path / "chosen.json"
    texts = [name * 5000 for name in "abcd"]

    def write(text: str) -> None:
        for _ in range(100):
            write_atomically(file, text.encode())
            assert file.read_text() in texts

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, texts))
    assert list(tmp_path.iterdir()) == [file]
