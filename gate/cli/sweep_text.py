"""What a sweep found, as lines for a terminal and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gate.render.escape import terminal

if TYPE_CHECKING:
    from gate.suites.perturbation.measured import Sweep
    from gate.suites.perturbation.steps import Step

_MARKS = {"PASS": "✓", "WARNING": "!", "FAIL": "✗", None: "?"}


def sweep_text(found: Sweep) -> str:
    """Lines per ε, as the reference prints them, then what the worst case found, and the status."""
    config = found.config
    lines = ["Running robustness testing..."]
    lines += [f"  {_MARKS[step.status]} Epsilon {_epsilon(step.epsilon)}: {_step(step)}" for step in found.steps]
    lines += ["", f"Robustness Score: {found.score:.3f}"]
    if found.diagnosis:
        lines.append(f"  {found.diagnosis}")
    if found.smallest is not None:
        lines.append(f"Median smallest epsilon that flips: {_median(found)}")
    if found.consistency is not None:
        near = found.consistency
        lines.append(f"Consistency: {near.agreement:.3f}, steepest {near.steepest:.3g} per unit of scale")
    if found.floor:
        lines.append(f"Note: {found.floor}")
    if found.borderline:
        lines.append(f"Note: {found.borderline:,} rows lie on the cut-off itself; they count as no flips")
    judged = "share of examples that flip" if config.judge == "flips" else "robustness score"
    status = found.status or "not decided: not everything was measured"
    lines.append(f"Gate: {status} (threshold: {config.threshold:g}, of the {judged})")
    lines.append(
        f"{found.rows:,} rows, {len(found.perturbed)} of {found.features} columns moved, "
        f"{len(found.protected)} protected, seed {config.seed}"
    )
    return "\n".join(terminal(line) for line in lines)


def sweep_json(found: Sweep) -> dict[str, Any]:
    """The reference's `stability_analysis`, and under `sweep` all that was measured; no value of any row."""
    from gate.record.plugin.sweeping import without_texts
    from gate.suites.perturbation.measured import stability_analysis

    config = found.config
    near, smallest = found.consistency, found.smallest
    return {
        "stability_analysis": stability_analysis(found),
        "sweep": {
            "name": config.name,
            "status": found.status,
            "judge": config.judge,
            "threshold": config.threshold,
            "seed": config.seed,
            "rows": found.rows,
            "of_rows": found.of_rows,
            "draws": found.draws,
            "features_perturbed": list(found.perturbed),
            "features_protected": list(found.protected),
            "accuracy": found.accuracy,
            "epsilons": [_step_json(step) for step in found.steps],
            "median_smallest_epsilon": None
            if smallest is None
            else {
                "median": smallest.median,
                "above": None if smallest.median is not None else smallest.above,
                "flipped": smallest.flipped,
                "censored": smallest.censored,
            },
            "consistency": None
            if near is None
            else {
                "agreement": near.agreement,
                "steepest": near.steepest,
                "contradictions": near.contradictions,
                "rows": near.rows,
            },
            "borderline": found.borderline,
            "noise_floor": found.floor,
            "diagnosis": found.diagnosis,
            "errors": without_texts(found.errors),
        },
    }


def _step(step: Step) -> str:
    noise = step.noise
    told = f"max_delta = {noise.maximum:.3f}, mean {noise.mean:.3g}, noise flips {noise.flips:,} of {noise.count:,}"
    if step.worst is not None:
        flips, rows = int(step.worst.flipped.sum()), int(step.worst.attackable.sum())
        told += f"; worst case flips at least {flips:,} of {rows:,} ({step.worst.queries:,} queries)"
    return told


def _step_json(step: Step) -> dict[str, Any]:
    noise, worst, robust = step.noise, step.worst, step.robust
    return {
        "epsilon": step.epsilon,
        "status": step.status,
        "noise": {
            "max_delta": noise.maximum,
            "mean_delta": noise.mean,
            "quantiles": {f"{level:g}": value for level, value in noise.quantiles.items()},
            "flips": noise.flips,
            "of": noise.count,
            "flip_rate": noise.flip_rate,
            "interval": [noise.interval.low, noise.interval.high],
        },
        "worst_case": None
        if worst is None
        else {
            "flips": int(worst.flipped.sum()),
            "of": int(worst.attackable.sum()),
            "queries": worst.queries,
            "budget": worst.budget,
            "lower_bound": True,
        },
        "robust": None
        if robust is None
        else {
            "known": robust.known,
            "right": robust.right,
            "broken": robust.broken,
            "robust_accuracy": robust.robust_accuracy,
            "attack_success_rate": robust.attack_success_rate,
            "interval": None if robust.interval is None else [robust.interval.low, robust.interval.high],
        },
    }


def _median(found: Sweep) -> str:
    assert found.smallest is not None  # noqa: S101  asked before
    told = found.smallest
    rest = f"{told.censored:,} of {told.flipped + told.censored:,} never flipped"
    return f"above {told.above:g} ({rest})" if told.median is None else f"{told.median:.3g} ({rest})"


def _epsilon(epsilon: float) -> str:
    from gate.suites.perturbation.drop_in import epsilon_key

    return epsilon_key(epsilon)
