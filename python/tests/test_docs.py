"""The examples in docstrings are true, and the type stubs name what there is."""

import ast
import doctest
import inspect
import pathlib

import pytest

import tesuji
import tesuji.pettingzoo
from tesuji import _tesuji


def documented():
    """Everything with a docstring of ours."""
    for name in tesuji.__all__:
        thing = getattr(tesuji, name)
        yield name, thing.__doc__
        if inspect.isclass(thing):
            for member in vars(thing):
                if not member.startswith("_"):
                    yield f"{name}.{member}", getattr(thing, member).__doc__
    yield "tesuji.pettingzoo", tesuji.pettingzoo.__doc__


@pytest.mark.parametrize(("name", "text"), list(documented()), ids=lambda value: value if "\n" not in str(value)[:80] else "")
def test_docstrings(name, text):
    assert text, f"{name} has no docstring"
    example = doctest.DocTestParser().get_doctest(inspect.cleandoc(text), {}, name, None, None)
    assert doctest.DocTestRunner().run(example).failed == 0


def test_there_are_examples():
    assert sum(">>>" in text for _, text in documented()) >= 10


def test_stubs_name_what_there_is():
    stubs = ast.parse((pathlib.Path(tesuji.__file__).parent / "_tesuji.pyi").read_text())
    for node in stubs.body:
        if isinstance(node, ast.FunctionDef):
            assert callable(getattr(_tesuji, node.name))
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            members = {member.name for member in node.body if isinstance(member, ast.FunctionDef)}
            there = {name for name in vars(getattr(_tesuji, node.name)) if not name.startswith("_")}
            assert there == {name for name in members if not name.startswith("_")}
    names = {node.name for node in stubs.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert set(tesuji.__all__) <= names


def test_the_package_is_compiled_as_the_program_is():
    tomllib = pytest.importorskip("tomllib")
    folder = pathlib.Path(__file__).parent.parent
    ours, main = (tomllib.loads((place / "Cargo.toml").read_text()) for place in (folder, folder.parent))
    assert ours["profile"] == main["profile"]
    assert ours["package"]["version"] == main["workspace"]["package"]["version"]
