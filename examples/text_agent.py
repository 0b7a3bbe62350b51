"""Compare a language model with BAIR: replace the body of `respond` by a call of your client."""

import re

import explorative_user_env as eu
from explorative_user_env.agents import TextAgent
from explorative_user_env.agents.conversation import Question

N_INSTANCES = 20
N_ARMS = 3
MAX_STEPS = 2000


def respond(question: Question) -> str:
    """Return the model's reply to a question; call your client here with `question.messages`.

    This substitute for a model recommends in turn the arms that were not rejected last, and stops
    when one arm is left. Like a model, it uses only the question. It may also be `async`.
    """
    latest = re.findall(r"^arm (\d+): .* last (\w+)$", question, flags=re.MULTILINE)
    rejected = {int(arm) for arm, last in latest if last == "rejected"}
    left = [arm for arm in range(N_ARMS) if arm not in rejected]
    if len(left) == 1:
        return f"All the others were rejected.\nstop: {left[0]}"
    turn = left or range(N_ARMS)
    return f"I recommend arm {turn[question.step % len(turn)]}."


def main() -> None:
    """Print a question and its reply, then compare the model with BAIR on the same users."""
    agent = TextAgent(respond, name="words", max_steps=MAX_STEPS)
    episode = eu.rollout(eu.ExplorativeUserEnv(N_ARMS), agent, seed=7)
    question, reply = agent.calls[-1]
    print(question)
    print(f"\n> {reply}\n")
    print(f"It answers arm {episode.answer} after {episode.stopping_time} recommendations;")
    print(f"answers that could not be read: {agent.bad_answers}.\n")
    print(eu.evaluate(["BAIR", "UNI", agent], n_arms=N_ARMS, n_instances=N_INSTANCES))


if __name__ == "__main__":
    main()
