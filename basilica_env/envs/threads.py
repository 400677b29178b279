"""Plain threads over kernels that release the GIL."""

from __future__ import annotations

import contextlib
import operator
import os
import threading
import time
import weakref
from collections.abc import Callable
from statistics import fmean as mean
from typing import Any, SupportsIndex

from basilica_env.core import share as shares

MOST_THREADS = 1024
_PATIENCE = 400_000
"""Looks at a board, about a nanosecond each, before a thread that watches it goes to sleep."""


class _Job:
    """Work in Python to share."""

    def __init__(self, work: Callable[[int, int], None], size: int, chunk: int) -> None:
        self.at_work = 0
        """Threads at it, the caller's left out; guarded by the post."""
        self.error: BaseException | None = None
        self._work = work
        self._size = size
        self._chunk = chunk
        self._next = 0
        self._lock = threading.Lock()

    def take_part(self) -> None:
        """Work until nothing is left to claim."""
        try:
            while (start := self._claim()) < self._size:
                self._work(start, min(start + self._chunk, self._size))
        except BaseException as error:
            self.error = error
            self.withdraw()

    def withdraw(self) -> None:
        """Leave nothing to claim."""
        self._next = self._size

    def _claim(self) -> int:
        with self._lock:
            start = self._next
            self._next += self._chunk
        return start


class _Post:
    """Where the threads of a crew wait. They watch its board for a while after each share, then they sleep.

    ``_lock`` guards all but the board; ``_asleep`` and ``_is_open`` are read without it, too.
    """

    def __init__(self, threads: int) -> None:
        self.board = shares.new_board(threads)
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._asleep = 0
        self._job: _Job | None = None
        self._jobs = 0
        """Jobs given so far."""
        self._is_open = True

    def wake(self) -> None:
        """Wake who sleeps. They will be late for what is shared out at once."""
        if self._asleep:
            self._wake_all()

    def give(self, job: _Job) -> None:
        """Give a job to all threads."""
        shares.call(self.board, True)
        with self._lock:
            self._job = job
            self._jobs += 1
            self._changed.notify_all()

    def finish(self, job: _Job) -> None:
        """Wait until nobody is at a job any more."""
        with self._lock:
            if self._job is job:  # and not one that another thread gave in the meantime
                shares.call(self.board, False)
                self._job = None
            while job.at_work:
                self._changed.wait()

    def dismiss(self) -> None:
        """End the threads. It can be called anywhere, for the garbage collector does."""
        self._is_open = False
        shares.call(self.board, True)
        if self._lock.acquire(blocking=False):
            self._changed.notify_all()
            self._lock.release()
        else:  # perhaps held by this very thread
            with contextlib.suppress(RuntimeError):  # the interpreter ends, and with it its threads
                threading.Thread(target=self._wake_all, daemon=True).start()

    def _wake_all(self) -> None:
        with self._lock:
            self._changed.notify_all()

    def serve(self, part: int) -> None:
        """Take part in what is shared out and in jobs, until dismissed."""
        seen = 0
        while self._is_open:
            shares.serve(self.board, part, _PATIENCE)
            with self._lock:
                if self._has_nothing_after(seen):
                    self._asleep += 1
                    self._changed.wait()
                    self._asleep -= 1
                    if self._has_nothing_after(seen):
                        continue  # but something may be shared out
                seen, job = self._jobs, self._job
                if job is None:
                    continue
                job.at_work += 1
            job.take_part()
            with self._lock:
                job.at_work -= 1
                self._changed.notify_all()  # the caller may wait for the last one to leave
            del job  # and with it the arrays it works on

    def _has_nothing_after(self, jobs: int) -> bool:
        return self._is_open and self._jobs == jobs


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
        self._run = self._left = min(4 * self._run, self._LONGEST_RUN) if confirmed else self._TRIAL
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
        self._pace = _Pace()
        self._start(whole_number("threads", threads, least=1, most=MOST_THREADS))
        _crews.add(self)

    def _start(self, size: int) -> None:
        self._sharing = threading.RLock()  # a signal handler may step the same games
        """Lets one thread after the other use the board."""
        self._post = _Post(size)
        # Compiled before there are threads: numba's lock would stay locked in a process forked meanwhile.
        shares.serve(self._post.board, 0, 0)
        shares.call(self._post.board, False)
        # The threads hold the post and not the crew, so that a crew that is forgotten can go.
        self._threads = [
            threading.Thread(target=self._post.serve, args=(part,), daemon=True) for part in range(1, size)
        ]
        self._dismiss = weakref.finalize(self, self._post.dismiss)
        for thread in self._threads:
            thread.start()

    def _leave_threads_behind(self) -> None:
        """Work alone in a process that was forked, which has the calling thread only."""
        self._dismiss.detach()
        self._start(1)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle as a new crew of the same size."""
        return Crew, (self.size,)

    @property
    def size(self) -> int:
        """Number of threads that work, the calling one included."""
        return len(self._threads) + 1

    def run(self, work: Callable[[int, int], None], size: int, chunk: int) -> None:
        """Call ``work(start, stop)`` for chunks that make up ``range(size)``; return when all is done.

        An interrupt is answered between two chunks.
        """
        job = _Job(work, size, chunk)
        try:
            if self._threads:
                self._post.give(job)
            job.take_part()
        finally:
            job.withdraw()
            if self._threads:  # which a process that was forked by the work has not
                self._post.finish(job)
        error, job.error = job.error, None
        if error is not None:
            try:
                raise error
            finally:
                del error  # or it would hold itself, and the work, by its traceback

    def run_kernel(self, kernel: Callable[..., Any], size: int, *arguments: Any) -> Any:
        """Call ``kernel(*arguments, board)``, which shares out on several threads as long as that is faster.

        Parameters
        ----------
        kernel : shares out rows on the board (:mod:`basilica_env.core.share`)
        size : number of rows

        Returns
        -------
        What the kernel returns.
        """
        with self._sharing:
            if not self._threads or size < 2:
                return kernel(*arguments, _ALONE)
            started = time.perf_counter()
            if self._pace.shares():
                self._post.wake()
                result = kernel(*arguments, self._post.board)
            else:
                result = kernel(*arguments, _ALONE)
            self._pace.note(kernel, size, time.perf_counter() - started)
        return result

    def close(self) -> None:
        """End the threads."""
        self._dismiss()
        for thread in self._threads:
            thread.join()
        self._threads = []


_ALONE = shares.new_board(1)

_crews: weakref.WeakSet[Crew] = weakref.WeakSet()


def _after_fork() -> None:
    for crew in _crews:
        crew._leave_threads_behind()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


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
