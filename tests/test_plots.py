"""ROC curves and learning curves: the plots show the measured values."""

from __future__ import annotations

from typing import Any, Iterator

import matplotlib
import matplotlib.pyplot
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from pystrat import plot_learning_curves, plot_roc_curves
from pystrat.plots import area_under, roc_curve

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    yield
    matplotlib.pyplot.close("all")


@given(
    st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.integers(1, 4)), min_size=2, max_size=40).filter(
        lambda rows: len({positive for _, positive, _ in rows}) == 2
    )
)
def test_the_curve_is_that_of_scikit_learn_with_ties_and_weights(rows: list[tuple[int, bool, int]]) -> None:
    scores, positive, weight = (np.array(column) for column in zip(*rows))
    false_rate, true_rate = roc_curve(scores, positive, weight.astype(float))
    expected = metrics.roc_curve(positive, scores, sample_weight=weight, drop_intermediate=False)
    np.testing.assert_allclose(false_rate, expected[0], atol=1e-12)
    np.testing.assert_allclose(true_rate, expected[1], atol=1e-12)
    area = metrics.roc_auc_score(positive, scores, sample_weight=weight)
    assert area_under(false_rate, true_rate) == pytest.approx(area)


def test_a_line_a_run_and_the_mean_area_in_the_legend() -> None:
    labels = [1, 1, 0, 0]
    axis = plot_roc_curves({"good": [4, 3, 2, 1], "two runs": [[4, 3, 2, 1], [1, 2, 3, 4]]}, labels)
    good, first, second, diagonal = axis.lines
    assert good.get_xydata().tolist() == [[0, 0], [0, 0.5], [0, 1], [0.5, 1], [1, 1]]
    assert second.get_xydata().tolist() == [[0, 0], [0.5, 0], [1, 0], [1, 0.5], [1, 1]]
    assert first.get_color() == second.get_color() != good.get_color()
    assert first.get_linestyle() == second.get_linestyle() != good.get_linestyle()
    assert [text.get_text() for text in axis.get_legend().get_texts()] == ["good (1.000)", "two runs (0.500)"]
    assert diagonal.get_linestyle() == ":"


def test_weights_change_the_curve_and_curves_are_drawn_on_a_given_axis() -> None:
    _, axes = matplotlib.pyplot.subplots(1, 2)
    column = np.array([[3], [2], [1]])
    assert plot_roc_curves({"model": column}, [[1], [0], [1]], weights=[3, 1, 1], axis=axes[0]) is axes[0]
    assert axes[0].lines[0].get_xydata().tolist() == [[0, 0], [0, 0.75], [1, 0.75], [1, 1]]
    assert plot_learning_curves({"model": [1, 2]}, axis=axes[1]) is axes[1]


@pytest.mark.parametrize(
    ("scores", "labels", "weights", "message"),
    [
        ({}, [0, 1], None, "'scores' .* must have one entry or more. Got nothing instead."),
        ({"a": [1, 2, 3]}, [0, 1], None, "must have 2 values a run. Got an array of shape 1x3 for 'a' instead."),
        ({"a": [1, np.nan]}, [0, 1], None, "'scores' .* must hold finite numbers. Got others for 'a' instead."),
        ({"a": [1, 2]}, [0, 2], None, "'labels' .* must hold 0 and 1 only. Got 2 instead."),
        ({"a": [1, 2]}, [1, 1], None, "'labels' .* must hold both 0 and 1. Got 2 of 1 instead."),
        ({"a": [1, 2]}, [0, 1], [1], "'weights' .* for each label. Got 1 value instead."),
        ({"a": [1, 2]}, [0, 1], [1, -1], "'weights' .* must have a finite number, not negative, for each label."),
    ],
)
def test_what_has_no_curve_is_refused(scores: Any, labels: Any, weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plot_roc_curves(scores, labels, weights=weights)


def test_learning_curves_show_the_mean_and_the_range_of_the_runs() -> None:
    axis = plot_learning_curves({"one": [0.5, 0.6, 0.7], "two": [[0.1, 0.2], [0.3, 0.6]]}, label="accuracy")
    one, two = axis.lines
    assert one.get_xydata().tolist() == [[1, 0.5], [2, 0.6], [3, 0.7]]
    np.testing.assert_allclose(two.get_xydata(), [[1, 0.2], [2, 0.4]])
    (band,) = axis.collections
    assert set(map(tuple, band.get_paths()[0].vertices)) >= {(1, 0.1), (1, 0.3), (2, 0.2), (2, 0.6)}
    assert axis.get_ylabel() == "accuracy"


@pytest.mark.parametrize("values", [{}, {"a": []}, {"a": [np.inf]}, {"a": np.zeros((1, 1, 1))}])
def test_learning_curves_of_nothing_are_refused(values: Any) -> None:
    with pytest.raises(ValueError, match="The 'values' parameter must"):
        plot_learning_curves(values)
