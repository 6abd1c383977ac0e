"""Training runs."""

import pytest

import tesuji


def test_a_run_is_followed_to_its_end(tmp_path):
    out = tmp_path / "run"
    run = tesuji.train("td-tictactoe", out=out, dummy=True, threads=1)
    told = list(run)
    assert told[0]["event"] == "begin" and told[-1] == {"event": "end", "generation": 1, "stopped": False}
    assert not run.is_running and list(run) == []
    generations = [event for event in told if event["event"] == "generation"]
    assert generations == [event for event in run.events() if event["event"] == "generation"]
    frame = run.to_pandas()
    assert frame["generation"].tolist() == [1] and frame["play.games"].tolist() == [generations[0]["play"]["games"]]
    again = tesuji.open_run(out)
    assert again.events() == run.events() and again.costs() and "tictactoe" in again.experiment()
    assert list(again) == [] and not again.is_running


def test_a_run_is_stopped_and_resumed(tmp_path):
    out = tmp_path / "run"
    with tesuji.train("td-tictactoe", out=out, budget=100_000, threads=1) as run:
        for event in run:
            if event["event"] == "generation" and event["generation"] >= 2:
                run.stop()
                break
    assert not run.is_running
    reached = run.to_pandas()["generation"].max()
    assert 2 <= reached < 100_000
    more = tesuji.train(out=out, budget=int(reached) + 1, threads=1, resume=True)
    more.wait()
    assert more.to_pandas()["generation"].max() == reached + 1
    # The same run in one go has the same events.
    whole = tesuji.train("td-tictactoe", out=tmp_path / "whole", budget=int(reached) + 1, threads=2)
    whole.wait()
    assert [event for event in whole.events() if event["event"] == "generation"] == [
        event for event in more.events() if event["event"] == "generation"
    ]


def test_bad_runs_are_refused_and_leave_nothing(tmp_path):
    out = tmp_path / "run"
    for options, words in [
        ({"experiment": "nothing"}, "no experiment"),
        ({"experiment": "td-tictactoe", "set": {"training.rate": "x"}}, "td-tictactoe"),
        ({"experiment": "td-tictactoe", "budget": "soon"}, "budget"),
        ({"experiment": "td-tictactoe", "threads": 0}, "threads"),
        ({"resume": True}, "no run to resume"),
    ]:
        with pytest.raises(ValueError, match=words):
            tesuji.train(out=out, **options).wait()
        assert not out.exists() or not any(out.iterdir())
    tesuji.train("td-tictactoe", out=out, dummy=True, threads=1).wait()
    with pytest.raises(ValueError, match="holds a run"):
        tesuji.train("td-tictactoe", out=out, dummy=True)
    with pytest.raises(ValueError, match="generation"):
        tesuji.open_run(out).to_pandas("cost")


def test_a_file_may_not_start_programs(tmp_path):
    run = tmp_path / "run"
    tesuji.train("td-tictactoe", out=run, dummy=True, threads=1).wait()
    text = tesuji.open_run(run).experiment().splitlines()
    text = ['opponents = ["engine:/bin/true"]' if line.startswith("opponents") else line for line in text]
    file = tmp_path / "foreign.toml"
    file.write_text("\n".join(text))
    with pytest.raises(ValueError, match="allow_engines=True"):
        tesuji.train(str(file), out=tmp_path / "other")


def test_experiments_are_listed():
    assert "td-tictactoe" in tesuji.experiments()
