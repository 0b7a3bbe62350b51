"""A language model at the table beside BAIR: fill in `respond`, which asks your client."""

import re

import explorative_user_env as eu
from explorative_user_env.agents import TextAgent

N_INSTANCES = 20
N_ARMS = 3
MAX_STEPS = 2000


def respond(question: str) -> str:
    """Return what a model answers; put a call of your client here.

    What stands in for one goes round the arms that did not reject it last, and stops when one is
    left. It knows nothing but the question, as a model does.
    """
    heard = re.findall(r"^arm (\d+): .* last (\w+)$", question, flags=re.MULTILINE)
    rejected = {int(arm) for arm, last in heard if last == "rejected"}
    left = [arm for arm in range(N_ARMS) if arm not in rejected]
    if len(left) == 1:
        return f"All the others were rejected.\nstop: {left[0]}"
    turn = left or range(N_ARMS)
    step = int(question.split("Recommendations so far: ")[1].split(".")[0])
    return f"I recommend arm {turn[step % len(turn)]}."


def main() -> None:
    """Show a question and its answer, and compare what answers with BAIR on the same users."""
    asked: list[str] = []

    def noting(question: str) -> str:
        asked.append(question)
        return respond(question)

    agent = TextAgent(noting, name="words")
    env = eu.ExplorativeUserEnv(N_ARMS)
    episode = eu.rollout(env, agent, seed=7, max_steps=MAX_STEPS)
    print(asked[-1])
    print(f"\n> {respond(asked[-1])}\n")
    print(f"It answers arm {episode.answer} after {episode.stopping_time} recommendations;")
    print(f"answers that could not be read: {agent.bad_answers}.\n")
    words = TextAgent(respond, name="words", max_steps=MAX_STEPS)
    print(eu.evaluate(["BAIR", "UNI", words], n_arms=N_ARMS, n_instances=N_INSTANCES))


if __name__ == "__main__":
    main()
