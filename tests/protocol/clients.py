"""Real clients drive `tesuji engine`, and `tesuji match` drives real engines.

    target/oracles/bin/python tests/protocol/clients.py [NAME...]

python-chess speaks UCI, cshogi USI; pyffish says which moves are legal in Fairy-Stockfish's notation. Stockfish,
Fairy-Stockfish and GNU Minishogi play against a random player, whom they must beat. Needs the requirements of
tests/oracles and the engines. The environment variable TESUJI names another binary.
"""

import json
import os
import stat
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "oracles"))

import chess
import chess.engine
import cshogi
import cshogi.usi
import pyffish
import tesuji

PLIES = 40
MARK = f"TESUJI_CLIENTS={uuid.uuid4()}"


def check(condition, *words):
    """Fails with the words."""
    if not condition:
        raise SystemExit("failed: " + " ".join(map(str, words)))


def left_behind():
    """The processes that inherited our mark, but for this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if MARK.encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def python_chess():
    """python-chess plays a game, analyses, ponders and sets options."""
    command = [str(tesuji.binary()), "engine", "--game", "chess", "--agent", "alphabeta"]
    with chess.engine.SimpleEngine.popen_uci(command) as engine:
        check(engine.id["name"].startswith("Tesuji"), engine.id)
        engine.configure({"Hash": 8, "Seed": 3})
        board = chess.Board()
        limits = [
            chess.engine.Limit(time=0.02),
            chess.engine.Limit(nodes=2000),
            chess.engine.Limit(depth=3),
            chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.01, black_inc=0.01),
        ]
        while not board.is_game_over() and board.ply() < 2 * PLIES:
            played = engine.play(board, limits[board.ply() % len(limits)], ponder=board.ply() % 3 == 0, info=chess.engine.INFO_ALL)
            check(played.move in board.legal_moves, played.move, board.fen())
            check(played.info["nodes"] > 0 and played.info["pv"][0] == played.move, played.info)
            board.push(played.move)
        check(board.ply() >= 20, "a game of", board.ply(), "plies")

        lines = engine.analyse(board.root(), chess.engine.Limit(depth=3), multipv=3)
        moves = [line["pv"][0] for line in lines]
        scores = [line["score"].relative.score() for line in lines]
        check(len(set(moves)) == 3 and scores == sorted(scores, reverse=True), moves, scores)
        only = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
        check(engine.play(chess.Board(), chess.engine.Limit(depth=2), root_moves=only).move in only)
        mate = chess.Board("6k1/5ppp/8/8/8/8/8/4R2K w - - 0 1")
        info = engine.analyse(mate, chess.engine.Limit(depth=4))
        check(info["score"].relative == chess.engine.Mate(1), info)
        check(engine.play(mate, chess.engine.Limit(mate=1)).move.uci() == "e1e8")
        with engine.analysis(chess.Board()) as analysis:
            for info in analysis:
                if info.get("depth", 0) >= 3:
                    break
        # Another agent, whose tree gives the lines.
        engine.configure({"Agent": "uct:sims=300"})
        lines = engine.analyse(chess.Board(), chess.engine.Limit(time=1), multipv=4)
        check(len({line["pv"][0] for line in lines}) == 4, lines)
        engine.ping()


def cshogi_usi():
    """cshogi plays a game of shogi, ponders and asks for mates."""
    with tempfile.TemporaryDirectory() as folder:
        # cshogi starts a program without arguments.
        script = Path(folder) / "engine"
        script.write_text(f"#!/bin/sh\nexec '{tesuji.binary()}' engine --game shogi --agent alphabeta\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        engine = cshogi.usi.Engine(str(script))
        check(engine.name.startswith("Tesuji"), engine.name)
        options = engine.usi()
        check(any("USI_Hash" in line for line in options) and any("USI_Ponder" in line for line in options), options)
        engine.setoption("USI_Hash", 8)
        engine.isready()
        engine.usinewgame()
        board, moves = cshogi.Board(), []
        while len(moves) < PLIES and not board.is_game_over():
            engine.position(moves=moves)
            spent = {"byoyomi": 20} if len(moves) % 2 else {"btime": 3000, "wtime": 3000, "binc": 10, "winc": 10}
            spent = {"nodes": 1000} if len(moves) % 5 == 0 else {"btime": 0, "wtime": 0, **spent}
            best, _reply = engine.go(**spent)
            check(best in {cshogi.move_to_usi(move) for move in board.legal_moves}, best, board.sfen())
            board.push_usi(best)
            moves.append(best)
        check(len(moves) == PLIES, moves)
        engine.position(sfen="sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1")
        check(engine.go_mate(byoyomi=5000) == "G*5b")
        engine.position(sfen="sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1")
        check(engine.go_mate() == "nomate")
        engine.gameover("draw")
        engine.quit()


def fairy_notation():
    """Games in Fairy-Stockfish's UCI, whose moves pyffish must find legal."""
    for game in ("minishogi", "shogi"):
        engine = subprocess.Popen(
            [tesuji.binary(), "engine", "--game", game, "--agent", "uct:sims=60"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )

        def ask(line, answer):
            engine.stdin.write(line + "\n")
            while True:
                heard = engine.stdout.readline()
                check(heard, game, "the engine is gone")
                if heard.startswith(answer):
                    return heard.split()

        ask("uci", "uciok")
        engine.stdin.write(f"setoption name UCI_Variant value {game}\n")
        start = pyffish.start_fen(game)
        for from_fen in (False, True):
            moves = []
            while len(moves) < PLIES:
                legal = pyffish.legal_moves(game, start, moves)
                # Half of the positions are told as a FEN.
                position = f"fen {pyffish.get_fen(game, start, moves)}" if from_fen else "startpos"
                told = "" if from_fen or not moves else " moves " + " ".join(moves)
                best = ask(f"position {position}{told}\ngo", "bestmove")[1]
                if not legal:
                    check(best == "(none)", game, best)
                    break
                # pyffish lists pawn-drop mates as well, which we never play.
                check(best in legal, game, best, legal)
                moves.append(best)
            check(len(moves) >= 6, game, moves)
        engine.stdin.write("quit\n")
        check(engine.wait(timeout=10) == 0, game)


def match(game, engine, budget, games=2):
    """A random player against an engine, which must win everything."""
    opponent = f"engine:{engine}"
    words = ["match", game, "random", opponent, "--games", str(games), "--budget", budget, "--threads", "1",
             "--max-plies", "300", "--json"]
    result = json.loads(tesuji.run(words)[0])
    check(result["games"] == games and result["losses"] == games, game, engine, result)
    check(result["costs"][1]["moves"] > 0 and result["costs"][1]["cpu"] > 0, game, engine, result["costs"])
    for ending in result["endings"]:
        check(not any(word in ending for word in ("crashed", "protocol", "time", "illegal")), game, engine, ending)
    check(not left_behind(), game, engine, left_behind())


def engines():
    """Foreign engines, and ourselves as one."""
    weak = "stockfish?UCI_LimitStrength=true&UCI_Elo=1350&Hash=16"
    strong = "stockfish?UCI_LimitStrength=true&UCI_Elo=2850&Hash=16"
    match("chess", weak, "time=30ms")
    match("chess", strong, "time=30ms")
    for game in ("chess", "shogi", "minishogi"):
        match(game, "fairy-stockfish", "time=30ms")
    match("minishogi", "gnuminishogi", "depth=3,time=5s")
    for game in ("connect4", "minishogi"):
        match(game, f"{tesuji.binary()} engine --game {game} --agent alphabeta:depth=3", "nodes=5000", games=4)


PARTS = {part.__name__: part for part in (python_chess, cshogi_usi, fairy_notation, engines)}


def main():
    name, value = MARK.split("=")
    os.environ[name] = value
    os.environ["PATH"] += ":/usr/games"
    for name in sys.argv[1:] or PARTS:
        began = time.monotonic()
        PARTS[name]()
        time.sleep(0.1)
        check(not left_behind(), name, "left", left_behind())
        print(f"{name}: ok, {time.monotonic() - began:.1f} s", flush=True)


if __name__ == "__main__":
    main()
