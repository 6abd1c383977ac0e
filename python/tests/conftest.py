"""What the tests share."""

import pytest

import tesuji


@pytest.fixture(params=tesuji.games())
def game(request: pytest.FixtureRequest) -> tesuji.Game:
    """Every game in turn."""
    return tesuji.load_game(request.param)
