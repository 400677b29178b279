"""Plain threads over kernels that release the GIL."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue

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
            with self._lock:
                self._unfinished -= 1
                if self._unfinished == 0:
                    self._busy.release()

    def wait(self) -> None:
        """Wait until every chunk is finished; raise what went wrong in one."""
        self._busy.acquire()
        if self._error is not None:
            raise self._error


class Crew:
    """Threads, started once, that share ranges of work with the thread that calls.

    Parameters
    ----------
    threads : number of threads that work, the calling one included
    """

    def __init__(self, threads: int) -> None:
        if threads < 1:
            raise ValueError(f"threads is {threads}: expected 1 or more")
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(threads - 1)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job.take_part()

    def run(self, work: Callable[[int, int], None], size: int, chunk: int | None = None) -> None:
        """Call ``work(start, stop)`` for ranges that make up ``range(size)``; return when all is done.

        Parameters
        ----------
        chunk : how long a range is; None suits games of a batch
        """
        if chunk is None:
            chunk = max(_SMALLEST_CHUNK, -(-size // (_CHUNKS_A_THREAD * (len(self._threads) + 1))))
        if not self._threads or size <= chunk:
            work(0, size)
            return
        job = _Job(work, size, chunk)
        for _ in self._threads:
            self._jobs.put(job)
        job.take_part()
        job.wait()

    def close(self) -> None:
        """End the threads."""
        for _ in self._threads:
            self._jobs.put(None)
        for thread in self._threads:
            thread.join()
        self._threads = []
