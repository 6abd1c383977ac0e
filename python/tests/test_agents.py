"""Agents, matches and Python objects as players."""

import json
import pathlib
import random
import threading

import pytest

import tesuji


def test_analyse_says_what_was_found():
    state = tesuji.load_game("tictactoe").from_text("startpos moves a1 b2 a2 c3")
    found = tesuji.agent("alphabeta:depth=5").analyse(state)
    assert found["best"] == "a3" and found["action"] == state.string_to_action("a3")
    assert found["value"] == 1.0 and found["proof"] == "first" and found["line"][0] == "a3"
    tree = tesuji.agent("uct:sims=200", seed=3).analyse(state)
    assert tree["simulations"] > 0 and {entry["move"] for entry in tree["moves"]} <= set(tree["policy"])
    assert sum(tree["policy"].values()) == pytest.approx(1, abs=1e-4)


def test_the_same_state_has_the_same_answer():
    state = tesuji.load_game("minishogi").new_initial_state()
    agent = tesuji.agent("pv:net=minishogi,sims=50")
    first, again = agent.analyse(state), tesuji.agent("pv:net=minishogi,sims=50").analyse(state)
    for answer in (first, again, agent.analyse(state)):
        answer.pop("seconds")
    again_here = agent.analyse(state)
    again_here.pop("seconds")
    assert first == again == again_here
    assert agent.choose(state) == first["action"]
    policy = agent.policy(state)
    assert policy.sum() == pytest.approx(1, abs=1e-4) and not policy[~state.legal_actions_mask()].any()


def test_one_agent_for_several_games(game):
    agent = tesuji.agent("random", seed=7)
    state = game.new_initial_state()
    assert agent.choose(state) in state.legal_actions()


def test_a_budget_limits_a_search():
    state = tesuji.load_game("connect4").new_initial_state()
    agent = tesuji.agent("uct", budget="sims=64")
    assert agent.analyse(state)["simulations"] <= 64 < agent.analyse(state, budget="sims=500")["simulations"]


def test_searches_run_beside_each_other():
    state = tesuji.load_game("connect4").new_initial_state()
    answers = []
    work = [threading.Thread(target=lambda: answers.append(tesuji.agent("uct:sims=300").choose(state))) for _ in range(4)]
    for thread in work:
        thread.start()
    for thread in work:
        thread.join()
    assert len(answers) == 4 and len(set(answers)) == 1


def test_matches_have_statistics_and_repeat():
    play = lambda **options: tesuji.play_match("connect4", "uct:sims=50", "random", games=8, seed=5, **options)
    result = play()
    assert result["games"] == 8 and result["wins"] + result["draws"] + result["losses"] == 8
    assert result["score"] > 0.5 and sum(result["pairs"]) == 4 and len(result["results"]) == 8
    assert [game["moves"] for game in play(threads=2)["results"]] == [game["moves"] for game in result["results"]]


def test_a_match_is_resumed_from_its_journal(tmp_path):
    journal = tmp_path / "match.jsonl"
    first = tesuji.play_match("tictactoe", "bot", "random", games=4, journal=journal)
    more = tesuji.play_match("tictactoe", "bot", "random", games=8, journal=str(journal))
    assert more["results"][:4] == first["results"] and more["games"] == 8


class Wise:
    """Plays as alpha-beta does."""

    name = "wise"

    def __init__(self):
        self.agent = tesuji.agent("alphabeta:depth=9")
        self.seeds = []

    def new_game(self, seed):
        self.seeds.append(seed)

    def choose(self, state):
        return self.agent.choose(state)


def test_a_python_object_plays():
    wise = Wise()
    result = tesuji.play_match("tictactoe", wise, "random", games=10, openings="random:0")
    assert result["losses"] == 0 and result["players"] == ["wise", "random"]
    assert len(set(wise.seeds)) == 10
    again = tesuji.play_match("tictactoe", Wise(), "random", games=10, openings="random:0")
    assert again["results"] == result["results"]


def test_functions_and_agents_play_too():
    choices = random.Random(1)
    result = tesuji.play_match(
        tesuji.load_game("connect4"),
        lambda state: state.action_to_string(choices.choice(state.legal_actions())),
        tesuji.agent("uct", budget="sims=100"),
        games=6,
    )
    assert result["games"] == 6 and result["wins"] < result["losses"]


def test_a_player_may_resign_or_break_the_rules():
    resigns = tesuji.play_match("connect4", lambda state: None, "random", games=2)
    assert resigns["losses"] == 2 and all("resigned" in ending for ending in resigns["endings"])
    cheats = tesuji.play_match("connect4", "random", lambda state: 12345, games=2)
    assert cheats["wins"] == 2 and all("illegal" in ending for ending in cheats["endings"])


def test_an_exception_of_a_player_ends_the_match():
    def choose(state):
        raise KeyError("my own mistake")

    with pytest.raises(KeyError, match="my own mistake"):
        tesuji.play_match("connect4", choose, "random", games=100)
    with pytest.raises(TypeError):
        tesuji.play_match("connect4", lambda state: 1.5, "random", games=2)


def test_playing_on_the_state_that_is_given_does_no_harm():
    def choose(state):
        action = state.legal_actions()[0]
        state.apply_action(action)
        return action

    assert tesuji.play_match("connect4", choose, "random", games=2)["games"] == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tesuji.agent("nobody"), "nobody"),
        (lambda: tesuji.agent("uct:sims=0"), "sims"),
        (lambda: tesuji.agent("uct", budget="sims"), "KEY=VALUE"),
        (lambda: tesuji.agent("engine:true"), "only plays"),
        (lambda: tesuji.agent("pv:net=minishogi").choose(tesuji.load_game("chess").new_initial_state()), "not for chess"),
        (lambda: tesuji.agent("uct").choose(tesuji.load_game("tictactoe").from_text("startpos moves a1 b1 a2 b2 a3")), "over"),
        (lambda: tesuji.play_match("connect4", "random", 5), "a player is"),
        (lambda: tesuji.play_match("connect4", "random", "nobody"), "nobody"),
        (lambda: tesuji.play_match("connect4", "random", "random", games=0), "games=0"),
        (lambda: tesuji.play_match("connect4", "random", "random", openings="x"), "openings"),
        (lambda: tesuji.play_match("connect4", "random", "random", sprt=(5, 0)), "sprt"),
        (lambda: tesuji.play_match("connect4", "random", lambda state: 0, threads=2), "threads"),
        (lambda: tesuji.play_match("go", "random", "random"), "unknown game"),
    ],
)
def test_bad_input_is_one_line(call, words):
    with pytest.raises(ValueError, match=words) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_a_network_that_pytorch_exported_plays_as_there():
    # Made by examples/torch_network.py with a smaller network; the numbers are PyTorch's own.
    folder = pathlib.Path(__file__).parent / "data"
    game, line = tesuji.load_game("connect4"), f"net={folder / 'torch.onnx'}"
    for row in json.loads((folder / "torch.json").read_text()):
        found = tesuji.agent(f"policy:{line}").analyse(game.from_text(row["text"]))
        assert list(found["policy"].values()) == pytest.approx(row["policy"], abs=1e-5)
        assert found["value"] == pytest.approx(row["value"], abs=1e-5)
    result = tesuji.play_match("connect4", f"pv:{line},sims=20", "random", games=4)
    assert result["games"] == 4 and result["wins"] >= 3
