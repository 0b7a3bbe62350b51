"""What a run is told in words, held against a reading of it by arithmetic of its own."""

import re

import numpy as np
import pytest
from watched import reading, run

from explorative_user_env import PolicyAgent
from explorative_user_env.agents import BAIR, SuccessiveElimination, TrackAndStop
from explorative_user_env.runs.moments import MOST_SENTENCES, Sentence, explanation_from

FIRST = re.compile(
    r"^t = (\d+): she rejected arm (\d+)(?: \(the best\))? for the first time; "
    r"arm (\d+) is clearly better: lcb (-?[\d.]+) >= ucb (-?[\d.]+)"
)


def lines_of(episode):
    return episode.explain().lines


def told(lines, words):
    return [line for line in lines if words in line]


def test_a_run_is_told_from_what_there_is_to_find_to_what_was_named():
    episode = run("bair", 7)
    means = reading(episode)[1].means
    best, second = np.argsort(means)[::-1][:2]
    first, *_, last = lines_of(episode)
    assert first.startswith(f"t = 0: the best of 5 arms is arm {best}, with mean ")
    assert f"; arm {second} is next, {means[best] - means[second]:.2f} below" in first
    assert last.startswith(f"t = {episode.stopping_time}: BAIR ")
    last = lines_of(run(BAIR(n1=20), 1, gap=2.0))[-1]
    assert "stopped and named" in last
    assert "It was left" not in last
    last = lines_of(run(TrackAndStop(), 3, noise=0.1))[-1]
    assert "T&S reached the step cap; its answer is arm" in last
    assert re.search(r"last state: .*Z of beta: [\d.]+ / [\d.]+; least evidence against", last)
    first_arm = PolicyAgent(lambda observation: 0, observation="counts", horizon=60)
    assert "t = 0: arm 1 (the best) was never recommended" in lines_of(run(first_arm, 7))
    drifting = run("uni", 2, behaviour="drifting", gap=0.02, max_steps=400)
    (line,) = told(lines_of(drifting), "by now")
    assert re.search(r"by now arm \d is the best$", line)


def test_the_phases_of_bair_are_told_when_they_begin():
    episode = run(BAIR(n1=40), 4)
    lines = told(lines_of(episode), "the agent's phase: ")
    assert lines[0] == "t = 0: the agent's phase: Phase 1, first sweep"
    assert lines[-1].endswith("Phase 2, elimination")
    begins = int(lines[-1].split()[2].rstrip(":"))
    assert sum(episode.accepted[:begins]) >= 40  # N_1 acceptances came before
    assert told(lines_of(run("uni", 2)), "the agent's turn") == []  # it changes all the time


def test_an_explanation_stays_short_in_the_order_of_time_and_says_how_much_it_leaves_out():
    explanation = run("uni", 3, n_arms=40, max_steps=400).explain()
    steps = [sentence.step for sentence in explanation.sentences]
    assert len(steps) == MOST_SENTENCES
    assert steps == sorted(steps)
    assert f"({explanation.left_out} less important events" in str(explanation)
    every = [Sentence(9, "end", 0), Sentence(3, "b", 4), Sentence(1, "<a>", 4), Sentence(2, "x", 1)]
    found = explanation_from(every, most=3)
    assert [sentence.text for sentence in found.sentences] == ["<a>", "x", "end"]
    assert found.left_out == 1
    assert found._repr_html_().startswith("<p>t = 1: &lt;a&gt;</p>")


def test_the_first_rejection_of_each_arm_is_told_with_who_decided_it():
    for seed, agent in enumerate(["bair", "tas", "exp3", "uni", "uni"]):
        episode = run(agent, seed)
        steps, instance = reading(episode)
        wanted = {}
        for each in steps:
            if not each.accepted:
                wanted.setdefault(each.arm, each)
        found = {int(match[2]): match for match in map(FIRST.match, lines_of(episode)) if match}
        assert set(found) == set(wanted)
        for arm, match in found.items():
            read = wanted[arm]
            assert (int(match[1]), int(match[3])) == (read.step, read.witness)
            bounds = [read.lcb[read.witness], read.ucb[arm]]
            assert [float(match[4]), float(match[5])] == pytest.approx(bounds, abs=0.006)
            assert ("(the best)" in match[0]) == (arm == instance.best_arm)


@pytest.mark.slow
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
                assert (f"the first of {len(odd)} such responses" in lines[0]) == (len(odd) > 1)
    ties = {"setting": "released", "reward_law": "bernoulli", "n_arms": 3}
    for episode in (run("exp3", 0), run("exp3", 1), run("uni", 2, **ties), run("uni", 3, **ties)):
        assert told(lines_of(episode), "say otherwise") == []


def test_where_the_best_arm_is_lost_it_is_told_when_why_and_which_interval_misled_her():
    for seed in (3, 17, 23):
        episode = run(SuccessiveElimination(), seed, alpha=0.15, gap=0.3)
        steps, instance = reading(episode, alpha=0.15, gap=0.3)
        best = instance.best_arm
        assert not episode.censored
        assert episode.answer != best
        last = [s for s in steps if s.arm == best and not s.accepted][-1]
        (line,) = told(lines_of(episode), f"arm {best} (the best) removed it from F for good")
        assert line.startswith(f"t = {last.step}: ")
        missed = 0
        for arm in (best, last.witness):
            misses = not last.lcb[arm] <= instance.means[arm] <= last.ucb[arm]
            assert (f"her interval of arm {arm}, " in line) == misses
            missed += misses
        assert missed  # both intervals holding, the best arm cannot be rejected
        end = lines_of(episode)[-1]
        short = instance.means[best] - instance.means[episode.answer]
        assert f"named arm {episode.answer}, which is wrong" in end
        assert f"{short:.2f} below that of arm {best}" in end


@pytest.mark.slow
def test_the_band_is_that_of_the_agents_delta():
    def left_its_band(read, means):
        heard = np.array(read.counts) > 0
        n = np.array(read.counts)[heard]
        apart = abs(np.subtract(read.estimates, means)[heard])
        return any(apart > np.sqrt(2 / n * np.log(n * (n + 1) / (0.5 / 5))))

    for seed, leaves in ((0, False), (3, True), (18, True), (37, True)):
        episode = run(BAIR(delta=0.5, n1=30), seed)
        steps, instance = reading(episode)
        wide = [s for s in steps if left_its_band(s, instance.means)]
        lines = told(lines_of(episode), "left its band")
        assert bool(lines) == bool(wide) == leaves
        if leaves:
            assert lines[0].startswith(f"t = {wide[0].step - 1}: ")  # after the step before
