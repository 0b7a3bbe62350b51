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
TOLD_HOW_LONG = (
    UNIFORM.replace("class Agent:", "class Agent:\n    needs_horizon = True")
    .replace("<= 40", "<= self.horizon")
    .replace("self.accepted, self.n_steps =", "self.accepted, self.horizon, self.n_steps =")
    .replace("[0] * n_arms, 0", "[0] * n_arms, horizon, 0")
)
HONEST = {"uniform": UNIFORM, "spawning": SPAWNING, "told how long": TOLD_HOW_LONG}


def where(place, code, base=UNIFORM):
    """Return a submission that runs some code at a place: "top", or in a method."""
    if place == "top":
        return textwrap.dedent(code) + base
    method = {"reset": "horizon=None):", "act": "act(self):", "answer": "answer(self):"}[place]
    body = textwrap.indent(textwrap.dedent(code).strip("\n"), " " * 8)
    return base.replace(method, f"{method}\n{body}\n", 1)


ZEALOUS = where(
    "top",
    """
    import collections, dataclasses, inspect, logging, pickle, tempfile, warnings
    import gymnasium, numpy
    from explorative_user_env.agents import BAIR

    @dataclasses.dataclass
    class Note:
        numbers: list[int]

    pickle.loads(pickle.dumps(Note([3])))
    with tempfile.TemporaryFile() as file:
        file.write(b"so far")
    with open("notes.txt", "w") as file:
        file.write("mine")
    assert open("notes.txt").read() == "mine"
    inspect.signature(BAIR)
    logging.getLogger("mine").warning("the scores: 0.3, 0.7")
    warnings.warn("score 3 looks odd")
    env = gymnasium.make("ExplorativeUser-v0")
    env.reset(seed=0)
    env.unwrapped.hidden_state()
    print("the best score is that of arm", numpy.argmax([1, 2]))
    """,
)
"""Does much that one may do, and meets a user of its own, whose truth is nobody's secret."""

WRITES = """
import os
for one in range(3, 20):
    try:
        os.write(one, {reply})
    except OSError:
        pass
"""
CHEATS = {
    "sends garbage": where("act", WRITES.format(reply="bytes([2]) * 200 + b'\\n'")),
    "tells arms of its own": where("act", WRITES.format(reply="b'[%d,0]\\n' % (self.n_steps + 2)")),
    "floods its channel": where("act", WRITES.format(reply="b'[1,0]\\n' * 9000") + "os._exit(0)\n"),
}
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
    "out of range": (where("act", "return 7"), "act returned 7, which has to be an arm in 0..4"),
    "wrong syntax": ("class Agent:\n    def act(self) return 1\n", "(line 2 of the file)"),
    "no agent": ("x = 1\n", "the file has to have one class with the methods reset, act,"),
    "leaves": (
        where("act", "import os\nos._exit(3)"),
        "it ended its own process (exit code 3), in reset or act, at step 1",
    ),
    "takes much memory": (
        where("act", "bytearray(1 << 40)"),
        "act raised MemoryError (line 7 of the file); it may take 512 MB, at step 1 with user 1",
    ),
    "asks for rewards": (
        UNIFORM.replace("class Agent:", "class Agent:\n    sees_rewards = True"),
        "it asks for rewards, which no agent sees",
    ),
    "crashes": (
        where("top", "import faulthandler\nfaulthandler._sigsegv()"),
        "its process was ended by SIGSEGV, in the import of its file",
    ),
}
SLOW = {
    "never ends": (
        where("act", "while True:\n    pass"),
        "reset or act took more than 2 s of processor time, at step 1 with user 1",
    ),
    "floods": (
        where("answer", "while True:\n    print('x' * 9999)"),
        "answer took more than 2 s of processor time",
    ),
}
"""Files that take too long, and what is said of them."""
