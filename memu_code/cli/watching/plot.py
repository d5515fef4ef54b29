"""Both arms as a picture, by matplotlib, which is installed with the extra `plot`."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from memu_code.errors import MemuCodeError, UsageError

if TYPE_CHECKING:
    from memu_code.learn.lift import Lift

_FORMATS = (".png", ".svg", ".pdf")
_ARMS = ("with memory", "held out")
_COLOURS = ("#2a6f97", "#9a9a9a")
_SIZE = (2.4, 3.2)  # inches of one measure


def check(file: Path) -> None:
    """Refuse what could not be drawn, before anything is read.

    Raises:
        UsageError: the file's ending is none of .png, .svg and .pdf.
        MemuCodeError: matplotlib is not installed, or there is no such folder.
    """
    if file.suffix.lower() not in _FORMATS:
        raise UsageError(f"The picture {str(file)!r} must end in {', '.join(_FORMATS)}.")
    if find_spec("matplotlib") is None:
        raise MemuCodeError("A picture needs matplotlib, the extra `plot`: run `pip install matplotlib`.")
    if not file.parent.is_dir():
        raise MemuCodeError(f"The picture cannot be written: there is no folder {str(file.parent)!r}.")


def draw(lift: Lift, file: Path) -> None:
    """Write a picture of the main comparison: each measure in both arms, with its 95 % interval.

    Raises:
        MemuCodeError: the file cannot be written.
    """
    from matplotlib.figure import Figure  # without pyplot, which would look for a screen

    found = lift.fitting
    figure = Figure(figsize=(_SIZE[0] * len(found.measures), _SIZE[1]), layout="constrained")
    for place, measure in enumerate(found.measures, 1):
        axes = figure.add_subplot(1, len(found.measures), place)
        times = 100.0 if measure.name == "solved" else 1.0
        for x, (interval, colour) in enumerate(zip((measure.memory, measure.holdout), _COLOURS, strict=True)):
            value = times * interval.value
            ends = ([value - times * interval.low], [times * interval.high - value])
            axes.bar([x], [value], color=colour, width=0.6)
            axes.errorbar([x], [value], yerr=ends, color="black", capsize=4)
        axes.set_xticks(range(len(_ARMS)), [f"{arm}\n{runs} runs" for arm, runs in _runs(lift)])
        axes.set_title("solved, %" if measure.name == "solved" else measure.name)
        axes.set_ylim(bottom=0, top=105 if measure.name == "solved" else None)
        axes.spines[["top", "right"]].set_visible(False)
    picture = io.BytesIO()
    figure.savefig(picture, format=file.suffix.lower().lstrip("."), dpi=150)
    try:
        file.write_bytes(picture.getvalue())
    except OSError as error:
        raise MemuCodeError(f"The picture cannot be written to {str(file)!r} ({error.strerror}).") from error


def _runs(lift: Lift) -> tuple[tuple[str, int], ...]:
    return tuple(zip(_ARMS, (lift.fitting.memory, lift.fitting.holdout), strict=True))
