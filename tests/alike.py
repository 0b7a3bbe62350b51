"""What environments hand out, in a form in which `==` sees everything."""

import numpy as np
from gymnasium.vector import AutoresetMode

from explorative_user_env.check.environments import told as told


class Beside:
    """A vector environment beside Gymnasium's own vector of single ones: all they say is alike."""

    def __init__(self, vector, sync):
        self.vector, self.sync = vector, sync

    def reset(self, seed=None, **options):
        # Gymnasium takes the mask out of the options that it is given: each gets its own.
        one = self.vector.reset(seed=seed, options=dict(options))
        assert told(one) == told(self.sync.reset(seed=seed, options=dict(options)))
        self.assert_same_truth()

    def step(self, actions):
        """Return what the vector says to these actions, which it leaves alone."""
        before = actions.copy()
        outcome = self.vector.step(actions)
        assert np.array_equal(actions, before)
        assert told(outcome) == told(self.sync.step(actions))
        return outcome

    def assert_same_truth(self):
        """Look at what neither says unasked: the hidden states, and a rendering."""
        singles = [env.unwrapped for env in self.sync.envs]
        truths = tuple(env.hidden_state() for env in singles)
        assert self.vector.unwrapped.hidden_states() == truths
        if self.vector.render_mode is not None:
            assert self.vector.render() == self.sync.render()

    def acting(self, done):
        """Return the lanes in which somebody acts next: not those finished and not yet reset."""
        mode = self.vector.metadata["autoreset_mode"]
        return np.ones_like(done) if mode == AutoresetMode.SAME_STEP else ~done

    def has_to_reset(self, done):
        """Whether lanes are finished that nobody else resets."""
        mode = self.vector.metadata["autoreset_mode"]
        return bool(done.any()) and mode == AutoresetMode.DISABLED
