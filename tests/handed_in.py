"""Submissions of students, as the text of their files: honest ones, unlucky ones and cheats."""

import textwrap

UNIFORM = """
class Agent:
    def reset(self, n_arms, rng, horizon=None):
        self.n_arms, self.rng, self.accepted, self.n_steps = n_arms, rng, [0] * n_arms, 0

    def act(self):
        self.n_steps += 1
        return int(self.rng.integers(self.n_arms)) if self.n_steps <= 40 else None

    def observe(self, arm, accepted):
        self.accepted[arm] += accepted

    def answer(self):
        return self.accepted.index(max(self.accepted))
"""
"""Recommends at random forty times, and answers what was accepted most."""

SPAWNING = """
import numpy as np
from explorative_user_env.protocol import OneUserAtATime

class Chooser(OneUserAtATime):
    name = "one that chooses"
    max_steps = 60

    def reset_all(self, n_arms, rngs, horizon=None):
        self.n_arms, self.rngs = n_arms, rngs
        self.others = [rng.spawn(1)[0] for rng in rngs]

    def act_all(self, users):
        return np.array([self.arm(user) for user in users], int)

    def arm(self, user):
        return -1 if self.others[user].random() < 0.03 else self.rngs[user].integers(self.n_arms)

    def observe_all(self, users, arms, accepted):
        for user in users[accepted]:
            self.rngs[user].standard_normal()

    def answer_all(self, users):
        return np.array([self.rngs[user].integers(self.n_arms) for user in users])
"""
"""Draws from its stream and from one that it has spawned, by the protocol for many users."""

TOLD_HOW_LONG = (
    UNIFORM.replace("class Agent:", "class Agent:\n    needs_horizon = True")
    .replace("<= 40", "<= self.horizon")
    .replace("self.accepted, self.n_steps =", "self.accepted, self.horizon, self.n_steps =")
    .replace("[0] * n_arms, 0", "[0] * n_arms, horizon, 0")
)
"""Has to be told T."""

HONEST = {"uniform": UNIFORM, "spawning": SPAWNING, "told how long": TOLD_HOW_LONG}


def where(place: str, code: str, base: str = UNIFORM) -> str:
    """Return a submission that runs some code at a place: "top", or in a method."""
    if place == "top":
        return textwrap.dedent(code) + base
    method = {"reset": "horizon=None):", "act": "act(self):", "answer": "answer(self):"}[place]
    body = textwrap.indent(textwrap.dedent(code).strip("\n"), " " * 8)
    return base.replace(method, f"{method}\n{body}\n", 1)


ZEALOUS = where(
    "top",
    """
    import collections, dataclasses, enum, inspect, logging, pickle, tempfile, traceback, warnings
    import gymnasium, numpy
    import explorative_user_env
    from explorative_user_env.agents import BAIR

    Pair = collections.namedtuple("Pair", "mean n")
    Colour = enum.Enum("Colour", "RED BLUE")

    @dataclasses.dataclass
    class Note:
        pairs: list[Pair] = dataclasses.field(default_factory=list)

    pickle.loads(pickle.dumps(Note([Pair(0.5, 3)])))
    with tempfile.TemporaryFile() as file:
        file.write(b"so far")
    with open("notes.txt", "w") as file:
        file.write("mine")
    assert open("notes.txt").read() == "mine"
    inspect.signature(BAIR)
    logging.getLogger("mine").warning("the scores: 0.3, 0.7")
    warnings.warn("score 3 looks odd")
    try:
        1 / 0
    except ZeroDivisionError:
        traceback.print_exc()
    env = gymnasium.make("ExplorativeUser-v0")
    env.reset(seed=0)
    env.unwrapped.hidden_state()
    print("the best score is that of arm", numpy.argmax([1, 2]))
    """,
)
"""Does much that one may do, and meets a user of its own, whose truth is nobody's secret."""

CHEATS = {
    # Reads hidden state.
    "searches memory": (
        where("reset", "import gc\n[e for e in gc.get_objects() if hasattr(e, 'hidden_state')]"),
        "it searches the memory of its process (gc.get_objects), at step 1 with user 1",
    ),
    "looks at callers": (
        where("act", "import sys\nsys._getframe(1).f_back.f_locals"),
        "it looks into the frames of the code that calls it (sys._getframe)",
    ),
    "looks at callers through a module": (
        where("act", "import inspect\ninspect.currentframe().f_back"),
        "it looks into the frames of the code that calls it (sys._getframe)",
    ),
    "looks at callers by an error": (
        where("act", "try:\n    1 / 0\nexcept Exception as e:\n    e.__traceback__.tb_frame"),
        "it looks into the frames of the code that calls it (tb_frame)",
    ),
    "looks at callers by a generator": (
        where("act", "(lambda: (yield))().gi_frame"),
        "it looks into the frames of the code that calls it (gi_frame)",
    ),
    "reads files": (
        where("top", "open('/etc/hostname').read()"),
        "it reaches for a file that is not its own (/etc/hostname)",
    ),
    "reads files by a library": (
        where("top", "import numpy\nnumpy.loadtxt('/etc/hostname', dtype=str)"),
        "it reaches for a file that is not its own (/etc/hostname)",
    ),
    "reads files by a link": (
        where("top", "import os\nos.symlink('/etc/hostname', 'x')"),
        "it reaches for a file that is not its own (/etc/hostname)",
    ),
    "reads files by a loader": (
        where(
            "top",
            "from importlib.machinery import SourceFileLoader as L\n"
            "L('x', '/etc/hostname').get_data('/etc/hostname')",
        ),
        "it reaches for a file that is not its own (/etc/hostname)",
    ),
    "reads what its parent was called with": (
        where("top", "import os\nopen(f'/proc/{os.getppid()}/cmdline')"),
        "it reaches for a file that is not its own (/proc/",
    ),
    # Patches the package.
    "patches a method": (
        where(
            "top",
            "from explorative_user_env.envs.user import ExplorativeUserEnv as E\n"
            "E.step = lambda self, arm: (1, 0.0, True, False, {})",
        ),
        "it patches the package (explorative_user_env.envs.user.ExplorativeUserEnv.step)",
    ),
    "patches a constant": (
        where("top", "from explorative_user_env import tasks\ntasks.STEP_COST = 0.0"),
        "it patches the package (explorative_user_env.protocol.STEP_COST)",
    ),
    "patches a default": (
        where(
            "top",
            "from explorative_user_env import seeding\n"
            "seeding.number_of_users.__defaults__ = (1, 2)",
        ),
        "it patches the package (explorative_user_env.seeding.number_of_users.__defaults__)",
    ),
    "patches what it imports itself": (
        where(
            "top",
            "from explorative_user_env.envs import meeting\n"
            "meeting.environment_of = lambda *given: None",
        ),
        "it patches the package (explorative_user_env.envs.meeting.environment_of)",
    ),
    "changes code": (
        where(
            "top",
            "from explorative_user_env import seeding\n"
            "seeding.seed_number.__code__ = (lambda seed: 0).__code__",
        ),
        "it reaches past Python, or changes the code of functions (__code__)",
    ),
    "disguises its code": (
        where("top", "import os\nexec(compile('1', os.__file__, 'exec'))"),
        "it reaches past Python, or changes the code of functions (compile as ",
    ),
    "calls the system's library": (
        where("top", "import ctypes\nctypes.CDLL(None)"),
        "it reaches past Python, or changes the code of functions (ctypes.dlopen)",
    ),
    # Prints a fake score, or tells one.
    "prints a score": (where("top", "print('Score: 100')"), "it prints a score of its own"),
    "prints a result": (
        where("answer", "print('{\"score\": 100.0}')"),
        "it prints a score of its own",
    ),
    "sends garbage": (
        where(
            "act",
            "import os\n"
            "for one in range(3, 20):\n"
            "    try:\n"
            "        os.write(one, bytes([2]) * 200)\n"
            "    except OSError:\n"
            "        pass",
        ),
        "it writes to the channel that its arms are told by",
    ),
    "tells arms of its own": (
        where(
            "act",
            "import os, struct\n"
            "for one in range(3, 20):\n"
            "    try:\n"
            "        os.write(one, struct.pack('<BIqH', 2, self.n_steps + 2, 0, 0))\n"
            "    except OSError:\n"
            "        pass",
        ),
        "it writes to the channel that its arms are told by",
    ),
    # Other processes and machines.
    "forks": (where("top", "import os\nwhile True:\n    os.fork()"), "it starts another process"),
    "starts a command": (
        where("top", "import subprocess\nsubprocess.run(['ls'])"),
        "it starts another process (subprocess.Popen)",
    ),
    "starts a worker": (
        where(
            "top",
            "from multiprocessing import get_context\n"
            "get_context('spawn').Process(target=print).start()",
        ),
        "it starts another process (fork_exec)",
    ),
    "kills": (
        where("top", "import os\nos.kill(os.getppid(), 9)"),
        "it sends signals to processes (os.kill)",
    ),
    "calls home": (
        where("top", "import urllib.request as u\nu.urlopen('http://127.0.0.1:9')"),
        "it uses the network (socket.getaddrinfo)",
    ),
    "takes off its limits": (
        where("top", "import resource as r\nr.setrlimit(r.RLIMIT_AS, (-1, -1))"),
        "it changes its own limits (resource.setrlimit)",
    ),
    "asks for rewards": (
        UNIFORM.replace("class Agent:", "class Agent:\n    sees_rewards = True"),
        "it asks for rewards, which no agent may see",
    ),
}
"""Files that cheat, and what is said of them."""

FAILING = {
    "raises": (
        where("act", "raise ValueError('oh dear')"),
        "act raised ValueError: oh dear (line 7 of the file), at step 1 with user 1",
    ),
    "raises later": (
        UNIFORM.replace("self.accepted[arm] += accepted", "1 / (self.n_steps - 3)"),
        "observe raised ZeroDivisionError: division by zero (line 11 of the file), "
        "at step 4 with user 1",
    ),
    "out of range": (
        where("act", "return 7"),
        "act returned 7, which has to be an arm in 0..4, at step 1 with user 1",
    ),
    "no arm": (where("act", "return 'best'"), "act returned 'best', which has to be an arm"),
    "no answer": (where("answer", "return None"), "answer returned None, which has to be an arm"),
    "wrong syntax": ("class Agent:\n    def act(self) return 1\n", "(line 2 of the file)"),
    "no agent": ("x = 1\n", "the file has to have one class with the methods reset, act,"),
    "leaves": (
        where("act", "import os\nos._exit(3)"),
        "it ended its own process (exit code 3), in reset, or the first act, at step 1",
    ),
    "exits": (where("top", "import sys\nsys.exit()"), "SystemExit"),
    "takes much memory": (
        where("act", "bytearray(1 << 40)"),
        "act raised MemoryError (line 7 of the file); it may take 512 MB, at step 1 with user 1",
    ),
    "crashes": (
        where("top", "import faulthandler\nfaulthandler._sigsegv()"),
        "its process was ended by SIGSEGV, in the import of its file",
    ),
}
"""Files that fail, and what is said of them."""

SLOW = {
    "never ends": (
        where("act", "while True:\n    pass"),
        "reset, or the first act took longer than 2 s, at step 1 with user 1",
    ),
    "floods": (
        where("answer", "while True:\n    print('x' * 9999)"),
        "answer took longer than 2 s",
    ),
}
"""Files that take too long, and what is said of them."""
