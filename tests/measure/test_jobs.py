"""The same work in several processes."""

import multiprocessing
import time
from collections.abc import Iterator

import pytest

from sandbox.measure.jobs import each


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_the_order_of_the_items(jobs: int) -> None:
    """However many processes share the work, the results are those of one."""
    assert list(each(abs, range(-20, 20), jobs)) == [abs(n) for n in range(-20, 20)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_in_the_work_is_raised_where_its_result_would_stand(jobs: int) -> None:
    """What one item raises comes out after the results before it."""
    found = each(int, ["1", "no number", "3"], jobs)
    assert next(found) == 1
    with pytest.raises(ValueError, match="no number"):
        next(found)


def test_items_are_drawn_as_they_are_needed() -> None:
    """A range of a million seeds is not laid out before the first result."""
    drawn: list[int] = []

    def counting() -> Iterator[int]:
        for number in range(10**6):
            drawn.append(number)
            yield number

    found = each(abs, counting(), 2)
    assert next(found) == 0
    found.close()  # type: ignore[attr-defined]
    assert len(drawn) < 50


def test_who_wants_no_more_waits_for_nothing() -> None:
    """When the results are abandoned, workers that are busy are ended at once."""
    found = each(time.sleep, [0, 60, 60], 2)
    next(found)
    began = time.monotonic()
    found.close()  # type: ignore[attr-defined]
    while multiprocessing.active_children() and time.monotonic() - began < 20:
        time.sleep(0.05)
    assert time.monotonic() - began < 20
