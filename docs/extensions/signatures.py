"""What a name is called with, as its definition says, with the options of users written out."""

import ast
import copy

from extensions.source import Definition, definition

_USERS = "lists_user_options"

LONGEST_VALUE = 60
"""Characters of a constant that is shown beside its name."""


class _Unquoted(ast.NodeTransformer):
    """Annotations without the quotes that names of later classes need; words stay words."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Leave the words of a `Literal` as they are."""
        return node if ast.unparse(node.value) == "Literal" else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Read what is quoted."""
        return ast.parse(node.value, mode="eval").body if isinstance(node.value, str) else node


def annotation(node: ast.expr) -> str:
    """Return a type as it is written, without quotes."""
    return ast.unparse(_Unquoted().visit(copy.deepcopy(node)))


def signature(made: Definition) -> str:
    """Return the arguments of a function or a class, with parentheses; empty for a value."""
    node = made.node
    if isinstance(node, ast.FunctionDef):
        return _of_function(node)
    if isinstance(node, ast.ClassDef):
        return _of_class(made, node)
    return ""


def value(made: Definition) -> str:
    """Return what a constant is if it is written down and short, else nothing."""
    node = made.node
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return ""
    try:
        ast.literal_eval(node.value)
    except ValueError:  # it is made of other names
        return ""
    written = ast.unparse(node.value)
    return written if len(written) <= LONGEST_VALUE else ""


def _of_function(node: ast.FunctionDef, method: bool = False) -> str:
    arguments = copy.deepcopy(node.args)
    if method:
        (arguments.posonlyargs or arguments.args).pop(0)
    for mark in node.decorator_list:
        if isinstance(mark, ast.Call) and ast.unparse(mark.func) == _USERS:
            _add_users(arguments, {each.arg or "": each.value for each in mark.keywords})
    for each in ast.walk(arguments):
        if isinstance(each, ast.arg) and each.annotation is not None:
            each.annotation = _Unquoted().visit(each.annotation)
    called = f"({ast.unparse(arguments)})"
    if node.returns is None or node.name == "__init__":
        return called
    return f"{called} -> {annotation(node.returns)}"


def of_method(node: ast.FunctionDef) -> str:
    """Return the arguments of a method, without the instance, and what it returns."""
    marks = {ast.unparse(mark) for mark in node.decorator_list}
    return _of_function(node, method="staticmethod" not in marks)


def _add_users(arguments: ast.arguments, others: dict[str, ast.expr]) -> None:
    """Put the options of users in place of `**user`, or before other keywords."""
    for option in _options():
        name = option.target
        assert isinstance(name, ast.Name)
        arguments.kwonlyargs.append(ast.arg(name.id, option.annotation))
        assert isinstance(option.value, ast.Call)
        arguments.kw_defaults.append(others.get(name.id, option.value.args[0]))
    if arguments.kwarg is not None and arguments.kwarg.arg == "user":
        arguments.kwarg = None


def _options() -> list[ast.AnnAssign]:
    population = definition("explorative_user_env.users.population", "Population").node
    assert isinstance(population, ast.ClassDef)
    fields = [node for node in population.body if isinstance(node, ast.AnnAssign)]
    return [
        node
        for node in fields
        if isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "option"
    ]


def _of_class(made: Definition, node: ast.ClassDef) -> str:
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            return _of_function(each, method=True)
    bases = {ast.unparse(base) for base in node.bases}
    marks = {ast.unparse(mark).split("(")[0] for mark in node.decorator_list}
    if "NamedTuple" in bases or "dataclass" in marks:
        keywords = any("kw_only=True" in ast.unparse(mark) for mark in node.decorator_list)
        fields = ", ".join(filter(None, map(_of_field, node.body)))
        return f"(*, {fields})" if keywords else f"({fields})"
    for base in node.bases:
        if isinstance(base, ast.Name):
            try:
                return signature(definition(made.module, base.id))
            except LookupError:
                continue
    return ""


def _of_field(node: ast.stmt) -> str:
    """Return a field of a record as an argument of it; empty for one that is no argument."""
    if not isinstance(node, ast.AnnAssign) or "ClassVar" in ast.unparse(node.annotation):
        return ""
    given = node.value
    if isinstance(given, ast.Call):
        options = {each.arg: ast.unparse(each.value) for each in given.keywords}
        called = ast.unparse(given.func)
        if options.get("init") == "False":
            return ""
        if called == "option":
            given = given.args[0]
        elif called == "field":
            factory = options.get("default_factory")
            made = options.get("default") or (factory and f"{factory}()")
            given = None if made is None else ast.parse(made, mode="eval").body
    written = f"{ast.unparse(node.target)}: {annotation(node.annotation)}"
    return written if given is None else f"{written} = {ast.unparse(given)}"
