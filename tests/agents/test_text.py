"""An agent that asks a language model: questions, calls, failures, and what is kept."""

import asyncio
import json
import pickle
import re
import threading
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest
from pairs import pairs

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, TextAgent, asking, with_facts
from explorative_user_env.agents.conversation import Conversation, Question
from explorative_user_env.evaluation import calls_of, transcript_of
from explorative_user_env.validation import CallableError

FEW = {"n_arms": 3, "gap": 2.0, "n_instances": 6, "seed": 4, "progress": False}
REGRET = {"task": "regret", "horizon": 12}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(asking, "FIRST_WAIT", 0.0)


def in_turn(question):
    """Recommends the arms that were not rejected last in turn, and stops if one is left."""
    last = dict(re.findall(r"^arm (\d+): .* last (\w+)$", question, flags=re.MULTILINE))
    left = [arm for arm in "012" if last.get(arm) != "rejected"]
    step = int(re.search(r"so far: (\d+)", question)[1])
    return f"stop: {left[0]}" if len(left) == 1 and step > 3 else f"arm {step % 3}"


def test_a_question_states_all_responses_and_does_not_grow():
    talk = Conversation(9, steps=700, n_recent=3)
    for arm, accepted in [(4, True), (0, False), (4, True), (4, False), (7, True)]:
        talk.take_in(arm, accepted)
    asked = talk.question()
    assert asked.splitlines() == [
        "Recommendations so far: 5 of 700.",
        "arm 0: 0 accepted, 1 rejected, last rejected",
        "arm 4: 2 accepted, 1 rejected, last rejected",
        "arm 7: 1 accepted, 0 rejected, last accepted",
        "Not recommended yet: 1 to 3, 5 to 6, 8",
        "The last 3, oldest first: 4 accepted, 4 rejected, 7 accepted",
    ]
    for _ in range(5000):
        talk.take_in(4, True)
    assert len(talk.question()) < len(asked) + 40


def begun(respond, horizon=None, **options):
    agent = TextAgent(respond, **options)
    agent.reset(5, np.random.default_rng(0), horizon)
    return agent


def test_whoever_asks_knows_the_user_the_step_and_the_parts_of_the_question():
    asked = []

    def respond(question):
        asked.append(question)
        return "perhaps" if question.step == 2 and question.attempt == 0 else "arm 1"

    agent = TextAgent(respond, at_once=1)
    eu.evaluate([agent], **FEW | REGRET)
    assert len({question.system for question in asked}) == 1
    assert len({question.run for question in asked}) == 6
    for question in asked:
        assert question == f"{question.system}\n\n{question.user}"
        roles = {"system": question.system, "user": question.user}
        assert {each["role"]: each["content"] for each in question.messages} == roles
        assert f"so far: {question.step - 1} of 12." in question.user
    places = [(each.step, each.attempt, each.number) for each in asked]
    assert places[:6] == [(1, 0, number) for number in range(6)]
    assert places[12:18] == [(2, 1, number) for number in range(6)]
    assert agent.n_calls == len(agent.calls) == len(asked) == 6 * 13
    assert agent.calls[-1] == (asked[-1], "arm 1")
    again = pickle.loads(pickle.dumps(asked[-1]))
    assert isinstance(again, Question)
    assert (again, again.messages) == (asked[-1], asked[-1].messages)


def test_a_bad_answer_is_asked_for_again_and_chance_stands_in_for_two():
    respond = Mock(side_effect=["arm 7", "arm 2"])
    agent = begun(respond)
    assert agent.act() == 2
    first, again = (call.args[0] for call in respond.mock_calls)
    assert again.startswith(f'{first}\n\nYour answer was "arm 7", which cannot be read')
    assert agent.explain() == {"bad answers": 0, "retries": 1, "reply": "arm 2"}
    agents = [begun(lambda question: "whatever you like") for _ in range(2)]
    arms = [[agent.act() for _ in range(200)] for agent in agents]
    assert arms[0] == arms[1]  # of the agent's own stream
    assert min(map(arms[0].count, range(5))) > 20
    assert agents[0].bad_answers == agents[0].retries == 200
    agents[0].reset(5, np.random.default_rng(1))
    assert agents[0].bad_answers == agents[0].retries == 0


LIMITS = [
    {"max_steps": 9},
    {"task": "regret", "horizon": 9},
    {"task": "population", "horizon": 3, "n_users": 3},
]


@pairs(limits=LIMITS, compiled=[True, False], behaviour=["explorative", "omniscient"])
def test_nothing_is_asked_after_the_last_step(limits, compiled, behaviour):
    respond = Mock(return_value="arm 1")
    eu.evaluate([TextAgent(respond)], **FEW, **limits, compiled=compiled, behaviour=behaviour)
    assert respond.call_count == 6 * 9
    respond = Mock(return_value="arm 1")
    leaving = {"behaviour": "impatient(patience=1)", "alpha": 0.01, "n_arms": 2, "seed": 1}
    runs = eu.evaluate([TextAgent(respond)], **FEW | leaving | LIMITS[0], compiled=compiled).runs
    assert respond.call_count == runs["interactions"].sum()


def test_the_answer_of_a_run_without_a_stop_is_the_arm_with_most_acceptances():
    agent = begun(Mock(side_effect=["stop: 4"]))
    assert (agent.act(), agent.answer()) == (None, 4)
    for arm, accepted in [(2, True), (2, True), (3, True), (3, False), (3, False), (1, False)]:
        agent.observe(arm, accepted)
    assert agent.answer() == 2
    agent.observe(3, True)
    assert agent.answer() == 3  # of two that tie the one that was recommended last


def rows(agent, **options):
    return eu.evaluate([agent], **FEW | {"max_steps": 40} | options).runs


async def later(question):
    await asyncio.sleep(0)
    return in_turn(question)


async def many_later(questions):
    return [await later(question) for question in questions]


FORMS = {
    "plain": {"respond": in_turn},
    "async": {"respond": later},
    "many": {"respond_many": lambda questions: [*map(in_turn, questions)], "at_once": 4},
    "async many": {"respond_many": many_later},
    "one by one": {"respond": in_turn, "at_once": 1},
}


@pairs(
    form=[*FORMS],
    users=[{}, {"behaviour": "impatient(probability=0.3)", "alpha": 0.05}],
    task=[{}, {"task": "population", "horizon": 30, "n_users": 3, "max_steps": None}],
)
def test_every_form_of_client_gives_the_rows_of_one_user_after_another(form, users, task):
    users = {} if task else users
    expected = rows(TextAgent(in_turn), compiled=False, **users, **task)
    pd.testing.assert_frame_equal(rows(TextAgent(**FORMS[form]), **users, **task), expected)

    async def notebook():  # where an event loop runs
        return rows(TextAgent(**FORMS[form]), **users, **task)

    pd.testing.assert_frame_equal(asyncio.run(notebook()), expected)


def test_coroutines_of_all_users_and_steps_run_in_one_event_loop():
    loops = []

    async def respond(question):
        loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0)
        return "arm 1"

    rows(TextAgent(respond), max_steps=3)
    assert len(loops) == 18
    assert len(set(loops)) == 1


def test_all_users_are_asked_together():
    barrier = threading.Barrier(6, timeout=60)

    def respond(question):
        barrier.wait()  # none goes on before all six have come
        return "arm 1"

    assert len(rows(TextAgent(respond), max_steps=3)) == 6
    sizes = []

    def respond_many(questions):
        sizes.append(len(questions))
        return ["arm 1"] * len(questions)

    rows(TextAgent(respond_many=respond_many, at_once=4), max_steps=2)
    assert sizes == [4, 2, 4, 2]


class Breaking:
    """Answers as `in_turn`; raises at one call, and at its repetitions, and counts the calls."""

    def __init__(self, at, times=1):
        self.at, self.times, self.n_calls, self.lock = at, times, 0, threading.Lock()

    def __call__(self, question):
        with self.lock:
            self.n_calls += 1
            n_calls = self.n_calls
        if self.at <= n_calls < self.at + self.times:
            raise ConnectionError("no route to host")
        return in_turn(question)


def test_a_failing_call_is_tried_again_and_the_others_are_not():
    sound = Breaking(10**9)
    expected = rows(TextAgent(sound))
    client = Breaking(20, times=2)
    pd.testing.assert_frame_equal(rows(TextAgent(client, at_once=1)), expected)
    assert client.n_calls == sound.n_calls + 2
    failing = Mock(side_effect=["arm 0"] * 3 + [ConnectionError("no route to host")] * 2)
    where = r"\(at step 4, with the user of seed 8: rollout\(env, agent, seed=8\) repeats the run\)"
    with pytest.raises(CallableError, match=rf"respond raised ConnectionError: no .* {where}"):
        eu.rollout(eu.ExplorativeUserEnv(3), TextAgent(failing, tries=2), seed=8)
    assert failing.call_count == 5
    with pytest.raises(CallableError, match=r"the answer of text.respond must be a text, got None"):
        eu.rollout(eu.ExplorativeUserEnv(3), TextAgent(lambda question: None), seed=8)
    parts = [["arm 0", OSError("slow down"), "arm 0"], ["arm 0"]]
    many = Mock(side_effect=parts)
    rows(TextAgent(respond_many=many), n_instances=3, max_steps=1)
    assert [len(call.args[0]) for call in many.mock_calls] == [3, 1]


@pairs(task=[{}, {"task": "population", "horizon": 9, "n_users": 3}], compiled=[True, False])
def test_an_error_loses_no_call_with_the_same_agent_or_transcript(task, compiled, tmp_path):
    task = {"compiled": compiled} | ({"max_steps": None, **task} if task else {})
    sound = Breaking(10**9)
    expected = rows(TextAgent(sound), **task)
    for number, broken in enumerate([1, 2, 40, sound.n_calls]):
        client, path = Breaking(broken), tmp_path / f"{number}.jsonl"
        same, options = TextAgent(client, tries=1), {"tries": 1, "transcript": path}
        for first, second in [(same, same), (None, None)]:
            client.n_calls = 0
            with pytest.raises(CallableError, match=r"no route to host \(at step \d+, with"):
                rows(first or TextAgent(client, **options), **task)
            found = rows(second or TextAgent(client, **options), **task)
            pd.testing.assert_frame_equal(found, expected)
            assert client.n_calls == sound.n_calls + 1
        # One user after another, other users and a film are asked for nothing either.
        agent = TextAgent(Mock(side_effect=AssertionError), **options)
        other = task | {"compiled": not compiled}
        pd.testing.assert_frame_equal(rows(agent, **other), expected)
        rows(agent, **task | {"n_instances": 2})
        assert agent.n_calls == 0
    lines = path.read_text("utf-8").splitlines()
    assert (
        len(lines) == sound.n_calls == sum(len(calls_of(path, expected.loc[r])) for r in range(6))
    )
    (_, first, _), *_, (_, last, answer) = calls_of(path, expected.loc[2])
    assert "so far: 0 of" in first
    assert answer == in_turn(last)
    assert {"run", "step", "attempt", "messages"} == json.loads(lines[0]).keys()
    path.write_text("\n".join(lines[:-1]) + "\n" + lines[-1][:50], "utf-8")  # cut off
    client = Breaking(10**9)
    rows(TextAgent(client, transcript=path), **task)
    assert client.n_calls == 1
    assert path.read_text("utf-8").splitlines()[-1] == lines[-1]


def test_finished_users_are_kept_in_the_store_and_with_the_error(tmp_path):
    store, sound = tmp_path / "runs.sqlite", Breaking(10**9)
    expected = rows(TextAgent(sound))
    client = Breaking(sound.n_calls)
    agent = TextAgent(client, tries=1)
    with pytest.raises(CallableError) as caught:
        eu.evaluate(["BAIR", agent], store=store, **FEW, max_steps=40)
    bair, text = caught.value.finished
    assert (bair.agents, text.agents) == (["BAIR"], ["text"])
    kept = expected[expected["instance"].isin(text.runs["instance"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(text.runs, kept)
    assert 0 < len(kept) < 6
    before = client.n_calls
    again = eu.evaluate(["BAIR", agent], store=store, **FEW, max_steps=40)
    assert client.n_calls == before + 1
    found = again.runs[again.runs["agent"] == "text"].reset_index(drop=True)
    pd.testing.assert_frame_equal(found, expected)


def test_a_file_that_is_no_transcript_is_not_appended_to(tmp_path):
    path = tmp_path / "runs.csv"
    path.write_bytes(b"agent,regret\n\xff")
    for each in (path, tmp_path):
        with pytest.raises(eu.InvalidArgumentError, match=r"^transcript must be a new file or a"):
            rows(TextAgent(in_turn, transcript=each))
    assert path.read_bytes() == b"agent,regret\n\xff"


def test_ctrl_c_keeps_what_was_answered():
    answered = threading.Event()

    def respond(question):
        if question.number == 0:
            assert answered.wait(60)
            raise KeyboardInterrupt
        answered.set()
        return "arm 1"

    agent = TextAgent(respond)
    with pytest.raises(KeyboardInterrupt):
        rows(agent, max_steps=1)
    assert agent.n_calls >= 1
    first, agent._client.function = agent.n_calls, lambda question: "arm 1"
    assert len(rows(agent, max_steps=1)) == 6
    assert agent.n_calls == 6 - first


def test_a_film_asks_nothing_and_a_replay_with_a_transcript_neither(tmp_path):
    numbers = iter(range(10**6))

    def fickle(question):  # no run of it can be repeated
        return f"arm {next(numbers) * 7 % 3}"

    agent = TextAgent(fickle, transcript=tmp_path / "a.jsonl")
    episode = eu.rollout(eu.ExplorativeUserEnv(3), TextAgent(fickle), seed=7, max_steps=9)
    calls = next(numbers)
    assert str(episode.explain()) == str(episode.explain())
    assert next(numbers) == calls + 1
    results = eu.evaluate([agent], **FEW | REGRET)
    assert results.replay(2).acceptances == results.runs["acceptances"][2]


@pytest.mark.parametrize("task", [{"step_cost": 0.01, "delta": 0.02, "max_steps": 9}, REGRET])
def test_a_rerun_of_stored_runs_asks_the_same_questions(task, tmp_path):
    path, asked, again = tmp_path / "runs.sqlite", set(), set()
    eu.evaluate([TextAgent(lambda q: asked.add(q) or in_turn(q))], **FEW | task, store=path)
    agent = TextAgent(lambda q: again.add(q) or in_turn(q))
    eu.load(path, agents=[agent]).replay(2)
    assert again
    assert again < asked


def test_wrong_arguments_are_refused_by_name():
    wrong = {"respond": "gpt", "n_recent": -1, "max_steps": 0, "name": 3, "at_once": 0, "tries": 0}
    for name, value in wrong.items():
        with pytest.raises(eu.InvalidArgumentError, match=f"^{name} must be"):
            TextAgent(**{"respond": str, name: value})
    with pytest.raises(eu.InvalidArgumentError, match=r"^respond must be"):
        TextAgent(str, respond_many=str)
    with pytest.raises(CallableError, match=r"must be a list of 6 texts, got \['arm 1'\]"):
        rows(TextAgent(respond_many=lambda questions: ["arm 1"]))


class Keyed:
    def __init__(self):
        self.key = "sk-secret"

    def __call__(self, question):
        return "stop: 0"


def test_no_file_holds_a_secret_of_its_client(tmp_path):
    store, path = tmp_path / "runs.sqlite", tmp_path / "a.jsonl"
    agent = TextAgent(Keyed(), transcript=path)
    eu.evaluate([agent], n_instances=2, n_arms=2, progress=False, store=store)
    assert b"n_recent" in store.read_bytes()
    assert b"sk-secret" not in store.read_bytes() + path.read_bytes()
    assert TextAgent(Keyed()).options == {"respond": f"{__name__}:Keyed", "n_recent": 20}


@pairs(horizon=[None, 120], behaviour=["explorative", "impatient(probability=0.5)"])
def test_whoever_answers_as_bair_in_words_does_as_bair(horizon, behaviour):
    env = eu.ExplorativeUserEnv(4, setting="released", behaviour=behaviour)
    limits = {"max_steps": horizon, "horizon": horizon, "commits": True}
    limits = limits if horizon else {"max_steps": 300}
    for seed in range(2):
        bair = eu.rollout(env, BAIR(n1=20), seed, **limits)
        agent = TextAgent(Mock(side_effect=KeyError))
        agent = with_facts(agent, None, {"task": "regret" if horizon else "bai", "max_steps": 300})
        lines = list(transcript_of(bair, 4, horizon, facts=agent.facts))
        known = {f"{system}\n\n{user}": answer for system, user, answer in lines}
        assert len(known) == len(lines)  # no question comes twice
        agent._client.function = known.__getitem__
        text = eu.rollout(env, agent, seed, **limits)
        assert agent.n_calls == len(lines)
        assert (text.arms, text.accepted, text.left) == (bair.arms, bair.accepted, bair.left)
        if not horizon:  # else BAIR goes on when it stops
            assert text.end == bair.end
        assert text.end or horizon or text.answer == bair.answer
