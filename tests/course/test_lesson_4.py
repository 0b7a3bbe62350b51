"""Lesson 4: classes as students write them, beside the package's agent step by step."""

import math

import numpy as np

from explorative_user_env.agents import BAIR
from explorative_user_env.teach import LESSONS, check_exercise
from explorative_user_env.teach.lesson_4 import USERS_BY_N1, USERS_WITH_NOISE, difference, paper_run
from explorative_user_env.teach.notebooks import cells_of, read_source


class Sweep:
    def __init__(self, n_arms, n1):
        self.K, self.n1 = n_arms, n1
        self.F, self.i, self.n = [*range(n_arms)], 0, 0
        self.rounds, self.done = False, False

    def act(self):
        return None if self.done else self.F[self.i]

    def observe(self, arm, accepted):
        self.n += int(accepted)
        if not accepted:
            del self.F[self.i]
        elif not self.rounds:
            self.i += 1
        end = self.i >= len(self.F)
        self.done = (end or self.rounds) and self.n >= self.n1
        if end:
            self.i = 0
        if not self.F:
            self.F, self.rounds = [*range(self.K)], True


class Eliminate:
    def __init__(self, n, m=1):
        self.n, self.m = np.array([*n]), m
        self.gone = np.zeros(len(self.n), bool)
        self.no = np.zeros(len(self.n), int)

    def act(self):
        return None if (~self.gone).sum() == 1 else self.next()

    def next(self):
        return int(np.argmin(np.where(self.gone, 10**9, self.n)))

    def observe(self, arm, accepted):
        self.n[arm] += accepted
        self.no[arm] += not accepted
        self.gone[arm] = self.no[arm] >= self.m

    def answer(self):
        return int(np.flatnonzero(~self.gone)[0])


def n1_of(n_arms, delta, alpha, rho_0):
    return math.pow(2 * n_arms / delta, 1 / alpha) / rho_0


class Silent:
    def __init__(self, *numbers, **options):
        pass

    reset = act = observe = __init__


def changed(right, **methods):
    return type("Mine", (right,), methods)


def fails(self, arm, accepted):
    raise KeyError(self.F.index(arm) + 3)


def strays(self):
    return 0 if self.n.sum() == 35 else Eliminate.next(self)


def gives_up(self):
    return None if len(self.n) == 5 else Eliminate.act(self)


class InTwoSteps(Sweep):
    """`observe` is right and calls `end_step`, which is blank."""

    def observe(self, arm, accepted):
        self.n += int(accepted)
        if not accepted:
            del self.F[self.i]
        else:
            self.i += 1


WRONG = [
    ("4.2", "at step 1, in Phase 1, first sweep: this is the first", changed(Sweep, observe=fails)),
    ("4.2", "`end_step` is blank, or does not reset `place`", InTwoSteps),
    ("4.2", "`observe` is blank, or", changed(Sweep, observe=lambda self, arm, accepted: None)),
    ("4.2", "its `act` returns nothing yet; the task is a class with ", Silent),
    ("4.3", "It answers None; arm", changed(Eliminate, answer=lambda self: None)),
    ("4.3", "at step 36, in Phase 2, elimination: she just", changed(Eliminate, next=strays)),
    ("4.3", "K = 5, N_1 = 20) it stops before its first", changed(Eliminate, act=gives_up)),
    ("4.4", "It recommends arm 1; arm 0", changed(Silent, act=lambda self: np.int64(1))),
    ("4.4", "it must be a class with the constructor arguments delta", BAIR()),
]


def test_a_wrong_answer_is_told_what_is_wrong():
    for number, words, answer in WRONG:
        remark = check_exercise(number, answer)
        assert not remark.right
        assert words in remark.words


def test_another_way_to_write_it_is_right():
    for number, answer in (("4.1", n1_of), ("4.2", Sweep), ("4.3", Eliminate), ("4.5", Eliminate)):
        assert check_exercise(number, answer).right, number


def test_the_papers_agent_is_itself_to_the_bit():
    assert check_exercise("4.4", BAIR).right
    for user in (*USERS_BY_N1, *USERS_WITH_NOISE):

        def make(user=user):
            agent = BAIR(n1=user.n1 or "paper", m=user.m)
            agent.reset(user.n_arms, np.random.default_rng(0))
            return agent

        assert difference(make, paper_run(user)) == ""


def test_a_lesson_goes_on_behind_a_blank_and_names_it(capsys):
    rows = [
        (3, "3.3", "kl", {"kl": lambda p, q: None}),
        (4, "4.2", "Sweeping", {"Sweeping": Silent, "Elimination": Eliminate}),
    ]
    for number, exercise, name, answers in rows:
        cells = cells_of(read_source(f"{LESSONS[number - 1].name}.py"))
        (text,) = (cell.text for cell in cells if f"replaces your {name}." in cell.text)
        space = {"check_exercise": check_exercise, **answers}
        exec(text, space)
        (line,) = capsys.readouterr().out.splitlines()
        assert line.startswith(f"Exercise {exercise} is not right yet: ")
        assert [each for each in answers if space[each] is not answers[each]] == [name]
        assert check_exercise(exercise, space[name]).right
