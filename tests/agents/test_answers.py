"""Answers of language models: the usual forms are read, and what is no answer is refused."""

import pytest

import explorative_user_env as eu
from explorative_user_env.agents.answers import TextAnswer, answer_in_words, parse_answer

MEANT = {
    TextAnswer(3, stops=False): [
        *("3", "Arm: 3.", "**Arm 3**", "I recommend arm 3.", "I'd try 3!", "My answer is arm #3"),
        *('{"arm": 3}', '```json\n{"arm": 3, "reason": "she accepted it"}\n```'),
        *("Arm 2 was rejected 4 times.\n\nFinal answer: arm 3\n", 'She likes 1.\n{"arm": 3}'),
        *(r"\boxed{3}", r"The best choice is $\boxed{\text{arm } 3}$.", r"So it is $$\boxed{3}$$"),
        *("<answer>3</answer>", "<answer>\narm 3\n</answer>", "<think>stop: 2</think>\n\narm 3"),
        *("<think>arm 1?</think><answer>arm 3</answer>", "No opening tag.</think>\narm 3"),
        *('{"action": 3}', '{"action": "recommend", "arm": 3}', '{"answer": "3"}'),
        *('{"name": "recommend", "arguments": {"arm": 3}}', 'Sure! {"arm": 3} is my answer.'),
        *("**Answer:** arm 3", "**Final Answer**: 3", "#### 3", "- arm 3", "> arm 3", "`arm 3`"),
        *("Action: recommend(3)", "recommend_arm(3)", "arm_3", "Arm-3", "I choose option 3", "(3)"),
        *("I'll go with arm 3 because she accepted it most.", "Next: arm 3", "```\narm 3\n```"),
        *("Arm 2 was rejected, so I recommend arm 3 next.", "I recommend arm 3, not arm 2."),
        *("So the next arm should be arm 3 (12 of 15 accepted).", "The best arm is arm 3"),
        *("Let's try arm 3, which has the fewest responses.", '{"arm": "3"}', "arm 3<|im_end|>"),
        *("arm 3 - least explored", "Answer: arm 3 (new)", "**arm 3**\n\n---", "{'arm': 3}"),
        *("I recommend arm 3 rather than arm 2.", "Not arm 2. Arm 3.", "Continue with arm 3"),
        "<answer>3</answer>\nI chose it because arm 2 was rejected.",
    ],
    TextAnswer(3, stops=True): [
        *("STOP:3", "Stop with arm 3.", "I stop and name arm 3", "Answer: stop: 3", '{"stop": 3}'),
        *("All others were rejected.\nstop: arm 3", r"\boxed{stop: 3}", r"\boxed{\text{stop: 3}}"),
        *("<answer>stop: 3</answer>", "<stop>3</stop>", '{"action": "stop", "arm": 3}', "stop(3)"),
        *("**stop: 3**", "All others were rejected, so I stop and name arm 3 as the best arm."),
        *('{"name": "stop", "arguments": {"arm": 3}}', '{"stop": true, "arm": 3}'),
        *("stop: 3 (all others were rejected)", '{"action": {"type": "stop", "arm": 3}}'),
    ],
    None: [
        *("", " \n ", "5", "-1", "3.5", ".3", "1e0", "three", "3,4", "arm 3 or 4", "3 rejected"),
        *("not arm 3", "I will not recommend arm 3", "don't stop: 3", "step 3", "arm 3?", "stop"),
        *("99999999999", "100%", "\u0663", "{}", "[3]", '{"arm": true}', '{"arm": 3.0}'),
        *('{"arm": 9}', '{"arm": 1, "stop": 2}', "[" * 100_000, "{" * 100_000),
        *("arm 3\nbut I am not sure", "I could try arm 3 or arm 4.", "I recommend arms 3 and 4"),
        *("She rejected arm 3, so far.", "<think>arm 3", r"\boxed{7}", "<answer>3 or 4</answer>"),
        *("I recommend arm 3, then arm 2.", "It depends.", "arm 3 was accepted 3 times"),
        *("I recommend not arm 3", "arm 3 (or arm 4)", "arm 3 (not sure)", "arm 3 - 4"),
        *("I won't recommend arm 3", "If she rejects arm 3, then stop.", "I might pick arm 3"),
    ],
}


def test_usual_forms_are_read_and_what_is_no_answer_is_refused():
    assert len(MEANT[TextAnswer(3, stops=False)]) >= 40
    for meant, texts in MEANT.items():
        for text in texts:
            if meant:
                assert parse_answer(text, 5) == meant, text
            else:
                with pytest.raises(eu.InvalidArgumentError, match=r'^answer must be "arm N" or'):
                    parse_answer(text, 5)
    for answer in (TextAnswer(7, stops=False), TextAnswer(19, stops=True)):
        assert parse_answer(answer_in_words(answer), 20) == answer
