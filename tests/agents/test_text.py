"""An agent that answers in words: what it is asked, how it is understood, what it counts."""

from unittest.mock import Mock

import numpy as np
import pytest
from pairs import pairs

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, TextAgent
from explorative_user_env.agents.text import Conversation, TextAnswer, answer_in_words, parse_answer
from explorative_user_env.evaluation.transcripts import transcript_of
from explorative_user_env.validation import CallableError

MEANT = {
    TextAnswer(3, stops=False): [
        *("3", "Arm: 3.", "**Arm 3**", "I recommend arm 3.", "I'd try 3!", "My answer is arm #3"),
        *('{"arm": 3}', '```json\n{"arm": 3, "reason": "she said yes"}\n```'),
        *("Arm 2 was rejected 4 times.\n\nFinal answer: arm 3\n", 'She likes 1.\n{"arm": 3}'),
    ],
    TextAnswer(3, stops=True): [
        *("STOP:3", "Stop with arm 3.", "I stop and name arm 3", "Answer: stop: 3", '{"stop": 3}'),
        "All others were rejected.\nstop: arm 3",
    ],
    None: [
        *("", " \n ", "5", "-1", "3.5", ".3", "1e0", "three", "3,4", "arm 3 or 4", "3 rejected"),
        *("not arm 3", "I will not recommend arm 3", "don't stop: 3", "step 3", "arm 3?", "stop"),
        *("99999999999", "100%", "\u0663", "{}", "[3]", '{"arm": "3"}', '{"arm": true}'),
        *('{"arm": 3.0}', '{"arm": 9}', '{"arm": 1, "stop": 2}', "[" * 100_000),
        "arm 3\nbut I am not sure",
    ],
}


def test_an_arm_is_named_in_many_words_and_what_is_no_answer_is_not_taken_for_one():
    for meant, texts in MEANT.items():
        for text in texts:
            if meant:
                assert parse_answer(text, 5) == meant
            else:
                with pytest.raises(eu.InvalidArgumentError, match=r'^answer must be "arm N" or'):
                    parse_answer(text, 5)
    for answer in (TextAnswer(7, stops=False), TextAnswer(19, stops=True)):
        assert parse_answer(answer_in_words(answer), 20) == answer


def test_a_question_says_all_that_was_heard_and_does_not_grow():
    talk = Conversation(9, n_recent=3)
    for arm, accepted in [(4, True), (0, False), (4, True), (4, False), (7, True)]:
        talk.take_in(arm, accepted)
    asked = talk.question()
    assert asked.splitlines()[3:] == [
        "Recommendations so far: 5.",
        "arm 0: 0 accepted, 1 rejected, last rejected",
        "arm 4: 2 accepted, 1 rejected, last rejected",
        "arm 7: 1 accepted, 0 rejected, last accepted",
        "Not recommended yet: 1 to 3, 5 to 6, 8",
        "The last 3, oldest first: 4 accepted, 4 rejected, 7 accepted",
        "",
        'Answer with one line, "arm N" to recommend arm N, or "stop: N" to stop and name arm N as '
        "the best (N in 0..8).",
    ]
    for _ in range(5000):
        talk.take_in(4, True)
    assert len(talk.question()) < len(asked) + 40


def begun(respond, horizon=None):
    agent = TextAgent(respond)
    agent.reset(5, np.random.default_rng(0), horizon)
    return agent


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


def test_at_the_end_it_is_asked_for_the_best_arm_once():
    for horizon in (None, 2):
        respond = Mock(return_value="arm 1")
        agent = begun(respond, horizon)
        for _ in range(2):
            agent.act()
            agent.observe(1, True)
        if horizon:
            assert agent.act() == 1  # the loop asks before it looks at the time
        assert (agent.answer(), agent.answer()) == (1, 1)
        over = ["The run is over." in call.args[0] for call in respond.mock_calls]
        assert over == [False, False, True]
    # Who is told more after a stop is asked again.
    agent = begun(Mock(side_effect=["stop: 4", "arm 1"]))
    assert (agent.act(), agent.answer()) == (None, 4)
    agent.observe(4, False)
    assert agent.answer() == 1


def test_what_respond_raises_or_returns_is_told_with_the_step_and_the_user():
    env = eu.ExplorativeUserEnv(3)
    failing = Mock(side_effect=["arm 0"] * 3 + [ConnectionError("no route to host")])
    where = r"\(at step 4, with the user of seed 8: rollout"
    with pytest.raises(CallableError, match=rf"ConnectionError: no route to host {where}"):
        eu.rollout(env, TextAgent(failing), seed=8)
    with pytest.raises(CallableError, match=r"the answer of text.respond must be a text, got"):
        eu.rollout(env, TextAgent(lambda question: None), seed=8)
    for name, value in {"respond": "gpt", "n_recent": -1, "max_steps": 0, "name": 3}.items():
        with pytest.raises(eu.InvalidArgumentError, match=f"^{name} must be"):
            TextAgent(**{"respond": str, name: value})


class Keyed:
    def __init__(self):
        self.key = "sk-secret"

    def __call__(self, question):
        return "stop: 0"


def test_no_file_holds_a_secret_of_its_client(tmp_path):
    store = tmp_path / "runs.sqlite"
    eu.evaluate([TextAgent(Keyed())], n_instances=2, n_arms=2, progress=False, store=store)
    assert b"n_recent" in store.read_bytes()
    assert b"sk-secret" not in store.read_bytes()
    assert TextAgent(Keyed()).options == {"respond": f"{__name__}:Keyed", "n_recent": 20}


@pairs(horizon=[None, 120], behaviour=["explorative", "impatient(probability=0.5)"])
def test_whoever_answers_as_bair_in_words_does_as_bair(horizon, behaviour):
    env = eu.ExplorativeUserEnv(4, setting="released", behaviour=behaviour)
    limits = {"max_steps": horizon, "horizon": horizon, "commits": True}
    limits = limits if horizon else {"max_steps": 300}
    for seed in range(2):
        bair = eu.rollout(env, BAIR(n1=20), seed, **limits)
        told = list(transcript_of(bair, 4, horizon))
        known = dict(told)
        assert len(known) == len(told)  # no question comes twice
        # At a step cap, which it does not know of, an agent is asked for an arm that nobody sees.
        agent = TextAgent(lambda question, known=known: known.get(question, "arm 0"))
        text = eu.rollout(env, agent, seed, **limits)
        assert agent.retries == 0
        assert (text.arms, text.accepted, text.answer) == (bair.arms, bair.accepted, bair.answer)
        assert text.left == bair.left
        assert horizon or text.end == bair.end  # else BAIR goes on when it stops
        assert text.stopping_time == len(known) - 1
