#!/usr/bin/env python3
"""Fifty tabs with running analyses: the page must answer, memory must stay flat, closed tabs must stop searching.

Usage: tests/load/load.py [--seconds 60] [--tabs 50] [--program target/release/tesuji]

Needs nothing but Python. Prints the measurements as JSON; ends with 1 if a bound is broken:
99% of answers within 300 ms, at most one search a tab whether it waits or is at work, memory never above 300 MB, its least in
the last third within 10% (or 20 MB) of its least in the second, all searches over within a second after the tabs are closed.

Trees are as large as time allows, so the most memory goes up and down by tens of megabytes and says nothing about a leak; what is
never given back raises the least.
"""

import argparse
import http.client
import json
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

MOST_MEMORY = 300  # megabytes: four searches at work, and what the server itself holds
GAMES = ["chess", "shogi", "minishogi", "bingo3d", "connect4", "tictactoe", "tubstap"]


class Server:
    def __init__(self, program, folder):
        self.process = subprocess.Popen(
            [program, "serve", "--token-file", "token"], cwd=folder, stdout=subprocess.PIPE, text=True
        )
        url = self.process.stdout.readline().strip()
        self.address = url.split("/")[2]
        self.headers = {
            "Authorization": "Bearer " + (Path(folder) / "token").read_text(),
            "Content-Type": "application/json",
        }

    def ask(self, method, path, body=None, connection=None):
        connection = connection or http.client.HTTPConnection(self.address, timeout=30)
        connection.request(method, path, json.dumps(body) if body is not None else None, self.headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, text

    def memory(self):
        """Resident memory in megabytes."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0


def tab(server, number, ending, latencies, problems):
    """One tab: an event stream, and a person who steps through a game with the analysis on."""
    name = f"load-tab-{number:04}"
    events = http.client.HTTPConnection(server.address, timeout=60)
    events.request("GET", f"/api/events?tab={name}", headers=server.headers)
    line = events.sock
    stream = events.getresponse()

    def drain():
        try:
            while stream.read1(65536):
                pass
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass

    threading.Thread(target=drain, daemon=True).start()
    choice = random.Random(number)
    game = GAMES[number % len(GAMES)]
    connection = http.client.HTTPConnection(server.address, timeout=30)
    moves = []
    while not ending.is_set():
        began = time.monotonic()
        status, text = server.ask("POST", "/api/position", {"game": game, "moves": moves}, connection)
        latencies.append(time.monotonic() - began)
        if status != 200:
            problems.append(f"position: {status} {text[:200]}")
            break
        gestures = json.loads(text)["gestures"]
        if not gestures:
            moves = []
            continue
        body = {"kind": "search", "tab": name, "game": game, "moves": moves, "agents": ["uct"], "cpu": 30}
        began = time.monotonic()
        status, text = server.ask("POST", "/api/jobs", body, connection)
        latencies.append(time.monotonic() - began)
        if status != 200:
            problems.append(f"search: {status} {text[:200]}")
            break
        moves = moves + [choice.choice(gestures)["move"]]
        ending.wait(0.5 + choice.random())
    connection.close()
    # As a browser does it: at once, whatever is being read. Closing the stream would wait for the next event.
    line.shutdown(socket.SHUT_RDWR)
    line.close()


def open_searches(server):
    jobs = json.loads(server.ask("GET", "/api/jobs")[1])
    return [job for job in jobs if job["state"] in ("queued", "running")]


def most_a_tab(jobs):
    """The most searches that a tab has."""
    return max(Counter(job["tab"] for job in jobs).values(), default=0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--tabs", type=int, default=50)
    parser.add_argument("--program", default="target/release/tesuji")
    args = parser.parse_args()
    program = str(Path(args.program).resolve())
    latencies, problems, memory, ending = [], [], [], threading.Event()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(program, folder)
        try:
            threads = [
                threading.Thread(target=tab, args=(server, number, ending, latencies, problems))
                for number in range(args.tabs)
            ]
            for thread in threads:
                thread.start()
            began = time.monotonic()
            looks, most, at_work = 0, 0, 0
            while time.monotonic() - began < args.seconds:
                time.sleep(0.2)
                looks += 1
                memory.append(server.memory())
                jobs = open_searches(server)
                most = max(most, most_a_tab(jobs))
                at_work = max(at_work, sum(job["state"] == "running" for job in jobs))
            ending.set()
            for thread in threads:
                thread.join()
            closed = time.monotonic()
            while open_searches(server) and time.monotonic() - closed < 10:
                time.sleep(0.05)
            over = time.monotonic() - closed
        finally:
            server.process.terminate()
            server.process.wait(30)
    latencies.sort()
    third = max(1, len(memory) // 3)
    tenth = max(1, len(memory) // 10)
    measured = {
        "tabs": args.tabs,
        "requests": len(latencies),
        "p50_ms": round(1e3 * latencies[len(latencies) // 2], 1),
        "p99_ms": round(1e3 * latencies[len(latencies) * 99 // 100], 1),
        "looks": looks,
        "most_searches_a_tab": most,
        "most_searches_at_work": at_work,
        "memory_mb": round(max(memory)),
        "memory_mb_floor": [round(min(memory[third:-third])), round(min(memory[-third:]))],
        "memory_mb_by_tenths": [round(max(memory[at : at + tenth])) for at in range(0, len(memory), tenth)],
        "searches_over_after_s": round(over, 2),
        "problems": problems[:5],
    }
    print(json.dumps(measured))
    early, late = measured["memory_mb_floor"]
    good = (
        not problems
        and measured["p99_ms"] <= 300
        and most == 1
        and at_work > 0
        and measured["memory_mb"] <= MOST_MEMORY
        and late <= max(1.1 * early, early + 20)
        and over <= 1
    )
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
