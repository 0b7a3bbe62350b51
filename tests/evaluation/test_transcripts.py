"""What an agent did as questions and answers: whoever answers so does the same, to the bit."""

import json

import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, TextAgent
from explorative_user_env.evaluation import write_transcripts

USERS = {"setting": "released", "n_arms": 3, "behaviour": "logistic"}


class Lookup:
    """A model that knows a file by heart, line by line."""

    def __init__(self, path):
        self.lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        self.asked = 0

    def __call__(self, question):  # that of the next line
        line = self.lines[self.asked]
        *asked, answered = line["messages"]
        assert [*line] == ["messages"]
        assert asked == question.messages
        assert answered["role"] == "assistant"
        self.asked += 1
        return answered["content"]


@pytest.mark.parametrize("options", [{}, {"task": "regret", "horizon": 60}])
def test_a_model_that_knows_the_examples_by_heart_has_the_rows_of_bair(options, tmp_path):
    path, agent = tmp_path / "examples.jsonl", BAIR(n1=20)
    asked = {**options, **USERS, "n_instances": 4, "seed": 5, "progress": False}
    n_lines = write_transcripts(path, agent, **asked)
    model = Lookup(path)
    assert n_lines == len(model.lines)
    found = eu.evaluate([agent, TextAgent(model)], compiled=False, **asked).runs
    assert model.asked == n_lines
    bair, text = (found[found["agent"] == name] for name in ("BAIR", "text"))
    # In regret no answer is asked for after the last step.
    same = [name for name in found if name not in ("agent", *(["answer"] if options else []))]
    assert text[same].reset_index(drop=True).equals(bair[same].reset_index(drop=True))
    assert bair["acceptances"].nunique() > 1


def test_nothing_half_written_is_left_and_nothing_is_written_over(tmp_path):
    path = tmp_path / "a" / "examples.jsonl"

    def interrupted(question):
        if question.step == 3:
            raise KeyboardInterrupt
        return "arm 0"

    few = {"n_arms": 2, "max_steps": 9, "progress": False}
    with pytest.raises(KeyboardInterrupt):
        write_transcripts(path, TextAgent(interrupted), **few)
    assert not list(tmp_path.rglob("*.*"))
    assert write_transcripts(path, n_instances=1, **few) == 9
    before = path.read_bytes()
    with pytest.raises(eu.InvalidArgumentError, match="path must be a new file; --overwrite"):
        write_transcripts(path, n_instances=2, **few)
    assert path.read_bytes() == before
    assert write_transcripts(path, n_instances=2, overwrite=True, **few) == 18
