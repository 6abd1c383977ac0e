"""The games as environments of PettingZoo (AEC), with action masks.

>>> from tesuji.pettingzoo import env
>>> game = env("connect4")
>>> game.reset(seed=1)
>>> observation, reward, terminated, truncated, info = game.last()
>>> int(observation["action_mask"].sum())
7
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from . import State, load_game

__all__ = ["env", "raw_env"]


def env(game: str = "connect4", **options: Any) -> AECEnv:
    """An environment that refuses what PettingZoo forbids: illegal actions lose, steps come after `reset`.

    The options are those of `raw_env`.
    """
    made: AECEnv = raw_env(game, **options)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)


class raw_env(AECEnv):  # noqa: N801 - PettingZoo's name
    """A game of two players as an environment.

    An observation is a dict: `observation`, the position as the player to move sees it, and `action_mask`, 1 for each
    legal action. The player who waits gets the same observation with an empty mask. Rewards are 1, -1 or 0 at the end.

    `rules` and `encoder` are those of `tesuji.load_game`. `varied` begins from the game's varied starts, which follow
    from the seed of `reset`. After `max_plies` moves the game is truncated. `render_mode` is "ansi" or "human".
    """

    metadata = {"render_modes": ["human", "ansi"], "name": "tesuji_v0", "is_parallelizable": False, "render_fps": 2}

    def __init__(
        self,
        game: str = "connect4",
        *,
        rules: str = "official",
        encoder: str = "",
        varied: bool = False,
        max_plies: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode {render_mode!r}: expected 'human' or 'ansi'")
        if max_plies is not None and max_plies < 1:
            raise ValueError(f"max_plies={max_plies}: expected a number from 1")
        self.game = load_game(game, rules=rules, encoder=encoder)
        self.metadata = {**self.metadata, "name": f"tesuji_{game}_v0"}
        self.render_mode = render_mode
        self.varied = varied
        self.max_plies = max_plies
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []
        actions = self.game.num_distinct_actions()
        shape = tuple(self.game.observation_tensor_shape())
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low=-np.inf, high=np.inf, shape=shape, dtype=np.float32),
                    "action_mask": spaces.Box(low=0, high=1, shape=(actions,), dtype=np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.state_of_play: State = self.game.new_initial_state()
        self._random = np.random.default_rng()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def observe(self, agent: str) -> dict[str, np.ndarray[Any, Any]]:
        player = self.possible_agents.index(agent)
        mask = self.state_of_play.legal_actions_mask(player).astype(np.int8)
        return {"observation": self.state_of_play.observation_tensor(), "action_mask": mask}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        if self.varied:
            self.state_of_play = self.game.varied_state(int(self._random.integers(2**63)))
        else:
            self.state_of_play = self.game.new_initial_state()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._plies = 0
        self.agent_selection = self.agents[max(self.state_of_play.current_player(), 0)]

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("action None: the game is not over")
        mover = self.agent_selection
        self.state_of_play.apply_action(int(action))
        self._plies += 1
        self._cumulative_rewards[mover] = 0.0
        self._clear_rewards()
        if self.state_of_play.is_terminal():
            self.rewards = dict(zip(self.agents, self.state_of_play.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.infos = {agent: {"ending": self.state_of_play.ending} for agent in self.agents}
            self.agent_selection = self.agents[1 - self.agents.index(mover)]
        else:
            if self.max_plies is not None and self._plies >= self.max_plies:
                self.truncations = dict.fromkeys(self.agents, True)
            # The same player may move twice in a row, as in TUBSTAP.
            self.agent_selection = self.agents[self.state_of_play.current_player()]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        board = str(self.state_of_play)
        if self.render_mode == "ansi":
            return board
        if self.render_mode == "human":
            print(board)
        return None

    def close(self) -> None:
        pass
