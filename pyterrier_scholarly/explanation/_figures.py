"""What the page's heat maps and bars show, and in which colours and places."""

import numpy as np

# ends of the heat map's scale; page.css draws it
LIGHT, DARK = np.array([237, 244, 251]), np.array([8, 64, 129])
BRIGHT = 0.68  # where white is as legible as black is


def bars(parts):
    """Name and value of each part, and where its bar stands in percent of the width."""
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


def heat_maps(parts):
    """The heat maps, one for all parts of equal similarities."""
    maps = []
    for part in parts:
        if part.matches is None:
            continue
        for known in maps:
            if known["matrix"].equals(part.matrix):
                known["names"].append(part.name)
                break
        else:
            maps.append(_map(part))
    return maps


def _map(part):
    values = part.matches.similarities
    low, high = values.min(), values.max()
    place = (values - low) / ((high - low) or 1)
    rows = []
    for i, asked in enumerate(part.asked):
        best = values[i].argmax()
        cells = [_cell(values[i, j], place[i, j], j == best) for j in range(len(part.offered))]
        rows.append({"number": asked + 1, "cells": cells})
    columns = [offered + 1 for offered in part.offered]
    shown = {"rows": rows, "columns": columns, "low": low, "high": high}
    return {"names": [part.name], "matrix": part.matrix, "unit": part.matches.unit, **shown}


def _cell(value, place, best):
    red, green, blue = (LIGHT + (DARK - LIGHT) * place).astype(int)
    ink = "#fff" if place > BRIGHT else "#000"
    return {"value": value, "fill": f"rgb({red} {green} {blue})", "ink": ink, "best": best}
