"""Games of lines on a plain dictionary of cells, every line looked at: slow and plainly right."""

from itertools import product


class Lines:
    """A game of this family: pieces go to named places, and fall on what lies there if `height` is above 1."""

    def __init__(self, places, height, length):
        self.places = places
        self.height = height
        cells = {(*place, level) for place in places.values() for level in range(height)}
        steps = [step for step in product((-1, 0, 1), repeat=len(next(iter(cells)))) if any(step)]
        runs = ([tuple(x + i * d for x, d in zip(start, step)) for i in range(length)] for start in cells for step in steps)
        # Each line twice, once from either end.
        self.lines = [run for run in runs if cells.issuperset(run)]

    def replay(self, position):
        """The side on each cell after the moves."""
        cells = {}
        moves = [] if position == "startpos" else position.split()
        for turn, move in enumerate(moves):
            place = self.places[move]
            level = sum(cell[:-1] == place for cell in cells)
            assert level < self.height, f"{position}: {move} is full"
            cells[*place, level] = ("first", "second")[turn % 2]
        return cells

    def outcome(self, position):
        """`first`, `second`, `draw`, or None while the game goes on."""
        cells = self.replay(position)
        for line in self.lines:
            side = cells.get(line[0])
            if side and all(cells.get(cell) == side for cell in line):
                return side
        return "draw" if len(cells) == len(self.places) * self.height else None

    def moves(self, position):
        """The legal moves."""
        if self.outcome(position):
            return []
        filled = [cell[:-1] for cell in self.replay(position)]
        return [name for name, place in self.places.items() if filled.count(place) < self.height]


def squares(width):
    return {f"{file}{rank + 1}": (index, rank) for index, file in enumerate("abcd"[:width]) for rank in range(width)}


GAMES = {
    "bingo3d": Lines(squares(4), 4, 4),
    "connect4": Lines({file: (index,) for index, file in enumerate("abcdefg")}, 6, 4),
    "tictactoe": Lines(squares(3), 1, 3),
}

bingo3d_moves = GAMES["bingo3d"].moves
connect4_moves = GAMES["connect4"].moves
tictactoe_moves = GAMES["tictactoe"].moves
