"""What it costs to see responses only: the lower bound's pair of users, met by agents.

`overlap` shows how often an agent cannot tell nu from nu', `success` how often agents are right on
both, `needed` how long they need to be, `draw` the picture. The standard bandit beside them needs
O(log 1/delta), an agent that sees responses at least delta^(-1/alpha) but for smaller factors; one
that sees the rewards too is measured to be hardly better, as an arm that the user will not accept
again gives none. The power shows late: with gap 1/2 and alpha = 1 it overtakes the standard bandit
at delta = 1e-5; at alpha = 1/4 it can be measured.
"""

from explorative_user_env.studies.lower_bound.comparison import needed, success
from explorative_user_env.studies.lower_bound.figure import draw
from explorative_user_env.studies.lower_bound.growth import overlap
from explorative_user_env.studies.lower_bound.shared_history import Histories, histories

__all__ = ["Histories", "draw", "histories", "needed", "overlap", "success"]
