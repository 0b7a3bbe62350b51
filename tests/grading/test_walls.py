"""What Linux itself keeps from a submission that has taken away the hook, or goes round it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import handed_in
import pytest

from explorative_user_env.grading import inside, walls
from explorative_user_env.grading.assignment import Assignment
from explorative_user_env.grading.grader import Graded, grade
from explorative_user_env.grading.hidden import Key
from explorative_user_env.grading.limits import Limits
from explorative_user_env.grading.own_folder import (
    DEEPEST_FOLDER,
    MOST_WRITTEN,
    flatten,
    too_much_in,
)
from explorative_user_env.grading.reasons import GradingOutcome
from explorative_user_env.grading.submissions import submissions_at

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="walls are Linux's"),
]

PACKAGE_AT = Path(inside.__file__).parents[2]

TRIES = """
import ctypes, json, os, socket, sys
sys.path.append({package!r})
from pathlib import Path
import explorative_user_env.grading.inside
from explorative_user_env.grading.limits import Limits, closed_in
missing = closed_in(Limits(), Path.cwd())
parent, secret, c = os.getppid(), {secret!r}, ctypes.CDLL(None, use_errno=True)
told = {{}}
for name, code in json.loads(sys.argv[1]).items():
    try:
        exec(code)
        told[name] = "done"
    except (OSError, ValueError, AssertionError) as error:
        told[name] = repr(error)
print(json.dumps([missing, told]))
"""

FILES, PROCESSES = "files of others", "other processes"
REFUSED = {
    "reads": (FILES, "open(secret).read()"),
    "lists": (FILES, "os.listdir(os.path.dirname(secret))"),
    "writes": (FILES, "open(secret, 'a')"),
    "removes": (FILES, "os.remove(secret)"),
    "links": (FILES, "os.symlink(secret, 'here'); open('here').read()"),
    "reads its parent": (FILES, "open(f'/proc/{parent}/cmdline').read()"),
    "leaves memory behind": (FILES, "open('/dev/shm/left', 'w')"),
    "forks": (PROCESSES, "os.fork() or os._exit(0)"),
    "spawns": (PROCESSES, "os.posix_spawn(sys.executable, [sys.executable, '-V'], {})"),
    "signals": (PROCESSES, "os.kill(parent, 0)"),
    "connects": (PROCESSES, "socket.socket()"),
    "lifts limits": (
        PROCESSES,
        "from resource import *; setrlimit(RLIMIT_CORE, getrlimit(RLIMIT_CORE))",
    ),
    "leaves shared memory": (
        PROCESSES,
        "assert c.shmget(0, 4096, 0o1600) >= 0, ctypes.get_errno()",
    ),
    "becomes another": (PROCESSES, "os.execv(sys.executable, [sys.executable, '-V'])"),
}
"""What is kept from a process, by the wall that keeps it; the hook is not there to tell."""

LEFT_OPEN = {
    "its own files": "os.makedirs('a/b'); open('x', 'w').write('y'); os.rename('x', 'a/b/x')",
    "what is installed": "import colorsys, wave, numpy.polynomial, pandas",
    "threads": "import threading as t; one = t.Thread(target=print); one.start(); one.join()",
    "pairs of sockets": "socket.socketpair()",
    "asking for limits": "import resource; resource.getrlimit(resource.RLIMIT_AS)",
    "chance": "os.urandom(3); open('/dev/urandom', 'rb').read(3)",
    "compiled code": "import numba; assert numba.njit(lambda x: x + 1)(1) == 2",
}


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], dict[str, str]]:
    """Which walls there are not, and what became of each try behind the others."""
    pytest.importorskip("numba", reason="numba is not installed")
    folder = tmp_path_factory.mktemp("walls")
    own, secret = folder / "own", folder / "others" / "key.txt"
    for each in (own, secret.parent):
        each.mkdir()
    secret.write_text("secret")
    codes = LEFT_OPEN | {name: code for name, (_, code) in REFUSED.items()}
    text = TRIES.format(package=str(PACKAGE_AT), secret=str(secret))
    done = subprocess.run(
        [sys.executable, "-I", "-B", "-c", text, json.dumps(codes)],
        cwd=own,
        env={"HOME": str(own), "NUMBA_CACHE_DIR": str(own), "OPENBLAS_NUM_THREADS": "1"},
        text=True,
        stdout=subprocess.PIPE,
        check=True,
        timeout=120,
    )
    assert secret.read_text() == "secret"
    missing, told = json.loads(done.stdout.splitlines()[-1])
    return missing, told


@pytest.mark.parametrize("what", REFUSED)
def test_nobody_gets_past_a_wall_without_the_hook(
    what: str, tried: tuple[list[str], dict[str, str]]
) -> None:
    missing, told = tried
    if REFUSED[what][0] in missing:
        pytest.skip(f"this system has no wall for {REFUSED[what][0]}")
    assert any(each in told[what] for each in ("(13, ", "(1, ", "not allowed", "AssertionError"))


@pytest.mark.parametrize("what", LEFT_OPEN)
def test_what_an_honest_agent_needs_is_left_open(
    what: str, tried: tuple[list[str], dict[str, str]]
) -> None:
    assert tried[1][what] == "done"


def test_a_filter_is_there_for_every_machine_that_is_known_and_for_no_other() -> None:
    assert set(walls.REFUSED) == set(walls.MACHINES) == set(walls.CLONE) == set(walls.SET_LIMITS)
    for machine in walls.MACHINES:
        made = walls._instructions(machine)
        # Nothing skips beyond the end, where all else is allowed.
        reach = [place + 1 + max(yes, no) for place, (_, yes, no, _) in enumerate(made)]
        assert max(reach) <= len(made)
        assert made[-1] == (walls.RETURN, 0, 0, walls.ALLOW)
    with pytest.raises(OSError, match="of an abacus are not known"):
        walls._instructions("an abacus")


NEVER_MIND = {
    # Puts the hook out of action, and back in place behind itself.
    "unhooked": "import explorative_user_env.grading.guard as g\n"
    "judge, g._Guard.judge = g._Guard.judge, lambda *given: None\n"
    "try:\n    open('/etc/hostname').read()\nfinally:\n    g._Guard.judge = judge",
    "deep": "import os\nfor _ in range(1500):\n    os.mkdir('a')\n    os.chdir('a')",
    "much": "n = 0\nwhile True:\n    open(f'{n}', 'wb').write(bytes(15 << 20))\n    n += 1",
    "at once": "import threading as t, os, time\n"
    "end = time.monotonic() + 1.0\n"
    "def look():\n"
    "    while time.monotonic() < end:\n"
    "        open('x', 'w').close()\n"
    "[t.Thread(target=look, daemon=True).start() for _ in range(3)]\n"
    "while time.monotonic() < end:\n"
    "    open('/etc/hostname').close()",
    "equal to all": "class P(str):\n"
    "    __eq__ = lambda self, other: True\n"
    "    __hash__ = str.__hash__\n"
    "open(P('/etc/hostname'))",
}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Graded]:
    folder = tmp_path_factory.mktemp("submissions")
    for name, code in NEVER_MIND.items():
        (folder / f"{name}.py").write_text(handed_in.where("top", code))
    limits = Limits(seconds=20.0, memory=512)
    board = grade(submissions_at([str(folder)]), Assignment(n_instances=2), Key("a key"), limits)
    return {each.student: each for each in board.graded}


def test_who_takes_the_hook_away_stands_before_the_wall(graded: dict[str, Graded]) -> None:
    told = graded["unhooked"]
    if FILES in told.missing or told.outcome == GradingOutcome.GRADED:
        pytest.skip("this system has no wall for the files of others")
    assert "Permission denied" in told.reason
    assert told.outcome == GradingOutcome.FAILED


@pytest.mark.parametrize("name", ["at once", "equal to all"])
def test_the_hook_looks_at_every_thread_and_at_paths_as_they_are(
    name: str, graded: dict[str, Graded]
) -> None:
    assert graded[name].outcome == GradingOutcome.CHEATED
    assert graded[name].reason.endswith("(/etc/hostname)")


def test_who_fills_the_disk_is_stopped_before_it_is_full(graded: dict[str, Graded]) -> None:
    assert graded["much"].outcome == GradingOutcome.STOPPED
    assert graded["much"].reason == f"it wrote more than {MOST_WRITTEN >> 20} MB"


def test_folders_too_deep_to_be_removed_stop_nobody_else(graded: dict[str, Graded]) -> None:
    assert list(graded) == sorted(NEVER_MIND)
    assert "deep" in graded


def test_folders_are_flat_and_open_before_they_are_removed(tmp_path: Path) -> None:
    place = tmp_path
    for _ in range(3 * DEEPEST_FOLDER):
        place /= "a"
        place.mkdir()
    (place / "b").touch()
    (tmp_path / "closed").mkdir(mode=0o000)
    flatten(str(tmp_path))
    depths = [len(each.relative_to(tmp_path).parts) for each in tmp_path.rglob("*")]
    assert max(depths) == DEEPEST_FOLDER + 1
    assert len(list(tmp_path.rglob("b"))) == 1
    assert (tmp_path / "closed").stat().st_mode & 0o700 == 0o700


def test_what_cannot_be_counted_is_too_much(tmp_path: Path) -> None:
    assert too_much_in(str(tmp_path)) == ""
    here = os.open(tmp_path, os.O_RDONLY)
    place = here
    for _ in range(20):  # a path longer than any that may be asked for
        os.mkdir("a" * 250, dir_fd=place)
        inner = os.open("a" * 250, os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(place)
    assert too_much_in(str(tmp_path)).startswith("nobody can see how much it has written")
    flatten(str(tmp_path))
