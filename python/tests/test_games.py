"""Games and states."""

import copy
import pickle
import random

import numpy as np
import pytest

import tesuji


def play_randomly(game: tesuji.Game, seed: int, most: int = 400) -> list[tesuji.State]:
    """The states of a random game."""
    choices = random.Random(seed)
    state = game.new_initial_state()
    states = [state.clone()]
    while not state.is_terminal() and len(states) < most:
        state.apply_action(choices.choice(state.legal_actions()))
        states.append(state.clone())
    return states


def test_actions_masks_and_texts_agree(game):
    for state in play_randomly(game, 1, 60):
        actions = state.legal_actions()
        assert actions == sorted(set(actions))
        mask = state.legal_actions_mask()
        assert mask.shape == (game.num_distinct_actions(),) and mask.dtype == np.bool_
        assert np.flatnonzero(mask).tolist() == actions
        texts = [state.action_to_string(action) for action in actions]
        assert len(set(texts)) == len(texts)
        assert [state.string_to_action(text) for text in texts] == actions
        if not state.is_terminal():
            player = state.current_player()
            assert state.legal_actions(player) == actions and state.legal_actions(1 - player) == []
            assert state.action_to_string(player, actions[0]) == texts[0]


def test_games_end_with_returns(game):
    for seed in range(3):
        states = play_randomly(game, seed, 4000)
        assert all(state.returns() == [0.0, 0.0] for state in states[:-1])
        last = states[-1]
        assert last.is_terminal() and last.current_player() == -4 and last.legal_actions() == []
        assert sum(last.returns()) == 0 and last.ending
        assert last.player_return(0) == last.returns()[0]
        with pytest.raises(ValueError, match="over"):
            last.apply_action(0)


def test_observations_have_the_games_shape_and_differ(game):
    states = play_randomly(game, 2, 30)
    seen = set()
    for state in states:
        tensor = state.observation_tensor()
        assert tensor.dtype == np.float32 and list(tensor.shape) == game.observation_tensor_shape()
        assert tensor.size == game.observation_tensor_size() and np.isfinite(tensor).all()
        seen.add(tensor.tobytes())
        if state.is_terminal():
            assert not tensor.any()
    assert len(seen) > len(states) // 2


def test_copies_and_pickles_are_the_same_state_and_apart(game):
    state = play_randomly(game, 3, 8)[-1]
    for other in (state.clone(), copy.copy(state), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):
        assert other == state and str(other) == str(state) and other.history() == state.history()
        assert np.array_equal(other.observation_tensor(), state.observation_tensor())
        other.apply_action(other.legal_actions()[0])
        assert other != state and other.move_number() == state.move_number() + 1
    child = state.child(state.legal_actions()[-1])
    assert child != state and child.text().startswith(state.text())
    assert pickle.loads(pickle.dumps(game)) == game


def test_texts_read_back(game):
    for state in play_randomly(game, 4, 40):
        again = game.from_text(state.text())
        assert again == state and again.legal_actions() == state.legal_actions()


def test_rules_and_encoders_by_name():
    paper = tesuji.load_game("tubstap", rules="paper", encoder="rich16")
    assert (paper.rules, paper.encoder) == ("paper", "rich16")
    assert paper.observation_tensor_shape() == [32, 27, 16, 16]
    assert "rich6" in paper.encoders and paper != tesuji.load_game("tubstap")
    assert tesuji.load_game("chess").side_names == ["white", "black"]


def test_known_positions():
    chess = tesuji.load_game("chess")
    assert len(chess.new_initial_state().legal_actions()) == 20
    mated = chess.from_text("startpos moves f2f3 e7e5 g2g4 d8h4")
    assert mated.returns() == [-1.0, 1.0] and mated.ending == "checkmate"
    state = tesuji.load_game("tictactoe").from_text("startpos moves a1 b1 a2 b2 a3")
    assert state.returns() == [1.0, -1.0]
    assert tesuji.load_game("minishogi").from_text("4k/5/4P/5/K4 b G 1").mate()["line"]
    assert chess.mate("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1")["line"] == ["e1e8"]
    assert chess.new_initial_state().mate(nodes=1000)["answer"] != "mate"


def test_playouts_repeat():
    state = tesuji.load_game("bingo3d").new_initial_state()
    assert state.playout(seed=5) == state.playout(seed=5)
    assert {tuple(state.playout(seed=seed)) for seed in range(20)} >= {(1.0, -1.0), (-1.0, 1.0)}
    assert state.move_number() == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tesuji.load_game("go"), "unknown game"),
        (lambda: tesuji.load_game("chess", rules="house"), "official"),
        (lambda: tesuji.load_game("chess", encoder="x"), "has no encoder"),
        (lambda: tesuji.load_game("chess").from_text("nonsense"), "nonsense"),
        (lambda: tesuji.load_game("chess").from_text("startpos moves e2e4 e2e4"), "move 2"),
        (lambda: tesuji.load_game("chess").new_initial_state().apply_action(99999), "not legal"),
        (lambda: tesuji.load_game("chess").new_initial_state().apply_action(-1), "not legal"),
        (lambda: tesuji.load_game("chess").new_initial_state().apply_action("e2e5"), "e2e5"),
        (lambda: tesuji.load_game("chess").new_initial_state().legal_actions(2), "expected 0 or 1"),
        (lambda: tesuji.load_game("connect4").new_initial_state().mate(), "no mate solver"),
        (lambda: tesuji.load_game("chess").new_initial_state().mate(solver="x"), "x"),
        (lambda: tesuji.load_game("chess").new_initial_state().mate(seconds=float("nan")), "seconds"),
        (lambda: tesuji.load_game("chess").new_initial_state().mate(megabytes=10**9), "megabytes"),
    ],
)
def test_bad_input_is_one_line(call, words):
    with pytest.raises(ValueError, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)
