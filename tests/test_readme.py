"""What the README says is what the code does."""

import ast
from pathlib import Path

from snippets import blocks_of

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BENCHMARK = (ROOT / "docs" / "benchmark.md").read_text(encoding="utf-8")


def between(text: str, first: str, last: str) -> str:
    return text.split(first, 1)[1].split(last, 1)[0].strip()


def test_the_two_commands_stand_as_they_are_run_in_ci() -> None:
    shell = [block.text.strip() for block in blocks_of(README) if block.kind == "sh"]
    assert shell[0] == "pip install . && explorative-user bench"
    assert shell[1] == 'pip install -e ".[test]" && pytest'
    assert shell[1] in (ROOT / ".ci" / "run").read_text()


def test_its_first_ten_lines_are_what_a_stranger_runs_in_ci() -> None:
    first = next(block.text for block in blocks_of(README) if block.kind == "python")
    assert README.split("```python\n")[1].split("```")[0] == first
    assert "gym.make(" in first
    assert len(first.splitlines()) <= 13


def agent_in(code: str) -> str:
    """The class in some code, without what its methods say of themselves."""
    (found,) = (each for each in ast.parse(code).body if isinstance(each, ast.ClassDef))
    for method in found.body:
        if isinstance(method, ast.FunctionDef) and ast.get_docstring(method):
            del method.body[0]
    return ast.unparse(found)


def test_the_custom_agent_is_the_examples() -> None:
    example = (ROOT / "examples" / "custom_agent.py").read_text()
    (shown,) = (block.text for block in blocks_of(README) if "class " in block.text)
    assert agent_in(shown) == agent_in(example)


def test_its_table_is_a_part_of_the_benchmarks() -> None:
    whole, part = (
        between(page, "<!-- bench -->", "<!-- /bench -->") for page in (BENCHMARK, README)
    )
    head, rule, *rows = part.splitlines()
    assert whole.startswith(f"{head}\n{rule}\n")
    assert "\n".join(rows) in whole
    assert rows[0].startswith("| 0.1 | 5 | BAIR |")
    assert len(rows) == 4


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 150
