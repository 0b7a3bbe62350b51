"""Sliders stand where the user is, and nothing moves by itself."""

from explorative_user_env.play.game import FOLLOW, SLIDERS, Game, slid, sliders_of


def test_they_stand_where_the_user_is() -> None:
    options = {"alpha": 0.35, "noise": 0.1, "gap": 2.0, "rho": 1.25}
    sliders = {slider.name: slider for slider in sliders_of(Game(options=options, seed=1), 1.83)}
    assert list(sliders) == list(SLIDERS)
    assert {name: float(slider.value) for name, slider in sliders.items()} == options
    assert {slider.step for slider in sliders.values()} == {"0.05"}


def test_what_is_between_two_steps_or_beyond_the_ends_stays() -> None:
    sliders = {
        slider.name: slider
        for slider in sliders_of(Game(options={"alpha": 0.333, "gap": 7.0}, seed=1), 1.83)
    }
    assert sliders["alpha"].step == "any"
    assert (sliders["gap"].value, sliders["gap"].most) == ("7", "7")


def test_the_largest_numbers_have_a_place_as_well() -> None:
    most = 1.7976931348623157e308
    sliders = {
        slider.name: slider for slider in sliders_of(Game(options={"rho": most}, seed=1), 1.83)
    }
    assert float(sliders["rho"].value) == float(sliders["rho"].most) == most


def test_a_schedule_that_is_followed_needs_no_number_until_its_slider_moves() -> None:
    assert slid({"rho": "1.85", "gap": "1", FOLLOW: "1.85"}) == {"gap": "1"}
    assert slid({"rho": "1.2", "gap": "1", FOLLOW: "1.85"}) == {"rho": "1.2", "gap": "1"}
    assert slid({"rho": "1.5"}) == {"rho": "1.5"}


def test_the_slider_of_a_schedule_stands_where_rho_is_now() -> None:
    rho = {slider.name: slider for slider in sliders_of(Game(seed=1), 1.83)}["rho"]
    assert (rho.value, rho.step) == ("1.85", "0.05")
