"""Colours and positions of the page's heat maps and bars."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .parts import Part

# ends of the heat map's scale; page.css draws it
LIGHT, DARK = np.array([237, 244, 251]), np.array([8, 64, 129])
BRIGHT = 0.68  # position on the scale where white is as legible as black


def bars(parts: "Sequence[Part]") -> list[dict[str, object]]:
    """Return each part's name and value, and its bar's left end and width in percent."""
    values = [part.value for part in parts]
    low, high = min(0, *values), max(0, *values)
    width = (high - low) or 1
    return [
        {
            "name": part.name,
            "value": part.value,
            "left": 100 * (min(part.value, 0) - low) / width,
            "width": 100 * abs(part.value) / width,
        }
        for part in parts
    ]


def heat_maps(parts: "Sequence[Part]") -> list[dict[str, Any]]:
    """Return one heat map for all parts with equal similarities."""
    maps: list[dict[str, Any]] = []
    for part in parts:
        if part.matches is None:
            continue
        for known in maps:
            if known["matrix"].equals(part.matrix):
                known["names"].append(part.name)
                break
        else:
            maps.append(_map(part, part.matches.similarities, part.matches.unit))
    return maps


def _map(part: "Part", values: np.ndarray, unit: str) -> dict[str, Any]:
    low, high = values.min(), values.max()
    positions = (values - low) / ((high - low) or 1)
    rows = [
        {
            "number": asked,
            "cells": [_cell(*cell, n == own.argmax()) for n, cell in enumerate(zip(own, at))],
        }
        for asked, own, at in zip(part.asked, values, positions)
    ]
    shown = {"rows": rows, "columns": part.offered, "low": low, "high": high}
    return {"names": [part.name], "matrix": part.matrix, "unit": unit, **shown}


def _cell(value: float, position: float, best: bool) -> dict[str, object]:
    red, green, blue = (LIGHT + (DARK - LIGHT) * position).astype(int)
    ink = "#fff" if position > BRIGHT else "#000"
    return {"value": value, "fill": f"rgb({red} {green} {blue})", "ink": ink, "best": best}
