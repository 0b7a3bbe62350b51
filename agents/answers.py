"""The answers of language models: in words, in JSON, in tags or in a box, as models are trained."""

import json
import re
from typing import Any, NamedTuple

from explorative_user_env.validation import InvalidArgumentError, one_line


class TextAnswer(NamedTuple):
    """The parsed answer of a language model.

    Attributes:
        arm: the arm in the answer.
        stops: if True, the agent stops and names `arm` as the best; else it recommends `arm` next.
    """

    arm: int
    stops: bool


def answer_in_words(answer: TextAnswer) -> str:
    """Return an answer as text, the inverse of `parse_answer`."""
    return f"stop: {answer.arm}" if answer.stops else f"arm {answer.arm}"


#: Start of the lines that open or close a Markdown code block around an answer.
FENCE = "```"

#: Characters that are stripped before and after an answer.
BEFORE, BEHIND = " \t_\"'>•→", " \t_\"'.!,;"

#: The end of a text that some models write out.
_END = re.compile(r"<\|[^|<>]*\|>|</?s>|<eos>")
#: An answer and a remark without numbers.
_REMARK = re.compile(r"(.*[0-9]) [(#–—-]+ ?(?!.*\b(?:not|no|or|maybe)\b)[a-z][^0-9]*")

_MARKS = re.compile(r"\*+|`+|\\?\$+|\\[()\[\]]|^#+ |^[-+] (?=[a-z])")
_THOUGHT = re.compile(r"<(/?)(think|thinking|thought|reasoning|scratchpad)>", re.IGNORECASE)
_TAG = re.compile(r"<(answer|action|arm|stop|choice|final)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_BOX = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_IN_BOX = re.compile(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}")
_JSON = re.compile(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")

_ARM = r"(?:(?:the )?(?:arm|option|action|item)(?: number| no\.)?[ _:-]?\s*)?"
_NUMBER = rf"{_ARM}#?\(?([0-9]{{1,7}})\)?"
_WORD = "(?:answer|action|choice|recommendation|decision|move|pick|arm)"
_LEAD = (
    r"(?:(?:so|thus|therefore|hence|then|now),? )?"
    rf"(?:(?:my |the )?(?:(?:final|next|best|chosen) )?{_WORD}(?: is| =|=)?:? ?|next: )?"
)
_I = r"(?:(?:i|we|let me|let us|let's|i will|i would|i'll|we'll|i'd) )?"
_VERB = r"(?:(?:recommend|choose|select|pick|try|show|play|go with|suggest)(?:_arm)?(?: her)?:? ?)?"
_RECOMMEND = re.compile(rf"{_LEAD}{_I}{_VERB}{_NUMBER}")
_STOP = re.compile(
    rf"{_LEAD}{_I}stop(?: here| now)?[:,;]?"
    rf"(?: (?:and|with|at|on|name|answer|the best is|best))*:? ?{_NUMBER}"
)

#: In a sentence: arms, words that take an arm back, and words of a decision.
_NAMED = re.compile(r"\barms? ?#?([0-9]{1,7})\b(?! ?(?:or|and|,|/|&|to|-|–) ?#?(?:arms? )?[0-9])")
_SEVERAL = re.compile(r"\barms? ?#?[0-9]{1,7} ?(?:or|and|,|/|&|to|-|–) ?#?(?:arms? )?[0-9]")
_NOT = re.compile(
    r"\b(?:not|never|no|without|avoid|except|unlike|instead|rather than|reject\w*|if|unless|might|"
    r"may|could)\b|n't\b"
)
_DECIDES = re.compile(
    r"\b(?:recommend\w*|choose|chose|pick|try|select|go|going|answer|action|choice|final|best|next|"
    r"suggest|show|play|test\w*|explor\w*|continue|stop\w*|name|so|therefore|thus|hence|then|let's|"
    r"i'll)\b|(?:^|[.:;,] )arm [0-9]+$"
)
_CLAUSE = re.compile(
    r"[.;,:!?()]|\b(?:but|because|since|as|while|although)\b|"
    r"(?=\b(?:rather than|instead of|not) arm)"
)


def parse_answer(text: str, n_arms: int) -> TextAnswer:
    r"""Parse the text of an answer.

    Text before the end of a thinking block is ignored. The answer is the last line, as "arm 3",
    "stop: 3" or JSON such as {"arm": 3}; or else the last <answer>3</answer>, `\boxed{3}` or
    JSON object; or else the only arm that a sentence in the last line decides for.

    Args:
        text: the answer.
        n_arms: number of arms K.

    Raises:
        InvalidArgumentError: if the text has another form, or the arm is not in 0..K-1.
    """
    thoughts = [*_THOUGHT.finditer(text)]
    is_open = bool(thoughts) and not thoughts[-1][1]
    said = "" if is_open else text[thoughts[-1].end() if thoughts else 0 :]
    lines = [line.strip() for line in _END.sub("", said).splitlines()]
    lines = [line for line in lines if line.strip("-_*# ") and not line.startswith(FENCE)]
    last = lines[-1] if lines else ""
    answer = _of_line(last) or _of_json("\n".join(lines))
    answer = answer or _of_parts("\n".join(lines)) or _of_sentence(_plain(last))
    if answer is None or not 0 <= answer.arm < n_arms:
        allowed = f'"arm N" or "stop: N", N in 0..{n_arms - 1}'
        raise InvalidArgumentError("answer", one_line(last), allowed)
    return answer


def _plain(line: str) -> str:
    """Return a line in small letters, without marks of Markdown and TeX."""
    words = _MARKS.sub("", line.strip().lower().replace("’", "'")).lstrip(BEFORE).rstrip(BEHIND)
    return " ".join(words.replace(":", ": ").replace("**", "").split())


def _of_line(line: str) -> TextAnswer | None:
    """Return the answer if a line is nothing but an answer."""
    words = _plain(line)
    if match := _REMARK.fullmatch(words):
        words = match[1]
    for pattern, stops in ((_RECOMMEND, False), (_STOP, True)):
        if match := pattern.fullmatch(words):
            return TextAnswer(int(match[1]), stops)
    return _of_json(line)


def _of_parts(text: str) -> TextAnswer | None:
    """Return the answer in the last tag, box or JSON object of a text that has one."""
    if tags := _TAG.findall(text):
        name, inner = tags[-1]
        answer = _of_line(inner) or _of_parts(inner)
        return answer._replace(stops=True) if answer and name.lower() == "stop" else answer
    if boxes := _BOX.findall(text):
        return _of_line(_IN_BOX.sub(r"\1", boxes[-1]))
    objects = _JSON.findall(text)
    return _of_json(objects[-1]) if objects else None


_ARGUMENTS = ("arguments", "parameters", "args", "input", "action", "answer")
_KEYS = ("arm", "action", "answer", "choice", "recommendation", "recommend", "best_arm", "stop")


def _of_json(text: str) -> TextAnswer | None:
    """Return the answer in a JSON object, which may be a call of a tool."""
    try:
        value: Any = json.loads(text if '"' in text else text.replace("'", '"'))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    for name in _ARGUMENTS:
        value = {**value, **value[name]} if isinstance(value.get(name), dict) else value
    words = [value.get(name) for name in ("action", "name", "tool", "decision", "type")]
    stops = "stop" in words or value.get("stop") is True
    found = set[TextAnswer]()
    for key in _KEYS:
        each = value.get(key)
        answer = _of_line(each) if isinstance(each, str) else None
        if type(each) is int:
            answer = TextAnswer(each, key == "stop")
        if answer:
            found.add(answer._replace(stops=answer.stops or stops))
    return found.pop() if len(found) == 1 else None


def _of_sentence(line: str) -> TextAnswer | None:
    """Return the only arm that a sentence decides for, without the arms of negated clauses."""
    if line.endswith("?") or _SEVERAL.search(line) or not _DECIDES.search(line):
        return None
    clauses = _CLAUSE.split(line)
    clauses = [clause for clause in clauses if not _NOT.search(clause)]
    arms = {int(number) for clause in clauses for number in _NAMED.findall(clause)}
    stops = any(re.search(r"\bstop(?:ping)?\b", clause) for clause in clauses)
    return TextAnswer(arms.pop(), stops) if len(arms) == 1 else None
