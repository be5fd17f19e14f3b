"""What vignettes print and say is so; that their text is what their code prints, tools/vignettes.R checks."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path
from typing import Any, Iterator

import numpy as np
import pandas as pd
import pytest
import torch
from numpy.typing import NDArray
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

VIGNETTES = Path(__file__).parents[1] / "vignettes"
DATA = Path(__file__).parents[1] / "data"
PUBLISHED: dict[str, Any] = json.loads((DATA / "published.json").read_text(encoding="utf-8"))


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
        [[int(word) for word in line.split()] for line in lines[start + 1 : start + 6]] for start in starts[-2:]
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
        for way in ("stratified", "downsampled, weighted", "downsampled, in turn, weighted"):
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


@pytest.fixture(name="autism_training")
def _autism_training(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The script, on one thread: its networks are too small to be shared between several."""
    monkeypatch.syspath_prepend(str(VIGNETTES))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield importlib.import_module("autism_training")
    torch.set_num_threads(threads)


def scored_rows(n_rows: int, n_positive: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Scores of two sets of three networks that agree in part, with ties; which rows are positive; and weights."""
    random = np.random.default_rng(1)
    positive = np.arange(n_rows) < n_positive
    shared = positive + random.normal(size=n_rows)
    one, other = ((shared + random.normal(size=(3, n_rows))).round(1) for _ in range(2))
    return one, other, positive, random.lognormal(size=n_rows)


def test_the_weighted_mean_of_the_placements_is_the_area(autism_training: Any) -> None:
    scores, _, positive, weights = scored_rows(300, 40)
    for given in (np.ones(300), weights):
        placed = autism_training.placements(scores[0], positive, given)
        expected = roc_auc_score(positive, scores[0], sample_weight=given)
        for rows in (positive, ~positive):
            assert np.average(placed[rows], weights=given[rows]) == pytest.approx(expected)


def test_with_equal_weights_the_error_is_that_of_delong_and_others(autism_training: Any) -> None:
    """As published: the covariance matrices of the components of both areas, one component a row."""
    one, other, positive, _ = scored_rows(300, 40)
    variance = 0.0
    wins = [(row[positive, None] > row[~positive]) + 0.5 * (row[positive, None] == row[~positive]) for row in one]
    losses = [(row[positive, None] > row[~positive]) + 0.5 * (row[positive, None] == row[~positive]) for row in other]
    for axis in (0, 1):
        covariances = np.cov(np.mean(wins, axis=0).mean(axis=axis), np.mean(losses, axis=0).mean(axis=axis))
        variance += (np.array([1, -1]) @ covariances @ [1, -1]) / (260 if axis == 0 else 40)
    for scale in (1.0, 3.0):
        error = autism_training.difference_error(one, other, positive, np.full(300, scale))
        assert error == pytest.approx(np.sqrt(variance))


def test_with_weights_the_error_is_about_that_of_a_paired_bootstrap(autism_training: Any) -> None:
    one, other, positive, weights = scored_rows(2000, 200)
    random = np.random.default_rng(2)
    differences = []
    for _ in range(400):
        drawn = random.integers(0, 2000, 2000)
        areas = [
            [roc_auc_score(positive[drawn], row[drawn], sample_weight=weights[drawn]) for row in scores]
            for scores in (one, other)
        ]
        differences.append(np.mean(areas[0]) - np.mean(areas[1]))
    weighted = autism_training.difference_error(one, other, positive, weights)
    assert weighted == pytest.approx(np.std(differences), rel=0.12)
    assert weighted > 1.2 * autism_training.difference_error(one, other, positive, np.ones(2000))


def test_the_script_of_autism_nsch_writes_every_result(
    autism_training: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    survey = autism_training.read_survey().iloc[::8].reset_index(drop=True)
    monkeypatch.setattr(autism_training, "read_survey", lambda: survey)
    smaller = {"EPOCHS": 1, "NOISE_EPOCHS": 2, "SEEDS": (1, 2), "TUNING_SEEDS": (101,), "LEARNING_RATES": (0.001, 0.01)}
    for name, value in smaller.items():
        monkeypatch.setattr(autism_training, name, value)
    autism_training.main(["--out", str(tmp_path)])
    results = VIGNETTES / "autism_results"
    in_r = {"runs_in_r.csv", "about_in_r.json"}
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in results.iterdir()} - in_r
    for path in tmp_path.glob("*.csv*"):
        fresh, kept = pd.read_csv(path), pd.read_csv(results / path.name)
        assert list(fresh.columns) == list(kept.columns), path.name
        assert fresh.notna().all(axis=None), path.name
    errors = pd.read_csv(tmp_path / "test_errors.csv")
    assert len(errors) == 10 and (errors[["standard_error", "standard_error_weighted"]] > 0).all(axis=None)
    wasted = pd.read_csv(tmp_path / "runs.csv").groupby("batches")["without"].sum()
    assert wasted["stratified"] == 0 < wasted["plain"]


def test_networks_trained_in_r_are_those_of_python_on_stratified_batches() -> None:
    results = VIGNETTES / "autism_results"
    in_r, runs = pd.read_csv(results / "runs_in_r.csv"), pd.read_csv(results / "runs.csv")
    about = json.loads((results / "about_in_r.json").read_text(encoding="utf-8"))
    assert sorted(in_r["seed"].unique()) == about["seeds"] and {"R", "LibTorch", "torch", "mlr3torch"} <= set(
        about["versions"]
    )
    keys = ["loss", "minimum", "batches", "learning_rate", "seed", "epoch"]
    both = in_r.merge(runs, on=keys, suffixes=("_r", "_python"))
    assert len(both) == len(in_r) == 12 * 10 * len(about["seeds"])
    is_stratified = both["batches"] == "stratified"
    for measure in ("auc", "auc_weighted", "aum"):
        difference = (both[f"{measure}_r"] - both[f"{measure}_python"]).abs()
        assert difference[is_stratified].max() == 0 and 0.001 < difference[~is_stratified].max() < 0.1
    assert (in_r.loc[in_r["batches"] == "stratified", "without"] == 0).all()
    assert (both["batches_an_epoch_r"] == both["batches_an_epoch_python"]).all()


def test_the_batches_that_reached_networks_in_r_are_those_of_python() -> None:
    in_r = pd.read_csv(VIGNETTES / "autism_results" / "runs_in_r.csv")
    stratified = in_r[in_r["batches"] == "stratified"]
    epochs = stratified.groupby(["minimum", "seed", "epoch"])["batches_md5"].nunique()
    assert (epochs == 1).all()
    lines = output("autism-nsch")
    shown = [count for name, count in zip(lines, lines[1:]) if name.split() == ["TRUE"]]
    assert [int(count) for count in shown] == [len(epochs)]


def test_the_batches_of_the_data_loader_of_r_are_the_published_ones() -> None:
    shuffled = pd.read_csv(VIGNETTES / "stratified_results" / "shuffled_in_r.csv")["positives"]
    plain = PUBLISHED["plain_shuffle_after_torch_manual_seed_1"]
    assert shuffled.head(5).tolist() == plain["positives_in_first_batches"]
    assert shuffled.tail(5).tolist() == plain["positives_in_last_batches"]
    assert (np.flatnonzero(shuffled == 0) + 1).tolist() == plain["batches_without_positives"]


def test_what_stratified_batches_says_of_training_in_r_is_in_its_results() -> None:
    results = VIGNETTES / "stratified_results"
    runs = pd.read_csv(results / "runs_in_r.csv")
    about = json.loads((results / "about_in_r.json").read_text(encoding="utf-8"))
    assert len(runs) == 2 * 2 * 2 * np.size(about["seeds"]) * about["epochs"]
    without = runs.groupby(["batches", "minimum"])[["without", "batches_an_epoch"]].sum()
    share = without["without"] / without["batches_an_epoch"]
    assert (share["stratified"] == 0).all() and share["plain", 1] > 1 / 3 and 0.04 < share["plain", 3] < 0.06
    survey = pd.read_csv(VIGNETTES / "autism_results" / "runs_in_r.csv")
    ends, survey_ends = (
        table[table["epoch"] == table["epoch"].max()].pivot_table(
            index=["loss", "minimum", "seed"], columns="batches", values="auc"
        )
        for table in (runs, survey)
    )
    means, survey_means = (
        (table["stratified"] - table["plain"]).groupby(["loss", "minimum"]).mean() for table in (ends, survey_ends)
    )
    assert sorted(means["cross-entropy"].round(3)) == [-0.001, 0.001] and (means["AUM"] > 0.05).all()
    assert survey_means.abs().max().round(3) == 0.003
    assert (ends.loc["AUM"].loc[3] < 0.5).any().all() and survey_ends.to_numpy().min() > 0.7
    for table in (ends, survey_ends):
        by_loss = table.groupby(["loss", "minimum"]).mean()
        assert (by_loss.loc["cross-entropy"] > by_loss.loc["AUM"]).all(axis=None)


def compared_areas(runs: pd.DataFrame) -> pd.DataFrame:
    """Stratified minus plain: mean, standard errors and ratio for each pair and area, with its rates in the index."""
    errors = pd.read_csv(VIGNETTES / "autism_results" / "test_errors.csv")
    wide = runs.pivot_table(index=["loss", "minimum", "seed"], columns="batches")
    rates = wide["learning_rate"].groupby(["loss", "minimum"]).first()
    rows = []
    for (loss, minimum), pair in wide.groupby(["loss", "minimum"]):
        plain, stratified = rates.loc[(loss, minimum)]
        is_pair = (errors["loss"] == loss) & (errors["minimum"] == minimum)
        (error,) = errors[
            is_pair & (errors["rate_plain"] == plain) & (errors["rate_stratified"] == stratified)
        ].itertuples()
        for area, from_rows in (("auc", error.standard_error), ("auc_weighted", error.standard_error_weighted)):
            difference = pair[area]["stratified"] - pair[area]["plain"]
            ratio = difference.mean() / np.hypot(difference.sem(), from_rows)
            better = (difference > 0).sum()
            rows.append((loss, minimum, area, plain, stratified, difference.mean(), ratio, better))
    columns = ["loss", "minimum", "area", "plain", "stratified", "difference", "ratio", "better"]
    return pd.DataFrame(rows, columns=columns).set_index(["loss", "minimum", "area"])


def test_what_autism_nsch_says_of_the_chosen_rates_is_in_its_results() -> None:
    runs = pd.read_csv(VIGNETTES / "autism_results" / "runs.csv")
    compared = compared_areas(runs[runs["epoch"] == runs["epoch"].max()])
    sample, population = (compared.xs(area, level="area") for area in ("auc", "auc_weighted"))
    largest = [table["difference"].abs().max().round(3) for table in (sample, population)]
    assert largest == [0.006, 0.012]
    large = compared[compared["ratio"].abs() > 2]
    assert list(large.index) == [("AUM", 1, "auc")] and large["better"].item() == 10
    assert (round(large["difference"].item(), 3), round(large["ratio"].item(), 1)) == (0.006, 2.5)
    chance = 1 - (1 - 2 * norm.sf(large["ratio"].item())) ** 6
    assert round(1 / chance) == 13
    assert sample.loc["AUM", "difference"].loc[[3, 10]].round(3).tolist() == [-0.003, -0.002]
    signs = sample.loc["cross-entropy", "difference"]
    assert signs.min() < 0 < signs.max()
    assert population["ratio"].abs().max() < 1.5
    assert population.loc[("AUM", 1), "difference"].round(3) == 0.001
    assert 0.3 < population.loc[("AUM", 1), "ratio"] < 0.36
    three, ten = (population.loc[("cross-entropy", minimum), "difference"] for minimum in (3, 10))
    assert (round(three, 3), round(ten, 3)) == (0.012, -0.011)
    unequal = compared[compared["plain"] != compared["stratified"]]
    assert {pair[:2] for pair in unequal.index} == {("cross-entropy", 3)}
    assert unequal[["plain", "stratified"]].drop_duplicates().to_numpy().tolist() == [[0.003, 0.001]]


def test_what_autism_nsch_says_of_other_rates_is_in_its_results() -> None:
    other = pd.read_csv(VIGNETTES / "autism_results" / "other_rates.csv")
    compared = pd.concat(compared_areas(part) for _, part in other.groupby("learning_rate")).set_index(
        "plain", append=True
    )
    aum = compared.loc["AUM"].loc[1]
    assert aum["difference"].round(3).tolist() == [-0.004, -0.005] and aum["ratio"].between(-1.2, -0.7).all()
    entropy = compared.loc["cross-entropy"]["difference"].round(3)
    assert entropy.abs().groupby(["minimum", "plain"]).max().to_dict() == {
        (3, 0.001): 0,
        (3, 0.003): 0.005,
        (10, 0.003): 0,
    }
    assert entropy[3, "auc", 0.003] == 0 and 0 < compared["ratio"]["cross-entropy", 3, "auc_weighted", 0.003] < 1
    plain = other[(other["batches"] == "plain") & (other["minimum"] == 3) & (other["learning_rate"] == 0.001)]
    assert round(plain["auc_weighted"].mean(), 3) == 0.8


def test_what_autism_nsch_says_of_its_rates_weights_and_noise_is_in_its_results() -> None:
    results = VIGNETTES / "autism_results"
    tuning = pd.read_csv(results / "tuning.csv").groupby(["loss", "minimum", "batches", "learning_rate"])["auc"].mean()
    lead = tuning["AUM", 1, "stratified"] - tuning["AUM", 1, "plain"]
    assert list(lead[lead < 0].index) == [0.0003]
    best = tuning.unstack().idxmax(axis=1)
    at_edge = best[best.isin([0.0001, 0.01])]
    assert {setting[:2] for setting in at_edge.index} == {("AUM", 1), ("cross-entropy", 10)}
    best_of_three = tuning.unstack()[[0.0003, 0.001, 0.003]].idxmax(axis=1)
    moved = pd.DataFrame({"before": best_of_three, "after": best})[best_of_three != best]
    assert set(moved.loc["AUM"].loc[1].itertuples(index=False, name=None)) == {(0.0003, 0.0001)}
    assert set(moved.loc["cross-entropy"].loc[10].itertuples(index=False, name=None)) == {(0.003, 0.01)}
    assert len(moved) == 4
    plain = tuning["cross-entropy", 3, "plain"]
    assert 0 < plain[0.003] - plain[0.001] < 0.0002
    test = pd.read_csv(results / "test_scores.csv.gz")
    weights = test.loc[test["autism"] == 1, "survey_weight"].sort_values(ascending=False)
    carriers = 1 + (weights.cumsum() < weights.sum() / 2).sum()
    assert (carriers, len(weights)) == (14, 152)
    noise = pd.read_csv(results / "gradients.csv").pivot(index=["loss", "minimum"], columns="batches", values="noise")
    ratio = noise["stratified"] / noise["plain"]
    assert ratio["cross-entropy"].round(1).tolist() == [0.6] * 3 and ratio["AUM"].round(1).tolist() == [0.8, 0.9, 1.0]
    wasted = pd.read_csv(results / "runs.csv").groupby(["minimum", "batches"])[["without", "batches_an_epoch"]].mean()
    share = wasted["without"] / wasted["batches_an_epoch"]
    assert share[1, "plain"] > 1 / 3 and share[10, "plain"] < 0.001
    assert (share.xs("stratified", level="batches") == 0).all()


def worst_groups() -> pd.DataFrame:
    """The accuracy of the worst group: a column a way, the mean over the seeds for each learning rate."""
    accuracies = pd.read_csv(VIGNETTES / "groups_results" / "accuracies.csv")
    worst = accuracies.groupby(["learning_rate", "way", "seed"])["accuracy"].min()
    return worst.groupby(["learning_rate", "way"]).mean().unstack("way")


def test_what_groups_in_batches_says_of_group_dro_is_in_its_results() -> None:
    worst = worst_groups()
    dro = worst[[f"group DRO, {way}" for way in ("plain", "weighted draws", "minimum of 1", "equal shares")]]
    plain, *others = dro.loc[0.001]
    assert [round(way, 2) for way in (plain, *others)] == [0.23] + [0.57] * 3 and max(others) - min(others) < 0.01
    assert dro.loc[0.003].round(2).tolist() == [0.35, 0.49, 0.58, 0.47]
    assert worst["cross-entropy, plain"].max() == 0 and round(worst["cross-entropy, equal shares"][0.001], 2) == 0.54
    accuracies = pd.read_csv(VIGNETTES / "groups_results" / "accuracies.csv")
    by_group = accuracies[accuracies["learning_rate"] == 0.001].groupby(["way", "group"])["accuracy"].mean()
    girls, boys = (by_group["group DRO, plain"].filter(like=f"yes, {sex},") for sex in ("female", "male"))
    assert girls.max() < boys.min()
    areas = pd.read_csv(VIGNETTES / "groups_results" / "areas.csv")
    areas = areas[areas["learning_rate"] == 0.001].groupby("way")["auc"].mean().round(2)
    assert areas["group DRO, plain"] == 0.8 and set(areas[[column for column in dro.columns[1:]]]) == {0.78}


def test_groups_in_batches_shows_the_same_rows_in_r() -> None:
    lines = output("groups-in-batches")
    header = next(
        place for place, line in enumerate(lines) if line.split() == "minimum of 1 equal shares P of m".split()
    )
    assert [line.split()[1:] for line in lines[header + 1 : header + 6]] == [["TRUE"] * 3] * 5


def test_what_groups_in_batches_says_of_features_is_in_its_results() -> None:
    areas = pd.read_csv(VIGNETTES / "groups_results" / "areas.csv").pivot_table(
        index="seed", columns="way", values="auc"
    )
    plain, weighted, p_of_m = (areas[f"contrastive, {way}"] for way in ("plain", "weighted draws", "P of m"))
    assert (p_of_m > weighted).all() and (p_of_m > plain).all()
    assert round((p_of_m - plain).mean(), 3) == 0.072 and round((p_of_m - weighted).mean(), 3) == 0.012
    assert [round(way.mean(), 2) for way in (plain, p_of_m, areas["inputs"])] == [0.74, 0.81, 0.81]
    assert 0 < plain.mean() - areas["not trained"].mean() < 0.04


def test_what_groups_in_batches_says_of_certainty_is_in_its_results() -> None:
    found = pd.read_csv(VIGNETTES / "groups_results" / "differences.csv")
    found["ratio"] = found["difference"] / np.hypot(found["se_seeds"], found["se_children"])
    worst = found[found["measure"] == "worst group"]
    assert (worst[worst["minus"] == "group DRO, plain"]["ratio"] > 3).all()
    assert (worst[worst["minus"] == "group DRO, weighted draws"]["ratio"].abs() <= 1.05).all()
    of_loss = worst[worst["minus"] == "cross-entropy, equal shares"]
    assert of_loss["ratio"].round(1).tolist() == [2.0, 2.3] and round(of_loss["difference"].iloc[0], 3) == 0.034
    area = found[(found["measure"] == "auc") & (found["minus"] == "group DRO, plain")]
    assert (area["ratio"] < -5).all()
    contrastive = found[found["minus"] == "contrastive, weighted draws"]["ratio"]
    assert contrastive.round(1).tolist() == [4.4]
    assert round(1 - (1 - 56 / 21_513) ** 128, 2) == 0.28, "of plain batches hold a younger girl with autism"


def test_the_script_of_groups_in_batches_writes_every_result(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.syspath_prepend(str(VIGNETTES))
    script: Any = importlib.import_module("groups_training")
    survey = script.read_survey()
    rare = survey[survey["autism"] == "yes"]
    survey = pd.concat([rare, survey[survey["autism"] == "no"].iloc[::10]]).reset_index(drop=True)
    monkeypatch.setattr(script, "read_survey", lambda: survey)
    for name, value in {"SEEDS": (1, 2), "FOLDS": 2, "STEPS": 12, "BOOTSTRAP_SAMPLES": 20}.items():
        monkeypatch.setattr(script, name, value)
    script.main(["--out", str(tmp_path)])
    results = VIGNETTES / "groups_results"
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in results.iterdir()}
    for path in tmp_path.glob("*.csv"):
        fresh, kept = pd.read_csv(path), pd.read_csv(results / path.name)
        assert list(fresh.columns) == list(kept.columns) and fresh.notna().all(axis=None), path.name
        names = [name for name in ("way", "minus", "group", "measure", "learning_rate") if name in fresh]
        assert fresh[names].drop_duplicates().values.tolist() == kept[names].drop_duplicates().values.tolist()


def test_the_loss_of_group_dro_is_the_weighted_mean_over_the_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(VIGNETTES))
    script: Any = importlib.import_module("groups_training")
    loss = script.GroupDROLoss(3)
    value = loss(torch.tensor([1.0, 3.0, 5.0]), torch.tensor([0, 0, 2]))
    grown = np.exp(0.01 * np.array([2.0, 0.0, 5.0]))
    weights = grown / grown.sum()
    assert value.item() == pytest.approx(weights @ [2, 0, 5], rel=1e-6)
    np.testing.assert_allclose(loss.weights.numpy(), weights, rtol=1e-6)


def test_the_contrastive_loss_is_the_published_sum_over_companions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(VIGNETTES))
    script: Any = importlib.import_module("groups_training")
    features, classes = np.random.default_rng(1).normal(size=(6, 3)), [0, 1, 0, 2, 1, 0]
    directions = features / np.linalg.norm(features, axis=1, keepdims=True)
    likeness = np.exp(directions @ directions.T / 0.1)
    terms = []
    for row in range(6):
        others = [other for other in range(6) if other != row]
        companions = [other for other in others if classes[other] == classes[row]]
        if companions:
            shares = [likeness[row, other] / likeness[row, others].sum() for other in companions]
            terms.append(-np.mean(np.log(shares)))
    assert len(terms) == 5
    value = script.contrastive_loss(torch.tensor(features), torch.tensor(classes))
    assert value.item() == pytest.approx(np.mean(terms))
