"""An agent of your own in the arena: one-ply search by a network's value, against Tesuji's agents.

    python own_agent.py --games 20
"""

import argparse

import numpy as np

import tesuji


class OnePly:
    """Plays the move after which the network likes the opponent's position least."""

    name = "one-ply"

    def __init__(self, network: str) -> None:
        self.network = tesuji.network(network)

    def choose(self, state: tesuji.State) -> int:
        actions = state.legal_actions()
        children = [state.child(action) for action in actions]
        mover = state.current_player()
        batch = np.stack([child.observation_tensor() for child in children])
        values = -self.network.evaluate(batch)["value"]
        for number, child in enumerate(children):
            if child.is_terminal():
                values[number] = 2 * child.returns()[mover]
        return actions[int(values.argmax())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20)
    parser.add_argument("--opponents", nargs="+", default=["random", "bot", "uct:sims=200"])
    arguments = parser.parse_args()
    for opponent in arguments.opponents:
        result = tesuji.play_match("minishogi", OnePly("minishogi"), opponent, games=arguments.games)
        score = f"+{result['wins']} ={result['draws']} -{result['losses']}"
        print(f"one-ply v {opponent}: {score}, Elo {result['elo']} in [{result['elo_low']}, {result['elo_high']}]")


if __name__ == "__main__":
    main()
