"""Options are spelled and explained once, however many commands take them."""

import ast
from collections import Counter
from pathlib import Path

from explorative_user_env import commands


def test_what_an_option_is_for_is_written_once() -> None:
    said: Counter[str] = Counter()
    for path in Path(commands.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            words = node.value if isinstance(node, ast.keyword) and node.arg == "help" else None
            if isinstance(words, ast.Constant | ast.JoinedStr):
                said[ast.unparse(words)] += 1
    assert len(said) > 40
    assert [words for words, times in said.items() if times > 1] == []
