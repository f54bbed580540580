"""The report: a table of the areas, and each case that does not conform."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bgbotd.conformance.cases import Json
    from bgbotd.conformance.examination import Finding

_PROBLEMS_SHOWN = 5


def lines(findings: list[Finding]) -> Iterator[str]:
    """Give the report for a person."""
    areas = Counter(finding.case.area for finding in findings)
    wrong = [finding for finding in findings if finding.problems]
    wrong_by_area = Counter(finding.case.area for finding in wrong)
    left_out = sum(finding.left_out for finding in findings)
    left_out_by_area = Counter(finding.case.area for finding in findings if finding.left_out)
    yield f"{'area':<16}{'cases':>7}{'conform':>9}{'do not':>8}{'left out':>10}"
    for area, cases in areas.items():
        bad, out = wrong_by_area[area], left_out_by_area[area]
        yield f"{area:<16}{cases:>7}{cases - bad - out:>9}{bad:>8}{out:>10}"
    for finding in wrong:
        case = finding.case
        yield f"\n{case.area}: {case.name} ({case.call})"
        if case.because:
            yield f"  demanded by: {case.because}"
        yield from (f"  {problem}" for problem in finding.problems[:_PROBLEMS_SHOWN])
        if len(finding.problems) > _PROBLEMS_SHOWN:
            yield f"  and {len(finding.problems) - _PROBLEMS_SHOWN} more"
    yield ""
    if left_out:
        yield f"{left_out} cases are left out: the engine or DiceService is not there, which the contract allows."
    if wrong:
        yield f"{len(wrong)} of {len(findings)} cases do not conform to bgbot.v1."
    elif left_out == len(findings):
        yield "Nothing was compared."
    else:
        yield f"All {len(findings) - left_out} cases conform to bgbot.v1."


def as_json(findings: list[Finding]) -> list[Json]:
    """Give the report for a program: one object a case."""
    return [
        {
            "area": finding.case.area,
            "name": finding.case.name,
            "call": finding.case.call,
            "conforms": not finding.problems,
            "left_out": finding.left_out,
            "problems": finding.problems,
        }
        for finding in findings
    ]
