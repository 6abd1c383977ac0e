"""Random calls: whatever is called with whatever, there is an answer or an exception of Python's own kinds."""

import os

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tesuji

# A longer look: TESUJI_CALLS=100000 pytest tests/test_calls.py
CALLS = int(os.environ.get("TESUJI_CALLS", "3000"))
EXPECTED = (ValueError, TypeError, OverflowError)

GAMES = {name: tesuji.load_game(name) for name in tesuji.games()}
NUMBERS = st.one_of(st.integers(-5, 40), st.integers(-(2**70), 2**70), st.booleans(), st.floats(), st.none())
TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["startpos", "startpos moves e2e4", "5b1/8/8 w", "random", "uct:sims=3", "end", "a1", "P*5e", "\0", "moves"]),
)
THINGS = st.one_of(NUMBERS, TEXTS, st.lists(st.integers(-2, 10), max_size=4), st.dictionaries(TEXTS, NUMBERS, max_size=2))
ARRAYS = st.sampled_from(
    [np.zeros(3), np.zeros((2, 7), bool), np.zeros((2, 2), np.float32), np.zeros((0, 1), np.int64), np.array("x")]
)
ANY = st.one_of(THINGS, ARRAYS)

# Names of the methods of a state, and how many arguments they are called with at most.
STATE_CALLS = {
    "legal_actions": 1,
    "legal_actions_mask": 1,
    "apply_action": 1,
    "child": 1,
    "action_to_string": 2,
    "string_to_action": 2,
    "clone": 0,
    "is_terminal": 0,
    "current_player": 0,
    "returns": 0,
    "rewards": 0,
    "player_return": 1,
    "observation_tensor": 1,
    "observation_string": 1,
    "text": 0,
    "history": 0,
    "move_number": 0,
    "in_check": 0,
    "__str__": 0,
    "__repr__": 0,
    "__eq__": 1,
    "__deepcopy__": 1,
}


def one_line(error: BaseException) -> None:
    if isinstance(error, ValueError):
        assert "\n" not in str(error), str(error)


@settings(max_examples=CALLS // 10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(GAMES)), st.data())
def test_states_survive_any_calls(name, data):
    state = GAMES[name].new_initial_state()
    for _ in range(10):
        actions = state.legal_actions()
        if actions and data.draw(st.booleans()):
            state.apply_action(actions[data.draw(st.integers(0, len(actions) - 1))])
        method = data.draw(st.sampled_from(sorted(STATE_CALLS)))
        arguments = data.draw(st.lists(ANY, max_size=STATE_CALLS[method]))
        before = state.text()
        try:
            getattr(state, method)(*arguments)
        except EXPECTED as error:
            one_line(error)
            assert state.text() == before


@settings(max_examples=CALLS // 10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(GAMES)), TEXTS, ANY, ANY, st.data())
def test_functions_survive_any_arguments(name, text, thing, other, data):
    game = GAMES[name]
    calls = [
        lambda: game.from_text(text),
        lambda: game.varied_state(thing),
        lambda: game.mate(text, seconds=0.01, megabytes=1),
        lambda: game.mate(thing, solver=other, seconds=0.01, megabytes=1),
        lambda: game.new_initial_state().mate(seconds=thing, megabytes=1, nodes=10),
        lambda: tesuji.load_game(text, rules=data.draw(TEXTS)),
        lambda: tesuji.load_game(name, encoder=text),
        lambda: tesuji.load_game(thing, rules=other),
        lambda: tesuji.agent(text, budget=data.draw(TEXTS)),
        lambda: tesuji.agent(thing, seed=other),
        lambda: tesuji.agent("uct:sims=2").analyse(game.new_initial_state(), budget=thing),
        lambda: tesuji.agent("random").choose(thing),
        lambda: tesuji.play_match(name, thing, "random", games=1, max_plies=4),
        lambda: tesuji.play_match(name, "random", "random", games=1, max_plies=4, openings=text),
        lambda: tesuji.play_match(name, "random", lambda state: thing, games=1, max_plies=6),
        lambda: tesuji.play_match(thing, "random", "random", sprt=other, games=1, max_plies=2),
        lambda: tesuji.network(f"no such network {text}"),
        lambda: tesuji.open_run(thing),
        lambda: tesuji.data_set(thing),
        lambda: list(tesuji.read_records(f"no such file {text}")),
        lambda: tesuji.VectorEnv(game, 2, observations=thing, masks=other),
        lambda: tesuji.VectorEnv(thing, other),
        lambda: tesuji.VectorEnv(game, 2).step(thing),
        lambda: tesuji.VectorEnv(game, 2).reset(thing),
        lambda: tesuji.VectorEnv(game, 2).write_to(rewards=thing, players=other),
        lambda: tesuji.train(text, out="/dev/null/run", budget=thing, set={text: other}),
    ]
    for number in data.draw(st.lists(st.integers(0, len(calls) - 1), min_size=10, max_size=10)):
        try:
            calls[number]()
        except EXPECTED as error:
            one_line(error)
