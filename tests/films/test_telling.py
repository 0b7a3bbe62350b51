"""What a run is told in words, held against a reading of it by arithmetic of its own."""

import math
import re

import numpy as np
import pytest
from watched import Silent, reading, run

from explorative_user_env.agents import BAIR, SuccessiveElimination, TrackAndStop
from explorative_user_env.runs.moments import MOST_SENTENCES, Rank, Sentence, explanation_from

FIRST = re.compile(
    r"^t = (\d+): she rejected arm (\d+)(?: \(the best\))? for the first time; "
    r"arm (\d+) is clearly better: lcb (-?[\d.]+) >= ucb (-?[\d.]+)"
)


def lines_of(episode):
    return episode.explain().lines


def told(lines, words):
    return [line for line in lines if words in line]


@pytest.mark.parametrize("agent", ["bair", "tas", "exp3", "uni"])
def test_the_first_rejection_of_each_arm_is_told_with_who_decided_it(agent):
    for seed in range(3):
        episode = run(agent, seed)
        steps, instance = reading(episode)
        wanted = {}
        for each in steps:
            if not each.accepted:
                wanted.setdefault(each.arm, each)
        found = {int(match[2]): match for line in lines_of(episode) if (match := FIRST.match(line))}
        assert set(found) == set(wanted)
        for arm, match in found.items():
            read = wanted[arm]
            assert read.witness is not None
            assert (int(match[1]), int(match[3])) == (read.step, read.witness)
            assert float(match[4]) == pytest.approx(read.lcb[read.witness], abs=0.006)
            assert float(match[5]) == pytest.approx(read.ucb[arm], abs=0.006)
            assert ("(the best)" in match[0]) == (arm == instance.best_arm)


def test_clicks_by_chance_are_counted_and_the_first_of_each_kind_is_told():
    for seed in range(4):
        episode = run("uni", seed, noise=0.3, max_steps=200)
        steps, _ = reading(episode, noise=0.3)
        for accepted, verb in ((False, "rejected"), (True, "accepted")):
            odd = [s for s in steps if s.accepted == accepted == (s.witness is not None)]
            lines = told(lines_of(episode), f"she {verb} arm")
            lines = told(lines, "though her intervals say otherwise")
            assert len(lines) == (1 if odd else 0)
            if odd:
                assert lines[0].startswith(f"t = {odd[0].step}: she {verb} arm {odd[0].arm} though")
                more = f"the first of {len(odd)} such responses"
                assert (more in lines[0]) == ("such responses" in lines[0]) == (len(odd) > 1)


class Flagging(Silent):
    """Says K truth values that are no arms which are left after rejections."""

    def __init__(self, at_first):
        super().__init__(steps=120)
        self.at_first = at_first

    def reset(self, n_arms, rng, horizon=None):
        super().reset(n_arms, rng, horizon)
        self.flags = [self.at_first] * n_arms

    def observe(self, arm, accepted):
        super().observe(arm, accepted)
        # An arm is left out where it was accepted; or those are in that were accepted last.
        self.flags[arm] = self.flags[arm] and not accepted if self.at_first else accepted

    def explain(self):
        return {"flags": self.flags}


@pytest.mark.parametrize("agent", [Flagging(True), Flagging(False)])
def test_only_rejections_end_what_is_left_and_only_of_what_all_were_in(agent):
    users = {"gap": 0.1, "n_arms": 2, "alpha": 0.05}
    lines = [line for seed in range(20) for line in lines_of(run(agent, seed, **users))]
    assert told(lines, "for the first time")
    assert told(lines, "left flags for good") == []


def test_without_noise_no_click_is_by_chance_nor_a_tie_that_the_released_code_accepts():
    ties = {"setting": "released", "reward_law": "bernoulli", "n_arms": 3}
    for seed in range(4):
        assert told(lines_of(run("exp3", seed)), "say otherwise") == []
        assert told(lines_of(run("uni", seed, **ties)), "say otherwise") == []


def test_where_the_best_arm_is_lost_it_is_told_when_why_and_which_interval_misled_her():
    for seed in (3, 17, 23, 24, 32):
        episode = run(SuccessiveElimination(), seed, alpha=0.15, gap=0.3)
        steps, instance = reading(episode, alpha=0.15, gap=0.3)
        best = instance.best_arm
        assert not episode.censored
        assert episode.answer != best
        last = [s for s in steps if s.arm == best and not s.accepted][-1]
        (line,) = told(lines_of(episode), f"arm {best} (the best) left F for good")
        assert line.startswith(f"t = {last.step}: ")
        assert last.witness is not None
        missed = [
            arm
            for arm in (best, last.witness)
            if not last.lcb[arm] <= instance.means[arm] <= last.ucb[arm]
        ]
        assert missed  # both intervals holding, the best arm cannot be rejected
        for arm in (best, last.witness):
            assert (f"her interval of arm {arm}, " in line) == (arm in missed)
        end = lines_of(episode)[-1]
        short = instance.means[best] - instance.means[episode.answer]
        assert f"named arm {episode.answer}, which is wrong" in end
        assert f"{short:.2f} below that of arm {best}" in end


def test_the_band_is_that_of_the_agents_delta():
    def left_its_band(read, means, delta=0.5):
        return any(
            n > 0
            and abs(found - mean) > math.sqrt(2 / n * math.log(n * (n + 1) / (delta / len(means))))
            for n, found, mean in zip(read.counts, read.estimates, means, strict=True)
        )

    for seed, leaves in ((0, False), (3, True), (18, True), (37, True)):
        episode = run(BAIR(delta=0.5, n1=30), seed)
        steps, instance = reading(episode)
        wide = [s for s in steps if left_its_band(s, instance.means)]
        lines = told(lines_of(episode), "left its band")
        assert bool(lines) == bool(wide) == leaves
        if wide:
            assert lines[0].startswith(f"t = {wide[0].step - 1}: ")  # after the step before


def test_the_phases_of_bair_are_told_when_they_begin():
    episode = run(BAIR(n1=40), 4)
    lines = told(lines_of(episode), "the agent's phase: ")
    assert lines[0] == "t = 0: the agent's phase: Phase 1, first sweep"
    assert lines[-1].endswith("Phase 2, elimination")
    begins = int(lines[-1].split()[2].rstrip(":"))
    assert sum(episode.accepted[:begins]) >= 40  # N_1 acceptances came before
    assert told(lines_of(run("uni", 2)), "the agent's turn") == []  # it changes all the time


def test_what_track_and_stop_was_stuck_on_is_told_where_it_was_cut_off():
    line = lines_of(run(TrackAndStop(), 3, noise=0.1))[-1]
    assert "T&S was cut off; its guess is arm" in line
    assert re.search(r"It was left with.*Z of beta: [\d.]+ / [\d.]+; least evidence against", line)
    line = lines_of(run(BAIR(n1=20), 1, gap=2.0))[-1]
    assert "stopped and named" in line
    assert "It was left" not in line


def test_a_best_arm_that_was_never_recommended_is_told_of():
    class OnlyTheFirst(Silent):
        def act(self):
            return None if self.t == self.steps else 0

    assert "t = 0: arm 1 (the best) was never recommended" in lines_of(run(OnlyTheFirst(), 7))


def test_a_taste_that_drifts_has_the_present_best_arm():
    (line,) = told(lines_of(run("uni", 2, behaviour="drifting", gap=0.02, max_steps=400)), "by now")
    assert re.search(r"by now arm \d is the best$", line)


def test_it_begins_with_what_there_is_to_find_and_ends_with_what_was_named():
    episode = run("bair", 7)
    means = reading(episode)[1].means
    best, second = np.argsort(means)[::-1][:2]
    first, *_, last = lines_of(episode)
    assert first.startswith(f"t = 0: the best of 5 arms is arm {best}, with mean ")
    assert f"; arm {second} is next, {means[best] - means[second]:.2f} below" in first
    assert last.startswith(f"t = {episode.stopping_time}: BAIR ")


def test_it_stays_short_and_says_how_much_it_leaves_out():
    explanation = run("uni", 3, n_arms=40, max_steps=800).explain()
    steps = [sentence.step for sentence in explanation.sentences]
    assert len(steps) == MOST_SENTENCES
    assert steps == sorted(steps)
    assert explanation.left_out > 0
    assert f"(Left out: {explanation.left_out} more" in str(explanation)
    assert Rank.END in {sentence.rank for sentence in explanation.sentences}


def test_what_matters_more_is_told_and_in_the_order_of_time():
    every = [Sentence(9, "end", 0), Sentence(3, "b", 4), Sentence(1, "<a>", 4), Sentence(2, "x", 1)]
    found = explanation_from(every, most=3)
    assert [s.text for s in found.sentences] == ["<a>", "x", "end"]
    assert found.left_out == 1
    assert found._repr_html_().startswith("<p>t = 1: &lt;a&gt;</p>")
    same = [Sentence(1, "first", 4), Sentence(1, "then", 0)]
    assert [s.text for s in explanation_from(same).sentences] == ["first", "then"]
