"""Whose a call is that something asks which a test has started."""

from __future__ import annotations

import asyncio
import functools
import queue
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.pool import ThreadPool

import pytest

from gate.record.recordings import scope, threads
from gate.record.recordings.exchange import Scope
from gate.record.recordings.scope import current, entered

FIRST, SECOND, WIDE = Scope("a.py::first", 1), Scope("a.py::second"), Scope("a.py::fixture f")


@pytest.fixture(autouse=True)
def _bound() -> Iterator[None]:
    threads.install()
    yield
    threads.uninstall()


class Later:
    """Work that waits until it is let go, and says then in whose name it asks."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.said: queue.Queue[Scope] = queue.Queue()

    def __call__(self, *_: object) -> None:
        self.go.wait(60)
        self.said.put(current())

    def whose(self) -> Scope:
        self.go.set()
        return self.said.get(timeout=60)


def thread(work: Callable[..., object]) -> None:
    threading.Thread(target=work, daemon=True).start()


def of_function(work: Callable[..., object]) -> None:
    def calling() -> None:
        work()

    thread(calling)


def of_partial(work: Callable[..., object]) -> None:
    thread(functools.partial(work, 1))


def of_class(work: Callable[..., object]) -> None:
    class Mine(threading.Thread):
        def run(self) -> None:
            work()

    Mine(daemon=True).start()


def of_thread_in_thread(work: Callable[..., object]) -> None:
    of_function(lambda: thread(work))


def of_timer(work: Callable[..., object]) -> None:
    timer = threading.Timer(0, work)
    timer.daemon = True
    timer.start()


def of_loop(work: Callable[..., object]) -> None:
    async def ask() -> None:
        work()

    of_function(lambda: asyncio.run(ask()))


@pytest.mark.parametrize(
    "start",
    [thread, of_function, of_partial, of_class, of_thread_in_thread, of_timer, of_loop],
    ids=lambda f: f.__name__,
)
def test_what_lives_on_asks_for_the_test_that_started_it(start: Callable[[Callable[..., object]], None]) -> None:
    later = Later()
    with entered(FIRST):
        start(later)
    with entered(SECOND):
        assert later.whose() == FIRST
        assert current() == SECOND
    assert scope.strays() == [FIRST]


def test_what_is_given_to_a_pool_asks_for_who_gave_it() -> None:
    first, second = Later(), Later()
    with ThreadPoolExecutor(1) as pool:
        with entered(FIRST):
            pool.submit(first)
        with entered(SECOND):
            done = pool.submit(second)
            assert first.whose() == FIRST
            assert second.whose() == SECOND, "by the thread that the first test had started"
            done.result(60)
        assert pool.submit(current).result(60) == Scope()


def test_a_thread_asks_for_the_test_that_runs_where_a_wider_fixture_started_it() -> None:
    later = Later()
    with entered(WIDE, shared=True):
        thread(later)
    with entered(FIRST):
        assert later.whose() == FIRST
    assert scope.strays() == []


def test_workers_of_libraries_ask_for_the_test_that_runs() -> None:
    with entered(FIRST):
        pool = ThreadPool(1)
    with pool, entered(SECOND):
        assert pool.apply(current) == SECOND


def test_a_server_asks_for_the_test_that_asks_it() -> None:
    """Also over a connection that an earlier test has opened."""
    said: queue.Queue[Scope] = queue.Queue()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            for _ in self.rfile:
                said.put(current())

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        with entered(FIRST):
            thread(functools.partial(server.serve_forever, 0.01))
        with socket.create_connection(server.server_address[:2]) as client:
            for each in (FIRST, SECOND):
                with entered(each):
                    client.sendall(b"x\n")
                    assert said.get(timeout=60) == each
        server.shutdown()


def test_a_loop_that_tests_share_asks_for_the_test_that_gave_it_the_task() -> None:
    loop = asyncio.new_event_loop()

    def run() -> None:
        loop.run_forever()

    async def ask() -> Scope:
        return current()

    with entered(FIRST):
        runner = threading.Thread(target=run)
        runner.start()
    with entered(SECOND):
        assert asyncio.run_coroutine_threadsafe(ask(), loop).result(60) == SECOND
    loop.call_soon_threadsafe(loop.stop)
    runner.join()
    loop.close()


def test_within_one_test_a_later_trial_gets_nothing_of_an_earlier_one() -> None:
    later = Later()
    with entered(FIRST):
        thread(later)
    with entered(Scope(FIRST.case, 2)):
        assert later.whose() == FIRST
    assert scope.strays() == []


def test_afterwards_nothing_is_changed() -> None:
    threads.uninstall()
    before = threading.Thread.start, ThreadPoolExecutor.submit
    threads.install()
    threads.install()
    assert threading.Thread.start is not before[0]
    threads.uninstall()
    assert (threading.Thread.start, ThreadPoolExecutor.submit) == before
