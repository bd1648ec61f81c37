"""The same work on many worlds, in this process or in several: results come in order, one by one.

The number of processes never changes a result. Workers are spawned, not forked: they hold nothing of ours but the
function and its items. Ctrl-C is for the process that asked; when it wants no more, its workers are ended at once.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(function: Callable[[Item], Result], items: Iterable[Item], jobs: int = 1) -> Iterator[Result]:
    """`function` of every item, in the order of the items; with `jobs` above 1, that many processes share the work."""
    if jobs <= 1:
        yield from map(function, items)
        return
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_ignore_interrupts)
    waiting, done = iter(items), False
    try:
        running: deque[Future[Result]] = deque(pool.submit(function, item) for item in islice(waiting, 4 * jobs))
        while running:
            yield running.popleft().result()
            running.extend(pool.submit(function, item) for item in islice(waiting, 1))
        done = True
    finally:
        if not done:
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
        pool.shutdown(wait=done, cancel_futures=True)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
