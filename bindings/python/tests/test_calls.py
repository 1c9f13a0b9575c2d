# Calls: Python's lock is released, Ctrl-C and the progress callback cancel, threads share polynomials.
# SPDX-License-Identifier: LGPL-3.0-or-later
import importlib.util
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import gfpoly
from gfpoly import Field

F = Field("p16")


def long_call():
    """Some seconds of work."""
    return F.random(900, seed=1).factor()


def test_other_threads_run_meanwhile():
    """The main thread runs while another one is inside a single call: it never waits for as long as a call
    takes, which it would if the call kept Python's lock."""
    a = F.random(1500, seed=1)
    times = []
    done = threading.Event()

    def work():
        with gfpoly.options(method="classical"):
            for _ in range(2):
                start = time.perf_counter()
                a * a
                times.append(time.perf_counter() - start)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    longest, last = 0.0, time.perf_counter()
    while not done.is_set():
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    thread.join()
    assert longest < min(times) / 2


def test_two_calls_go_on_at_once():
    """The progress of two long calls alternates."""
    order = []

    def work(name):
        def progress(fraction):
            order.append(name)
            return alternations() < 6 and len(order) < 1000

        with pytest.raises(gfpoly.Cancelled):
            with gfpoly.options(progress=progress):
                F.random(3000, seed=name).factor()

    def alternations():
        return sum(a != b for a, b in zip(order, order[1:]))

    threads = [threading.Thread(target=work, args=(name,)) for name in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alternations() >= 6


def test_threads_share_polynomials():
    a, b = F.random(200, seed=1), F.random(100, seed=2)
    c, q = a * b, a // b
    failures = []

    def work():
        for _ in range(50):
            if a * b != c or a // b != q or a.coeffs() != list(a) or hash(a) != hash(+a):
                failures.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_progress():
    seen = []
    with gfpoly.options(progress=seen.append):
        a = F.random(200000, seed=1)
        a * a
        while not seen:
            a * a
    assert all(0 <= x <= 1 for x in seen)


def test_progress_cancels():
    start = time.perf_counter()
    with pytest.raises(gfpoly.Cancelled):
        with gfpoly.options(progress=lambda fraction: False):
            long_call()
    assert time.perf_counter() - start < 5


def test_progress_cancels_by_numpys_false():
    np = pytest.importorskip("numpy")
    with pytest.raises(gfpoly.Cancelled):
        with gfpoly.options(progress=lambda fraction: np.float64(fraction) < 0):
            long_call()


def test_progress_goes_on_by_other_answers():
    answers = [None, True, "", 0, 0.0]
    seen = []

    def progress(fraction):
        seen.append(fraction)
        return answers[len(seen) - 1] if len(seen) <= len(answers) else False

    with pytest.raises(gfpoly.Cancelled):
        with gfpoly.options(progress=progress):
            long_call()
    assert len(seen) == len(answers) + 1


def test_progress_raises():
    def progress(fraction):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        with gfpoly.options(progress=progress):
            long_call()


def test_calls_inside_the_callback():
    values = []

    def progress(fraction):
        values.append((F([1, 2]) * F([3, 4])).coeffs())
        return len(values) < 2

    with pytest.raises(gfpoly.Cancelled):
        with gfpoly.options(progress=progress):
            long_call()
    assert values == [[3, 10, 8]] * 2


def test_ctrl_c():
    """An interrupt ends a long product with KeyboardInterrupt, and the interpreter goes on."""
    # A background job of a shell ignores interrupts, and so would its children.
    program = """
import gfpoly, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
F = gfpoly.Field("p16")
a = F.random(100, seed=1)
b = F.random(100000, seed=2)
print("ready", flush=True)
try:
    with gfpoly.options(method="classical"):
        b * b
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted", (a * a) / a == a)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    start = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert out == "interrupted True\n" and process.returncode == 0
    assert time.perf_counter() - start < 10


def test_signal_handlers_run():
    """A handler that does not raise lets the call go on."""
    ticks = []
    before = signal.signal(signal.SIGALRM, lambda *_: ticks.append(time.perf_counter()))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)
        a = F.random(2000, seed=1)
        end = time.perf_counter() + 0.5
        while time.perf_counter() < end:
            pow(F.x, F.p, F.random(400, seed=2))
        assert a * a // a == a
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(ticks) >= 2


def test_fork():
    a = F.random(500, seed=1)
    c = a * a
    child = os.fork()
    if child == 0:
        os._exit(0 if a * a == c else 1)
    assert os.waitpid(child, 0)[1] == 0


def threads_of_options():
    """What a worker sees of the options of its thread."""
    handle = gfpoly._options.current.get()
    return None if handle is None else (handle.method, handle.threads, handle.memory_cap)


def test_options_in_other_threads():
    a, b = F.random(30, seed=1), F.random(20, seed=2)
    expected = a * b
    with gfpoly.options(memory_cap=10**9), gfpoly.options(method="classical", threads=2) as o:
        carried = gfpoly.carry_options(threads_of_options)
        product = gfpoly.carry_options(lambda f, *, g: f * g)
        with ThreadPoolExecutor(2) as pool:
            # A thread of its own has none; a carried function has them each time, in all threads at once.
            assert pool.submit(threads_of_options).result() is None
            assert [pool.submit(carried).result() for _ in range(4)] == [("classical", 2, 10**9)] * 4
            assert pool.submit(product, a, g=b).result() == expected
            assert o.report["method"] == "classical"
            assert pool.submit(threads_of_options).result() is None
    results = []
    thread = threading.Thread(target=lambda: results.append(carried()))
    thread.start()
    thread.join()
    assert results == [("classical", 2, 10**9)] and threads_of_options() is None
    # Options inside of the function stand above those it carries; outside there are none to carry.
    with gfpoly.options(method="hybrid"):
        assert carried() == ("classical", 2, 10**9)
        assert threads_of_options()[0] == "hybrid"
    assert gfpoly.carry_options(threads_of_options)() is None
    with pytest.raises(TypeError, match="function: int"):
        gfpoly.carry_options(3)


def test_carried_options_and_errors():
    def work():
        raise LookupError("enough")

    with gfpoly.options(memory_cap=100):
        carried, product = gfpoly.carry_options(work), gfpoly.carry_options(lambda f: f * f)
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(LookupError):
            pool.submit(carried).result()
        assert pool.submit(threads_of_options).result() is None
        with pytest.raises(gfpoly.OutOfMemory):
            pool.submit(product, F.random(5000, seed=1)).result()


def test_options_in_other_processes():
    with gfpoly.options(method="classical", threads=2):
        carried = gfpoly.carry_options(threads_of_options)
    with ProcessPoolExecutor(1) as pool:
        assert pool.submit(carried).result() == ("classical", 2, 0)
        assert pool.submit(threads_of_options).result() is None


SUBINTERPRETER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
other = "import sys; sys.path[:] = %r\\ntry:\\n import gfpoly\\nexcept ImportError as e: print('refused', e)\\n" % sys.path

def use():
    import gfpoly
    F = gfpoly.Field("p8")
    try:
        F([F.p])
    except gfpoly.RangeError:
        print((F.x + 1)**2, flush=True)

def try_there():
    i = interpreters.create()
    interpreters.run_string(i, other)
    interpreters.destroy(i)

for step in sys.argv[1]:
    {"u": use, "t": try_there}[step]()
"""


@pytest.mark.parametrize("order", ["utu", "tutu"])
def test_a_subinterpreter_is_refused(order):
    if not any(importlib.util.find_spec(name) for name in ("_interpreters", "_xxsubinterpreters")):
        pytest.skip("this Python has no module for subinterpreters")
    out = subprocess.run(
        [sys.executable, "-c", SUBINTERPRETER, order], capture_output=True, text=True, timeout=60
    )
    assert out.returncode == 0, out.stderr
    lines = {"u": "X^2 + 2*X + 1", "t": "refused gfpoly: only the main interpreter"}
    assert len(out.stdout.splitlines()) == len(order)
    for step, line in zip(order, out.stdout.splitlines()):
        assert line.startswith(lines[step])


def test_signals_while_a_pipe_is_read(tmp_path):
    """A handler that returns lets the reading go on; one that raises ends it."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    ticks = []

    def tick(*_):
        ticks.append(1)
        if len(ticks) == 3:
            threading.Thread(target=lambda: F([5, 6]).save(path, "text")).start()

    before = signal.signal(signal.SIGALRM, tick)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
        assert gfpoly.load(path) == F([5, 6]) and len(ticks) >= 3

        def refuse(*_):
            raise LookupError("enough")

        signal.signal(signal.SIGALRM, refuse)
        with pytest.raises(LookupError):
            gfpoly.load(path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
