"""What vignettes print and say is so; that their text is what their code prints, tools/vignettes.R checks."""

from __future__ import annotations

import importlib
import json
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

VIGNETTES = Path(__file__).parents[1] / "vignettes"
PUBLISHED: dict[str, Any] = json.loads((files("pystrat") / "data" / "published.json").read_text(encoding="utf-8"))


def output(name: str) -> list[str]:
    """The lines that the code of a vignette printed, without the empty ones."""
    lines = (VIGNETTES / f"{name}.md").read_text(encoding="utf-8").splitlines()
    return [line[7:].rstrip() for line in lines if line.startswith("    #> ") and line[7:].strip()]


def numbers_after(lines: list[str], header: str) -> list[list[int]]:
    """The rows of whole numbers, row names included, of the first table with that header."""
    start = next(place for place, line in enumerate(lines) if re.fullmatch(header, line.strip()))
    rows = []
    for line in lines[start + 1 :]:
        if not re.fullmatch(r"[\d\s.]+", line):
            break
        rows.append([int(number) for number in re.findall(r"\d+", line)])
    return [row for row in rows if row]


def test_the_plain_batches_are_the_published_ones() -> None:
    lines, plain = output("stratified-batches"), PUBLISHED["plain_shuffle_after_torch_manual_seed_1"]
    table = numbers_after(lines, r"num_0\s+num_1")
    assert [row[2] for row in table[:5]] == plain["positives_in_first_batches"]
    assert [row[2] for row in table[-5:]] == plain["positives_in_last_batches"]
    assert f"{plain['n_batches']} rows x 2 columns" in " ".join(lines)
    assert str(plain["batches_without_positives"]) in lines
    quantiles = next(place for place, line in enumerate(lines) if line.split() == ["0%", "25%", "50%", "75%", "100%"])
    assert [int(word) for word in lines[quantiles + 1].split()] == plain["positives_quantiles_0_25_50_75_100"]


def test_the_stratified_rows_and_batches_are_the_published_ones() -> None:
    lines, stratified = output("stratified-batches"), PUBLISHED["stratified"]
    starts = [place for place, line in enumerate(lines) if line.split() == ["autism", "row", "rank"]]
    first, last = (
        [[int(word) for word in line.split()] for line in lines[start + 1 : start + 6]] for start in starts[:2]
    )
    assert [row[-2] for row in first] == stratified["first_rows_of_stratum_0_one_based"]
    assert [row[-2] for row in last] == stratified["last_rows_of_stratum_1_one_based"]
    counts = [int(stratified["counts_in_every_batch"][label]) for label in "01"]
    assert {tuple(row[1:]) for row in numbers_after(lines, r"batch\s+0\s+1")} == {tuple(counts)}


def test_the_results_of_rare_events_say_what_its_text_says() -> None:
    """Weighted fresh draws are as calibrated as plain batches, within the spread of the seeds; the others are not."""
    runs = pd.read_csv(VIGNETTES / "rare_events_results" / "runs.csv")
    about = json.loads((VIGNETTES / "rare_events_results" / "about.json").read_text(encoding="utf-8"))
    for data in ("survey", "simulated"):
        ways = runs[runs["data"] == data].groupby("way")[["mean_prediction", "calibration_error", "auc"]]
        mean, spread = ways.mean(), ways.std()
        for way in ("stratified", "downsampled, weighted", "downsampled, walk, weighted"):
            for measure in ("mean_prediction", "calibration_error"):
                distance = abs(mean.loc[way, measure] - mean.loc["plain", measure])
                assert distance < spread.loc[[way, "plain"], measure].max(), (data, way, measure)
        for way in ("downsampled, unweighted", "RandomUnderSampler"):
            assert mean.loc[way, "mean_prediction"] > 6 * about[data]["test_mean"]
            assert mean.loc[f"{way}, corrected", "calibration_error"] < mean.loc[way, "calibration_error"] / 10
            assert mean.loc[f"{way}, corrected", "auc"] == pytest.approx(mean.loc[way, "auc"], abs=1e-6)
    areas = runs.groupby(["data", "way"])["auc"].mean()
    lead = {data: areas[data, "downsampled, unweighted"] - areas[data, "plain"] for data in runs["data"].unique()}
    assert lead["survey"] < 0 < lead["simulated, longer"] < lead["simulated"] / 3
    survey = runs[runs["data"] == "survey"].groupby("way")["mean_prediction"].mean()
    assert survey["one subset, weighted"] > 1.4 * survey["plain"]


def test_the_script_of_rare_events_trains_in_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(VIGNETTES))
    script = importlib.import_module("rare_events_training")
    rows, test = script.simulated_rows(n_rows=3000, n_test_rows=2000)
    runs, bins = script.run("few", rows, test, seeds=(1,), steps=60)
    assert list(runs["way"]) == list(pd.read_csv(VIGNETTES / "rare_events_results" / "runs.csv").head(len(runs))["way"])
    assert runs["auc"].between(0, 1).all() and (bins.groupby("way")["rows"].sum() == 2000).all()


def test_what_the_recommender_says_of_rejection_is_in_its_results() -> None:
    runs = pd.read_csv(VIGNETTES / "recommender_results" / "runs.csv")
    last = runs[runs["epoch"] == runs.groupby("table")["epoch"].transform("max")]
    rates = last.pivot_table(index=["table", "seed"], columns="sampler", values="hit_rate")
    differences = rates["uniform, no rejection"] - rates["uniform"]
    text = " ".join((VIGNETTES / "recommender.md").read_text(encoding="utf-8").split())
    assert "without it the hit rate is lower by 0.036, in each of eight simulations" in text
    assert round(float(differences["dense"].mean()), 3) == -0.036 and (differences["dense"] < 0).sum() == 8
    assert abs(differences["sparse"].mean()) < differences["sparse"].sem()
    shares = last.groupby(["table", "sampler"])["false_negatives"].mean()
    assert (shares.xs("uniform, no rejection", level="sampler").round(2) == [0.3, 0.02]).all()
    assert (shares.drop("uniform, no rejection", level="sampler") == 0).all()


def test_the_script_of_the_recommender_trains_in_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(VIGNETTES))
    script: Any = importlib.import_module("recommender_training")
    monkeypatch.setattr(script, "EPOCHS", {"sparse": 2, "dense": 1})
    for setting in script.settings():
        history = script.train(setting, 0.01, seed=1)
        assert all(0 <= epoch["hit_rate"] <= 1 for epoch in history)
        assert (script.false_negatives(setting, seed=1) > 0) == ("no rejection" in setting.sampler)
