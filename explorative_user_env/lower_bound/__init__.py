"""What it costs to see responses only: the lower bound's pair of users, met by agents.

`overlap` shows how often an agent cannot tell nu from nu', `success` how often agents are right on
both, `needed` how long they need to be, `draw` the picture. The standard bandit beside them needs
O(log 1/delta), everybody who depends on the user's consent O(delta^(-1/alpha)) up to logarithms.
The power shows late: at alpha = 1 not before delta is about 1e-5, as an agent that is right with
1 - delta on an easy pair needs hundreds of interactions anyway; at alpha = 1/4 it can be measured.
"""

from explorative_user_env.lower_bound.comparison import needed, success
from explorative_user_env.lower_bound.figure import draw
from explorative_user_env.lower_bound.growth import overlap
from explorative_user_env.lower_bound.shared_history import Histories, histories

__all__ = ["Histories", "draw", "histories", "needed", "overlap", "success"]
