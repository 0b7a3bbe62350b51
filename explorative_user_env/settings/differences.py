"""Where the paper's text and its released code differ, point by point, and so the two settings."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal

from explorative_user_env.settings.setting import Difference, Setting
from explorative_user_env.users.confidence import ACCEPTANCE_RATE, SMOOTHED_ACCEPTANCE_RATE
from explorative_user_env.validation import choice, of_class

DIFFERENCES = (
    Difference("arm means", "N(0, 1)", "Uniform(0, 1)", {"means": ("normal", "uniform")}),
    Difference(
        "user at the start",
        "no history",
        "one private draw of every arm",
        {"private_draws": (0, 1)},
    ),
    Difference(
        "Gamma and rho_t before the first acceptance",
        "n(t) as it is, rho_t = 1",
        "max(n(t), 1), rho_t = 2",
        {"least_n": (0, 1), "rho_at_start": (1.0, 2.0)},
    ),
    Difference(
        "rho_t",
        "1 + n(t)/t",
        "1 + (K + n(t))/(2K + t)",
        {"rho": (ACCEPTANCE_RATE, SMOOTHED_ACCEPTANCE_RATE)},
    ),
    Difference(
        "rho_t follows",
        "every response",
        "acceptances only",
        {"rho_refresh": ("response", "acceptance")},
    ),
    Difference(
        "she rejects i if", "lcb_j >= ucb_i", "lcb_j > ucb_i", {"rejects_ties": (True, False)}
    ),
    Difference(
        "BAIR: N_1",
        "(2K/delta)^(1/alpha)",
        "(2(K-1)/delta)^(1/alpha)",
        {"bair_n1": ("paper", "proof")},
    ),
    Difference(
        "BAIR: first sweep",
        "over all of F",
        "skips the arm after a rejected one",
        {"bair_first_sweep": ("full", "skipping")},
    ),
    Difference(
        "BAIR: Phase 2",
        "the fewest acceptances in F",
        "round robin",
        {"bair_phase2": ("fewest acceptances", "round robin")},
    ),
    Difference(
        "BAIR(m), with click noise",
        "m = 2 log(K/delta)",
        "a multiple of log(2K/delta) at p' = .9",
        {"bair_m": ("paper", "released")},
    ),
    Difference(
        "UNI", "stops at T", "ends the pass it is in", {"uniform_whole_passes": (False, True)}
    ),
    Difference(
        "EXP3: learning rate",
        "sqrt(log K/(KT))",
        "sqrt(2 log K/(KT))",
        {"exp3_learning_rate": (1.0, 2.0)},
    ),
    Difference(
        "EXP3: answer",
        "most accepted",
        "most recommended",
        {"exp3_answer": ("accepted", "recommended")},
    ),
    Difference(
        "T&S: start",
        "each arm recommended once",
        "counts of one taken for granted",
        {"tas_primed": (False, True)},
    ),
    Difference(
        "T&S: step cap",
        "none (a million)",
        "max(10 000, 1000 K), fitted",
        {"tas_max_steps": (1_000_000, 10_000), "tas_max_steps_per_arm": (0, 1_000)},
    ),
    Difference(
        "answer among tied arms", "at random", "the first", {"answer_ties": ("random", "first")}
    ),
    Difference(
        "reported time",
        "interactions",
        "and the K private draws",
        {"counts_private_draws": (False, True)},
    ),
    Difference(
        "reported rejections",
        "rejections",
        "and the K private draws, but for T&S",
        {"private_draws_rejected": ((), ("BAIR", "UNI", "EXP3"))},
    ),
    Difference(
        "rejection rate",
        "mean of ratios",
        "ratio of means",
        {"rejection_rate": ("mean of ratios", "ratio of means")},
    ),
    Difference(
        "runs cut off by the cap",
        "count in full",
        "left out of time and rejections",
        {"drops_censored": (False, True)},
    ),
)
"""All of them: switched one after the other they lead from `PRINTED` to `RELEASED`."""

ALIKE: dict[str, Any] = {"bair_phase1_counts": "acceptances", "uniform_order": "round robin"}
"""Where the text and the code agree, and another reading is worth a try."""


def _side(name: str, side: Literal[0, 1]) -> Setting:
    values = {
        field: pair[side] for difference in DIFFERENCES for field, pair in difference.fields.items()
    }
    return Setting(name=name, **ALIKE, **values)


PRINTED = _side("printed", 0)
"""The paper's text."""

RELEASED = _side("released", 1)
"""The code the paper's tables were made with."""

COMPARED = RELEASED.name
"""The setting that is compared with the published figures; where nothing is compared with them, it
is the paper's text."""

SETTINGS = {setting.name: setting for setting in (PRINTED, RELEASED)}
"""The two settings by their names."""


def as_setting(setting: Setting | str) -> Setting:
    """Return the setting meant by `setting`: itself, or the one of that name."""
    if isinstance(setting, Setting):
        return setting
    return SETTINGS[choice("setting", setting, SETTINGS)]


def differences_of(setting: Setting) -> dict[str, str]:
    """Return the points in which a setting is not the paper's text, each with what it does."""
    changes = replace(setting, name=PRINTED.name).changes_of(PRINTED)
    told = {}
    for difference in DIFFERENCES:
        words = {name: changes.pop(name) for name in difference.fields if name in changes}
        pairs = difference.fields.items()
        if all(getattr(setting, name) == code for name, (_, code) in pairs):
            told[difference.point] = difference.released
        elif words:
            told[difference.point] = ", ".join(f"{name}={word}" for name, word in words.items())
    return told | changes


def title_of(setting: Setting, others: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a setting's name, and what is changed of the setting that has it.

    Args:
        setting: whose title it is.
        others: what else stands in for a field of it, in words.
    """
    of_class("setting", setting, Setting)
    changes = {**setting.changes_of(SETTINGS.get(setting.name, setting)), **others}
    told = ", ".join(f"{name}={word}" for name, word in changes.items())
    return f"{setting.name} ({told})" if told else setting.name


def name_in(title: str) -> str:
    """Return the name of the setting with this title."""
    return title.split(" (")[0]
