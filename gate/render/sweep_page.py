"""A sweep as one self-contained page to print: what was measured, what it means, and which rules ask for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.render import escape
from gate.render.frame import framed
from gate.render.page_html import table


@dataclass(frozen=True, slots=True)
class Demand:
    """What a text asks for, in our words, and what of a sweep speaks to it."""

    source: str
    address: str
    asks: str
    shown: str


MAP: tuple[Demand, ...] = (
    Demand(
        "Regulation (EU) 2024/1689 (AI Act), Article 15(1)",
        "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
        "An appropriate level of accuracy, robustness and cybersecurity, throughout the life of a high-risk system.",
        "accuracy on clean rows, robust accuracy at every ε, and the comparison of both with the last accepted model",
    ),
    Demand(
        "AI Act, Article 15(3)",
        "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
        "The levels of accuracy and the metrics behind them are declared in the instructions for use.",
        "each metric with its definition, number of rows and interval",
    ),
    Demand(
        "AI Act, Article 15(4)",
        "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
        "Resilience against errors, faults and inconsistencies in the system or its environment.",
        "largest change and flip rate under noise of ε times each column's scale",
    ),
    Demand(
        "AI Act, Article 15(5)",
        "https://eur-lex.europa.eu/eli/reg/2024/1689/oj",
        "Resilience against attempts to change outputs by inputs that are made to mislead the model, among others.",
        "share of right answers that a search can flip inside each ε, a lower bound of the worst case",
    ),
    Demand(
        "NIST AI RMF 1.0 (NIST AI 100-1, 2023), MEASURE 2.5",
        "https://doi.org/10.6028/NIST.AI.100-1",
        "Validity and reliability are demonstrated, and the limits of generalising are documented.",
        "robust accuracy, and the section on limits below",
    ),
    Demand(
        "NIST AI RMF 1.0, MEASURE 2.7",
        "https://doi.org/10.6028/NIST.AI.100-1",
        "Security and resilience are evaluated and documented.",
        "the search for the worst case, with its queries and budget",
    ),
    Demand(
        "NIST AI RMF 1.0, MANAGE 4.1",
        "https://doi.org/10.6028/NIST.AI.100-1",
        "Plans for monitoring after deployment exist and include change management.",
        "the same sweep on every change of the model, compared with the accepted one",
    ),
    Demand(
        "SR 11-7 (Board of Governors and OCC, 2011), section IV on testing",
        "https://www.federalreserve.gov/supervisionreg/srletters/sr1107.htm",
        "Tests check that a model is stable over a range of inputs, and where it becomes unreliable.",
        "the table by ε and the median of the smallest ε that flips",
    ),
    Demand(
        "SR 11-7, section V on validation",
        "https://www.federalreserve.gov/supervisionreg/srletters/sr1107.htm",
        "Sensitivity to small changes of inputs is checked, and unexpectedly large changes of outputs are followed up.",
        "change by ε, and the flipped rows in the report, with what moved in units of scale",
    ),
)
"""A sweep is evidence for these, and by itself satisfies none of them."""

LIMITS = (
    "The search gives a lower bound: a row that it did not flip may still be flipped by a move that it did not find.",
    "The search moves each unprotected number by up to ε times its column's scale, and noise has that as its standard "
    "deviation; other changes are not covered.",
    "Protected attributes, and the one-hot columns that stand for them, were never moved.",
    "The largest change under noise depends on the number of rows; flip rates and quantiles do not grow with it.",
)


def sweep_page(found: Mapping[str, Any]) -> str:
    """The whole HTML document, with one trailing newline; the browser's own print makes a PDF of it.

    Args:
        found: what `gate sweep --json` prints.
    """
    sweep, analysis = found["sweep"], found["stability_analysis"]
    status = sweep["status"] or "not decided"
    title = escape.html(f"Model robustness: {sweep['name']}")
    body = "\n".join(
        [
            f"<h1>{title}: {escape.html(status)}</h1>",
            *_summary(sweep, analysis),
            "<h2>By ε</h2>",
            _table("By ε", _HEADS, [_row(step) for step in sweep["epsilons"]]),
            "<h2>What was measured</h2>",
            _table("What was measured", ("what", "value"), _facts(sweep, analysis)),
            *_not_measured(sweep),
            "<h2>Limits</h2>",
            _list(LIMITS),
            "<h2>Which rules ask for it</h2>",
            "<p>What a sweep shows is evidence for these points. It satisfies none of them by itself.</p>",
            _map(),
        ]
    )
    return framed(title, body)


_HEADS = (
    "ε",
    "status",
    "largest change",
    "mean change",
    "noise flips",
    "95 % interval",
    "worst case flips at least",
    "queries",
    "robust accuracy",
)


def _summary(sweep: Mapping[str, Any], analysis: Mapping[str, Any]) -> list[str]:
    judged = "the share of examples that flip" if sweep["judge"] == "flips" else "the robustness score"
    lines = [
        f"Robustness score {analysis['robustness_score']:.3f}, the largest change of an answer under noise. "
        f"The status is of {judged}: PASS below {sweep['threshold']:g}, FAIL from {1.5 * sweep['threshold']:g} on, "
        "WARNING between."
    ]
    lines += [sweep[key] for key in ("diagnosis", "noise_floor") if sweep[key]]
    return [f"<p>{escape.html(line)}</p>" for line in lines]


def _row(step: Mapping[str, Any]) -> list[str]:
    noise, worst, robust = step["noise"], step["worst_case"], step["robust"]
    low, high = noise["interval"]
    accuracy = None if robust is None else robust["robust_accuracy"]
    return [
        f"{step['epsilon']:g}",
        step["status"] or "–",
        f"{noise['max_delta']:.3f}",
        f"{noise['mean_delta']:.3g}",
        f"{noise['flips']:,} of {noise['of']:,}",
        f"{low:.1%} to {high:.1%}",
        "–" if worst is None else f"{worst['flips']:,} of {worst['of']:,}",
        "–" if worst is None else f"{worst['queries']:,}",
        "–" if accuracy is None else f"{accuracy:.1%}",
    ]


def _facts(sweep: Mapping[str, Any], analysis: Mapping[str, Any]) -> list[list[str]]:
    sampled = "" if sweep["rows"] == sweep["of_rows"] else f", a sample of {sweep['of_rows']:,}"
    accuracy, median, near = sweep["accuracy"], sweep["median_smallest_epsilon"], sweep["consistency"]
    facts = [
        ["rows", f"{sweep['rows']:,}{sampled}"],
        ["columns moved", f"{len(sweep['features_perturbed'])} of {analysis['n_features']}"],
        ["protected, never moved", ", ".join(sweep["features_protected"]) or "none declared"],
        ["seed", str(sweep["seed"])],
        ["draws of noise an ε", str(sweep["draws"])],
        ["accuracy on clean rows", "truth not known" if accuracy is None else f"{accuracy:.1%}"],
    ]
    if median is not None:
        told = f"above {median['above']:g}" if median["median"] is None else f"{median['median']:.3g}"
        facts.append(["median smallest ε that flips", f"{told} ({median['censored']:,} rows were never flipped)"])
    if near is not None:
        facts.append(["consistency of near rows", f"{near['agreement']:.3f}, over {near['rows']:,} rows"])
    return facts


def _not_measured(sweep: Mapping[str, Any]) -> list[str]:
    return ["<h2>Not measured</h2>", _list(sweep["errors"])] if sweep["errors"] else []


def _map() -> str:
    rows = [
        (
            f'<a href="{escape.html(each.address)}" rel="noopener noreferrer">{escape.html(each.source)}</a>',
            escape.html(each.asks),
            escape.html(each.shown),
        )
        for each in MAP
    ]
    return table("Which rules ask for it", ("text", "asks for, in short", "shown here"), rows)


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return table(caption, heads, [[escape.html(cell) for cell in row] for row in rows])


def _list(lines: Sequence[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape.html(line)}</li>" for line in lines) + "</ul>"
