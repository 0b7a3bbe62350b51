"""The texts for a language model: the task, the user, and the responses so far."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from explorative_user_env.protocol import BAI, DELTA, POPULATION, REGRET, STEP_COST
from explorative_user_env.validation import is_external

#: Default number of latest responses in a question.
N_RECENT = 20

SCENE = (
    "You recommend one arm at a time to a user, who accepts or rejects it. You see acceptances and "
    "rejections only. The arms have the numbers 0 to {last}. Each arm has a mean reward, which is "
    "how much she likes it on average. Her best arm is the arm with the largest mean reward."
)

#: The paper's user. `{alpha}` and `{rho}` are texts.
LEARNS = (
    "She does not know the mean rewards. When she accepts an arm, she gets a random reward that "
    "has the arm's mean.",
    "Her interval for an arm is m - w to m + w with w = sqrt(2 alpha log(rho n) / k). Here m is "
    "the mean of the k rewards that she {has} of this arm, n is the number of all her acceptances "
    "and at least 1, {alpha}, and {rho}.",
)

REJECTS = (
    "She rejects an arm if the interval of another arm lies above the interval of this arm, and "
    "accepts it otherwise. So she accepts an arm of which she {has} no reward."
)

#: How each behaviour differs from the paper's user. Every sentence is about one fact.
BY_MEANS = "She knows the mean rewards, and accepts an arm if and only if "
BEHAVIOURS: Mapping[str, str] = {
    "explorative": "",
    "impatient": "",
    "varied": "Alpha and rho differ between users.",
    "forgetful": "She remembers her latest {window} rewards only.",
    "drifting": "Before each response every mean reward moves at random, by a normal step with "
    "standard deviation {0:g}. Her best arm is the one with the largest mean reward when you stop.",
    "logistic": "Let x be m + w of an arm minus the largest m - w of the other arms. She accepts "
    "the arm with probability 1 / (1 + exp(-x / {0:g})). So she accepts an arm of which she has no "
    "reward.",
    "omniscient": BY_MEANS + "its mean reward is at least the largest mean reward minus {0:g}.",
}
KNOWS_THE_BEST = BY_MEANS + "it is her best arm."

UNKNOWN = "You do not know the rule by which she accepts or rejects."
MAY_LEAVE = "She may leave for good."
MAY_CHANGE = (
    "Her mean rewards may change. Her best arm is the one with the largest mean when you stop."
)


def sentences_about(population: Any) -> tuple[str, ...]:
    """Return sentences about the users of a `Population`, with the numbers that BAIR knows."""
    user, behaviour = population.user, population.behaviour
    name, numbers = behaviour.name.partition("(")[0], behaviour.parameters
    noise = f"is {user.noise:g}" if user.noise else ""
    if name not in BEHAVIOURS or any(map(is_external, behaviour.functions)):
        more = {MAY_LEAVE: behaviour.leaves is not None, MAY_CHANGE: behaviour.moves_means}
        about = [UNKNOWN, *(words for words, true in more.items() if true)]
    elif name == "omniscient":
        about = [BEHAVIOURS[name].format(*numbers) if numbers[0] else KNOWS_THE_BEST]
    else:
        alpha, rho = f"alpha = {user.alpha:g}", f"rho is at least {user.rho_0:g}"
        has = "remembers" if name == "forgetful" else "has"
        if name == "varied":
            low, high = user.alpha / numbers[0], user.alpha * numbers[0]
            alpha = f"alpha is between {low:g} and {high:g}"
            rho = f"rho is between {user.rho_0:g} and {user.rho_1:g}"
            most = 1.0 - (1.0 - user.noise) * (1.0 - numbers[1])  # one of two coins decides
            noise = f"differs between users, from {user.noise:g} to {most:g}" if most else ""
        window = behaviour.memory // 2 + behaviour.memory_per_arm // 2 * user.n_arms
        own = BEHAVIOURS[name].format(*numbers, window=window)
        rule = [] if name == "logistic" else [REJECTS.format(has=has)]
        about = [each.format(has=has, alpha=alpha, rho=rho) for each in LEARNS]
        about += [*rule, *([own] if own else [])]
    if name == "impatient" and UNKNOWN not in about:
        if numbers[0]:
            about.append(f"At each rejection she leaves for good with probability {numbers[0]:g}.")
        if numbers[1]:
            about.append(f"She leaves for good after {numbers[1]:g} rejections in a row.")
    if noise:
        about.append(
            "Sometimes a fair coin decides instead of her: accept or reject, each with probability "
            f"1/2. The probability that the coin decides {noise}."
        )
    return tuple(about)


@dataclass(frozen=True)
class Facts:
    """The facts that a text agent states to its model; None marks an unknown fact.

    Attributes:
        task: "bai", "regret" or "population".
        delta: allowed probability of a wrong answer.
        step_cost: the cost of a recommendation in "bai".
        cap: the step cap of a run, or its number of steps in a task with a horizon.
        n_users: the number of users in an episode of "population".
        leaves: whether the user may leave.
        user: sentences about the user.
    """

    task: str | None = None
    delta: float | None = None
    step_cost: float | None = None
    cap: int | None = None
    n_users: int | None = None
    leaves: bool = False
    user: tuple[str, ...] = (UNKNOWN,)

    def steps(self, horizon: int | None) -> int | None:
        """Return the number of recommendations of a run that does not stop, or None."""
        return min((n for n in (self.cap, horizon) if n is not None), default=None)

    def system(self, n_arms: int, horizon: int | None) -> str:
        """Return the system text: the same for all users and steps of an evaluation."""
        task = self.task or (BAI if horizon is None else REGRET).name
        alone, steps = task != POPULATION.name, self.steps(horizon)
        if task == BAI.name:
            fails = ["the named arm is not her best arm"]
            fails += ["she leaves before"] if self.leaves else []
            fails += [] if steps is None else [f"you make {steps} recommendations without a stop"]
            fails[-1] = f"or {fails[-1]}" if fails[1:] else fails[-1]
            score = ["Find her best arm with few recommendations. Then stop and name it."]
            if self.step_cost is not None:
                cost = f"{self.step_cost:g} for each recommendation, and 1 more if it fails"
                score.append(f"The cost of a run is {cost}. Keep the cost low.")
            score.append(f"A run fails if {', '.join(fails)}.")
            if self.delta is not None:
                score.append(f"The named arm may be wrong with probability {self.delta:g} at most.")
            stop = "to stop and name arm N as her best arm"
        else:
            users, of_all = ("", "") if alone else (" with each user", " of all users")
            score = [
                f"You make {steps or 'many'} recommendations{users}. Each costs the mean reward of "
                "the user's best arm minus the mean reward of the recommended arm, whether she "
                f"accepts it or rejects it. Keep the sum of the costs{of_all} low."
            ]
            if not alone:
                number = "several" if self.n_users is None else str(self.n_users)
                score.insert(0, f"You meet {number} users, one after another.")
                score.append(
                    "Users are alike: each arm has a popularity, and a user's mean reward is the "
                    "popularity plus a deviation of her own. The best arms of two users may differ."
                )
            if self.leaves:
                score.append(
                    "After she leaves, each step that is left costs as much as her worst arm."
                )
            stop = f"to recommend arm N {'until the end' if alone else 'to this user from now on'}"
        form = (
            f'Write your answer in the last line: "arm N" to recommend arm N, or "stop: N" {stop} '
            f"(N in 0..{n_arms - 1})."
        )
        scene = SCENE.format(last=n_arms - 1)
        return "\n".join([scene, "", *self.user, "", *score, "", form])


def facts_of(population: Any, cell: Mapping[str, Any]) -> Facts:
    """Return the facts for the users of a `Population` (or None) in an evaluation.

    Args:
        population: the users, or None if they are unknown.
        cell: the options `task`, `delta`, `step_cost`, `max_steps` and `n_users` of the evaluation.
    """
    task, known = cell.get("task"), dict[str, Any]()
    if population is not None:
        leaves = population.behaviour.leaves is not None
        known = {"leaves": leaves, "user": sentences_about(population)}
    for name, default in {"delta": DELTA, "step_cost": STEP_COST}.items():
        if task == BAI.name:
            known[name] = default if cell.get(name) is None else cell[name]
    return Facts(task, cap=cell.get("max_steps"), n_users=cell.get("n_users"), **known)


class Question(str):
    """A question to a language model; as a text, it is the system text and the user text.

    Attributes:
        system: the system text, the same for all questions of an evaluation.
        user: the text of this question alone.
        number: the number of the user in the group of users that the agent serves at once, from 0.
        run: a name of the run, which no grouping of users changes.
        step: the number of the recommendation, from 1.
        attempt: 0, or 1 after an answer that could not be read.
    """

    system: str
    user: str
    number: int
    run: str
    step: int
    attempt: int

    @property
    def messages(self) -> list[dict[str, str]]:
        """The question as messages with the roles "system" and "user"."""
        return messages(self.system, self.user)


def joined(system: str, user: str) -> str:
    """Return a system text and a user text as one text."""
    return f"{system}\n\n{user}"


def messages(*texts: str) -> list[dict[str, str]]:
    """Return texts as messages with the roles "system", "user" and "assistant", in this order."""
    roles = zip(("system", "user", "assistant"), texts, strict=False)
    return [{"role": role, "content": text} for role, text in roles]


_RESPONSES = ("rejected", "accepted")


class Conversation:
    """The responses of one user so far, and the text of the next question about them.

    In the task "population" it also counts the responses of the earlier users of the episode.

    Args:
        n_arms: number of arms K.
        steps: number of recommendations of a run that does not stop, or None.
        n_recent: how many of the latest responses a question lists one by one, at least 0.
        n_users: the number of users of an episode; None for a user alone.
    """

    def __init__(
        self,
        n_arms: int,
        steps: int | None = None,
        n_recent: int = N_RECENT,
        n_users: int | None = None,
    ) -> None:
        self.n_arms, self.n_steps, self.n_users = n_arms, steps, n_users
        self.earlier: dict[int, list[int]] = {}  # as `counts`; the last entry counts users
        self.counts: dict[int, list[int]] = {}  # by arm: rejections, acceptances, last response
        self.recent: deque[tuple[int, bool]] = deque(maxlen=n_recent)
        self.steps = self.n_earlier = 0

    def take_in(self, arm: int, accepted: bool) -> None:
        """Count and remember a response."""
        counts = self.counts.setdefault(arm, [0, 0, 0])
        counts[accepted] += 1
        counts[2] = int(accepted)
        self.recent.append((arm, accepted))
        self.steps += 1

    def next_user(self) -> None:
        """Start with the next user of an episode."""
        for arm, counts in self.counts.items():
            before = self.earlier.get(arm, [0, 0, 0])
            self.earlier[arm] = [sum(pair) for pair in zip(before, counts, strict=True)]
        self.counts, self.steps = {}, 0
        self.n_earlier += 1
        self.recent.clear()

    def favourite(self) -> int:
        """Return the arm with the most acceptances, the last recommended of them if they tie."""
        last = [arm for arm, _ in self.recent]
        arms = [*dict.fromkeys([*last[::-1], *sorted(self.counts)])] or [0]
        return max(arms, key=lambda arm: self.counts.get(arm, [0, 0])[1])

    def question(self) -> str:
        """Return the text of the next question, without the system text."""
        lines = []
        if self.n_users is not None:
            lines.append(f"This is user {self.n_earlier + 1} of {self.n_users}.")
        for arm, (rejected, accepted, liked) in sorted(self.earlier.items()):
            words = f"{accepted} accepted, {rejected} rejected, last accepted by {liked} users"
            lines.append(f"Earlier users, arm {arm}: {words}")
        of = "" if self.n_steps is None else f" of {self.n_steps}"
        lines.append(f"Recommendations so far: {self.steps}{of}.")
        for arm, (rejected, accepted, last) in sorted(self.counts.items()):
            counts = f"{accepted} accepted, {rejected} rejected"
            lines.append(f"arm {arm}: {counts}, last {_RESPONSES[last]}")
        others = [arm for arm in range(self.n_arms) if arm not in self.counts]
        # Show consecutive arms as "5 to 8": for these, arm - position is constant.
        numbered = groupby(enumerate(others), lambda pair: pair[1] - pair[0])
        rows = [[arm for _, arm in row] for _, row in numbered]
        if rows:
            ends = [f"{row[0]}" if len(row) == 1 else f"{row[0]} to {row[-1]}" for row in rows]
            lines.append(f"Not recommended yet: {', '.join(ends)}")
        if self.recent:
            recent = ", ".join(f"{arm} {_RESPONSES[accepted]}" for arm, accepted in self.recent)
            lines.append(f"The last {len(self.recent)}, oldest first: {recent}")
        return "\n".join(lines)
