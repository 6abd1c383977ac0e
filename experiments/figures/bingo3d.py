#!/usr/bin/env python3
"""The 3D-Bingo paper's figures 14 to 17 in one command: win percentages against the rule bot.

    cargo build --release
    python3 experiments/figures/bingo3d.py                  # 1000 games a number, as in the paper; resumable
    python3 experiments/figures/bingo3d.py --games 20 --generations 2 --out /tmp/figures    # to see that it runs

Networks of one to four hidden layers learn by TD(lambda) first (`tesuji train td-bingo3d-laptop`), then every setting
plays its match. Every match has a journal in --out, so a second start goes on where the first was stopped. Writes
figures.md with tables, percentages with 95% intervals and the time of a move.
"""
import math

from lab import Lab, arguments, table

LAYERS = {1: [96], 2: [96, 64], 3: [96, 64, 32], 4: [96, 64, 48, 32]}


class Bingo(Lab):
    def network(self, layers):
        """A run of TD(lambda) with so many hidden layers, gone on with if it was begun."""
        run = self.out / f"layers-{layers}"
        changes = [f"network.hidden={LAYERS[layers]}", "measure.final_games=0"]
        self.train(run, "td-bingo3d-laptop", self.args.generations, changes)
        return run

    def against_bot(self, agent):
        """(share of wins, its 95% interval, milliseconds a move) of an agent against the bot."""
        journal = "".join(c if c.isalnum() or c in "=.-" else "_" for c in agent[-120:])
        result = self.match("bingo3d", [agent, "bot"], self.args.games, journal, "--openings", "random:1")
        games, wins, cost = result["games"], result["wins"], result["costs"][0]
        share = wins / games
        # Wilson's interval, which behaves at 0 and 100%.
        z = 1.96
        middle = (share + z * z / (2 * games)) / (1 + z * z / games)
        half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
        print(f"{agent}: {100 * share:.1f}%", flush=True)
        return share, (middle - half, middle + half), 1000 * cost["cpu"] / max(cost["moves"], 1)


def cell(result):
    share, (low, high), _ = result
    return f"{100 * share:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def main():
    parser = arguments(__doc__, "runs/bingo3d-figures")
    parser.add_argument("--games", type=int, default=1000, help="games of each match")
    parser.add_argument("--generations", type=int, default=50, help="generations of 200 games that each network learns from")
    lab = Bingo(parser.parse_args())
    networks = {layers: lab.network(layers) for layers in LAYERS}
    best = networks[3]

    def tree(network, sims=200, cp=0.3, share=0.7, rollout="bot"):
        return f"uct:select=uct,sims={sims},c={cp},rollout={rollout},eval=net:{network},lambda={share}"

    text = ["# 3D-Bingo: the paper's figures 14 to 17", ""]
    text += [f"Wins against the rule bot in per cent with 95% intervals, {lab.args.games} games each, half of them as each"]
    text += [f"side, one random move first; networks of {lab.args.generations} x 200 games.", ""]
    text += ["## Figure 14: hidden layers and rollout policy (lambda 0.7, Cp 0.3, 200 playouts)", ""]
    rows = [(n, *(cell(lab.against_bot(tree(networks[n], rollout=r))) for r in ("uniform", "bot"))) for n in LAYERS]
    text += [table(["layers", "random", "bot"], rows)]
    text += ["## Figure 15: lambda (rows) and Cp (columns), 3 layers, 50 playouts, random rollouts", ""]
    cps = (0.1, 0.3, 0.5, 0.7, 1.0)
    lambdas = (0.0, 0.3, 0.5, 0.7, 0.9, 1.0)
    grid = lambda share, cp: cell(lab.against_bot(tree(best, sims=50, cp=cp, share=share, rollout="uniform")))
    text += [table(["lambda", *cps], [(share, *(grid(share, cp) for cp in cps)) for share in lambdas])]
    text += ["## Figures 16 and 17: minimax by depth, MCTS by playouts; wins and time", ""]
    agents = {f"minimax, depth {d}": f"minimax:depth={d},eval=net:{best}" for d in (1, 2, 3)}
    agents |= {f"alpha-beta, depth {d}": f"alphabeta:depth={d},eval=net:{best}" for d in (2, 3, 4)}
    agents |= {f"MCTS, {n} playouts": tree(best, sims=n) for n in (25, 50, 100, 200, 400)}
    rows = []
    for name, agent in agents.items():
        result = lab.against_bot(agent)
        rows.append((name, cell(result), f"{result[2]:.2f}"))
    text += [table(["player", "wins, %", "CPU ms a move"], rows)]
    (lab.out / "figures.md").write_text("\n".join(text))
    print(f"written: {lab.out / 'figures.md'}")


if __name__ == "__main__":
    main()
