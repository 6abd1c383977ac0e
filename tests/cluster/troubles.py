"""Troubles of learner and workers over NATS, one at a time. Each ends with the bytes of the run on threads, or says why not.

They use nats-py, which comes with tests/oracles/requirements.txt.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import zlib

from place import differences

# How long a learner or a worker may take for what it is waited for, in seconds.
PATIENCE = 300


class Trouble(Exception):
    """Something that is not as it must be."""


def check(holds, problem):
    if not holds:
        raise Trouble(problem)


def wait_for(what, is_there):
    began = time.monotonic()
    while not is_there():
        check(time.monotonic() - began < PATIENCE, f"no {what}")
        time.sleep(0.05)


def seal(header, body=b""):
    content = json.dumps(header, separators=(",", ":")).encode() + b"\n" + body
    return content + zlib.crc32(content).to_bytes(4, "little")


def unseal(data):
    line, body = data[:-4].split(b"\n", 1)
    return json.loads(line), body


class Scene:
    """A learner and workers at one server; `name` names the run and the logs."""

    def __init__(self, place, name, server, *options, before=(), environment=None):
        self.place, self.name, self.server, self.environment, self.before = place, name, server, environment, before
        words = ["x.toml", "--out", name, "--budget", place.generations, "--threads", "1", "--workers", server.url(), "--deadline", "2s"]
        self.learner = place.start("train", *words, *options, log=f"{name}-train", environment=environment)

    def worker(self, name, *options):
        words = ["worker", self.server.url(), "--threads", "1", "--name", name, *options]
        return self.place.start(*words, log=f"{self.name}-{name}", before=self.before, environment=self.environment)

    def said(self):
        return self.place.said(f"{self.name}-train")

    def end(self):
        """Waits for the learner's good end, and compares."""
        try:
            code = self.learner.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            raise Trouble(f"the learner does not end: {self.said()}") from None
        check(code == 0, f"the learner ended with {code}: {self.said()}")
        differ = differences(self.place.directory / "alone", self.place.directory / self.name)
        check(not differ, f"differ: {', '.join(differ)}")


def with_server(server, job):
    """Does something with the server as a client of our own."""

    async def do():
        import nats

        client = await nats.connect(f"nats://127.0.0.1:{server.port}", user="tesuji", password="secret")
        try:
            return await job(client, client.jetstream())
        finally:
            await client.close()

    return asyncio.run(do())


async def run_of(stream):
    """The name of the only run, and its description, when it is there."""
    for _ in range(PATIENCE * 5):
        try:
            bucket = await stream.key_value("tesuji_runs")
            name = (await bucket.keys())[0]
            return bucket, name, unseal((await bucket.get(name)).value)[0]
        except Exception:
            await asyncio.sleep(0.2)
    raise Trouble("the learner makes no run known")


def cut(place):
    """The network between the workers and the server is cut for longer than the deadline."""
    names = [f"tsj{os.getpid() % 100000}{end}" for end in "ab"]
    space, subnet = f"tesuji-{os.getpid()}", f"10.213.{os.getpid() % 250}"

    def ip(*words, must=True):
        done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if must and done.returncode != 0:
            raise OSError(done.stderr.strip())

    try:
        ip("netns", "add", space)
        ip("link", "add", names[0], "type", "veth", "peer", "name", names[1], "netns", space)
        ip("addr", "add", f"{subnet}.1/24", "dev", names[0])
        ip("link", "set", names[0], "up")
        ip("-n", space, "addr", "add", f"{subnet}.2/24", "dev", names[1])
        ip("-n", space, "link", "set", names[1], "up")
        host, before = f"{subnet}.1", ["ip", "netns", "exec", space]
    except OSError as problem:
        # No right to make one: a server that is frozen answers nobody either.
        print(f"  no network namespace ({problem}): the server is frozen instead")
        host, before = "127.0.0.1", []
    try:
        server = place.serve(host=host)
        scene = Scene(place, "cut", server, "--learner-plays", "never", before=before)
        for number in range(2):
            scene.worker(f"far-{number}")
        wait_for("record", lambda: any((place.directory / "cut/records").glob("*.tsjr")))
        if before:
            ip("link", "set", names[0], "down")
            time.sleep(6)
            ip("link", "set", names[0], "up")
        else:
            server.process.send_signal(signal.SIGSTOP)
            time.sleep(6)
            server.process.send_signal(signal.SIGCONT)
        scene.end()
    finally:
        if before:
            place.clear()
        ip("netns", "del", space, must=False)


def full(place):
    """The stream of parts holds one part: workers wait for the learner, which is frozen, and nothing is lost."""
    server = place.serve()

    async def make(_, stream):
        from nats.js.api import DiscardPolicy, RetentionPolicy, StreamConfig

        config = StreamConfig(name="TESUJI_PARTS", subjects=["tesuji.parts.>"], retention=RetentionPolicy.WORK_QUEUE)
        config.discard, config.max_msgs = DiscardPolicy.NEW, 1
        await stream.add_stream(config)

    async def stored(_, stream):
        return (await stream.stream_info("TESUJI_PARTS")).state.messages

    with_server(server, make)
    scene = Scene(place, "full", server, "--learner-plays", "never")
    workers = [scene.worker(f"waits-{number}") for number in range(2)]
    wait_for("record", lambda: any((place.directory / "full/records").glob("*.tsjr")))
    scene.learner.send_signal(signal.SIGSTOP)
    time.sleep(5)
    check(with_server(server, stored) == 1, "the stream is not full")
    check(all(worker.poll() is None for worker in workers), "a worker has not waited")
    scene.learner.send_signal(signal.SIGCONT)
    scene.end()


def certificates(place):
    """A certificate that has expired, or that nobody vouches for, is refused in one line; a right one serves."""
    folder = place.directory / "tls"
    folder.mkdir()
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    for authority in ["ours", "other"]:
        openssl("req", "-x509", *key, "-keyout", f"{authority}.key", "-out", f"{authority}.pem", "-subj", f"/CN={authority}", "-days", "2")
    openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server")
    for name, days in [("good", "2"), ("expired", "-1")]:
        authority = ["-CA", "ours.pem", "-CAkey", "ours.key", "-CAcreateserial"]
        openssl("x509", "-req", "-in", "server.csr", *authority, "-days", days, "-extfile", "names", "-out", f"{name}.pem")

    def trusting(authority):
        return {**os.environ, "TESUJI_NATS_CA": str(folder / f"{authority}.pem")}

    def refused(server, authority, wanted):
        words = [place.tesuji, "worker", server.url(), "--once"]
        done = subprocess.run(words, env=trusting(authority), capture_output=True, text=True, timeout=PATIENCE, check=False)
        lines = done.stderr.strip().splitlines()
        clear = done.returncode == 2 and len(lines) == 1 and lines[0].startswith("error: ") and wanted in lines[0]
        check(clear, f"{wanted}: exit code {done.returncode}, {done.stderr!r}")
        check("secret" not in done.stderr, f"the password is shown: {done.stderr!r}")

    expired = place.serve(tls=(folder / "expired.pem", folder / "server.key"))
    refused(expired, "ours", "certificate: Expired: renew it")
    good = place.serve(tls=(folder / "good.pem", folder / "server.key"))
    refused(good, "other", "certificate: UnknownIssuer: ")
    scene = Scene(place, "secured", good, "--learner-plays", "never", environment=trusting("ours"))
    scene.worker("trusted")
    scene.end()


def liar(place):
    """A worker whose parts are those of others with a byte changed, under checksums that are right, is found and named."""
    server = place.serve()
    scene = Scene(place, "lied-to", server, "--learner-plays", "never", "--audit", "0.5")

    async def lie(client, stream):
        _, run, _ = await run_of(stream)
        heard = await client.subscribe(f"tesuji.parts.{run}.>")
        scene.worker("honest")
        # What it claims to have made: a part of somebody else, as soon as one was heard of.
        model = await heard.next_msg(timeout=PATIENCE)
        header, body = unseal(model.data)
        told, taken = 0, await stream.pull_subscribe_bind(durable=run, stream="TESUJI_WORK")
        while scene.learner.poll() is None and told < 3:
            try:
                (message,) = await taken.fetch(1, timeout=1)
            except Exception:
                continue
            unit, _ = unseal(message.data)
            wrong = bytearray(body)
            wrong[len(wrong) // 2] ^= 1
            subject = message.subject.replace("tesuji.work.", "tesuji.parts.", 1)
            await stream.publish(f"{subject}.liar", seal({**header, "unit": unit}, bytes(wrong)))
            await message.ack()
            told += 1
        return told

    told = with_server(server, lie)
    scene.end()
    said = scene.said()
    check(told == 3, f"it could not lie three times, but {told}")
    check("worker liar: " in said and "nothing of it is taken any more" in said, f"the liar is not named: {said}")
    check("worker honest: " not in said, f"the honest worker is blamed: {said}")


def kernel(place):
    """A worker that lacks the instruction set of the run refuses in one line; the run goes on without it."""
    server = place.serve()
    scene = Scene(place, "foreign", server, "--learner-plays", "never")

    async def pretend(_, stream):
        bucket, run, work = await run_of(stream)
        foreign = {**work, "path": {**work["path"], "isa": "sve2"}}
        await bucket.put(run, seal(foreign))
        words = [str(place.tesuji), "worker", server.url(), "--once"]
        worker = await asyncio.create_subprocess_exec(*words, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL)
        _, errors = await worker.communicate()
        await bucket.put(run, seal(work))
        return worker.returncode, errors.decode()

    code, errors = with_server(server, pretend)
    last = errors.strip().splitlines()[-1]
    check(code == 2 and last.startswith("error: ") and "sve2" in last, f"exit code {code}: {errors}")
    scene.worker("fits")
    scene.end()


def dead(place):
    """A part over which every worker dies is a dead letter: named, kept, and made by the learner."""
    server, victims = place.serve(), [f"victim-{number}" for number in range(3)]
    scene = Scene(place, "deadly", server, "--learner-plays", "never", "--attempts", str(len(victims)), "--audit", "0")

    async def die(_, stream):
        _, run, _ = await run_of(stream)
        taken = await stream.pull_subscribe_bind(durable=run, stream="TESUJI_WORK")
        beats = await stream.key_value("tesuji_workers")
        for victim in victims:
            while True:
                try:
                    (message,) = await taken.fetch(1, timeout=1)
                except Exception:
                    check(scene.learner.poll() is None, f"the learner has ended: {scene.said()}")
                    continue
                unit, _ = unseal(message.data)
                if (unit["generation"], unit["part"]) == (1, 1):
                    break
                await message.nak(delay=1)
            # It says what it has taken, and is not heard of again.
            beat = {"worker": victim, "version": "", "isa": "", "threads": 1, "beat": 1, "at": int(time.time()), "run": run}
            unit_id = f"{unit['generation']:06}-{unit['part']:04}-{unit['copy']}"
            await beats.put(victim, seal({**beat, "units": [unit_id], "parts": 0, "games": 0, "positions": 0, "seconds": 0.0}))
        store = await stream.object_store("tesuji_parts")
        for _ in range(PATIENCE * 5):
            try:
                return [entry.name for entry in await store.list() if entry.name.startswith(f"dead/{run}/")]
            except Exception:
                check(scene.learner.poll() is None, f"the learner has ended: {scene.said()}")
                await asyncio.sleep(0.2)
        raise Trouble(f"no dead letter: {scene.said()}")

    letters = with_server(server, die)
    check(len(letters) == 1 and "/000001-0001-" in letters[0], f"dead letters: {letters}")
    scene.worker("survivor")
    scene.end()
    said = scene.said()
    line = f"is a dead letter: taken 3 times and not delivered ({', '.join(victims)}); it is made here"
    check(said.count(line) == 1 and said.count("dead letter") == 1, f"the dead letter is not named once: {said}")


def permissions(place):
    """A user with a worker's permissions plays and cannot offer work; one without them is refused in one line."""
    server = place.serve()
    scene = Scene(place, "guarded", server, "--learner-plays", "never")
    words = [place.tesuji, "worker", server.url("stranger"), "--once"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False)
    lines = done.stderr.strip().splitlines()
    check(done.returncode == 2 and len(lines) == 1 and lines[0].startswith("error: nats server"), f"the stranger: {done.stderr!r}")

    async def offer():
        import nats

        problems = []

        async def note(problem):
            problems.append(str(problem))

        client = await nats.connect(f"nats://127.0.0.1:{server.port}", user="worker", password="secret", error_cb=note)
        await client.publish("tesuji.work.run.000001.0000.0", b"")
        await client.flush()
        await asyncio.sleep(0.5)
        await client.close()
        return problems

    problems = asyncio.run(offer())
    check(any("permissions violation" in problem.lower() for problem in problems), f"a worker may offer work: {problems}")
    words = ["worker", server.url("worker"), "--threads", "1", "--name", "guarded"]
    place.start(*words, log="guarded-worker")
    scene.end()


ALL = {"cut": cut, "full": full, "tls": certificates, "liar": liar, "kernel": kernel, "dead": dead, "users": permissions}


def run(names, place):
    """Makes these troubles; ends with 1 if one of them is not overcome."""
    for name in names:
        began = time.monotonic()
        try:
            ALL[name](place)
        except Trouble as trouble:
            sys.exit(f"{name}: {trouble}; see {place.directory}")
        finally:
            place.clear()
        print(f"{name}: {ALL[name].__doc__.splitlines()[0]} The same bytes as on threads, {time.monotonic() - began:.0f} s", flush=True)
