"""Plain threads over kernels that release the GIL."""

from __future__ import annotations

import operator
import threading
import time
import weakref
from collections.abc import Callable
from statistics import fmean as mean
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from basilica_env.core import share as shares

MOST_THREADS = 1024
_CHUNK = 64
"""Games claimed at a time: few, so that a thread whose core is taken leaves the rest to the others."""
_PATIENCE = 400_000
"""Looks at a word in memory, about a nanosecond each, before a thread that waits goes to sleep."""

Share = NDArray[np.int64]


class _Job:
    """Work to share."""

    def __init__(self, work: Callable[[Share, int], None], share: Share) -> None:
        self.share = share
        self.at_work = 0
        """Threads at it, the caller's left out; guarded by the post."""
        self.error: BaseException | None = None
        self._work = work

    def take_part(self, part: int) -> None:
        """Work until nothing is left to claim, beginning with one part."""
        try:
            self._work(self.share, part)
        except BaseException as error:
            self.error = error
            shares.withdraw(self.share)


class _Post:
    """Where the threads of a crew find their jobs. They watch it for a while after each, then they sleep.

    ``_lock`` guards all but what :mod:`basilica_env.core.share` does.
    """

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._board = shares.new_board()
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._next_share = shares.new_share(parts=threads + 1)
        self._job: _Job | None = None
        self._is_open = True

    def give(self, work: Callable[[Share, int], None], size: int, chunk: int) -> _Job:
        """Give a job to all threads; those that watch take part as soon as the caller does."""
        with self._lock:
            job = self._job = _Job(work, self._next_share)
            shares.fill(job.share, size, chunk, False)
            self._next_share = shares.new_share(parts=self._threads + 1)
            self._changed.notify_all()
        return job

    def finish(self, job: _Job) -> None:
        """Wait until the job is done, or ended by an error and nobody is at it any more."""
        done = shares.wait(self._board, job.share, self._threads, _PATIENCE)
        with self._lock:
            self._job = None
            while job.at_work and not done:
                self._changed.wait()

    def dismiss(self) -> None:
        """End the threads."""
        with self._lock:
            self._is_open = False
            self._changed.notify_all()

    def serve(self, part: int) -> None:
        """Take part in jobs until dismissed, beginning with the same part in each."""
        share = self._next_share
        while self._is_open:
            shares.watch(self._board, share, _PATIENCE)
            with self._lock:
                while self._has_nothing_after(share):
                    self._changed.wait()
                share, job = self._next_share, self._job
                if job is None:  # the others have finished it already
                    continue
                job.at_work += 1
            job.take_part(part)
            with self._lock:
                job.at_work -= 1
                if job is not self._job:
                    self._changed.notify_all()  # the caller may wait for the last one to leave
            del job  # and with it the arrays it works on

    def _has_nothing_after(self, share: Share) -> bool:
        return self._is_open and self._next_share is share


class _Pace:
    """Whether sharing is faster of late than what the calling thread does alone.

    Sharing loses where another process holds a core, because a thread may wait for its turn with rows in
    hand. So the faster way is taken, and now and then the other one is tried: soon after a change, more
    and more seldom as long as it stays the slower one. All kinds of work change together, because a
    game is best worked on by the thread that had it last.
    """

    _TRIAL = 0.01  # seconds of work; processes take turns on a core for some milliseconds each
    _LONGEST_RUN = 2.0  # seconds of work between two trials

    def __init__(self) -> None:
        self._sharing_is_faster = True
        self._on_trial = False
        self._run = self._left = self._TRIAL
        self._times: dict[tuple[Any, bool], list[float]] = {}

    def shares(self) -> bool:
        """Return whether to share the work this time."""
        return self._sharing_is_faster != self._on_trial

    def note(self, kind: Any, rows: int, seconds: float) -> None:
        """Remember how long a call took."""
        self._times.setdefault((kind, self.shares()), []).append(seconds / rows)
        self._left -= seconds
        if self._left <= 0 and self._on_trial:
            self._judge()
        elif self._left <= 0:
            self._on_trial, self._left = True, self._TRIAL

    def _judge(self) -> None:
        """Compare the times since the last trial."""
        gain = 0.0
        for kind in {kind for kind, _ in self._times}:
            alone, shared = (self._times.get((kind, way), []) for way in (False, True))
            if alone and shared:
                gain += (len(alone) + len(shared)) * (mean(alone) - mean(shared))
        confirmed = (gain > 0) == self._sharing_is_faster
        self._sharing_is_faster = gain > 0
        self._run = self._left = min(2 * self._run, self._LONGEST_RUN) if confirmed else self._TRIAL
        self._on_trial = False
        self._times.clear()


class Crew:
    """Threads, started once, that share work with the thread that calls.

    They end with :meth:`close`, or when nobody needs the crew any more.

    Parameters
    ----------
    threads : number of threads that work, the calling one included
    """

    def __init__(self, threads: int) -> None:
        others = whole_number("threads", threads, least=1, most=MOST_THREADS) - 1
        self._post = _Post(others)
        self._pace = _Pace()
        # The threads hold the post and not the crew, so that a crew that is forgotten can go.
        self._threads = [
            threading.Thread(target=self._post.serve, args=(part,), daemon=True)
            for part in range(1, others + 1)
        ]
        self._dismiss = weakref.finalize(self, self._post.dismiss)
        for thread in self._threads:
            thread.start()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle as a new crew of the same size."""
        return Crew, (self.size,)

    @property
    def size(self) -> int:
        """Number of threads that work, the calling one included."""
        return len(self._threads) + 1

    def new_share(self, size: int) -> Share:
        """Return a share of ``size`` rows for the next kernel to run, which claims from two of them."""
        return _filled(self.size if self._is_to_share(size) else 1, size, _CHUNK)

    def run(self, work: Callable[[int, int], None], size: int, chunk: int) -> None:
        """Call ``work(start, stop)`` for chunks that make up ``range(size)``; return when all is done.

        An interrupt is answered between two chunks.
        """

        def take(share: Share, part: int) -> None:
            start, stop = shares.claim(share, part, 0)
            while start < stop:
                work(start, stop)
                start, stop = shares.claim(share, part, stop - start)

        self._do(take, size, chunk, bool(self._threads))

    def run_kernel(
        self, kernel: Callable[..., None], size: int, *arguments: Any, chunk: int = _CHUNK
    ) -> None:
        """Call ``kernel(*arguments, share, part)``, on several threads as long as that is faster.

        Parameters
        ----------
        kernel : claims its rows from the share (:mod:`basilica_env.core.share`)
        size : number of rows
        chunk : rows claimed at a time; with less than two chunks a thread is done before another has begun
        """

        def take(share: Share, part: int) -> None:
            kernel(*arguments, share, part)

        if not self._threads or size < 2 * chunk:
            self._do(take, size, size, False)
            return
        started = time.perf_counter()
        self._do(take, size, chunk, self._is_to_share(size, chunk))
        self._pace.note(kernel, size, time.perf_counter() - started)

    def _is_to_share(self, size: int, chunk: int = _CHUNK) -> bool:
        return bool(self._threads) and size >= 2 * chunk and self._pace.shares()

    def _do(self, work: Callable[[Share, int], None], size: int, chunk: int, shared: bool) -> None:
        if not shared:
            work(_filled(1, size, chunk), 0)
            return
        job = self._post.give(work, size, chunk)
        try:
            job.take_part(0)
            self._post.finish(job)
        except BaseException:  # an interrupt can come anywhere
            shares.withdraw(job.share)
            raise
        if job.error is not None:
            raise job.error

    def close(self) -> None:
        """End the threads."""
        self._dismiss()
        for thread in self._threads:
            thread.join()
        self._threads = []


def _filled(parts: int, size: int, chunk: int) -> Share:
    share = shares.new_share(parts)
    shares.fill(share, size, chunk, True)
    return share


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
