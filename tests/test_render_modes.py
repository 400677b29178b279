"""Pixels, the window, the render modes of the environments, films and the page of a recorded game."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from functools import cache, partial
from html import unescape
from itertools import cycle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageFont

import basilica_env
from basilica_env import basilica_v0
from basilica_env.cli import main
from basilica_env.envs.sb3 import BasilicaVecEnv
from basilica_env.envs.vector import BasilicaVectorEnv
from basilica_env.game import GameState
from basilica_env.records import GameRecord, Recorder, read_records, write_records
from basilica_env.render import draw, draw_svg, modes, png, rasterise, window
from basilica_env.render.film import write_gif, write_mp4
from basilica_env.render.frames import frames
from basilica_env.render.modes import RENDER_MODES, Renderer
from basilica_env.render.page import replay_page, write_page
from basilica_env.render.shapes import text_width
from basilica_env.render.style import plain
from basilica_env.render.svg import drawing_parts
from basilica_env.render.theme import DARK, LIGHT
from basilica_env.render.window import Window

PACKAGE = Path(basilica_env.__file__).parent
SHAPE = (656, 768, 3)


@pytest.fixture(autouse=True)
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


def is_near(pixel: Any, colour: str) -> bool:
    """Whether a pixel of a film has a colour, but for what the format loses."""
    return max(abs(one - other) for one, other in zip(pixel, rgb(colour), strict=True)) <= 8


@cache
def recorded(moves: int | None = None, names: tuple[str, str] = ("Ada", "Bo"), seed: int = 3) -> GameRecord:
    """Record a game of random moves, or its beginning."""
    recorder = Recorder(GameState.new(seed), names, seed, "2025-01-31")
    while not recorder.state.is_over and (moves is None or len(recorder.moves) < moves):
        recorder.play(recorder.state.sample_action(), comment="well" if len(recorder.moves) == 2 else "")
    return recorder.record()


# --- Pixels ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
def test_pixels(dark: bool) -> None:
    theme = DARK if dark else LIGHT
    pixels = rasterise(draw_svg(GameState.new(seed=7), dark=dark))
    assert (pixels.shape, pixels.dtype) == ((820, 960, 3), np.uint8)
    assert tuple(pixels[2, 2]) == rgb(theme.paper)
    assert tuple(pixels[33, 60]) == rgb(theme.sky)
    for colour in (theme.ink, theme.gold, theme.stone, theme.panel):
        assert (pixels == rgb(colour)).all(axis=2).any()


def test_pixels_are_the_same_each_time() -> None:
    svg = draw_svg(GameState.new(seed=7), size=480)
    assert np.array_equal(rasterise(svg), rasterise(svg))


def test_pixels_can_be_written_to() -> None:
    pixels = rasterise(draw_svg(GameState.new(seed=7), size=96))
    pixels[:] = 0


def test_the_text_is_drawn_whatever_fonts_the_machine_has() -> None:
    state = GameState.new(seed=7)
    bare = rasterise(draw_svg(state, size=960))
    captioned = rasterise(draw_svg(state, size=960, caption="Żółć Ωμέγα Щука"))
    rows, columns = np.nonzero((bare != captioned).any(axis=2))
    assert 780 < rows.min() < rows.max() < 815
    assert 384 <= columns.min() < columns.max() < 600


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        "Scaffolding: choose a square for the second scaffolding tile",
        "MCTS WINNER",
        "mcts:sims=800",
        "128",
        "Щука",
    ],
)
def test_the_estimated_width_of_a_text_is_enough(words: str, bold: bool) -> None:
    font = ImageFont.truetype(PACKAGE / "data" / f"DejaVuSans{'-Bold' if bold else ''}.ttf", 100)
    width = font.getlength(words)
    assert width <= text_width(words, 100, bold) <= 1.25 * width


def test_png() -> None:
    with Image.open(io.BytesIO(png(draw_svg(GameState.new(seed=7), size=480)))) as image:
        assert (image.format, image.size) == ("PNG", (480, 410))


@pytest.mark.parametrize("module", ["resvg_py", "PIL"])
def test_a_missing_extra_is_named(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"pictures need {module}: pip install 'basilica-env\[render\]'"):
        rasterise("<svg/>")


def test_pixels_need_no_pygame_and_text_no_pictures() -> None:
    source = """
import sys
from basilica_env import basilica_v0
env = basilica_v0.env(render_mode="MODE")
env.reset(seed=1)
env.render()
print(*sorted({"pygame", "PIL", "resvg_py", "moviepy", "imageio_ffmpeg"} & set(sys.modules)))
"""
    for mode, expected in (("svg", ""), ("rgb_array", "PIL resvg_py")):
        run = [sys.executable, "-c", source.replace("MODE", mode)]
        result = subprocess.run(run, capture_output=True, text=True, check=True)
        assert result.stdout.strip() == expected


def test_only_the_window_imports_pygame() -> None:
    importing = [
        path.name
        for path in PACKAGE.rglob("*.py")
        if re.search(r"^\s*(import|from) pygame", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert importing == ["window.py"]


# --- The window --------------------------------------------------------------------------------------


class Clock:
    """Time that passes only where something waits for it."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds + 1e-9


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(window, "time", clock)
    monkeypatch.setattr(modes, "time", clock)
    return clock


@pytest.fixture
def pygame() -> Iterator[Any]:
    import pygame

    yield pygame
    pygame.display.quit()


def picture(shade: int) -> NDArray[np.uint8]:
    return np.full((48, 64, 3), shade, np.uint8)


def on_screen(shown: Window) -> tuple[tuple[int, int], tuple[int, ...]]:
    surface = shown._window.get_surface()
    return surface.get_size(), tuple(surface.get_at((5, 5)))[:3]


@pytest.mark.usefixtures("clock")
def test_a_window_shows_pictures(pygame: Any) -> None:
    shown = Window("Basilica")
    assert not shown.is_open
    shown.show(picture(10))
    assert on_screen(shown) == ((64, 48), (10, 10, 10))
    shown.show(picture(200))
    assert on_screen(shown)[1] == (200, 200, 200)
    shown.close()
    assert not shown.is_open
    assert not pygame.display.get_init()


@pytest.mark.usefixtures("clock", "pygame")
def test_a_closed_window_can_open_again() -> None:
    shown = Window("Basilica")
    shown.close()
    for _ in range(2):
        shown.show(picture(10))
        assert shown.is_open
        shown.close()
    shown.close()


@pytest.mark.usefixtures("pygame")
def test_a_waiting_window_is_drawn_30_times_a_second(clock: Clock) -> None:
    shown = Window("Basilica")
    shown.show(picture(10))
    before = clock.now
    shown.wait(1)
    assert len(clock.slept) == 30
    assert clock.now - before == pytest.approx(1, abs=0.01)
    shown.close()


def test_a_person_closes_a_window(clock: Clock, pygame: Any) -> None:
    first, second = Window("first"), Window("second")
    first.show(picture(10))
    second.show(picture(20))
    pygame.event.clear()
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=first._window))
    second.wait(0)
    assert first.is_dismissed
    assert not first.is_open
    assert second.is_open
    first.show(picture(30))
    assert not first.is_open
    clock.slept.clear()
    first.wait(60)
    assert not clock.slept
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    second.wait(60)
    assert second.is_dismissed
    assert len(clock.slept) == 1
    assert not pygame.display.get_init()


@pytest.mark.usefixtures("pygame")
def test_a_window_that_cannot_open_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "none-such")
    with pytest.raises(RuntimeError, match="cannot open a window: none-such"):
        Window("Basilica").show(picture(10))


def test_a_window_without_pygame_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ImportError, match=r"a window needs pygame: pip install 'basilica-env\[render\]'"):
        Window("Basilica").show(picture(10))


@pytest.mark.usefixtures("pygame")
def test_a_move_stays_in_the_window_for_a_while(clock: Clock) -> None:
    renderer, state = Renderer("human"), GameState.new(seed=7)
    renderer.render(state, None, 2)
    assert not clock.slept
    for _ in range(6):
        renderer.render(state, None, 2)  # the same picture: refreshed, at 30 frames a second
    assert len(clock.slept) == 6
    assert clock.now - 100 == pytest.approx(6 / 30, abs=0.01)
    state.play(state.legal_moves()[0])
    renderer.render(state, None, 2)
    assert clock.now - 100 == pytest.approx(0.5, abs=0.05)
    renderer.close()


# --- The environments --------------------------------------------------------------------------------


def walk(env: Any, steps: int) -> Iterator[None]:
    env.reset(seed=3)
    yield
    for _ in range(steps):
        env.step(int(env.unwrapped.game.legal_actions()[0]))
        yield


def test_render_modes_are_declared() -> None:
    assert basilica_v0.env().metadata["render_modes"] == list(RENDER_MODES)
    assert gymnasium.make("Basilica-v0").metadata["render_modes"] == list(RENDER_MODES)
    assert {"svg", "rgb_array", "ansi"} == set(BasilicaVectorEnv.metadata["render_modes"])


def environments(mode: str) -> list[Any]:
    return [basilica_v0.env(render_mode=mode), gymnasium.make("Basilica-v0", render_mode=mode, seat=0)]


def test_text() -> None:
    for env in environments("ansi"):
        drawings = [env.render() for _ in walk(env, 2)]
        assert len(set(drawings)) == 3
        assert "V1" not in drawings[0]
        assert ">" in drawings[1]
        assert drawings[0] == draw(GameState.new(seed=3))


class FakeTerminal(io.StringIO):
    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def test_text_has_colour_and_unicode_where_they_can_be_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    state = GameState.new(seed=3)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "stdout", FakeTerminal())
    monkeypatch.setenv("TERM", "xterm-256color")
    drawn = Renderer("ansi").render(state)
    assert isinstance(drawn, str)
    assert "\x1b[" in drawn
    assert "│" in plain(drawn)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in str(Renderer("ansi").render(state))
    monkeypatch.setenv("TERM", "dumb")
    assert str(Renderer("ansi").render(state)).isascii()


def test_svg() -> None:
    for env in environments("svg"):
        drawings = [env.render() for _ in walk(env, 1)]
        assert drawings[0] == draw_svg(GameState.new(seed=3), last_move="")
        assert drawings[1] != draw_svg(env.unwrapped.game)  # the last move is marked


def test_rgb_array() -> None:
    for env in environments("rgb_array"):
        pictures = [env.render() for _ in walk(env, 1)]
        assert [(pixels.shape, pixels.dtype) for pixels in pictures] == [(SHAPE, np.uint8)] * 2
        assert not np.array_equal(*pictures)


def test_the_last_move_is_marked_until_a_scoring() -> None:
    env = basilica_v0.env(render_mode="svg")
    env.reset(seed=5)
    game, rng = env.unwrapped.game, np.random.default_rng(5)
    king, marked = 0, []
    while not game.is_over:
        env.step(game.greedy_action(rng))
        if game.king != king and game.king % 10 == 0:
            marked.append(env.unwrapped._last_move)
        elif game.king != king:
            assert re.fullmatch("V[123][a-e][0-9]+ [a-e][0-9]+", env.unwrapped._last_move)
        king = game.king
    assert marked
    assert set(marked) == {""}


def test_an_illegal_action_leaves_the_mark() -> None:
    env = basilica_v0.env(render_mode="svg")
    env.reset(seed=5)
    env.step(int(env.unwrapped.game.legal_actions()[0]))
    before = env.render()
    with pytest.raises(ValueError, match="illegal"):
        env.step(186)
    assert env.render() == before


@pytest.mark.parametrize("kind", [0, 1])
def test_human(kind: int, clock: Clock, pygame: Any) -> None:
    env = environments("human")[kind]
    steps = walk(env, 2)
    next(steps)
    shown = env.unwrapped._renderer._window
    assert shown.is_open
    assert shown._window.size == (768, 656)
    start = clock.now
    for _ in steps:
        assert env.render() is None
    assert clock.now - start >= 0.99  # two moves a second
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.render()
    assert not shown.is_open
    clock.slept.clear()
    env.step(int(env.unwrapped.game.legal_actions()[0]))
    assert not clock.slept
    assert not shown.is_open
    env.close()
    env.reset(seed=4)
    assert shown.is_open
    env.close()
    env.close()
    assert not pygame.display.get_init()


@pytest.mark.usefixtures("pygame")
def test_the_window_keeps_the_pace_it_is_told(clock: Clock) -> None:
    env, other = basilica_v0.env(render_mode="human"), basilica_v0.env()
    env.metadata["render_fps"] = 10
    assert other.metadata["render_fps"] == 2
    steps = walk(env, 1)
    next(steps)
    start = clock.now
    next(steps)
    assert clock.now - start == pytest.approx(0.1, abs=0.04)
    env.close()


@pytest.mark.usefixtures("clock", "pygame")
def test_a_copy_has_no_window() -> None:
    env = basilica_v0.env(render_mode="human")
    env.reset(seed=3)
    for other in (deepcopy(env), env.clone(), pickle.loads(pickle.dumps(env.unwrapped._renderer))):
        renderer = other if isinstance(other, Renderer) else other.unwrapped._renderer
        assert not renderer._window.is_open
    other = env.clone()
    other.render()
    other.close()
    assert env.unwrapped._renderer._window.is_open
    env.close()


def test_many_games_are_drawn() -> None:
    envs = BasilicaVectorEnv(2, render_mode="rgb_array")
    envs.reset(seed=1)
    pictures = envs.render()
    assert pictures is not None
    assert [pixels.shape for pixels in pictures] == [SHAPE, SHAPE]
    sb3 = BasilicaVecEnv(2, render_mode="rgb_array")
    sb3.reset()
    assert [pixels.shape for pixels in sb3.get_images() if pixels is not None] == [SHAPE, SHAPE]


def test_record_video(tmp_path: Path) -> None:
    from gymnasium.wrappers import RecordVideo
    from imageio_ffmpeg import count_frames_and_secs

    game = gymnasium.make("Basilica-v0", render_mode="rgb_array", seat=0)
    env = RecordVideo(game, str(tmp_path / "films"), episode_trigger=lambda episode: episode == 0)
    for _ in walk(env, 4):
        pass
    env.close()
    (video,) = tmp_path.glob("films/*.mp4")
    count, seconds = count_frames_and_secs(str(video))
    assert (count, seconds) == (5, 2.5)


# --- A recorded game ---------------------------------------------------------------------------------


def test_frames_go_through_a_record() -> None:
    record = recorded()
    said = []
    for number, frame in enumerate(frames(record)):
        assert frame.move == (record.moves[number - 1].move if number else "")
        said.append(frame.words)
    assert len(said) == len(record.moves) + 1
    assert said[0] == "Ada (0) against Bo (1)"
    assert said[-1].endswith(("wins " + ":".join(map(str, sorted(record.scores, reverse=True))), "tie"))


def test_frames_tell_scorings() -> None:
    record = recorded()
    scorings = [frame.scoring for frame in frames(record) if frame.scoring]
    assert scorings
    assert scorings[-1].scores == record.scores
    points = [sum(scoring.points[player] for scoring in scorings) for player in (0, 1)]
    assert tuple(points) == record.scores


@pytest.mark.parametrize("dark", [False, True])
def test_gif(dark: bool, tmp_path: Path) -> None:
    path = tmp_path / "game.gif"
    write_gif(path, recorded(5), dark=dark, width=240, fps=4)
    with Image.open(path) as film:
        assert (film.n_frames, film.size) == (6, (240, 205))  # type: ignore[attr-defined]
        durations = []
        for number in range(6):
            film.seek(number)
            durations.append(film.info["duration"])
            corner = film.convert("RGB").getpixel((1, 1))
            assert is_near(corner, (DARK if dark else LIGHT).paper)
    assert durations == [250] * 5 + [1500]
    assert list(tmp_path.iterdir()) == [path]


def test_mp4(tmp_path: Path) -> None:
    from imageio_ffmpeg import count_frames_and_secs, read_frames

    path = tmp_path / "game.mp4"
    write_mp4(path, recorded(3), width=241, fps=2)
    assert next(read_frames(str(path)))["size"] == (240, 206)
    assert count_frames_and_secs(str(path)) == (45, 4.5)  # three moves and an end of six moves' time
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("write", [write_gif, write_mp4])
def test_a_film_that_fails_leaves_the_file_as_it_was(write: Any, tmp_path: Path) -> None:
    path = tmp_path / "game"
    path.write_text("kept")
    record = recorded(2)
    broken = replace(record, moves=(*record.moves, replace(record.moves[0], move="pass")))
    with pytest.raises(ValueError, match="illegal"):
        write(path, broken, width=96)
    assert path.read_text() == "kept"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("write", [write_gif, write_mp4])
@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"fps": 0}, "fps 0: expected moves a second, more than 0 and at most 50"),
        ({"fps": float("nan")}, "fps nan"),
        ({"fps": 51}, "fps 51"),
        ({"width": 63}, "width 63: expected pixels from 64 to 4096"),
        ({"width": 5000}, "width 5000"),
    ],
)
def test_a_film_of_wrong_measure(write: Any, options: dict[str, Any], reason: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=reason):
        write(tmp_path / "game", recorded(1), **options)


def test_a_video_without_its_extra_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(
        ImportError, match=r"a video needs imageio_ffmpeg: pip install 'basilica-env\[video\]'"
    ):
        write_mp4(tmp_path / "game.mp4", recorded(1))


# --- The page ----------------------------------------------------------------------------------------

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=a()>{{game}}@ink@',
)


@cache
def page_of_a_game() -> str:
    return replay_page(recorded())


def data_of(page: str) -> dict[str, Any]:
    found = re.findall('<script type="application/json" id="game">(.*?)</script>', page, re.DOTALL)
    assert len(found) == 1
    data: dict[str, Any] = json.loads(found[0])
    return data


def test_the_page_shows_the_one_drawing() -> None:
    record = recorded()
    data = data_of(page_of_a_game())
    assert len(data["frames"]) == len(record.moves) + 1
    themes = cycle((("light", LIGHT), ("dark", DARK)))
    for frame, shown, (name, theme) in zip(frames(record), data["frames"], themes, strict=False):
        parts = "\n".join(data["parts"][part] for part in shown["parts"])
        painted = re.sub(r'="@(\w+)@"', partial(painted_as, data["themes"][name]), parts)
        expected = drawing_parts(frame.state, theme, last_move=frame.marks, areas=True, names=record.players)
        assert painted == "\n".join(expected)


def painted_as(colours: dict[str, str], match: re.Match[str]) -> str:
    return f'="{colours[match[1]]}"'


def test_the_page_holds_each_part_once() -> None:
    data = data_of(page_of_a_game())
    assert len(set(data["parts"])) == len(data["parts"])
    used = {number for frame in data["frames"] for number in frame["parts"]}
    assert used == set(range(len(data["parts"])))


def test_the_page_tells_moves_and_comments() -> None:
    record = recorded(4)
    data = data_of(replay_page(record))
    assert [frame["player"] for frame in data["frames"]][:2] == [None, 0]
    assert data["frames"][3]["comment"] == "well"
    assert data["frames"][1]["caption"].startswith("1. Ada (0) ")


def test_the_page_breaks_scorings_down() -> None:
    record = recorded()
    page = page_of_a_game()
    scored = [number for number, frame in enumerate(frames(record)) if frame.scoring]
    assert scored
    assert [int(number) for number in re.findall('class="scoring" data-frame="([0-9]+)"', page)] == scored
    assert [number for number, frame in enumerate(data_of(page)["frames"]) if frame["scoring"]] == scored
    for frame in frames(record):
        for area in frame.scoring.areas if frame.scoring else ():
            if any(area.builders):
                assert f"<small>{' '.join(area.squares)}" in page
                assert f"<td>{area.points[0]}:{area.points[1]}</td>" in page


def test_the_page_needs_no_network() -> None:
    page = replay_page(recorded(3)).replace("http://www.w3.org/2000/svg", "")
    assert not re.search(r"https?:|//[a-z]|\bsrc=|\bhref=|@import|url\(", page)


def test_the_policy_allows_the_pages_own_script_and_style_alone() -> None:
    page = replay_page(recorded(3))
    (policy,) = re.findall('http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    for tag in ("script", "style"):
        (source,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert rules[f"{tag}-src"] == f"'sha256-{digest}'"
    assert set(rules) == {"default-src", "script-src", "style-src"}


def test_what_a_record_says_is_only_text() -> None:
    harmless = replay_page(recorded(3))
    record = recorded(3, HOSTILE)
    record = replace(
        record,
        headers={"Event": HOSTILE[0]},
        moves=(replace(record.moves[0], comment=HOSTILE[0] + "\u2028"), *record.moves[1:]),
        termination=HOSTILE[1],
    )
    page = replay_page(record)
    tags = [re.findall("<[a-z/!][^<>]*>", text) for text in (harmless, page)]
    added = [tag for tag in tags[1] if tag not in tags[0]]
    assert [tag for tag in added if tag not in ("<dt>", "</dt>", "<dd>", "</dd>")] == []
    assert page.count("<script") == harmless.count("<script") == 2
    assert HOSTILE[1] in unescape(re.findall("<h1>(.*?)</h1>", page)[0])
    data = data_of(page)
    assert data["frames"][1]["comment"] == HOSTILE[0] + "\\u2028"
    assert "@ink@" in data["frames"][0]["caption"]
    for part in data["parts"]:
        assert not re.search("<(script|img)", part)


def test_the_page_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "game.html"
    path.write_text("old")
    record = recorded(3)
    write_page(path, record)
    assert path.read_text(encoding="utf-8") == replay_page(record)
    assert list(tmp_path.iterdir()) == [path]


# --- The command -------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "games.basilica"
    write_records(path, [recorded(2, seed=1), recorded(3, seed=2)])
    return path


def test_replay_writes_pictures(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, gif, mp4 = (tmp_path / f"out.{kind}" for kind in ("html", "gif", "mp4"))
    command = ["replay", str(file), "--game", "2", "--html", str(page), "--gif", str(gif), "--mp4", str(mp4)]
    assert main([*command, "--width", "96", "--fps", "10", "--dark"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"wrote {path}: 3 moves" for path in (page, gif, mp4)]
    assert page.read_text(encoding="utf-8") == replay_page(list(read_records(file))[1])
    with Image.open(gif) as film:
        assert (film.n_frames, film.size) == (4, (96, 82))  # type: ignore[attr-defined]
        assert is_near(film.convert("RGB").getpixel((1, 1)), DARK.paper)
    assert mp4.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--html", "out.html"], "games.basilica: several games in it, choose one with --game"),
        (["--html", "out.html", "--game", "3"], "games.basilica: no game 3, expected 1 to 2"),
        (["--game", "1", "--gif", "none/out.gif"], "cannot write none/out.gif: there is no folder none"),
    ],
)
def test_replay_refuses(
    arguments: list[str], reason: str, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(file.parent)
    assert main(["replay", file.name, *arguments]) == 1
    assert capsys.readouterr().err == f"basilica replay: {reason}\n"
    assert list(file.parent.iterdir()) == [file]


def test_replay_names_a_missing_extra(file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert main(["replay", str(file), "--game", "1", "--gif", str(file.parent / "out.gif")]) == 1
    assert capsys.readouterr().err == (
        "basilica replay: pictures need resvg_py: pip install 'basilica-env[render]'\n"
    )


@pytest.mark.parametrize("option", [["--fps", "0"], ["--fps", "x"], ["--width", "12"], ["--width", "-5"]])
def test_replay_names_a_wrong_measure(option: list[str], file: Path, capsys: Any) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["replay", str(file), "--game", "1", "--gif", "out.gif", *option])
    assert stop.value.code == 2
    assert "expected" in capsys.readouterr().err
