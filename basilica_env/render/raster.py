"""The drawing as pixels, without a display or fonts of the machine: the same on every machine."""

from __future__ import annotations

from importlib import resources
from io import BytesIO
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PICTURE_WIDTH = 768
"""Pixels; the drawing then has whole numbers of the 16-pixel blocks of video formats, 768 x 656."""

_FONTS = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")


def rasterise(svg: str) -> NDArray[np.uint8]:
    """Turn a drawing into pixels.

    Parameters
    ----------
    svg : str
        From :func:`basilica_env.render.draw_svg`; its size is that of the picture.

    Returns
    -------
    ndarray
        RGB, uint8, shape (height, width, 3).

    Raises
    ------
    ImportError
        The extra ``render`` is not installed.
    """
    data = png(svg)
    import numpy as np
    from PIL import Image

    with Image.open(BytesIO(data)) as image:
        return np.array(image.convert("RGB"))


def png(svg: str) -> bytes:
    """Turn a drawing into a PNG file's bytes; see :func:`rasterise`."""
    try:
        import PIL  # noqa: F401  (said here, once for all pictures)
        import resvg_py
    except ImportError as error:
        lacking(error, "render", "pictures need")
    folder = resources.files("basilica_env") / "data"
    fonts = [str(folder / name) for name in _FONTS]
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True, font_files=fonts))


def lacking(error: ImportError, extra: str, what: str) -> NoReturn:
    """Say which extra would have brought a library.

    Raises
    ------
    ImportError
        Always.
    """
    raise ImportError(f"{what} {error.name}: pip install 'basilica-env[{extra}]'", name=error.name) from None
