"""A stranger's hour: what they would ask somebody is answered by the page within two clicks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, Route, expect
from tests.browser.conftest import OFFLINE
from tests.browser.pointer import SCREENS, Press
from tests.browser.reader import Reader
from tests.browser.test_browser_access import complaints
from tests.web.serving import Server

MOST_CLICKS = 2
HOME = "{home}"  # of the server, as the page names it


@dataclass(frozen=True)
class Question:
    asks: str
    at: str  # the library or the story
    clicks: tuple[str, ...]
    answers: tuple[str, ...]  # what is to be read then


QUESTIONS = (
    Question("Who tells the story?", "library", (), ("In the author’s words",)),
    Question("Who tells the story?", "library", ("Help",), ("campaign's own words", "Choose who tells")),
    Question("Who tells the story?", "story", ("More", "Help"), ("campaign's own words",)),
    Question("Where is it kept?", "library", ("Help",), ("On this machine", HOME)),
    Question("Where is it kept?", "story", ("More", "Help"), ("On this machine", HOME)),
    Question("Where is it kept?", "library", ("Settings", "Privacy"), ("Where everything is kept", HOME)),
    Question("What leaves this machine?", "library", (), ("everything stays on this machine",)),
    Question("What leaves this machine?", "story", ("More", "Help"), ("Nothing, unless you choose",)),
    Question("Can I take something back?", "story", ("More",), ("Undo",)),
    Question("Can I take something back?", "library", ("Help",), ("Undo", "Choose differently")),
    Question("How do I go on tomorrow?", "library", (), ("Where you left off", "Continue")),
    Question(
        "How do I go on tomorrow?", "story", ("More", "Help"), ("every scene is saved", "narratoria play")
    ),
    Question("How do I play on my phone?", "library", ("Play on your phone",), ("narratoria play --host",)),
    Question("How do I play on my phone?", "library", ("Help", "Show how"), ("narratoria play --host",)),
    Question("How do I share it?", "story", ("More about scene 1", "Share"), ("Save as a picture",)),
    Question(
        "How do I save it?", "library", ("More about Tomorrow's Post", "Export"), ("E-book", "Save file")
    ),
    Question("What can I type?", "story", (), ("What do you do?",)),
)


@pytest.fixture(scope="module")
def new_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A home in which one story has just been begun, and nothing else was ever done."""
    running = Server(tmp_path_factory.mktemp("newcomer") / "home", env=OFFLINE).start()
    yield running
    running.stop()


def find_control(page: Page, name: str) -> Locator:
    """The button, link, tab or menu item that is called so; what is open lies above the rest."""
    within = page.locator("dialog[open]")
    place = within if within.count() else page
    found = [place.get_by_role(role, name=name, exact=True) for role in ("button", "menuitem", "tab", "link")]
    either = found[0]
    for other in found[1:]:
        either = either.or_(other)
    return either.first


@pytest.mark.parametrize("screen", SCREENS)
def test_what_a_stranger_asks_is_answered_within_two_clicks(
    open_reader: Callable[..., Reader], new_home: Server, screen: str
) -> None:
    about, press = SCREENS[screen]
    reader = open_reader(new_home, **about)
    reader.unlock()
    pages = {"library": "/", "story": f"/story/{reader.begin()}"}
    unanswered = [
        f"{question.asks} ({question.at}): {missing}"
        for question in QUESTIONS
        if (missing := _look_up(reader, press, question, pages[question.at]))
    ]
    assert unanswered == []
    assert all(len(question.clicks) <= MOST_CLICKS for question in QUESTIONS)


def _look_up(reader: Reader, press: Press, question: Question, path: str) -> str:
    """Do what a stranger would, and return what they did not find."""
    page = reader.page
    reader.go(path)
    page.wait_for_load_state("networkidle")
    for name in question.clicks:
        press(find_control(page, name))
    for words in question.answers:
        expected = str(reader.server.home) if words == HOME else words
        try:
            expect(page.get_by_text(expected).filter(visible=True).first).to_be_visible(timeout=20_000)
        except AssertionError:
            return expected
    return ""


@pytest.mark.parametrize("screen", SCREENS)
def test_help_says_where_scenes_are_sent_when_they_are(
    open_reader: Callable[..., Reader], server: Server, screen: str
) -> None:
    about, press = SCREENS[screen]
    reader = open_reader(server, **about)
    reader.unlock()

    def send_elsewhere(route: Route) -> None:
        answer = route.fetch()
        body = answer.json()
        body["teller"] |= {"state": "tells", "teller": "provider", "sends": "api.example.org"}
        route.fulfill(response=answer, json=body)

    reader.page.route("**/api/home", send_elsewhere)
    reader.go("/")
    page = reader.page
    expect(page.locator("footer")).to_contain_text("scenes are sent to api.example.org")
    expect(page.locator("body")).not_to_contain_text("Told on this machine")
    press(page.get_by_role("button", name="Help"))
    dialog = page.get_by_role("dialog", name="Help")
    expect(dialog).to_contain_text("Each scene is sent to api.example.org")
    expect(dialog).to_contain_text(str(server.home))
    assert complaints(page) == []


def test_what_is_gone_is_said_in_words_a_reader_knows(reader: Reader) -> None:
    reader.go("/story/no-such-story")
    alert = reader.page.get_by_role("alert")
    expect(alert).to_contain_text("Nothing is here any more.")
    expect(alert).not_to_contain_text("narratoria stories list")
    expect(alert.get_by_role("link", name="To the library")).to_be_visible()
