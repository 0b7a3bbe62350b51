"""A small run whose numbers are written down: nothing may change them by accident.

A change that means to (another order of draws, another rule) replaces the digests and says so in
the changelog.
"""

import hashlib

import pytest

import explorative_user_env as eu
from explorative_user_env.agents import BAIR, EXP3, TrackAndStop, Uniform

DIGESTS = {
    ("printed", 0.0): "eb49560253fb99e8",
    ("printed", 0.1): "ed2ef84df9a9b668",
    ("released", 0.0): "c89d9c0790b8b0c8",
    ("released", 0.1): "ed00e1bcabbf2b64",
}


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize(("setting", "noise"), DIGESTS)
def test_the_reference_run_is_what_it_was(setting, noise, compiled):
    line_up = [BAIR(), BAIR(m="paper", rejections="consecutive", name="patient")]
    line_up += [TrackAndStop(max_steps=400), Uniform(order="random", horizon=200)]
    users = {"setting": setting, "noise": noise, "n_arms": 4, "n_instances": 12, "seed": 2022}
    how = {"max_steps": 3000, "compiled": compiled, "progress": False}
    runs = eu.evaluate([*line_up, EXP3(horizon=200)], **users, **how).runs
    assert not runs.pop("left").any()  # a column that is younger than the digests
    digest = hashlib.sha256(runs.to_csv(index=False, lineterminator="\n").encode()).hexdigest()
    assert digest[:16] == DIGESTS[setting, noise]
