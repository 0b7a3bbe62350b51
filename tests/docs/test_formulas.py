"""Formulas as MathML."""

import xml.etree.ElementTree as ElementTree

import pytest

pytest.importorskip("latex2mathml", reason="formulas are drawn with the extra docs")
pytest.importorskip("sphinx", reason="formulas are drawn with the extra docs")

from extensions.formulas import FormulaError, markup

MATHML = "{http://www.w3.org/1998/Math/MathML}"


def drawn(tex: str, block: bool = False) -> ElementTree.Element:
    return ElementTree.fromstring(markup(tex, block))


def test_an_index_stands_behind_what_has_an_accent() -> None:
    (index,) = drawn(r"\hat\mu_i").iter(f"{MATHML}msub")
    assert index[0].tag == f"{MATHML}mover"
    assert index[1].text == "i"


def test_a_prime_is_as_large_as_its_letter() -> None:
    assert not [*drawn(r"\nu'").iter(f"{MATHML}msup")]
    assert "".join(drawn(r"\nu'").itertext()) == "ν′"


def test_the_name_of_a_function_keeps_its_distance() -> None:
    assert len([*drawn(r"2\alpha\log\rho_t").iter(f"{MATHML}mspace")]) == 2
    assert len([*drawn(r"\log(x)").iter(f"{MATHML}mspace")]) == 0


@pytest.mark.parametrize(
    "tex",
    [
        r"\Gamma = \max\left\{0, 2\alpha\log[\rho_t \cdot n(t)]\right\}",
        r"\Big(\tfrac{2K}{\delta}\Big)^{1/\alpha}/\rho_0",
        r"a_t = \arg\min_{i \in F} n_i",
        r"\begin{aligned}a &= b \\ c &= d\end{aligned}",
        r"\mathbb{P}[B'] \ge \frac{1}{\sqrt{2\pi}}, \quad 1 \dots K",
        r"\underline\Gamma^{(r)} = \text{the least}",
    ],
)
def test_the_paper_s_formulas_can_be_drawn(tex: str) -> None:
    assert drawn(tex, block=True).get("display") == "block"
    assert drawn(tex).get("display") == "inline"


@pytest.mark.parametrize("tex", [r"\nosuchcommand x", r"\frac{1", r"x_{", r"a & b", r"a \\ b"])
def test_what_is_no_formula_is_an_error(tex: str) -> None:
    with pytest.raises(FormulaError):
        markup(tex)
