"""Tesuji, a laboratory for game AI on ordinary computers.

Games in OpenSpiel's words (`load_game`), agents (`agent`), matches (`play_match`), records and data sets as arrays
(`read_records`, `data_set`), networks (`network`), training runs (`train`, `open_run`), a vectorised environment
(`VectorEnv`) and, in `tesuji.pettingzoo`, environments of PettingZoo.

What makes no sense is a ValueError of one line.
"""

from ._tesuji import (
    Agent,
    DataSet,
    Game,
    Network,
    Record,
    Records,
    Run,
    State,
    VectorEnv,
    agent,
    agents,
    data_set,
    experiments,
    games,
    load_game,
    network,
    networks,
    open_run,
    play_match,
    read_records,
    train,
)

__all__ = [
    "Agent",
    "DataSet",
    "Game",
    "Network",
    "Record",
    "Records",
    "Run",
    "State",
    "VectorEnv",
    "agent",
    "agents",
    "data_set",
    "experiments",
    "games",
    "load_game",
    "network",
    "networks",
    "open_run",
    "play_match",
    "read_records",
    "train",
]


def _load_game(name: str, rules: str, encoder: str) -> Game:
    """What a pickled game is made of."""
    return load_game(name, rules=rules, encoder=encoder)


def _load_state(name: str, rules: str, encoder: str, text: str) -> State:
    """What a pickled state is made of."""
    return _load_game(name, rules, encoder).from_text(text)
