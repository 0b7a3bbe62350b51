"""Which functions go into a loop: those it names, and those they call in turn."""

import dis
import sys
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

COMPILERS = ("numpy", "numba", "llvmlite")
"""Libraries that compiled code has words of its own for; nothing inside them is looked at."""

IMPORT = "import "
"""Before the name of a module that is imported inside a function."""


class Callees(NamedTuple):
    """All functions that go into a loop.

    Attributes:
        plain: Python functions, each after those that it calls; the loop itself is the last.
        compiled: functions that numba has compiled already, as they were in Python.
    """

    plain: list[FunctionType]
    compiled: list[FunctionType]


def callees_of(loop: Any) -> Callees:
    """Return all functions that go into `loop`, which is one of them."""
    found = Callees([], [])
    seen: set[int] = set()

    def visit(value: Any) -> None:
        inner = getattr(value, "py_func", None)  # of a function that numba has compiled
        function = inner if isinstance(inner, FunctionType) else value
        if not isinstance(function, FunctionType) or id(function) in seen or is_of_compiler(value):
            return
        seen.add(id(function))
        for other in references(function).values():
            visit(other)
        (found.plain if function is value else found.compiled).append(function)

    visit(loop)
    return found


def references(function: FunctionType) -> dict[str, Any]:
    """Return what `function` refers to by the names it has for it.

    That is what stands in its module, what it encloses or imports, and what stands in modules it
    refers to, under any name of an attribute in the function: which are the module's is not told.
    """
    names, attributes = _names_in(function.__code__)
    known = {name: function.__globals__[name] for name in names if name in function.__globals__}
    imports = (name.removeprefix(IMPORT) for name in names if name.startswith(IMPORT))
    known |= {f"{IMPORT}{name}": sys.modules.get(name) for name in imports}
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    known |= {name: cell.cell_contents for name, cell in cells}
    for name, value in list(known.items()):
        if isinstance(value, ModuleType):
            known |= _inside(name, value, attributes)
    return known


def is_of_compiler(value: Any) -> bool:
    """Whether a function, class or module is one of the `COMPILERS`."""
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return str(name).partition(".")[0] in COMPILERS


def _inside(name: str, module: ModuleType, attributes: list[str]) -> dict[str, Any]:
    """Return what stands in a module, and in modules inside it, by dotted names."""
    found: dict[str, Any] = {}
    modules, seen = [(name, module)], {id(module)}
    while modules:
        name, module = modules.pop()
        if is_of_compiler(module):
            continue
        for attribute in attributes:
            if attribute not in vars(module):
                continue
            value = found[f"{name}.{attribute}"] = vars(module)[attribute]
            if isinstance(value, ModuleType) and id(value) not in seen:
                seen.add(id(value))
                modules.append((f"{name}.{attribute}", value))
    return found


def _names_in(code: CodeType) -> tuple[list[str], list[str]]:
    """Return the global names and the attributes in `code` and in the functions it makes."""
    names: set[str] = set()
    attributes: set[str] = set()
    codes = [code]
    while codes:
        current = codes.pop()
        codes.extend(value for value in current.co_consts if isinstance(value, CodeType))
        for instruction in dis.get_instructions(current):
            kind, name = instruction.opname, instruction.argval
            if kind in ("LOAD_GLOBAL", "LOAD_NAME"):
                names.add(name)
            elif kind in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
                attributes.add(name)
            elif kind == "IMPORT_NAME":
                names.add(f"{IMPORT}{name}")
    return sorted(names), sorted(attributes)
