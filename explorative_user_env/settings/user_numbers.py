"""The numbers of a user under a setting."""

from explorative_user_env.settings.setting import Setting
from explorative_user_env.users.confidence import Schedule, prior_counts, warn_of_ties
from explorative_user_env.users.reward_laws import BERNOULLI, RewardLaw
from explorative_user_env.users.state import User, number_of_arms
from explorative_user_env.validation import positive, probability


def user_of(
    setting: Setting,
    schedule: Schedule,
    reward_law: RewardLaw,
    *,
    n_arms: int,
    alpha: float,
    noise: float,
) -> User:
    """Return the numbers of every user of a population, which are checked.

    Args:
        setting: what the options do not say.
        schedule: of rho_t.
        reward_law: of her rewards.
        n_arms: K, from 2 to a million.
        alpha: willingness to explore, above 0.
        noise: probability in [0, 1] that a decision is a coin flip.

    Raises:
        InvalidArgumentError: naming the option that is out of range.
    """
    prior = prior_counts(schedule, number_of_arms(n_arms))
    least_mean, largest_mean = reward_law.range_of_means
    if reward_law.place == BERNOULLI and setting.rejects_ties and not setting.private_draws:
        warn_of_ties(schedule, n_arms)
    return User(
        n_arms=int(n_arms),
        alpha=positive("alpha", alpha),
        noise=probability("noise", noise),
        reward_law=reward_law.place,
        own_law=reward_law,
        least_mean=least_mean,
        largest_mean=largest_mean,
        rejects_ties=setting.rejects_ties,
        private_draws=setting.private_draws,
        least_n=setting.least_n,
        refreshes_on_rejection=setting.rho_refresh == "response",
        rho_at_start=min(max(setting.rho_at_start, schedule.rho_0), schedule.rho_1),
        rho_0=schedule.rho_0,
        rho_1=schedule.rho_1,
        rho_parameters=schedule.parameters,
        counted=prior is not None,
        prior_acceptances=prior[0] if prior else 0,
        prior_interactions=prior[1] if prior else 0,
    )
