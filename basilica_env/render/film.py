"""A recorded game as a moving picture: GIF, or MP4 where the extra ``video`` is installed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from basilica_env.files import replacing
from basilica_env.render.frames import Frame, caption, frames
from basilica_env.render.raster import PICTURE_WIDTH, lacking, rasterise
from basilica_env.render.style import Players
from basilica_env.render.svg import HEIGHT, WIDTH, draw_svg
from basilica_env.render.theme import DARK, LIGHT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from basilica_env.records import GameRecord

MOVES_PER_SECOND = 2
SCORING_MOVES, LAST_MOVES = 3, 6
"""How many moves' time a scoring and the end are shown."""
VIDEO_RATE = 10
"""Pictures a second in a video; players of videos do badly with two."""
GIF_COLOURS = 255
SAMPLES = 12
"""Pictures that the colours of a GIF are taken from."""
SWATCH = 16

Shot = tuple["NDArray[np.uint8]", int]
"""A picture and how many moves' time it is shown."""


def write_gif(
    path: str | os.PathLike[str],
    record: GameRecord,
    *,
    fps: float = MOVES_PER_SECOND,
    dark: bool = False,
    width: int = PICTURE_WIDTH,
) -> None:
    """Write a recorded game as a GIF that starts over at its end. A file of this name is replaced.

    Parameters
    ----------
    path : path
    record : GameRecord
    fps : float
        Moves a second, at most 50.
    dark : bool
        Light signs on dark paper.
    width : int
        Pixels.

    Raises
    ------
    ValueError
        If ``fps`` or ``width`` is out of range.
    ImportError
        The extra ``render`` is not installed.
    OSError
        If the file cannot be written.
    """
    _check(fps, width)
    step = len(record.moves) // SAMPLES + 1
    samples = [_swatches(dark, width), *(pixels for pixels, _ in _shots(record, dark, width, step))]
    from PIL import Image

    palette = Image.fromarray(np.concatenate(samples)).quantize(GIF_COLOURS, dither=Image.Dither.NONE)
    durations: list[int] = []

    def pictures() -> Iterator[Image.Image]:
        for pixels, moves in _shots(record, dark, width):
            durations.append(max(20, round(1000 * moves / fps)))
            yield Image.fromarray(pixels).quantize(palette=palette, dither=Image.Dither.NONE)

    with replacing(path) as draft:
        first, *rest = pictures()
        first.save(draft, "GIF", save_all=True, append_images=rest, duration=durations, loop=0, disposal=1)


def write_mp4(
    path: str | os.PathLike[str],
    record: GameRecord,
    *,
    fps: float = MOVES_PER_SECOND,
    dark: bool = False,
    width: int = PICTURE_WIDTH,
) -> None:
    """Write a recorded game as an MP4 video (H.264); see :func:`write_gif`.

    Raises
    ------
    ImportError
        The extra ``video`` is not installed.
    """
    _check(fps, width)
    try:
        from imageio_ffmpeg import write_frames
    except ImportError as error:
        lacking(error, "video", "a video needs")
    rate = max(VIDEO_RATE, fps)
    size = (width // 2 * 2, round(width * HEIGHT / WIDTH) // 2 * 2)  # the format asks for even numbers
    video = {"fps": rate, "macro_block_size": 2, "quality": 7, "output_params": ["-f", "mp4"]}
    with replacing(path) as draft, closing(write_frames(draft, size, **video)) as film:
        film.send(None)
        for pixels, moves in _shots(record, dark, width):
            data = pixels[: size[1], : size[0]].tobytes()
            for _ in range(round(moves * rate / fps)):
                film.send(data)


def is_rate(fps: float) -> bool:
    """Return whether a film can show so many moves a second."""
    return 0 < fps <= 50


def is_width(width: int) -> bool:
    """Return whether a film can be so many pixels wide."""
    return 64 <= width <= 4096


def _check(fps: float, width: int) -> None:
    if not is_rate(fps):
        raise ValueError(f"fps {fps!r}: expected moves a second, more than 0 and at most 50")
    if not is_width(width):
        raise ValueError(f"width {width!r}: expected pixels from 64 to 4096")


def _shots(record: GameRecord, dark: bool, width: int, step: int = 1) -> Iterator[Shot]:
    """Draw every `step`-th position."""
    names = Players.called(record.players).names
    last = len(record.moves)
    for number, frame in islice(enumerate(frames(record)), 0, None, step):
        svg = draw_svg(
            frame.state,
            dark=dark,
            last_move=frame.marks,
            names=record.players,
            caption=caption(frame, number, names),
            size=width,
        )
        yield rasterise(svg), _moves_shown(frame, number == last)


def _moves_shown(frame: Frame, is_last: bool) -> int:
    if is_last:
        return LAST_MOVES
    return 1 if frame.scoring is None else SCORING_MOVES


def _swatches(dark: bool, width: int) -> NDArray[np.uint8]:
    """Paint a strip of each colour of the theme, so that a GIF has also those that are rare."""
    colours = [list(bytes.fromhex(colour[1:])) for colour in (DARK if dark else LIGHT)]
    return np.broadcast_to(
        np.array(colours, np.uint8).repeat(SWATCH, 0)[:, None], (SWATCH * len(colours), width, 3)
    )
