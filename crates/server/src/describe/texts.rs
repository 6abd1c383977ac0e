//! The page's types, and the tables of docs/api.md.

use super::request::{Form, Request};
use super::shape::Shape;
use super::types::TYPES;

/// What each kind of job asks and finds.
const KINDS: [(&str, &str, &str); 7] = [
    ("search", "SearchOrder", "SearchResult"),
    ("reply", "ReplyOrder", "Reply|Thinking"),
    ("truth", "TruthOrder", "Truth"),
    ("learn", "LearnOrder", "Lesson"),
    ("opinions", "OpinionsOrder", "Opinions"),
    ("match", "MatchOrder", "Live"),
    ("train", "TrainOrder", "Training"),
];

/// The type of the result of a kind of job.
pub fn result_of(kind: &str) -> Option<&'static str> {
    KINDS.iter().find(|(known, ..)| *known == kind).map(|(_, _, result)| *result)
}

/// The page's types: comments of JavaScript, nothing that is run.
pub fn page_types() -> String {
    let mut text = String::from(
        "// The shapes of what the server sends, made from crates/server/src/describe/types.rs. Types only: nothing of this is run.\n\nexport {};\n",
    );
    for known in TYPES {
        let shape = Shape::parse(known.text).map(|shape| shape.typescript()).unwrap_or_default();
        text.push_str(&format!("\n/** {} */\n/** @typedef {{{shape}}} {} */\n", known.about, known.name));
    }
    text
}

/// A type in a table, whose columns are parted by `|`.
fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// The requests of a part of the document, as a table.
pub fn table(requests: &[Request], part: &str) -> String {
    let mut text = String::from("| request | body | answer | what it does |\n|---|---|---|---|\n");
    for request in requests.iter().filter(|request| request.part == part) {
        let query: Vec<String> =
            request.query.iter().map(|(name, ..)| format!("{name}={}", name.to_uppercase())).collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        let body = request.asks.map(code).unwrap_or_default();
        let answer = match request.answers {
            Form::Json(text) => code(text),
            Form::File(kind) => kind.to_owned(),
            Form::Events => "events".to_owned(),
        };
        let method = request.method.to_uppercase();
        text.push_str(&format!("| `{method} /api{}{query}` | {body} | {answer} | {} |\n", request.path, request.about));
    }
    text
}

/// The kinds of jobs, as a table.
pub fn kinds() -> String {
    let mut text = String::from("| kind | asks | result |\n|---|---|---|\n");
    for (kind, asks, result) in KINDS {
        text.push_str(&format!("| `{kind}` | `{asks}` | {} |\n", code(result)));
    }
    text
}

/// All types, as a list.
pub fn types() -> String {
    let one = |known: &super::types::Type| {
        let text: Vec<&str> = known.text.split_whitespace().collect();
        format!("- **{}**: {}\n  `{}`\n", known.name, known.about, text.join(" "))
    };
    TYPES.iter().map(one).collect()
}

/// A document with what stands between `<!-- made: NAME -->` and `<!-- end -->` made anew.
///
/// # Errors
/// If a part of that name cannot be made, or has no end.
pub fn remake(document: &str, requests: &[Request]) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = document;
    while let Some((before, behind)) = rest.split_once("<!-- made: ") {
        let (name, behind) = behind.split_once(" -->").ok_or("a mark has no end")?;
        let (_, behind) = behind.split_once("<!-- end -->").ok_or_else(|| format!("{name} has no end"))?;
        let made = match name {
            "kinds" => kinds(),
            "types" => types(),
            part if requests.iter().any(|request| request.part == part) => table(requests, part),
            other => return Err(format!("nothing is called {other:?}")),
        };
        text.push_str(&format!("{before}<!-- made: {name} -->\n\n{made}\n<!-- end -->"));
        rest = behind;
    }
    Ok(text + rest)
}
