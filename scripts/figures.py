"""The figures of the README: `python -m scripts.figures` measures them and writes them into its table.

Each row names the command that reproduces it. This takes a while, and the machine should have nothing else to do.
Surveys and checks share their worlds among all processors, which changes no figure.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
README: Final = ROOT / "README.md"
BENCH: Final = "sandbox bench"
CHECK: Final = "sandbox worlds check --range 0-199"
SURVEY: Final = "sandbox worlds survey --range 0-199"

_TABLE: Final = re.compile(r"(<!-- figures -->\n).*?(<!-- /figures -->)", re.DOTALL)
Figures = dict[str, Any]


def measured(command: str) -> Figures:
    """The last JSON line of a command, whatever its exit code: a check that failed is a figure as well."""
    jobs = ["--jobs", str(os.cpu_count() or 1)] if " worlds " in command else []
    words = [sys.executable, "-m", *command.split(), *jobs, "--json"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SANDBOX_")}
    ended = subprocess.run(  # noqa: S603 - our own command line
        words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=False
    )
    found: Figures = json.loads(ended.stdout.splitlines()[-1])
    return found


def rows(bench: Figures, check: Figures, survey: Figures) -> Iterator[tuple[str, str, str]]:
    """What is measured, what was found, and by which command."""
    yield "steps a second, with their text", f"{bench['steps_per_s']:,.0f}", BENCH
    yield "steps a second, with the admissible list", f"{bench['steps_with_list_per_s']:,.0f}", BENCH
    yield "copying a state", f"{bench['copy_us']:.2f} µs", BENCH
    times = f"{bench['certify_ms_median']:.0f} ms; {bench['certify_ms_p95']:.0f} ms"
    yield "building and certifying a `default` world (median; 95 of 100 within)", times, BENCH
    yield "building an edited world, against its world", f"× {bench['edit_ratio']:.2f}", BENCH
    yield "worlds that hold when checked independently", f"{check['ok']} of {check['worlds']}", CHECK
    luck, surprises = survey["luck"], survey["surprises"]
    exact = f"{_share(survey['exact'])}; {_share(survey['exact_up_to_15'])}"
    yield "optimum proven (all; where it is at most 15)", exact, SURVEY
    yield "rule slots that make a difference where they are drawn", _share(survey["live_slots"]), SURVEY
    yield "edits of one rule that matter, a world", f"{survey['mattering_rules_edits']:.1f}", SURVEY
    least = min(survey["mattering_axes"].values())
    yield "worlds with an edit that matters, on each axis at least", _share(least), SURVEY
    yield "surprises a world (mean); worlds without", f"{surprises['mean']:.1f}; {surprises['none']}", SURVEY
    yield "worlds that common sense solves", _share(survey["prior_solvable"]), SURVEY
    yield "worlds in which every word is shown before it is needed", _share(survey["shown_before_used"]), SURVEY
    lucky = f"{_share(luck['within_10'])}; {_share(luck['within_30'])}"
    yield "random play that solves within 10 ×; 30 × the optimum", lucky, SURVEY
    different, worlds = survey["skeletons"]["different"], survey["worlds"]
    yield "different plans, names and walking left out", f"{different} of {worlds}", SURVEY


def _share(value: float | None) -> str:
    return "none" if value is None else f"{100 * value:.1f} %"


def table(found: Iterator[tuple[str, str, str]]) -> str:
    """The rows as a table, with the machine they were measured on."""
    lines = ["| measure | found | command |", "|---|---|---|"]
    lines += [f"| {name} | {value} | `{command}` |" for name, value, command in found]
    machine = f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}"
    lines += ["", f"Speeds are per CPU-second of one process ({machine})."]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write the table into the README."""
    found = table(rows(measured(BENCH), measured(CHECK), measured(SURVEY)))
    page = README.read_text(encoding="utf-8")
    README.write_text(_TABLE.sub(lambda m: m[1] + found + m[2], page), encoding="utf-8")
    sys.stdout.write(found)


if __name__ == "__main__":
    main()
