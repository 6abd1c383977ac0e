//! The checker itself, on small crates that are made up.

use crate::graph::{Crate, Cycle};
use crate::source::modules;

fn cycles(files: &[(&str, &str)]) -> Vec<Cycle> {
    let read =
        |path: &str| files.iter().find(|(name, _)| format!("src/{name}") == path).map(|(_, text)| (*text).to_owned());
    Crate::new(modules("src/lib.rs", &read)).cycles()
}

/// Asserts that there is one cycle, of these rooms, and that its message has these lines.
#[track_caller]
fn one_cycle(files: &[(&str, &str)], rooms: &[&str], lines: &[&str]) {
    let found = cycles(files);
    let [cycle] = &found[..] else { panic!("{} cycles: {found:?}", found.len()) };
    assert!(cycle.rooms.iter().eq(rooms), "{cycle}");
    let text = cycle.to_string();
    for line in lines {
        assert!(text.lines().any(|found| found.trim() == *line), "no line {line:?} in\n{text}");
    }
}

#[track_caller]
fn none(files: &[(&str, &str)]) {
    let found = cycles(files);
    assert!(found.is_empty(), "{}", found[0]);
}

#[test]
fn two_siblings() {
    one_cycle(
        &[
            ("lib.rs", "mod a;\nmod b;"),
            ("a.rs", "use crate::b::B;\npub struct A;"),
            ("b.rs", "pub struct B;\n\nfn f() -> usize { size_of::<super::a::A>() }"),
        ],
        &["a", "b"],
        &["a -> b  src/a.rs:1", "b -> a  src/b.rs:3"],
    );
}

#[test]
fn three_siblings_by_every_kind_of_path() {
    one_cycle(
        &[
            ("lib.rs", "mod a; mod b; mod c; mod d;"),
            ("a.rs", "use super::{d, b::{self, f}};"),
            ("b.rs", "pub fn f() { assert!(vec![crate::c::g()].len() > 1); }"),
            ("c.rs", "#[arg(parser = crate::a::parse)]\npub struct S;"),
            ("d.rs", ""),
        ],
        &["a", "b", "c"],
        &["a -> b  src/a.rs:1", "b -> c  src/b.rs:1", "c -> a  src/c.rs:1"],
    );
}

#[test]
fn through_a_reexport() {
    one_cycle(
        &[
            ("lib.rs", "mod a; mod b;\npub use a::A;\npub use b::*;"),
            ("a.rs", "use crate::B;\npub struct A;"),
            ("b.rs", "pub struct B(super::A);"),
        ],
        &["a", "b"],
        &["a -> b  src/a.rs:1", "b -> a  src/b.rs:1"],
    );
}

#[test]
fn through_a_name_for_a_module() {
    one_cycle(
        &[
            ("lib.rs", "mod a;"),
            ("a/mod.rs", "mod x; mod y;"),
            ("a/x.rs", "use crate::a;\nfn f() { a::y::g() }"),
            ("a/y.rs", "use super::*;\nfn g() { x::f() }"),
        ],
        &["a::x", "a::y"],
        &["a::x -> a::y  src/a/x.rs:2", "a::y -> a::x  src/a/y.rs:2"],
    );
}

#[test]
fn through_a_grandchild() {
    one_cycle(
        &[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod deep;"),
            ("a/deep.rs", "fn f() { super::super::b::g() }"),
            ("b.rs", "use crate::a::deep::f;"),
        ],
        &["a", "b"],
        &["a -> b  src/a/deep.rs:1", "b -> a  src/b.rs:1"],
    );
}

#[test]
fn parent_and_child() {
    let child = ("a/child.rs", "use super::Options;");
    one_cycle(
        &[("lib.rs", "mod a;"), ("a/mod.rs", "mod child;\nuse child::f;\npub struct Options;"), child],
        &["a/mod.rs", "a::child"],
        &["a/mod.rs -> a::child  src/a/mod.rs:2", "a::child -> a/mod.rs  src/a/child.rs:1"],
    );
    // What is shown to others may also be used at home.
    one_cycle(
        &[("lib.rs", "mod a;"), ("a.rs", "mod child;\npub use child::F;\npub struct Options;\nfn g(f: F) {}"), child],
        &["a.rs", "a::child"],
        &["a.rs -> a::child  src/a.rs:4"],
    );
    one_cycle(
        &[("lib.rs", "mod a;\nmacro_rules! m { () => { $crate::a::f() } }"), ("a.rs", "use crate::Name;")],
        &["a", "lib.rs"],
        &[],
    );
}

#[test]
fn modules_in_braces_belong_to_their_file() {
    let a = (
        "a.rs",
        "mod sealed {\n    pub trait S {}\n    impl S for super::A {}\n    use crate::b::B;\n}\npub struct A;",
    );
    none(&[("lib.rs", "mod a; mod b;"), a, ("b.rs", "pub struct B;")]);
    one_cycle(
        &[("lib.rs", "mod a; mod b;"), a, ("b.rs", "use crate::a::sealed::S;")],
        &["a", "b"],
        &["a -> b  src/a.rs:4", "b -> a  src/b.rs:1"],
    );
}

#[test]
fn no_cycle() {
    // Declarations and `pub use` are how a folder shows what is in it.
    none(&[
        ("lib.rs", "pub mod a; mod b;\npub use a::A;\npub(crate) use b::B;\npub struct Options;"),
        ("a/mod.rs", "mod x; mod y;\npub use x::X;\nfn f() { x::g() }"),
        ("a/x.rs", "use super::y::Y;\nuse crate::{B, Options};"),
        ("a/y.rs", "use std::fmt;\npub(in crate::a) struct Y(pub(super) u32);"),
        ("b.rs", "pub struct B;"),
    ]);
}

#[test]
fn tests_documentation_and_variables_do_not_count() {
    none(&[
        ("lib.rs", "mod a; mod b;\n"),
        ("a.rs", "use crate::b::B;"),
        (
            "b.rs",
            "//! Like [`crate::a`].\n#[cfg(test)]\nuse crate::a::A;\n#[cfg(doc)]\nuse crate::a::A;\n
             #[cfg(all(test, unix))]\nmod tests { use crate::a::A; }\n#[cfg(test)]\nmod more;\n
             /// See [`crate::a::A`].\nimpl B { #[cfg(test)] fn f() { crate::a::g() } fn h(a: u32) -> u32 { a } }",
        ),
    ]);
    // But `cfg(not(test))` is code like any other.
    one_cycle(
        &[("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", "#[cfg(not(test))]\nuse crate::a::A;")],
        &["a", "b"],
        &["b -> a  src/b.rs:2"],
    );
}

#[test]
fn exported_macros_are_where_they_are_written() {
    none(&[
        ("lib.rs", "mod a; mod b;\nuse b::f;"),
        ("a.rs", "#[macro_export]\nmacro_rules! m { () => {} }"),
        ("b.rs", "crate::m!();"),
    ]);
}
