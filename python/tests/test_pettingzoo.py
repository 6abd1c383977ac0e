"""PettingZoo's own tests, on every game."""

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test
from pettingzoo.test.save_obs_test import test_save_obs as save_obs

import tesuji
from tesuji.pettingzoo import env, raw_env

# Pytest is not to take the imported function for one of ours.
save_obs.__test__ = False


@pytest.mark.parametrize("name", tesuji.games())
@pytest.mark.filterwarnings("ignore")
def test_the_interface(name):
    api_test(env(name), num_cycles=60, verbose_progress=False)


@pytest.mark.parametrize("name", tesuji.games())
@pytest.mark.filterwarnings("ignore")
def test_seeds(name):
    seed_test(lambda: env(name, varied=True), num_cycles=10)


@pytest.mark.parametrize("name", tesuji.games())
def test_observations_are_saved_or_left(name, tmp_path, monkeypatch):
    # It saves observations that are images, and says so of others; both without an exception.
    monkeypatch.chdir(tmp_path)
    save_obs(env(name))


@pytest.mark.parametrize("name", tesuji.games())
def test_a_game_to_its_end(name):
    made = raw_env(name, max_plies=3000)
    made.reset(seed=3)
    random = np.random.default_rng(5)
    total = dict.fromkeys(made.possible_agents, 0.0)
    for agent in made.agent_iter():
        observation, reward, terminated, truncated, info = made.last()
        total[agent] += reward
        if terminated or truncated:
            made.step(None)
            continue
        mask = observation["action_mask"]
        assert made.observation_space(agent).contains(observation)
        other = made.possible_agents[1 - made.possible_agents.index(agent)]
        assert not made.observe(other)["action_mask"].any()
        made.step(int(random.choice(np.flatnonzero(mask))))
    assert sum(total.values()) == 0
    assert list(total.values()) == made.state_of_play.returns()


def test_an_illegal_action_loses():
    made = env("tictactoe")
    made.reset()
    made.step(4)
    made.step(4)
    assert made.terminations["player_1"] and made.rewards["player_1"] == -1


def test_truncation_and_rendering(capsys):
    made = raw_env("connect4", max_plies=2, render_mode="human")
    made.reset()
    made.step(3)
    assert not made.truncations["player_0"]
    made.step(3)
    assert made.truncations == {"player_0": True, "player_1": True} and capsys.readouterr().out
    assert raw_env("connect4", render_mode="ansi").render()
    for options, words in [({"render_mode": "x"}, "render_mode"), ({"max_plies": 0}, "max_plies"), ({"game": "go"}, "unknown")]:
        with pytest.raises(ValueError, match=words):
            raw_env(**{"game": "connect4", **options})
