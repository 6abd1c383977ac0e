"""Arrays: the vectorised environment, records, data sets, networks."""

import subprocess
import sys

import numpy as np
import pytest

import tesuji


def follow(env: tesuji.VectorEnv, steps: int) -> list[bytes]:
    seen = []
    for _ in range(steps):
        env.step(env.random_actions())
        arrays = (env.observations, env.masks, env.rewards, env.terminated, env.players)
        seen.append(b"".join(array.tobytes() for array in arrays))
    return seen


def test_a_vectorised_environment_plays_as_single_states_do(game):
    env = tesuji.VectorEnv(game, 3, seed=4)
    states = [game.new_initial_state() for _ in range(3)]
    ended = 0
    for _ in range(250):
        for row, state in enumerate(states):
            assert np.array_equal(env.masks[row], state.legal_actions_mask())
            assert env.players[row] == state.current_player()
        assert np.array_equal(env.observations, np.stack([state.observation_tensor() for state in states]))
        actions = env.random_actions()
        assert env.masks[np.arange(3), actions].all()
        env.step(actions)
        for row, state in enumerate(states):
            state.apply_action(int(actions[row]))
            assert env.terminated[row] == state.is_terminal()
            assert env.rewards[row].tolist() == state.returns()
            if state.is_terminal():
                ended += 1
                states[row] = game.new_initial_state()
    assert ended > 0 or game.name in ("chess", "shogi", "minishogi", "tubstap")


def test_a_vectorised_environment_repeats_on_any_number_of_threads(game):
    one = follow(tesuji.VectorEnv(game, 40, seed=9, varied=True), 20)
    assert one == follow(tesuji.VectorEnv(game, 40, seed=9, varied=True, threads=3), 20)
    env = tesuji.VectorEnv(game, 40, seed=1, varied=True)
    env.reset(9)
    assert one == follow(env, 20)
    assert one != follow(tesuji.VectorEnv(game, 40, seed=10, varied=True), 20)


def test_steps_write_into_the_callers_arrays():
    game = tesuji.load_game("connect4")
    shape, actions = game.observation_tensor_shape(), game.num_distinct_actions()
    observations = np.full((5, *shape), np.nan, np.float32)
    env = tesuji.VectorEnv(game, 5, observations=observations)
    assert env.observations is observations and np.isfinite(observations).all()
    masks, rewards = np.zeros((5, actions), bool), np.zeros((5, 2), np.float32)
    terminated, players = np.zeros(5, bool), np.full(5, -1)
    env.write_to(masks=masks, rewards=rewards, terminated=terminated, players=players)
    env.step([0, 1, 2, 3, 4])
    assert masks.all() and (players == 1).all() and env.observations is observations
    with pytest.raises(ValueError, match="action 7 is not legal in game 1"):
        env.step([0, 7, 0, 0, 0])
    assert (players == 1).all()
    # A slice of a larger buffer, as of a rollout.
    buffer = np.zeros((3, 5, *shape), np.float32)
    env.write_to(observations=buffer[1])
    env.step(np.zeros(5, np.int32))
    assert buffer[1].any() and not buffer[0].any() and not buffer[2].any()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_envs": 0}, "num_envs=0"),
        ({"num_envs": 10**12}, "num_envs"),
        ({"threads": 0}, "threads=0"),
        ({"observations": np.zeros((2, 3), np.float32)}, "observations: expected"),
        ({"observations": np.zeros((2, 3, 6, 7), np.float64)}, "float32"),
        ({"masks": np.zeros((2, 14), bool)[:, ::2]}, "C-contiguous"),
        ({"rewards": [[0.0, 0.0], [0.0, 0.0]]}, "rewards: expected"),
    ],
)
def test_bad_arrays_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        tesuji.VectorEnv(tesuji.load_game("connect4"), **{"num_envs": 2, **options})


def test_read_only_arrays_are_refused():
    masks = np.zeros((2, 7), bool)
    masks.flags.writeable = False
    with pytest.raises(ValueError, match="masks"):
        tesuji.VectorEnv(tesuji.load_game("connect4"), 2, masks=masks)
    for actions in ([0], [[0, 0]], ["a", "b"], None, np.zeros((2, 1), int), [0.5, 0.5]):
        with pytest.raises(ValueError, match="actions: expected 2 whole numbers"):
            tesuji.VectorEnv(tesuji.load_game("connect4"), 2).step(actions)


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "tesuji", *arguments], capture_output=True, text=True, check=False)


def test_records_are_arrays(tmp_path):
    path = tmp_path / "games.tsjr"
    made = command("match", "connect4", "random", "bot", "--games", "5", "--seed", "3", "--save", str(path))
    assert made.returncode == 0, made.stderr
    records = list(tesuji.read_records(path))
    assert len(records) == 5
    game = tesuji.load_game("connect4")
    for record in records:
        state = game.from_text(record.text())
        assert state.is_terminal() and state.ending == record.ending and len(record) == len(record.moves())
        arrays = record.arrays(policies=True)
        assert arrays["observations"].shape == (len(record), *game.observation_tensor_shape())
        assert arrays["policies"].shape == (len(record), 7) and np.isnan(arrays["values"]).all()
        replay = game.new_initial_state()
        for ply, action in enumerate(arrays["actions"]):
            assert np.array_equal(replay.observation_tensor(), arrays["observations"][ply])
            assert arrays["returns"][ply] == state.returns()[replay.current_player()]
            replay.apply_action(int(action))
        assert replay.history() == record.moves() and arrays["plies"].tolist() == list(range(len(record)))


def test_data_sets_are_arrays(tmp_path):
    games, directory = tmp_path / "games.tsjr", tmp_path / "set"
    assert command("match", "minishogi", "random", "random", "--games", "20", "--save", str(games)).returncode == 0
    made = command("data", "import", str(games), "--out", str(directory))
    assert made.returncode == 0, made.stderr
    data = tesuji.data_set(directory)
    assert data.game == "minishogi" and data.info["shards"]
    shards = [data.shard(number) for number in range(data.shards)]
    assert sum(len(shard["actions"]) for shard in shards) == len(data) > 100
    game = tesuji.load_game("minishogi")
    first = shards[0]
    assert list(first["observations"].shape[1:]) == game.observation_tensor_shape()
    assert set(np.unique(first["returns"])) <= {-1.0, 0.0, 1.0} and first["observations"].flags.c_contiguous
    with pytest.raises(ValueError, match="shard 99"):
        data.shard(99)
    (directory / "data.json").unlink()
    with pytest.raises(ValueError, match="data.json|set"):
        tesuji.data_set(directory)


def test_networks_evaluate_batches():
    network = tesuji.network("minishogi")
    game = tesuji.load_game(network.game, encoder=network.encoder)
    env = tesuji.VectorEnv(game, 40, seed=2)
    for _ in range(6):
        env.step(env.random_actions())
    batch = env.observations.copy()
    together = network.evaluate(batch)
    assert together["value"].shape == (40,) and together["policy"].shape == (40, game.num_distinct_actions())
    assert (np.abs(together["value"]) <= 1).all() and together["value"].std() > 0
    for name, numbers in network.evaluate(batch, threads=3).items():
        assert np.array_equal(numbers, together[name])
    single = network.evaluate(batch[7:8])
    assert np.array_equal(single["policy"][0], together["policy"][7])
    assert network.evaluate(batch[:0])["value"].shape == (0,)
    # What an agent without a search says of the first position.
    state = game.from_text(env.texts()[0])
    policy = tesuji.agent("policy:net=minishogi").analyse(state)["policy"]
    logits = together["policy"][0]
    likeliest = max(state.legal_actions(), key=lambda action: logits[action])
    assert max(policy, key=policy.get) == state.action_to_string(likeliest)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tesuji.network("nothing"), "nothing"),
        (lambda: tesuji.network("minishogi").evaluate(np.zeros((1, 2, 3), np.float32)), "batch: expected"),
        (lambda: tesuji.network("minishogi").evaluate([1.0]), "batch: expected"),
        (lambda: tesuji.read_records("missing.tsjr"), "missing"),
        (lambda: tesuji.read_records("games.xyz"), "format"),
        (lambda: tesuji.data_set("missing"), "missing"),
        (lambda: tesuji.open_run("missing"), "no run"),
    ],
)
def test_bad_input_is_one_line(call, words):
    with pytest.raises(ValueError, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_the_command_is_the_command():
    games = command("games")
    assert games.returncode == 0 and all(name in games.stdout for name in tesuji.games())
    wrong = command("show", "go")
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: ") and wrong.stderr.count("\n") == 1
