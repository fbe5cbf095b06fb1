"""Figures for notebooks: Plotly objects of a dataset's tables.

::

    figure     a figure by its name
    figures    the figures: one function each, and their registry
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from winf_analyzer._dataset.dataset import Dataset
from winf_analyzer._dataset.reading import reads_dataset
from winf_analyzer._util.errors import DatasetError, UsageError

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["figure"]


@reads_dataset
def figure(dataset: Dataset | str | os.PathLike[str], name: str = "available") -> Figure:
    """Draw a dataset, as a Plotly figure that a notebook displays and that can be changed and saved.

    Args:
        dataset: a dataset or its path.
        name: ``available`` (the recommended answers of each link over time, with their 90 % intervals), ``busy`` (busy
            share of the medium over time), ``airtime`` (airtime by station and kind of frame), or ``replay`` (goodput
            of every flow under each controller, with its interval).

    Raises:
        UsageError: there is no such figure.
        DatasetError: the dataset cannot be read, or the table that is drawn has nothing to draw.
    """
    from winf_analyzer import _schema
    from winf_analyzer._notebook.figures import FIGURES

    if name not in FIGURES:
        raise UsageError(f"no figure {name!r}; there are {', '.join(FIGURES)}.")
    dataset = dataset if isinstance(dataset, Dataset) else Dataset.open(dataset)
    draw, table = FIGURES[name]
    drawn = draw(dataset)
    if not drawn.data:
        filled_by = _schema.table(table).filled_by
        raise DatasetError(f"{dataset.path}: nothing to draw in the table {table!r}, which `{filled_by}` fills.")
    return drawn
