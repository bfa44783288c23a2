"""From judged trials to what may be said: for each arm its figures, for each test that was named beforehand its statistics, and a sentence in plain words.

The unit is the question. A sentence says "shown" only where the adjusted permutation test rejects, "shown to be equal" only where both one-sided tests do;
whatever is left is not concluded, and it is said how many questions would have been needed.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from redraft.studies.agreement import adjusted_for_length
from redraft.studies.blind import presentable
from redraft.studies.clustering import cluster_interval, cluster_permutation_test, design_effect
from redraft.studies.judged import JudgeErrors, corrected_difference, corrected_rate
from redraft.studies.power import detectable, required_n, required_n_tost
from redraft.studies.stats import (
    RESAMPLES,
    TIED,
    Interval,
    bca_interval,
    bootstrap_interval,
    effect,
    holm,
    interaction,
    laboratory,
    mcnemar_exact,
    paired_interval,
    shares,
    tost,
    wilson_interval,
)
from redraft.studies.trials import DIRECT, Arm, Judgement, Setting, Test, Trial

__all__ = ["Judged", "arm_figures", "efficiency", "figures_of_tests", "judged_of", "p_in_words"]

LARGEST_SAMPLE = 100_000
INTERACTION = "interaction"
FEWEST_DIFFERING = 5
"""Questions on which the arms must differ before t tests of equality say anything: where nearly all are tied, the few that are not decide, and a rare large
difference goes unseen."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What the judges and the meters say of every arm, question by question, in one order."""

    domains: tuple[str, ...]
    quality: Mapping[str, Sequence[float]]
    right: Mapping[str, Sequence[bool]]
    tokens: Mapping[str, Sequence[int]]
    lengths: Mapping[str, Sequence[int]]
    """Characters of the text that was judged."""

    @property
    def n(self) -> int:
        return len(self.domains)


def judged_of(trials: Sequence[Trial], arms: Sequence[Arm], judgement: Judgement) -> Judged:
    """The figures of trials of which every arm was judged."""
    quality: dict[str, list[float]] = {arm.name: [] for arm in arms}
    right: dict[str, list[bool]] = {arm.name: [] for arm in arms}
    tokens: dict[str, list[int]] = {arm.name: [] for arm in arms}
    lengths: dict[str, list[int]] = {arm.name: [] for arm in arms}
    for trial in trials:
        for arm in arms:
            attempt = trial.attempts[arm.name]
            score = judgement.quality(trial.question, attempt.answer)
            assert score is not None
            quality[arm.name].append(score)
            right[arm.name].append(judgement.right(trial.question, attempt.answer))
            tokens[arm.name].append(attempt.tokens)
            lengths[arm.name].append(max(1, len(presentable(attempt.answer))))
    return Judged(domains=tuple(trial.question.domain for trial in trials), quality=quality, right=right, tokens=tokens, lengths=lengths)


def efficiency(quality: Sequence[float], direct: Sequence[float], tokens: Sequence[int], *, seed: int = 0) -> tuple[float | None, Interval | None]:
    """(B − B_direct) per 1,000 tokens: mean gain ÷ mean tokens × 1,000, with a BCa interval over questions; None where no token was spent."""
    gains = [after - before for after, before in zip(quality, direct, strict=True)]
    total, n = sum(tokens), len(gains)
    if total <= 0:
        return None, None

    def ratio(places: Sequence[int]) -> float:
        return 1000 * math.fsum(gains[place] for place in places) / max(1, sum(tokens[place] for place in places))

    places, draw = range(n), random.Random(seed)
    found = ratio(places)
    if n < 2:
        return found, None
    left_out = [ratio([other for other in places if other != place]) for place in places]
    if max(left_out) - min(left_out) < 1e-15:
        return found, (found, found)
    return found, bca_interval([ratio(draw.choices(places, k=n)) for _ in range(RESAMPLES)], found, left_out)


def arm_figures(
    judged: Judged, arm: Arm, setting: Setting, *, costs: Sequence[float | None], turns: Sequence[int], labels: JudgeErrors | None
) -> dict[str, Any]:
    """All that is said of one arm by itself."""
    quality, right, tokens = judged.quality[arm.name], judged.right[arm.name], judged.tokens[arm.name]
    before = judged.right[DIRECT]
    gained = sum(not old and new for old, new in zip(before, right, strict=True))
    lost = sum(old and not new for old, new in zip(before, right, strict=True))
    per_thousand, interval = efficiency(quality, judged.quality[DIRECT], tokens, seed=setting.seed)
    change, around = (sum(right) - sum(before)) / judged.n, paired_interval(before, right)
    known = [cost for cost in costs if cost is not None]
    figures: dict[str, Any] = {
        "label": arm.label,
        "policy": arm.policy.hash if arm.policy is not None else None,
        "quality": fmean(quality),
        "quality_ci95": list(bootstrap_interval(quality, seed=setting.seed)),
        "tokens": fmean(tokens),
        "tokens_ci95": list(bootstrap_interval([float(count) for count in tokens], seed=setting.seed)),
        "efficiency": None if arm.name == DIRECT else per_thousand,
        "efficiency_ci95": None if arm.name == DIRECT or interval is None else list(interval),
        "cost_usd": fmean(known) if len(known) == len(costs) else None,
        "turns": fmean(turns),
        "characters": fmean(judged.lengths[arm.name]),
        "right": sum(right) / judged.n,
        "right_ci95": list(wilson_interval(sum(right), judged.n)),
        "wrong_to_right": gained,
        "right_to_wrong": lost,
        "unchanged_right": sum(old and new for old, new in zip(before, right, strict=True)),
        "unchanged_wrong": sum(not old and not new for old, new in zip(before, right, strict=True)),
        "change_in_right": change,
        "change_in_right_ci95": list(around),
        "p_mcnemar": mcnemar_exact(gained, lost),
        "improvement_rate": gained / before.count(False) if False in before else None,
        "regression_rate": lost / before.count(True) if True in before else None,
    }
    if labels is not None and labels.informedness > 0:
        corrected = corrected_rate(sum(right), judged.n, labels)
        figures |= {"right_corrected": corrected.rate, "right_corrected_ci95": list(corrected.interval)}
        difference, interval = corrected_difference(change, around, labels)
        figures |= {"change_in_right_corrected": difference, "change_in_right_corrected_ci95": list(interval)}
    return figures


def figures_of_tests(judged: Judged, tests: Sequence[Test], setting: Setting) -> list[dict[str, Any]]:
    """All that is said of the tests, adjusted within their families."""
    found = [_tested(judged, test, setting) for test in tests]
    families: dict[str, dict[str, float]] = {}
    for row in found:
        families.setdefault(row["family"], {})[row["name"]] = row["p_permutation"]
    adjusted = holm(families)
    for row in found:
        row["p_holm"] = adjusted[row["family"]][row["name"]]
        row["shown"] = row["p_holm"] < setting.alpha
        row["conclusion"] = _in_words(row, setting)
    return found


def _tested(judged: Judged, test: Test, setting: Setting) -> dict[str, Any]:
    second, first = _sums(judged.quality, test.weights)
    found = effect(first, second, seed=setting.seed)
    differences = [after - before for before, after in zip(first, second, strict=True)]
    longer, shorter = _sums({name: [math.log(count) for count in counts] for name, counts in judged.lengths.items()}, test.weights)
    length = adjusted_for_length(differences, [after - before for before, after in zip(shorter, longer, strict=True)])
    equal = tost(differences, setting.bound, setting.alpha)
    differing = sum(abs(difference) > TIED for difference in differences)
    spent, saved = _sums({name: [float(count) for count in counts] for name, counts in judged.tokens.items()}, test.weights)
    parts = shares(differences)
    row: dict[str, Any] = {
        "name": test.name,
        "family": test.family,
        "primary": test.family == "primary",
        "question": test.question,
        "n": found.n,
        "mean": found.mean,
        "ci95": list(found.interval),
        "p_permutation": found.permutation.p_value,
        "permutation": found.permutation.how,
        "p_wilcoxon": found.wilcoxon.p_value,
        "dz": found.dz,
        "cliffs_delta": found.cliffs_delta,
        "better": parts.better,
        "worse": parts.worse,
        "tied": parts.tied,
        "tokens": fmean(spent) - fmean(saved),
        "differing": differing,
        "differing_at_most": _at_most(differing, found.n),
        "equivalence": {
            "bound": equal.bound,
            "p_value": equal.p_value,
            "ci90": list(equal.interval),
            "shown": equal.equivalent and differing >= FEWEST_DIFFERING,
        },
        "at_equal_length": None if length is None else {"mean": length.mean, "ci95": list(length.interval), "slope": length.slope},
        "by_domain": _by_domain(differences, judged.domains, setting),
        "deviation": stdev(differences) if len(differences) > 1 else None,
    }
    if test.family == INTERACTION:
        arms = {name.replace("-", "_"): list(judged.quality[name]) for name in test.weights}
        contrast = interaction(seed=setting.seed, **arms)
        row["interaction"] = {"t": _finite(contrast.t_value), "F": _finite(contrast.f_value), "p": contrast.p_value}
    return row


def _at_most(count: int, n: int, level: float = 0.95) -> float:
    """Upper bound of a share, one-sided and exact (Clopper and Pearson)."""
    return 1.0 if count >= n else float(laboratory("scipy.stats").beta.ppf(level, count + 1, n - count))


def _by_domain(differences: Sequence[float], domains: Sequence[str], setting: Setting) -> dict[str, Any] | None:
    """The same question asked of whole domains; None where there are fewer than two, or each question is its own."""
    count = len(set(domains))
    if count < 2 or count == len(domains):
        return None
    test = cluster_permutation_test(differences, domains, seed=setting.seed)
    interval = cluster_interval(differences, domains, seed=setting.seed)
    return {
        "domains": count, "p_permutation": test.p_value, "how": test.how, "ci95": list(interval), "design_effect": design_effect(differences, domains),
    }  # fmt: skip


def _sums(values: Mapping[str, Sequence[float]], weights: Mapping[str, float]) -> tuple[list[float], list[float]]:
    """For each question what the arms with a positive weight add up to, and what those with a negative one do."""
    n = len(next(iter(values.values())))
    above = [math.fsum(weight * values[arm][place] for arm, weight in weights.items() if weight > 0) for place in range(n)]
    below = [math.fsum(-weight * values[arm][place] for arm, weight in weights.items() if weight < 0) for place in range(n)]
    return above, below


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _in_words(row: Mapping[str, Any], setting: Setting) -> str:
    low, high = row["ci95"]
    figures = (
        f"{row['mean']:+.3f} (95 % interval {low:+.3f} to {high:+.3f}, n = {row['n']}, {p_in_words(row['p_holm'])} after Holm in the family “{row['family']}”)"
    )
    if row["shown"]:
        words = f"{row['name']}: {'a gain' if row['mean'] > 0 else 'a loss'} is shown, {figures}."
        cluster = row["by_domain"]
        if cluster is not None and cluster["p_permutation"] >= setting.alpha:
            p_value = p_in_words(cluster["p_permutation"])
            words += f" Whole domains exchanged, {p_value} ({cluster['how']}): it is not shown for other domains, and may hold for some of these only."
        return words + _size_beside_bound(row, setting)
    if row["equivalence"]["shown"]:
        return f"{row['name']}: equal within ±{setting.bound:g} is shown (two one-sided tests, {p_in_words(row['equivalence']['p_value'])}), {figures}."
    if row["differing"] < FEWEST_DIFFERING:
        return (
            f"{row['name']}: nothing can be concluded. The arms are scored alike on {row['n'] - row['differing']} of {row['n']} questions: too few are left "
            f"to test; with 95 % confidence they differ on at most {row['differing_at_most']:.0%} of such questions, by how much is open: {figures}."
        )
    return f"{row['name']}: nothing can be concluded, neither a difference nor equality within ±{setting.bound:g}: {figures}. {_needed(row, setting)}"


def _size_beside_bound(row: Mapping[str, Any], setting: Setting) -> str:
    return f" It is shown to be smaller than ±{setting.bound:g}, which was to count as equal." if row["equivalence"]["shown"] else ""


def _needed(row: Mapping[str, Any], setting: Setting) -> str:
    """What the sample could see, and which would be needed to see what was observed, or that it is nothing."""
    n, size = row["n"], row["dz"]
    if n < 2:
        return ""
    words = f"With {n} questions a true effect of dz ≥ {detectable(n, alpha=setting.alpha):.2f} is found with 80 % probability"
    if size is None:
        return words + "."
    wanted: list[str] = []
    if abs(size) >= 0.02:
        wanted.append(f"about {required_n(size, alpha=setting.alpha):,} questions to find one of the size that was observed (dz = {size:+.2f})")
    deviation = row["deviation"]
    if deviation and abs(row["mean"]) < setting.bound:
        try:
            count = required_n_tost(setting.bound / deviation, abs(row["mean"]) / deviation, alpha=setting.alpha)
        except ValueError:
            count = LARGEST_SAMPLE
        if count < LARGEST_SAMPLE:
            wanted.append(f"about {count:,} to show equality within ±{setting.bound:g}, if the true difference is the one observed")
    return words + ("; it takes " + ", ".join(wanted) if wanted else "") + "."


def p_in_words(value: float) -> str:
    """A p-value as it stands in a sentence."""
    return "p < 0.0001" if value < 0.0001 else f"p = {value:.4f}"
