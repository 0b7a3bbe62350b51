"""What is drawn, read back from Matplotlib's axes."""

import numpy as np


def legend_of_plot(axes):
    """What a legend calls each line, with the line's look."""
    legend = axes.get_legend()
    names = [text.get_text() for text in legend.get_texts()]
    return dict(zip(names, legend.legend_handles, strict=True))


def line_of(axes, name):
    """The points of the line that a legend calls so, found by its look."""
    handle = legend_of_plot(axes)[name]
    handle = handle.lines[0] if hasattr(handle, "lines") else handle
    # A handle has the colour and dashes of its line; nothing else on the plot has both.
    look = handle.get_color(), handle.get_linestyle()
    found = [
        line
        for line in axes.get_lines()
        if (line.get_color(), line.get_linestyle()) == look and len(line.get_xdata()) > 0
    ]
    assert len(found) == 1, [len(found), name]
    return tuple(np.asarray(data, float).tolist() for data in found[0].get_data())


def corners_of(band):
    """The corners of what `fill_between` has drawn."""
    return {
        tuple(point) for path in band.get_paths() for point in np.asarray(path.vertices).tolist()
    }
