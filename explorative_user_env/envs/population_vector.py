"""`ExplorativePopulation-v0`, many episodes in step."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from explorative_user_env.envs import population as rules
from explorative_user_env.envs.lane_kinds import new_lanes, streams_of
from explorative_user_env.envs.lanes import Step
from explorative_user_env.envs.population import USUAL_START, ExplorativePopulationEnv
from explorative_user_env.envs.user_vector import (
    ExplorativeUserVectorEnv,
    Infos,
    lane_arms,
    lane_options,
    shown_in,
    stacked,
)
from explorative_user_env.protocol import Array
from explorative_user_env.seeding import member_seed, user_generator
from explorative_user_env.users.behaviours import failed_start
from explorative_user_env.users.instances import Instance, InstanceLaw
from explorative_user_env.users.population import MemberLaw


class ExplorativePopulationVectorEnv(ExplorativeUserVectorEnv):
    """Many episodes in step, each with one user after another; lane b is lane b of single ones.

    Seeds, autoresets and infos are as in `ExplorativeUserVectorEnv`, of episodes: `reset(seed=s)`
    is s + b in lane b.

    Args:
        num_envs: number of episodes, at least 1.
        max_episode_steps: as in `ExplorativeUserVectorEnv`; None, as the task ends by itself.
        autoreset_mode: when a finished lane gets a new episode: "NextStep", "SameStep" or
            "Disabled".
        compiled: whether the users run in compiled code; None is from 64 episodes on.
        **kwargs: as in `ExplorativePopulationEnv`.

    Raises:
        InvalidArgumentError: naming the argument that is out of range.
    """

    single_env = ExplorativePopulationEnv
    _single: ExplorativePopulationEnv

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        compiled: bool | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(num_envs, max_episode_steps, autoreset_mode, compiled, **kwargs)
        single = self._single
        self.n_users, self.deviation = single.n_users, single.deviation
        self.horizon = single.horizon
        self._streams: list[np.random.Generator] = []
        self._fresh_streams = np.ones(self.num_envs, bool)
        self._start = USUAL_START
        self._starts = [USUAL_START] * self.num_envs
        self._episode_seeds = [-1] * self.num_envs
        self._members: list[MemberLaw | None] = [None] * self.num_envs
        self._present = np.zeros(self.num_envs, int)
        self._new_user = np.ones(self.num_envs, bool)
        self._steps = np.zeros(self.num_envs, int)
        self._accepted = np.zeros(self.num_envs, int)

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """The streams that the lanes' episodes have their seeds from."""
        return tuple(self._streams)

    @property
    def episode_seeds(self) -> tuple[int, ...]:
        """The seeds of the lanes' episodes."""
        return tuple(self._episode_seeds)

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Array, Infos]:
        """Start with new episodes.

        Args:
            seed: seeds of the lanes; an int s means s, s + 1, ..., and None goes on in each.
            options: those of the single environment for these episodes of all lanes, and
                `{"reset_mask": array of num_envs bools}`, which lanes to reset.

        Raises:
            InvalidArgumentError: for a seed or an option that is out of range.
        """
        rest = lane_options(options)
        masks = {name: rest.pop(name) for name in ("reset_mask",) if name in rest}
        self._start = rules.start_of(rest, self.user.n_arms, self.n_users)
        try:
            return super().reset(seed=seed, options=masks)
        finally:
            self._start = USUAL_START  # lanes that end begin as usual

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, Infos]:
        """Recommend arm `actions[b]` to the present user in lane b and hear the responses.

        Args:
            actions: an arm for each lane, shape (num_envs,), any kind of integer.

        Returns:
            The responses, rewards, terminations, truncations and infos. In `NEXT_STEP` mode a lane
            that ended in the step before is reset instead.

        Raises:
            InvalidArgumentError: for actions that are not arms.
            gymnasium.error.ResetNeeded: before the first reset, or for a finished lane that is not
                reset by itself.
        """
        arms = lane_arms(actions, self.num_envs, self.user.n_arms)
        fresh = self._fresh()
        heard = None if fresh is None else ~fresh
        step = self._recommend(arms, heard)
        self._steps += 1 if heard is None else heard
        self._accepted += step.responses
        self._renew(fresh)
        gone = step.interactions >= self.horizon
        terminated = gone & (self._present + 1 == self.n_users)
        self._new_user = gone & ~terminated
        if fresh is not None:
            self._new_user |= fresh
        lanes = np.flatnonzero(gone & ~terminated)
        if lanes.size:
            self._next_users(lanes, step)
        truncated = np.zeros(self.num_envs, bool)
        if self.max_episode_steps is not None:
            truncated = self._steps >= self.max_episode_steps
            if fresh is not None:
                truncated &= ~fresh
        return self._outcome(step, heard, terminated, truncated)

    def popularity(self) -> tuple[tuple[float, ...], ...]:
        """Return what is popular in each lane's episode; never for an agent."""
        self._begun_lanes("popularity")
        return tuple(tuple(law.popularity) for law in self._members if law is not None)

    def _reseed(self, seeds: list[int | None], lanes: Array) -> None:
        """Give the lanes their seeds; those without one go on, or begin at random."""
        if self._lanes is None:
            meant = set(lanes.tolist())
            given = [seed if lane in meant else None for lane, seed in enumerate(seeds)]
            self._streams, begun_with = streams_of(given)
            for lane, seed in enumerate(begun_with):
                self._users.reseed(lane, seed)
            hers = [user_generator(0) for _ in range(self.num_envs)]  # set as they come
            self._lanes = new_lanes(self._single, hers, self._asked, self._who, self.horizon)
            self.compiled = self._lanes.compiled
            return
        for lane in lanes.tolist():
            if seeds[lane] is not None:
                (self._streams[lane],), (seed,) = streams_of([seeds[lane]])
                self._users.reseed(lane, seed)
                self._fresh_streams[lane] = True

    def _begin(self, lanes: Array, law: InstanceLaw) -> None:
        """Begin episodes in these lanes with the first of their users."""
        self._begun[lanes] = self._ready = False  # if this fails, they need a reset
        self._present[lanes], self._new_user[lanes] = self._start.user, True
        self._steps[lanes] = self._accepted[lanes] = 0
        for lane in lanes.tolist():
            self._starts[lane] = self._start
            rng, seed = self._streams[lane], self._users.seeds[lane]
            fresh = bool(self._fresh_streams[lane])
            seed = self._episode_seeds[lane] = rules.episode_seed_of(rng, seed, fresh)
            self._fresh_streams[lane] = False
            try:
                self._members[lane] = self._start.members(self._single.popularity_law, seed)
            except Exception as error:
                raise self._failed(error, lane) from error
        self._meet_members(lanes)
        self._begun[lanes] = True
        self._ready = bool(self._begun.all())
        self._forget(lanes)

    def _meet_members(self, lanes: Array) -> None:
        """Meet the present users in these lanes, each of whom has a stream of her own."""
        assert self._lanes is not None
        instances: list[Instance] = []
        for lane in lanes.tolist():
            seed = member_seed(self._episode_seeds[lane], self._present.item(lane))
            self._lanes.reseed(lane, user_generator(seed))
            law = self._members[lane]
            assert law is not None
            try:
                instances.append(law.draw(self._lanes.rngs[lane]))
            except Exception as error:
                raise self._failed(error, lane) from error
        self._lanes.begin_with(lanes, instances, self._single.instance_law)

    def _next_users(self, lanes: Array, step: Step) -> None:
        """Let the next users come in these lanes, of whom nothing was heard."""
        self._begun[lanes] = self._ready = False
        self._present[lanes] += 1
        self._meet_members(lanes)
        self._begun[lanes] = self._ready = True
        for counts in (step.interactions, step.acceptances, step.rejections):
            counts[lanes] = 0
        if self._remembers:
            self._heard.next_user(lanes)
        self._begin_pictures(lanes)

    def _failed(self, error: Exception, lane: int) -> Exception:
        single = self._single
        who = self._who(lane)
        return failed_start(error, single.user, single.instance_law, single.behaviour, who)

    def _who(self, lane: int) -> str:
        """Return in words the user in `lane`."""
        seed, start = self._episode_seeds[lane], self._starts[lane]
        return rules.met_in_episode(seed, start, self._present.item(lane), lane)

    def _note(self, lane: int) -> str:
        return rules.who_is_there(self._present.item(lane), self.n_users)

    def _frame(self, lane: int) -> str | Array:
        frame = super()._frame(lane)
        ansi = self.render_mode == "ansi"
        return rules.with_who(frame, self._note(lane)) if ansi else frame

    def _infos(self, step: Step, has_response: Array | None, mask: Array | None = None) -> Infos:
        """Return the infos of the present users and who they are, the same keys at every step."""
        told = rules.told_of_users(self._present, self._new_user, self._steps, self._accepted)
        return super()._infos(step, has_response, mask) | stacked(shown_in(told, mask), mask)
