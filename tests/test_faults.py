"""Every fault of the list fits the code of today, and near tests catch it."""

import pytest
from faults import ROOT, copy_of_the_tree, faults, is_caught


def test_every_fault_fits_its_file():
    assert len(faults()) >= 80
    for fault in [*faults(), *faults("equivalent")]:
        compile(fault.content(ROOT), fault.file, "exec")
        assert all((ROOT / each.partition("::")[0]).exists() for each in fault.tests), fault


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the tree that faults are put into."""
    return copy_of_the_tree(tmp_path_factory.mktemp("tree"))


@pytest.mark.exhaustive
@pytest.mark.parametrize("fault", faults(), ids=lambda fault: fault.file)
def test_near_tests_catch_it(fault, tree):
    assert is_caught(fault, tree)


@pytest.mark.exhaustive
def test_near_tests_do_not_catch_a_change_of_no_result(tree):
    assert not any(is_caught(change, tree) for change in faults("equivalent"))
