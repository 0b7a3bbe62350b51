"""What answers a text agent's questions, in a module that other processes find, too."""


def last_one_standing(question: str) -> str:
    """Go round the arms, and stop when one alone was not rejected last."""
    lines = question.splitlines()
    n_arms = int(question.split("One of her ")[1].split(" arms")[0])
    last = {
        int(line.split()[1].rstrip(":")): line.endswith("last accepted")
        for line in lines
        if line.startswith("arm ")
    }
    left = [arm for arm in range(n_arms) if last.get(arm, True)]
    if len(left) == 1:
        return f"I stop: arm {left[0]}."
    step = int(question.split("so far: ")[1].split(".")[0].split(" of ")[0])
    return f"arm {step % n_arms}"
