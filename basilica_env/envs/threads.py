"""Plain threads over kernels that release the GIL."""

from __future__ import annotations

import operator
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import Any, SupportsIndex

MOST_THREADS = 1024
_SMALLEST_CHUNK = 256
"""Games below which handing a chunk to another thread costs more than it saves."""
_CHUNKS_A_THREAD = 4
"""Chunks are small enough that a thread whose core is taken leaves its share to the others."""


class _Job:
    """A range of work, handed out in chunks to whoever comes."""

    def __init__(self, work: Callable[[int, int], None], size: int, chunk: int) -> None:
        self._work = work
        self._size = size
        self._chunk = chunk
        self._starts: Iterator[int] = iter(range(0, size, chunk))
        self._unfinished = len(range(0, size, chunk))
        self._lock = threading.Lock()
        self._error: BaseException | None = None
        self._busy = threading.Lock()  # held until all is done; far cheaper than an Event
        self._busy.acquire()

    def take_part(self) -> None:
        """Work on chunks until none is left."""
        while True:
            with self._lock:
                start = next(self._starts, None)
            if start is None:
                return
            try:
                self._work(start, min(start + self._chunk, self._size))
            except BaseException as error:
                self._error = error
                self.cancel()
            with self._lock:
                self._unfinished -= 1
                if self._unfinished == 0:
                    self._busy.release()

    def cancel(self) -> None:
        """Hand out no more chunks."""
        with self._lock:
            self._unfinished -= sum(1 for _ in self._starts)

    def wait(self) -> None:
        """Wait until every chunk that was begun is finished; raise what went wrong in one."""
        self._busy.acquire()
        if self._error is not None:
            raise self._error


class _Pace:
    """How long a kind of work takes of late, per game: by the calling thread alone, and shared.

    Sharing loses where another process holds a core, because a thread may wait for its turn with a chunk
    in hand. So the faster way is taken, and the other one tried now and then.
    """

    _TRY_EVERY = 32
    _WEIGHT = 0.25  # of the newest time in the average

    def __init__(self) -> None:
        self._seconds = {True: 0.0, False: 0.0}  # shared or not; 0 is not known yet
        self._calls = 0

    def shares(self) -> bool:
        """Return whether to share the work this time."""
        self._calls += 1
        sharing_is_faster = self._seconds[True] <= self._seconds[False]
        return sharing_is_faster != (self._calls % self._TRY_EVERY == 0)

    def note(self, shared: bool, seconds: float) -> None:
        """Remember how long a game took."""
        before = self._seconds[shared]
        self._seconds[shared] = seconds if before == 0 else before + self._WEIGHT * (seconds - before)


class Crew:
    """Threads, started once, that share ranges of work with the thread that calls.

    They end with :meth:`close`, or when nobody needs the crew any more.

    Parameters
    ----------
    threads : number of threads that work, the calling one included
    """

    def __init__(self, threads: int) -> None:
        others = whole_number("threads", threads, least=1, most=MOST_THREADS) - 1
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._paces: dict[Any, _Pace] = {}
        # The threads hold the queue and not the crew, so that a crew that is forgotten can go.
        self._threads = [
            threading.Thread(target=_work, args=(self._jobs,), daemon=True) for _ in range(others)
        ]
        self._dismiss = weakref.finalize(self, _dismiss, self._jobs, others)
        for thread in self._threads:
            thread.start()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle as a new crew of the same size."""
        return Crew, (len(self._threads) + 1,)

    def run(
        self, work: Callable[[int, int], None], size: int, chunk: int | None = None, kind: Any = None
    ) -> None:
        """Call ``work(start, stop)`` for ranges that make up ``range(size)``; return when all is done.

        Parameters
        ----------
        chunk : how long a range is; None suits games of a batch. An interrupt is answered between two.
        kind : what work it is, if it comes often: it is shared as long as that is faster
        """
        if chunk is not None and not self._threads:
            for start in range(0, size, chunk):
                work(start, min(start + chunk, size))
            return
        if chunk is None:
            chunk = max(_SMALLEST_CHUNK, -(-size // (_CHUNKS_A_THREAD * (len(self._threads) + 1))))
        if not self._threads or size <= chunk:
            work(0, size)
        elif kind is None:
            self._run_shared(work, size, chunk)
        else:
            pace = self._paces.setdefault(kind, _Pace())
            shared = pace.shares()
            started = time.perf_counter()
            if shared:
                self._run_shared(work, size, chunk)
            else:
                work(0, size)
            pace.note(shared, (time.perf_counter() - started) / size)

    def _run_shared(self, work: Callable[[int, int], None], size: int, chunk: int) -> None:
        job = _Job(work, size, chunk)
        for _ in self._threads:
            self._jobs.put(job)
        try:
            job.take_part()
            job.wait()
        except BaseException:  # an interrupt can come anywhere
            job.cancel()
            raise

    def close(self) -> None:
        """End the threads."""
        self._dismiss()
        for thread in self._threads:
            thread.join()
        self._threads = []


def _work(jobs: SimpleQueue[_Job | None]) -> None:
    while (job := jobs.get()) is not None:
        job.take_part()


def _dismiss(jobs: SimpleQueue[_Job | None], threads: int) -> None:
    for _ in range(threads):
        jobs.put(None)


def whole_number(name: str, value: SupportsIndex, least: int = 0, most: int | None = None) -> int:
    """Return an integer of any type as an ``int``; it must lie between ``least`` and ``most``.

    Raises
    ------
    TypeError, ValueError
        If it is no integer, or out of range. A truth value counts as none.
    """
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool):
        raise TypeError(f"{name} {value!r} has type {type(value).__name__}: expected an integer")
    if number < least or (most is not None and number > most):
        span = f"{least} or more" if most is None else f"{least} to {most}"
        raise ValueError(f"{name} is {number}: expected {span}")
    return int(number)
