"""Findings are those of the games, and the report on them is a whole page on any screen."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page

from basilica_env import GameState
from basilica_env.arena import Findings, ReportError, build_dataset, play_tournament, write_report
from basilica_env.arena.findings import ACTIONS
from basilica_env.arena.report_sections import class_shares, in_points
from basilica_env.cli import main
from basilica_env.records import GameRecord, Recorder, append_record, read_records, write_records
from tests.chromium import launched, needs_chromium

HOSTILE = "</script><script>alert(1)</script><img src=http://example.org/x onerror=alert(1)>"
WIDTHS = {"phone": (390, 844), "desktop": (1280, 800)}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tournament."""
    folder = tmp_path_factory.mktemp("tournament") / "league"
    play_tournament(["random", "greedy", "planner"], 12, seed=5, out=folder)
    return folder


@pytest.fixture(scope="module")
def records(league: Path) -> list[GameRecord]:
    return list(read_records(league / "games.basilica"))


@pytest.fixture(scope="module")
def findings(league: Path, tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return Findings(build_dataset([league], tmp_path_factory.mktemp("data") / "tables"))


def values(frame: pl.DataFrame, *by: str) -> dict[Any, float]:
    """Return the values of a finding by what it is about."""
    return {
        tuple(row[name] for name in by) if len(by) > 1 else row[by[0]]: row["value"]
        for row in frame.iter_rows(named=True)
    }


def moves_of(records: list[GameRecord]) -> Iterator[tuple[str, GameState, str, GameState]]:
    """Yield who plays each move, the state before, the move and the state after."""
    for record in records:
        state = record.initial()
        for move, after in zip(record.moves, record.replay(), strict=True):
            yield record.players[state.player], state, move.move, after
            state = after


# --- Findings -------------------------------------------------------------------------------------


def test_ratings_and_cross_table_are_those_of_the_tournament(league: Path, findings: Findings) -> None:
    told = json.loads((league / "tournament.json").read_text(encoding="utf-8"))["result"]

    ratings = {row["agent"]: row["rating"]["value"] for row in told["standings"]}
    assert values(findings.ratings(), "agent") == pytest.approx(ratings, abs=0.5)
    cross = {(row["agent"], row["opponent"]): row for row in findings.cross_table().iter_rows(named=True)}
    for match in told["matches"]:
        row = cross[tuple(match["agents"])]
        assert (row["wins"], row["draws"], row["losses"]) == (match["wins"], match["draws"], match["losses"])
        for end in ("value", "low", "high"):
            assert row[end] == pytest.approx(match["score"][end])


def test_anchors_are_fixed(findings: Findings) -> None:
    ratings = findings.ratings({"random": 1000})

    row = ratings.row(by_predicate=pl.col("agent") == "random", named=True)
    assert (row["value"], row["low"], row["high"]) == (1000, 1000, 1000)


def test_the_first_player(records: list[GameRecord], findings: Findings) -> None:
    scores = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
    share = findings.first_player().row(0, named=True)
    lead = findings.first_player_lead().row(0, named=True)

    assert share["value"] == pytest.approx(np.mean([scores[record.result] for record in records]))
    assert lead["value"] == pytest.approx(np.mean([np.subtract(*record.scores) for record in records]))
    assert share["low"] < share["value"] < share["high"]
    assert lead["low"] < lead["value"] < lead["high"]
    assert share["number"] == len(records)


def test_actions_are_what_was_played(records: list[GameRecord], findings: Findings) -> None:
    played: Counter[tuple[str, str]] = Counter()
    for agent, state, move, _ in moves_of(records):
        if move == "B":
            played[agent, "builder"] += 1
        elif move.startswith("V"):
            played[agent, "vault"] += 1
        elif move.startswith("O"):
            played[agent, order_on(state, move)] += 1
    totals = Counter(agent for agent, _ in played.elements())

    found = values(findings.actions(), "agent", "action")

    assert {action for _, action in found} <= set(ACTIONS)
    assert found == pytest.approx({key: count / totals[key[0]] for key, count in played.items()})


def order_on(state: GameState, move: str) -> str:
    """Return the order on the space that a move is about."""
    code = state.view().orders[int(move[1]) - 1]
    assert code is not None
    return state.tiles.orders[state.tiles.numbers[code]]


def test_orders_used_denied_and_paid(records: list[GameRecord], findings: Findings) -> None:
    chances, used, denied, asked, paid = (Counter[tuple[str, str]]() for _ in range(5))
    for agent, state, move, after in moves_of(records):
        if state.decision.startswith("main"):
            chances.update(
                (agent, order_on(state, other))
                for other in {
                    order_on(state, order): order for order in state.legal_moves() if order[0] == "O"
                }.values()
            )
        if move.startswith("O"):
            used[agent, order_on(state, move)] += 1
        elif move.startswith("V") and not (after.is_over and after.king == 30):
            denied[agent, order_on(state, move)] += 1
        elif move in ("pay", "pass"):
            asked[agent, order_on(state, f"O{state.decision.split(':')[1]}")] += 1
            paid[agent, order_on(state, f"O{state.decision.split(':')[1]}")] += move == "pay"
    gone = used + denied

    assert values(findings.orders_taken(), "agent", "order_name") == pytest.approx(
        {key: used[key] / count for key, count in chances.items()}
    )
    assert values(findings.orders_denied(), "agent", "order_name") == pytest.approx(
        {key: denied[key] / count for key, count in gone.items()}
    )
    assert values(findings.paid_orders(), "agent", "order_name") == pytest.approx(
        {key: paid[key] / count for key, count in asked.items()}
    )


def test_gains_of_those_who_cause_scorings(records: list[GameRecord], findings: Findings) -> None:
    gains: dict[str, list[int]] = {}
    for agent, state, move, after in moves_of(records):
        if after.king != state.king and after.king in (10, 20, 30):
            areas = state.scoring_of(move) or []
            mine, theirs = (
                sum(area.points[player] for area in areas) for player in (state.turn, 1 - state.turn)
            )
            gains.setdefault(agent, []).append(mine - theirs)

    scorings = findings.scorings().filter(pl.col("cause") == "king").collect()

    for agent, expected in gains.items():
        assert sorted(scorings.filter(agent=agent)["gain"].to_list()) == sorted(expected)


def test_points_come_from_somewhere(findings: Findings) -> None:
    sums = findings.points_for().group_by("agent").agg(pl.sum("value"))

    assert values(sums, "agent") == pytest.approx(values(findings.points(), "agent"))


def test_squares_add_up(records: list[GameRecord], findings: Findings) -> None:
    placed = sum(move.move.startswith("V") for record in records for move in record.moves)

    vaults = findings.squares().filter(piece="vault")

    assert vaults["value"].sum() == pytest.approx(placed / len(records))


def test_shares_of_a_whole_add_up(findings: Findings) -> None:
    for frame, by in ((findings.endings(), ("one", "other")), (findings.actions(), ("agent",))):
        assert frame.group_by(by).agg(pl.sum("value"))["value"].to_list() == pytest.approx(
            [1.0] * frame.select(by).n_unique()
        )


def cases(rng: np.random.Generator, clusters: int, share: bool) -> pl.LazyFrame:
    """Draw clusters of two cases that depend on each other, about a mean of 0.3."""
    level = rng.normal(0.3, 0.5, clusters).repeat(2)
    drawn = (
        rng.random(2 * clusters) < np.clip(level, 0, 1) if share else level + rng.normal(0, 1, 2 * clusters)
    )
    return pl.LazyFrame({"cluster": np.arange(clusters).repeat(2), "value": drawn})


@pytest.mark.parametrize("share", [False, True])
def test_intervals_hold_the_truth_as_often_as_they_say(findings: Findings, share: bool) -> None:
    rng = np.random.default_rng(11)
    grid = np.random.default_rng(0).normal(0.3, 0.5, 200_000)
    truth = float(np.clip(grid, 0, 1).mean()) if share else 0.3
    found = [findings.means(cases(rng, 40, share), share=share).row(0) for _ in range(300)]

    held = sum(low <= truth <= high for _, low, high, _ in found)

    assert 0.91 * 300 <= held <= 0.99 * 300


def test_an_interval_is_that_of_the_ratio_estimator(findings: Findings) -> None:
    # Cochran: by hand for three clusters of one, two and three cases.
    drawn = pl.LazyFrame({"cluster": [1, 2, 2, 3, 3, 3], "value": [2.0, 0.0, 1.0, 4.0, 5.0, 3.0]})
    y, n = np.array([2.0, 1.0, 12.0]), np.array([1.0, 2.0, 3.0])
    mean = y.sum() / n.sum()
    error = math.sqrt(3 / 2 * ((y - mean * n) ** 2).sum()) / n.sum()

    value, low, high, number = findings.means(drawn).row(0)

    assert (value, number) == (pytest.approx(mean), 6)
    assert (high - low) / 2 == pytest.approx(4.302653 * error)


def test_many_clusters_are_put_together(findings: Findings, monkeypatch: pytest.MonkeyPatch) -> None:
    before = findings.first_player_lead().row(0, named=True)
    monkeypatch.setattr("basilica_env.arena.findings.MOST_CLUSTERS", 9)
    few = Findings(findings.data)

    after = few.first_player_lead().row(0, named=True)

    assert few.results["cluster"].n_unique() < findings.results["cluster"].n_unique()
    assert after["value"] == before["value"]
    assert 0.3 < (after["high"] - after["low"]) / (before["high"] - before["low"]) < 3
    assert few.cross_table().equals(findings.cross_table())


def test_one_case_is_said_to_give_no_interval() -> None:
    one = {"value": -3.0, "low": -math.inf, "high": math.inf}

    assert in_points(one) == "−3.0 (one game or pair gives no interval)"


def test_one_case_says_nothing_of_the_others(findings: Findings) -> None:
    one = pl.LazyFrame({"cluster": [1], "value": [1.0]})

    assert findings.means(one).row(0) == (1, -math.inf, math.inf, 1)
    assert findings.means(one, share=True).row(0) == (1, 0, 1, 1)


def test_classes_that_are_empty_are_zeros() -> None:
    turns = [28] * 40 + [31] * 24
    cases = pl.LazyFrame({"turns": [*turns, 30], "end": [*["scoring"] * 64, "exhaustion"]})

    shares = class_shares(cases, "turns", "end").filter(end="scoring")

    assert shares.select("class", "middle", "share").rows() == [
        ("28", 28, 0.625),
        ("29", 29, 0),
        ("30", 30, 0),
        ("31", 31, 0.375),
    ]


def test_few_games_make_wide_classes() -> None:
    cases = pl.LazyFrame({"lead": [-5, -1, 0, 2, 3, 9, 14, 4], "by": ["x"] * 8})

    shares = class_shares(cases, "lead", "by")

    assert shares["class"].to_list() == ["-5 to -1", "0 to 4", "5 to 9", "10 to 14"]
    assert shares["share"].to_list() == [2 / 8, 4 / 8, 1 / 8, 1 / 8]
    assert shares["middle"].to_list() == [-3, 2, 7, 12]


# --- The page -------------------------------------------------------------------------------------


class Checked(HTMLParser):
    """Reads a page and keeps its elements."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.elements)


@pytest.fixture(scope="module")
def page(league: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report with one example, and with an agent that has a long name."""
    folder = tmp_path_factory.mktemp("report") / "league"
    shutil.copytree(league, folder)
    shutil.copytree(study_of(folder), folder / "study")
    return write_report(folder, examples=1)


def study_of(folder: Path) -> Path:
    """Write the table of a study, beside a folder."""
    study = folder.parent / "study"
    study.mkdir()
    lines = [
        "tiles,aspect,change,subject,value,low,high,difference,difference_low,difference_high,sure",
        *(
            f'{name},{aspect},"{change}",{subject},{value},{value},{value},,,,{int(name != "standard")}'
            for name, aspect, change in (("standard", "", "as it is"), ("crowns-24", "crowns", "24, not 36"))
            for subject, value in (
                ("rating of greedy", 10),
                ("first", 0.5),
                ("turns", 30),
                ("exhaustion", 0.4),
            )
        ),
    ]
    (study / "study.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return study


def test_a_report_is_one_page_with_everything(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    found = Checked(text)
    titles = re.findall("<h2>(.*?)</h2>", text)

    assert page.name == "report.html"
    for title in (
        *("Strength", "Each against each", "Points", "The first player", "Length and end", "Actions"),
        *("Orders used and denied", "Paid orders", "Scorings", "Where points come from", "Squares"),
        *("Contested areas and wasted builders", "Does it hinge on the tiles?", "Games to replay"),
    ):
        assert title in titles
    charts = json.loads(re.search('id="charts">(.*?)</script>', text)[1])  # type: ignore[index]
    drawn = [attributes["id"] for tag, attributes in found.elements if attributes.get("class") == "chart"]
    assert sorted(charts) == sorted(map(str, drawn))
    assert text.count("Plotly=") + text.count("plotly.js v") >= 1
    assert found.count("table") > 15
    assert "The length surely differs with crowns-24." in text


def test_nothing_is_fetched(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert "default-src 'none'" in text
    for tag, attributes in Checked(text).elements:
        assert tag not in ("link", "base", "object", "embed")
        for name in ("src", "href", "action"):
            assert (attributes.get(name) or "#").startswith("#")


def test_names_are_data(tmp_path: Path) -> None:
    recorder = Recorder(GameState.new(3), players=(HOSTILE, "greedy"))
    while not recorder.state.is_over:
        recorder.play(recorder.state.greedy_action())
    write_records(tmp_path / "games.basilica", [recorder.record()])

    text = write_report(tmp_path, examples=1).read_text(encoding="utf-8")

    assert "<img" not in re.sub("<script>.*?</script>", "", text, flags=re.DOTALL)
    assert "<script>alert" not in text


def test_a_folder_without_a_game_fails_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "games.basilica").touch()

    assert main(["report", str(tmp_path)]) == 1

    error = capsys.readouterr().err
    assert re.fullmatch(r"basilica report: [^\n]+games\.basilica: no game in it\n", error)
    assert [path.name for path in tmp_path.iterdir()] == ["games.basilica"]


def test_a_report_follows_records_that_are_renamed_or_removed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_records(tmp_path / f"{name}.basilica", [faulty(1, "crash")])
    write_report(tmp_path)
    (tmp_path / "one.basilica").rename(tmp_path / "other.basilica")
    assert "2 games of 2 agents" in write_report(tmp_path).read_text(encoding="utf-8")
    (tmp_path / "two.basilica").unlink()

    assert "1 game of 2 agents" in write_report(tmp_path).read_text(encoding="utf-8")


def faulty(number: int, termination: str) -> GameRecord:
    recorder = Recorder(GameState.new(number), players=("one", "other"))
    recorder.play(recorder.state.legal_moves()[0])
    return recorder.record(termination, "0-1")


def test_games_lost_by_fault_count_in_ratings_alone(tmp_path: Path) -> None:
    write_records(tmp_path / "games.basilica", [faulty(number, "crash") for number in range(3)])

    text = write_report(tmp_path).read_text(encoding="utf-8")

    assert "3 games ended by crash: counted in ratings and scores, nowhere else." in text
    assert "<h2>Strength</h2>" in text
    assert "<h2>Actions</h2>" not in text


def test_one_agent_against_itself(tmp_path: Path) -> None:
    play_tournament(["random", "greedy"], 2, seed=1, out=tmp_path / "few")
    recorder = Recorder(GameState.new(3), players=("lone", "lone"))
    while not recorder.state.is_over:
        recorder.play(recorder.state.greedy_action())
    (tmp_path / "alone").mkdir()
    write_records(tmp_path / "alone" / "games.basilica", [recorder.record()])

    alone = write_report(tmp_path / "alone", examples=0).read_text(encoding="utf-8")
    apart = write_report(tmp_path, tmp_path / "all.html", examples=0).read_text(encoding="utf-8")

    assert "There is nothing to rate" in alone
    assert "There are no ratings" in apart
    assert json.loads(re.search('id="replays">(.*?)</script>', alone)[1]) == []  # type: ignore[index]


def test_a_report_needs_a_result(tmp_path: Path) -> None:
    write_records(tmp_path / "games.basilica", [Recorder(GameState.new(1)).record()])

    with pytest.raises(ReportError, match="no game in it has a result"):
        write_report(tmp_path)


def test_damaged_files_beside_the_games_are_named(tmp_path: Path) -> None:
    write_records(tmp_path / "games.basilica", [faulty(1, "time")])
    (tmp_path / "tournament.json").write_text("{}")
    with pytest.raises(ReportError, match=r"tournament\.json: damaged"):
        write_report(tmp_path)
    (tmp_path / "tournament.json").unlink()
    (tmp_path / "study").mkdir()
    for text in ("", "tiles\n", "tiles,aspect\nx,y\n"):
        (tmp_path / "study" / "study.csv").write_text(text)
        with pytest.raises(ValueError, match=r"study\.csv: damaged"):
            write_report(tmp_path)


def test_a_report_grows_with_its_folder(league: Path, tmp_path: Path) -> None:
    folder = tmp_path / "league"
    shutil.copytree(league, folder)
    assert "36 games of 3 agents" in write_report(folder, examples=0).read_text(encoding="utf-8")
    append_record(folder / "games.basilica", faulty(1, "time"))

    assert "37 games of 5 agents" in write_report(folder, examples=0).read_text(encoding="utf-8")


def test_the_missing_extra_is_named(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("basilica_env.arena.report.find_spec", lambda _: None)

    with pytest.raises(ImportError, match=r"reports need the extra 'arena'"):
        write_report(league)


def test_the_command(league: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "league"
    shutil.copytree(league, folder)

    assert main(["report", str(folder), "--examples", "0", "--workers", "1"]) == 0
    assert capsys.readouterr().out == f"wrote {folder / 'report.html'}\n"
    assert main(["report", str(tmp_path / "none")]) == 1
    assert re.fullmatch(r"basilica report: [^\n]+\n", capsys.readouterr().err)
    assert main(["report", str(folder), "--out", str(tmp_path)]) == 1
    with pytest.raises(SystemExit):
        main(["report", str(folder), "--examples", "many"])


# --- In a browser ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


class Visit:
    """A page in the browser, and what it complains of."""

    def __init__(self, browser: Browser, path: Path, size: tuple[int, int], scheme: Any) -> None:
        width, height = size
        context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        self.complaints: list[str] = []
        self.page: Page = context.new_page()
        self.page.on("console", self.hear)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.hear_request(request.url))
        self.page.goto(path.as_uri())

    def charts(self) -> Iterator[Locator]:
        """Go through the charts, each scrolled to and drawn."""
        for chart in self.page.locator(".chart").all():
            chart.scroll_into_view_if_needed()
            chart.locator(".main-svg").first.wait_for()
            yield chart

    def hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def hear_request(self, url: str) -> None:
        if not url.startswith(("file:", "blob:", "data:", "about:")):
            self.complaints.append(f"fetched {url}")


@needs_chromium
@pytest.mark.parametrize(("size", "scheme"), [("phone", "dark"), ("desktop", "light")])
def test_every_chart_is_drawn_and_nothing_runs_over(
    browser: Browser, page: Path, size: str, scheme: str
) -> None:
    visit = Visit(browser, page, WIDTHS[size], scheme)
    charts = list(visit.charts())
    for chart in charts:
        assert chart.evaluate(SIGNS_OUTSIDE) == [], "signs outside their chart"
    visit.page.evaluate("scrollTo(0, 0)")
    picture = Image.open(BytesIO(visit.page.screenshot(full_page=True))).convert("RGB")
    for chart in charts:
        box = chart.bounding_box()
        assert box is not None
        part = picture.crop((box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]))
        assert len(part.getcolors(1 << 24) or ()) > 20, "an empty chart"
    assert len(charts) > 15
    assert (sum(picture.getpixel((1, 1))) < 300) == (scheme == "dark")
    assert visit.page.evaluate("document.documentElement.scrollWidth") == WIDTHS[size][0]
    for details in visit.page.locator("summary").all():
        details.click()
    assert visit.page.evaluate("document.documentElement.scrollWidth") == WIDTHS[size][0]
    assert visit.complaints == []


SIGNS_OUTSIDE = """chart => {
  const frame = chart.getBoundingClientRect();
  const outside = (box) => box.left < frame.left - 1 || box.right > frame.right + 1
    || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
  return [...chart.querySelectorAll("text")].filter((text) => text.textContent.trim()
    && outside(text.getBoundingClientRect())).map((text) => text.textContent);
}"""


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report on agents with long names that look like markup."""
    folder = tmp_path_factory.mktemp("marked")
    names = ("<b>planner</b>:simulations=400", '<a href="https://example.org">a&amp;b</a>', "search:depth=2")
    games = []
    for number in range(6):
        players = names[number % 3], names[(number + 1 + number // 3) % 3]
        recorder = Recorder(GameState.new(number), players=players)
        while not recorder.state.is_over:
            recorder.play(recorder.state.greedy_action())
        games.append(recorder.record())
    write_records(folder / "games.basilica", games)
    return write_report(folder, examples=0)


@needs_chromium
def test_names_are_no_markup_in_charts(browser: Browser, marked: Path) -> None:
    visit = Visit(browser, marked, WIDTHS["desktop"], "light")
    assert all(chart.is_visible() for chart in visit.charts())
    assert visit.page.locator(".chart a").count() == 0
    words = "[...document.querySelectorAll('.chart .ytick text, .legend span')].map(e => e.textContent)"
    labels = [label.replace(" ", "") for label in visit.page.evaluate(words)]
    for name in ("<b>planner</b>:simulations=400", '<ahref="https://example.org">a&amp;b</a>'):
        assert name in labels
    point = visit.page.locator("#chart-0-0 .point").nth(1)
    point.hover(force=True)
    hover = visit.page.locator(".hoverlayer text").first
    hover.wait_for()
    assert visit.page.locator(".hoverlayer a").count() == 0
    assert re.match(r"<(b|a href=)", hover.text_content() or "")
    assert visit.complaints == []


@needs_chromium
def test_a_phone_shows_whole_labels_and_says_what_scrolls(browser: Browser, marked: Path) -> None:
    visit = Visit(browser, marked, WIDTHS["phone"], "light")
    for chart in visit.charts():
        assert chart.evaluate(SIGNS_OUTSIDE) == []
    words = "[...document.querySelectorAll('.chart .ytick text')].map(e => e.textContent)"

    assert "<b>planner</b>:simulations=400" in visit.page.evaluate(words)
    table = visit.page.locator("#section-1 .table")
    assert "Scroll sideways" in table.evaluate("element => getComputedStyle(element, '::before').content")
    before = table.locator("tbody th").first.bounding_box()
    table.evaluate("element => element.scrollTo(200, 0)")
    assert table.locator("tbody th").first.bounding_box() == before
    assert before is not None
    assert before["width"] < 390 / 2
    assert visit.page.evaluate("document.documentElement.scrollWidth") == 390


@needs_chromium
def test_the_theme_can_be_changed(browser: Browser, page: Path) -> None:
    visit = Visit(browser, page, WIDTHS["desktop"], "light")
    colour = "getComputedStyle(document.body).backgroundColor"
    before = visit.page.evaluate(colour)
    mark = visit.page.locator("#chart-0-0 .point").first
    mark.wait_for()
    fill = mark.evaluate("point => getComputedStyle(point).fill")

    visit.page.get_by_role("button", name="Dark").click()

    assert visit.page.evaluate(colour) != before
    assert mark.evaluate("point => getComputedStyle(point).fill") != fill
    assert visit.complaints == []


@needs_chromium
@pytest.mark.parametrize("size", WIDTHS.values(), ids=WIDTHS)
def test_a_game_is_replayed(browser: Browser, page: Path, size: tuple[int, int]) -> None:
    visit = Visit(browser, page, size, "light")
    visit.page.locator("[data-replay]").click()
    replay = visit.page.frame_locator("#replay iframe")
    replay.locator("#picture svg").first.wait_for()
    words = replay.locator("#words")
    before = words.text_content()

    replay.get_by_role("button", name="One move on").click()

    assert words.text_content() != before
    assert visit.page.evaluate("document.documentElement.scrollWidth") == size[0]
    visit.page.get_by_role("button", name="Close", exact=True).click()
    assert not visit.page.locator("#replay").is_visible()
    assert visit.complaints == []
