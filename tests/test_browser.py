"""The page in a real browser: play, replay, sizes, keyboard, accessibility (issue LOOK, point 3)."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Error, Locator, Page, expect

from basilica_env import GameState
from basilica_env.agents import make_agent
from basilica_env.records import Recorder
from tests.chromium import launched, needs_chromium

PATIENCE = 20_000
"""Milliseconds until a page that does not answer counts as broken."""

DESKTOP, TABLET, PHONE, SMALL_PHONE = (1366, 768), (820, 1100), (414, 896), (360, 640)
HOSTILE = '<img src=x onerror="alert(1)">'
SETTLED = ".desk:not([aria-busy]):is([data-status=person], [data-status=over])"
LEGAL = ".target[data-legal]:not([hidden])"

pytestmark = needs_chromium

Json = dict[str, Any]


# --- Server and browser ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of its own, and where it is."""
    folder = tmp_path_factory.mktemp("games")
    command = [sys.executable, "-m", "basilica_env.cli", "serve", "--port", "0", "--games", str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://[\d.:]+", server.stdout.readline())
        assert found is not None, "the server tells its address"
        yield found[0]
        server.send_signal(signal.SIGINT)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@dataclass
class Visitor:
    """Opens pages of one server; what they complain about is gathered."""

    browser: Browser
    address: str
    complaints: list[str] = field(default_factory=list)

    def page(self, size: tuple[int, int] = DESKTOP, scheme: Any = "light", path: str = "") -> Page:
        context = self.browser.new_context(
            base_url=self.address,
            viewport={"width": size[0], "height": size[1]},
            color_scheme=scheme,
            has_touch=size != DESKTOP,
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", self._listen)
        page.on("pageerror", self._catch)
        page.on("dialog", self._refuse)
        if path:
            page.goto(path)
        return page

    def _listen(self, line: ConsoleMessage) -> None:
        if line.type in ("error", "warning"):
            self.complaints.append(line.text)

    def _catch(self, error: Error) -> None:
        self.complaints.append(str(error))

    def _refuse(self, dialog: Dialog) -> None:
        self.complaints.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def forgive(self, reason: str) -> None:
        """Leave out that the browser has told of a request that was refused on purpose."""
        assert any(reason in line for line in self.complaints)
        self.complaints = [line for line in self.complaints if reason not in line]


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    """A visitor whose pages must not complain."""
    expect.set_options(timeout=PATIENCE)
    visitor = Visitor(browser, address)
    yield visitor
    for context in browser.contexts:
        context.close()
    assert visitor.complaints == []


PEOPLE = [{"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Ben"}]


def begin(page: Page, **game: Any) -> str:
    """Begin a game and show it; returns its path in the interface."""
    answer = page.request.post("/api/games", data={"seed": 7, **game})
    assert answer.ok, answer.text()
    name = answer.json()["id"]
    page.goto(f"/#/game/{name}")
    page.wait_for_selector(".desk")
    return f"/api/games/{name}"


def state_of(page: Page, game: str) -> Json:
    answer: Json = page.request.get(f"{game}?svg=false").json()
    return answer


def place(page: Page, name: str) -> Locator:
    return page.locator(f'.target[data-place="{name}"]')


@cache
def record() -> str:
    """A whole game of one who calls himself something nasty, with a comment no better."""
    agents = make_agent("greedy", seed=1), make_agent("random", seed=2)
    recorder = Recorder(
        GameState.new(seed=7), players=(HOSTILE, "random"), seed=7, headers={"Event": HOSTILE}
    )
    while not recorder.state.is_over:
        recorder.play(agents[recorder.state.player].act(recorder.state), comment=HOSTILE)
    return recorder.record().to_text()


@cache
def reached(decision: str) -> str:
    """Return a position in which something is to be decided, as text."""
    for seed in range(100):
        state, agent = GameState.new(seed=seed), make_agent("random", seed=seed)
        while not state.is_over:
            if state.decision.startswith(decision) and len(state.legal_moves()) > 1:
                return state.to_text()
            state.apply(agent.act(state))
    raise AssertionError(f"no random game comes to {decision}")


# --- Playing --------------------------------------------------------------------------------------


def test_a_whole_game_is_played_through_clicks(visitor: Visitor) -> None:
    page = visitor.page(path="/")
    page.get_by_label("Opponent", exact=True).select_option("greedy")
    page.get_by_text("Seed and position").click()
    page.get_by_label("Seed", exact=True).fill("7")
    page.get_by_role("button", name="Begin the game").click()
    page.wait_for_selector(SETTLED)
    page.get_by_label("Speed of the agents").select_option("0")
    game = page.url.replace("/#/game/", "/api/games/")

    play_to_the_end(page, Random(6))

    played = state_of(page, game)
    assert played["status"] == "over"
    expect(page.locator(".question")).to_have_text(played["position"]["result"])
    expect(page.locator(".log li")).to_have_count(played["number"])
    page.get_by_role("button", name="Replay this game").click()
    expect(page.locator(".count")).to_have_text(f"0 / {played['number']}")


def play_to_the_end(page: Page, chance: Random) -> None:
    """Press anything that can be chosen until the game is over."""
    for _ in range(1000):
        if page.locator(SETTLED).get_attribute("data-status") == "over":
            return
        choices = page.locator(f"{LEGAL}, .answers button").all()
        chance.choice(choices).click()
        chooser = page.locator(".chooser button:not(.quiet)")
        if chooser.count():
            chance.choice(chooser.all()).click()
    raise AssertionError("a game ends")


def test_only_legal_choices_can_be_pressed(visitor: Visitor) -> None:
    page = visitor.page()
    game = begin(page, players=PEOPLE)
    legal = {square for move in state_of(page, game)["position"]["legal"] for square in move["squares"]}

    open_squares = page.locator(f".cathedral {LEGAL}")
    assert (
        {square.get_attribute("data-place") for square in open_squares.all()}
        == legal
        == {"a1", "b1", "c1", "d1", "e1"}
    )
    place(page, "c5").click(force=True)
    expect(place(page, "c5")).to_have_attribute("aria-disabled", "true")
    assert state_of(page, game)["number"] == 0


def test_a_vault_is_chosen_before_its_square_or_after_it(visitor: Visitor) -> None:
    page = visitor.page()
    game = begin(page, players=PEOPLE)

    place(page, "vault-2").click()
    expect(page.locator(".how")).to_contain_text("a vault and its square")
    expect(page.locator(".question")).to_contain_text("Vault 2 is chosen")
    place(page, "c1").click()
    expect(page.locator(".question")).to_contain_text("a vault was just placed on c1")
    place(page, "d1").click()
    page.locator(".chooser").get_by_role("button", name="Vault 3").click()

    expect(page.locator(".log li")).to_have_count(2)
    assert [move["move"] for move in state_of(page, game)["moves"]] == ["V2c1", "V3d1"]


def test_a_rank_is_chosen_beside_the_builder(visitor: Visitor) -> None:
    page = visitor.page(PHONE)
    game = begin(page, players=PEOPLE, position=reached("promote"))
    square = state_of(page, game)["position"]["legal"][0]["squares"][0]

    place(page, square).click()
    chooser = page.locator(".chooser")
    expect(chooser.get_by_role("button")).to_have_count(4)
    page.keyboard.press("Escape")
    expect(chooser).to_have_count(0)
    place(page, square).click()
    chooser.get_by_role("button", name="Master Mason").click()

    expect(page.locator(".log li")).to_have_count(1)
    assert state_of(page, game)["moves"][0]["move"] == f"{square}=M"


def test_a_paid_order_is_offered_to_the_opponent(visitor: Visitor) -> None:
    """R6.9: she is asked by her name, and pays or passes."""
    page = visitor.page(PHONE)
    position = reached("offer")
    game = begin(page, players=PEOPLE, position=position)
    asked = PEOPLE[GameState.from_text(position).player]["name"]

    expect(page.get_by_role("heading", name=f"{asked} decides")).to_be_visible()
    expect(page.locator(".question")).to_contain_text("give your coin for the paid order, or pass")
    expect(page.get_by_role("button", name="Pass")).to_be_visible()
    page.get_by_role("button", name="Pay your coin").click()

    expect(page.locator(".question")).to_contain_text("Paid ")
    assert state_of(page, game)["moves"][0]["move"] == "pay"


OUTSIDE_THEIR_SQUARE = """() => [...document.querySelectorAll(".hint, .hint *")].filter(part => {
  const [inner, outer] = [part, part.closest(".target")].map(each => each.getBoundingClientRect());
  return inner.left < outer.left || inner.right > outer.right || inner.bottom > outer.bottom;
}).map(part => part.outerHTML)"""


def test_every_hint_of_a_square_is_read_within_it(visitor: Visitor) -> None:
    """Three ranks of one builder: number, rank and win chance, each apart."""
    page = visitor.page(SMALL_PHONE)
    begin(page, players=PEOPLE, position=reached("promote"))

    page.get_by_role("button", name="Hint").click()

    lines = page.locator(".cathedral .hint > span")
    expect(lines).to_have_count(3)
    for number, line in enumerate(lines.all(), 1):
        expect(line.locator("i")).to_have_text(str(number))
        expect(line.locator("b")).to_have_text(re.compile("[AMS]"))
        expect(line).to_have_text(re.compile(r"%$"))
    assert page.evaluate(OUTSIDE_THEIR_SQUARE) == []


def test_what_is_moved_looks_unlike_where_it_goes(visitor: Visitor) -> None:
    page = visitor.page()
    game = begin(page, players=PEOPLE, position=reached("move"))
    moves = [move["squares"] for move in state_of(page, game)["position"]["legal"]]

    for start, end in moves:
        expect(place(page, start)).to_have_css("border-style", "dashed")
        expect(place(page, end)).to_have_css("border-style", "solid")
        expect(place(page, end)).to_have_css("background-color", "rgba(0, 0, 0, 0)")


def test_the_only_person_is_told_of_their_moves_in_the_second_person(visitor: Visitor) -> None:
    page = visitor.page()
    game = begin(page, players=[{"kind": "person"}, {"kind": "agent", "agent": "greedy"}], paused=True)
    for move, words in (
        ("V2c1", re.compile(r"^You place vault \w+ on c1")),
        ("B", re.compile(r"^You place a builder on c1\.$")),
    ):
        assert page.request.post(f"{game}/moves", data={"move": move}).ok
        expect(page.locator(".recent")).to_have_text(words)


def test_undo_hint_and_areas(visitor: Visitor) -> None:
    page = visitor.page()
    game = begin(page, players=PEOPLE)

    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".target[data-hint='1'] .hint")).to_contain_text("%")
    assert page.evaluate(OUTSIDE_THEIR_SQUARE) == []
    expect(page.locator("table.moves tbody tr").first).to_contain_text("%")
    place(page, "vault-1").click()
    place(page, "a1").click()
    expect(page.locator(".hint")).to_have_count(0)
    page.get_by_role("button", name="Place a builder on a1").click()
    expect(page.locator(".log li")).to_have_count(2)
    area = page.locator(".cathedral [data-area]").first
    expect(area).to_be_hidden()
    page.get_by_role("button", name="Areas").click()
    expect(area).to_be_visible()
    page.get_by_role("button", name="Undo").click()

    expect(page.locator(".log li")).to_have_count(1)
    assert state_of(page, game)["number"] == 1


def test_a_reload_keeps_the_game_and_two_tabs_keep_apart(visitor: Visitor) -> None:
    first, second = visitor.page(), visitor.page()
    games = begin(first, players=PEOPLE), begin(second, players=PEOPLE)

    place(first, "vault-1").click()
    place(first, "a1").click()
    expect(first.locator(".log li")).to_have_count(1)
    first.reload()

    expect(first.locator(".log li")).to_have_count(1)
    expect(second.locator(".log li")).to_have_count(0)
    assert [state_of(first, game)["number"] for game in games] == [1, 0]


def test_what_happens_elsewhere_is_shown_at_once(visitor: Visitor) -> None:
    page = visitor.page()
    game = begin(page, players=PEOPLE)

    page.request.post(f"{game}/moves", data={"move": "V1b1"})

    expect(page.locator(".log li")).to_have_count(1)


def test_agents_are_watched_paused_and_stepped(visitor: Visitor) -> None:
    page = visitor.page(path="/#/watch")
    page.get_by_label("Black", exact=True).select_option("random")
    page.get_by_label("White", exact=True).select_option("greedy")
    page.get_by_label("Speed", exact=True).select_option("0.2")
    page.get_by_role("button", name="Watch them play").click()
    expect(page.locator(".log li").nth(1)).to_be_attached()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("heading", name=re.compile("Paused"))).to_be_visible()
    made = page.locator(".log li").count()

    page.get_by_role("button", name="Step").click()

    expect(page.locator(".log li")).to_have_count(made + 1)
    page.get_by_role("button", name="Go on").click()
    expect(page.locator(".log li").nth(made + 2)).to_be_attached()


# --- Keyboard -------------------------------------------------------------------------------------


def test_a_key_held_down_and_a_double_click_count_once(visitor: Visitor) -> None:
    page = visitor.page()
    game = begin(page, players=PEOPLE)
    place(page, "vault-1").focus()
    page.keyboard.press("Enter")
    place(page, "c1").focus()

    for _ in range(4):  # the first is a press, the others are what a key repeats
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(page.locator(".log li")).to_have_count(1)
    place(page, "vault-2").click()
    place(page, "c2").dblclick(delay=60)  # a second choice would place a builder on the same square

    expect(page.locator(".log li")).to_have_count(2)
    assert [move["move"] for move in state_of(page, game)["moves"]] == ["V1c1", "V2c2"]


def test_the_board_is_played_with_the_keyboard_alone(visitor: Visitor) -> None:
    page = visitor.page()
    game = begin(page, players=PEOPLE)
    page.locator(f".spaces {LEGAL}").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert focused(page) == "vault-2"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert focused(page) == "a1"
    page.keyboard.press("End")
    assert focused(page) == "e1"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")

    expect(page.locator(".log li")).to_have_count(1)
    assert state_of(page, game)["moves"][0]["move"] == "V2d1"
    assert focused(page) == "d1"
    page.keyboard.press("u")
    expect(page.locator(".log li")).to_have_count(0)


def focused(page: Page) -> Any:
    return page.evaluate("document.activeElement.dataset.place")


# --- Replay and analysis --------------------------------------------------------------------------


def test_a_record_is_uploaded_scrubbed_and_evaluated(visitor: Visitor, tmp_path: Path) -> None:
    """Its hostile name and comments are text and nothing else."""
    file = tmp_path / "nasty.basilica"
    file.write_text(record(), encoding="utf-8")
    page = visitor.page(path="/#/replay")
    page.get_by_label("File", exact=True).set_input_files(file)
    expect(page.get_by_label("Or its text")).to_have_value(re.compile("Format"))
    page.get_by_role("button", name="Show the game").click()

    expect(page.get_by_role("heading", name=f"{HOSTILE} against random")).to_be_visible()
    last = int(page.locator(".count").inner_text().split("/")[1])
    page.get_by_role("button", name="One move on").click()
    expect(page.locator(".count")).to_have_text(f"1 / {last}")
    expect(page.locator(".decision .recent")).to_have_text(HOSTILE)
    page.keyboard.press("End")
    expect(page.locator(".count")).to_have_text(f"{last} / {last}")
    page.keyboard.press("PageUp")
    expect(page.locator(".log [aria-current]")).to_contain_text("scoring")
    expect(page.locator("table.areas caption").first).to_contain_text("Scoring")
    page.get_by_label("Move", exact=True).fill("2")
    expect(page.locator(".count")).to_have_text(f"2 / {last}")
    page.get_by_label("Evaluate with", exact=True).select_option("other")
    page.get_by_label("Evaluate with: spec").fill("mcts:sims=2")
    page.get_by_role("button", name="Evaluate").click()
    expect(page.locator(".card .quiet", has_text=f"{last + 1} of {last + 1}")).to_be_visible()
    points = page.locator(".chart .curve").get_attribute("d")
    assert points is not None
    assert len(points.split("L")) == last + 1
    page.get_by_text("Record", exact=True).click()
    expect(page.locator("dl.headers")).to_contain_text(HOSTILE)
    assert page.locator("main img").count() == 0


def test_a_scoring_is_shown_before_the_clearing(visitor: Visitor) -> None:
    """The squares of its areas are framed and have tiles, the vault that caused it too (R8)."""
    page = visitor.page()
    show_replay(page)
    replay = page.request.get(page.url.replace("/#/replay/", "/api/replays/")).json()
    scored = next(move for move in replay["moves"] if move["scoring"])
    areas = [area for area in scored["scoring"]["areas"] if any(area["builders"])]
    squares = {square for area in areas for square in area["squares"]}
    pointed = page.locator(".cathedral .target[data-pointed]")

    expect(pointed).to_have_count(len(squares))
    code, square = re.findall(r"vault (\w+) on (\w+)", scored["words"])[0]
    vault = page.locator(f'.cathedral [data-tile="{code}"]')
    drawn, over = vault.bounding_box(), place(page, square).bounding_box()
    assert drawn is not None
    assert over is not None
    for side in ("x", "y", "width", "height"):
        assert abs(drawn[side] - over[side]) < over["width"] / 8, side

    page.get_by_role("button", name="After it").click()
    expect(pointed).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".count")).to_contain_text(f"{scored['number'] - 1} /")
    expect(vault).to_have_count(0)


def test_a_position_is_set_up_analysed_and_played_on(visitor: Visitor) -> None:
    page = visitor.page(path="/#/analyse")
    text = page.get_by_label("Position text")
    text.fill(reached("scaffold"))
    page.get_by_role("button", name="Set up").click()
    expect(page.locator(".question")).to_contain_text("Scaffolding")
    page.get_by_label("Agent", exact=True).select_option("mcts:sims=2000")
    page.get_by_role("button", name="Analyse").click()
    best = page.locator("table.moves tbody tr").first
    expect(best).to_contain_text("%")
    expect(page.locator("dl.headers")).to_contain_text("Line")
    move = best.locator("button b").inner_text()
    best.locator("button").click()

    expect(page.locator(".recent")).to_have_text(f"Played: {move}")
    page.reload()
    expect(page.locator(".question")).to_contain_text("Scaffolding: choose a square for the second")
    page.get_by_label("Position text").fill("no position")
    page.get_by_role("button", name="Set up").click()
    expect(page.get_by_role("alert")).to_contain_text("field")
    visitor.forgive("422")


@pytest.mark.parametrize("path", ["/#/game/none-such", "/#/replay/none-such"])
def test_what_is_not_there_is_said(visitor: Visitor, path: str) -> None:
    page = visitor.page(path=path)

    expect(page.get_by_role("heading", name="Nothing here")).to_be_visible()
    expect(page.get_by_role("link", name="A new game")).to_be_visible()
    visitor.forgive("404")


def test_a_lost_connection_is_told_and_found_again(visitor: Visitor) -> None:
    page = visitor.page()
    game = begin(page, players=PEOPLE)
    place(page, "vault-1").click()
    page.context.set_offline(True)

    place(page, "a1").click()
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    page.context.set_offline(False)
    expect(place(page, "vault-1")).to_have_attribute("data-selected", "")
    place(page, "a1").click()

    expect(page.locator(".log li")).to_have_count(1)
    expect(page.get_by_role("alert")).to_be_hidden()
    expect(page.locator("#lost")).to_be_empty()
    assert state_of(page, game)["number"] == 1
    visitor.forgive("ERR_INTERNET_DISCONNECTED")


# --- Looks ----------------------------------------------------------------------------------------


def show_play(page: Page) -> None:
    begin(page, players=PEOPLE, position=reached("promote"))
    page.get_by_role("button", name="What does this mean?").click()


def show_watch(page: Page) -> None:
    agents = [{"kind": "agent", "agent": "greedy"}] * 2
    begin(page, players=agents, paused=True, position=reached("main@"))


def show_replay(page: Page) -> None:
    replay = page.request.post("/api/replays", data={"text": record()}).json()
    page.goto(f"/#/replay/{replay['id']}")
    expect(page.locator(".count")).to_have_text(re.compile("0 /"))
    page.keyboard.press("PageDown")
    expect(page.locator("table.areas caption").first).to_contain_text("Scoring")


def show_analysis(page: Page) -> None:
    page.goto("/#/analyse")
    page.get_by_label("Agent", exact=True).select_option("mcts:sims=2000")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("table.moves")).to_be_visible()


def show_forms(page: Page) -> None:
    page.goto("/#/play")
    page.get_by_text("Seed and position").click()


Show = Callable[[Page], None]
VIEWS = [show_play, show_watch, show_replay, show_analysis, show_forms]

CUT_OFF = """() => {
  const width = document.documentElement.clientWidth;
  const text = "button:not(.target), h1, h2, p, td, th, li, label, summary";
  const free = each => each.checkVisibility() && !each.closest(".unseen, .skip, .scroll, .frieze, .pane svg");
  const leavesThePage = each => each.getBoundingClientRect().right > width + 1;
  const isWide = each => each.clientWidth && each.scrollWidth > each.clientWidth + 2;
  return [...document.querySelectorAll("body *")]
    .filter(each => free(each) && (leavesThePage(each) || (each.matches(text) && isWide(each))))
    .map(each => each.outerHTML.slice(0, 120));
}"""
"""Finds what is wider than the page, or than its own box."""


@pytest.mark.parametrize("show", VIEWS)
def test_every_view_fits_phone_and_desktop(visitor: Visitor, show: Show) -> None:
    page = visitor.page(DESKTOP)
    show(page)
    for width, height in (DESKTOP, TABLET, PHONE, SMALL_PHONE, (320, 640), PHONE[::-1]):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CUT_OFF) == []


def test_a_phone_shows_the_squares_to_choose(visitor: Visitor) -> None:
    """The decision at the foot does not hide them."""
    page = visitor.page(PHONE)
    begin(page, players=PEOPLE, position=reached("confuse"))
    foot = page.locator(".decision").bounding_box()
    assert foot is not None

    page.wait_for_function(
        """([legal, foot]) => [...document.querySelectorAll(legal)]
            .every(square => square.getBoundingClientRect().bottom <= foot)""",
        arg=[f".cathedral {LEGAL}", foot["y"]],
    )


@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_a_choice_leaves_the_other_squares_free(visitor: Visitor, size: tuple[int, int]) -> None:
    """Another square is pressed instead, and asks in its turn."""
    page = visitor.page(size)
    begin(page, players=PEOPLE)

    for square in "abcde":
        place(page, f"{square}1").click()
        expect(page.get_by_role("group", name=f"Choose for {square}1")).to_be_visible()
        expect(page.locator(".chooser")).to_have_count(1)


def test_players_of_one_name_are_told_apart(visitor: Visitor) -> None:
    page = visitor.page()
    begin(page, players=[{"kind": "agent", "agent": "greedy"}] * 2, paused=True)

    expect(page.locator(".player .name").first).to_have_text(re.compile(r"greedy \(Black\)$"))
    expect(page.get_by_role("heading", name="greedy (Black) is next")).to_be_visible()


def test_a_square_is_large_enough_for_a_finger(visitor: Visitor) -> None:
    page = visitor.page(SMALL_PHONE)
    begin(page, players=PEOPLE)
    for name in ("a1", "vault-1"):
        box = place(page, name).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44


@pytest.mark.parametrize("show", VIEWS)
def test_no_view_shuts_anybody_out(visitor: Visitor, show: Show) -> None:
    page = visitor.page()
    show(page)
    assert faults(page) == []

    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert faults(page, "color-contrast") == []


def faults(page: Page, *rules: str) -> list[tuple[str, str]]:
    """Return what axe finds, by all its rules or by some."""
    options: Json = {"resultTypes": ["violations"]}
    if rules:
        options["runOnly"] = list(rules)
    found = Axe().run(page, options=options).response["violations"]
    return [(fault["id"], node["html"]) for fault in found for node in fault["nodes"]]


def test_whose_turn_it_is_is_said(visitor: Visitor) -> None:
    page = visitor.page()
    begin(page, players=PEOPLE)
    said = page.locator("#said")
    expect(said).to_have_text("Ann decides: Choose an action")
    expect(said).to_have_attribute("aria-live", "polite")

    place(page, "vault-1").click()
    place(page, "a1").click()

    expect(said).to_contain_text("Ann places vault")


def test_colours_follow_the_system_until_they_are_switched(visitor: Visitor) -> None:
    page = visitor.page(scheme="dark", path="/")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Dark colours").click()
    expect(root).to_have_attribute("data-theme", "light")
    page.reload()
    expect(root).to_have_attribute("data-theme", "light")


def test_the_rules_are_at_hand(visitor: Visitor) -> None:
    page = visitor.page(PHONE)
    begin(page, players=PEOPLE)
    page.get_by_role("button", name="Rules").click()
    expect(page.get_by_role("dialog", name="The rules in short")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
