//! What a request asks and answers.

/// How an answer comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON of a type, in the language of [`shape`](super::shape).
    Json(&'static str),
    /// A file of this media type.
    File(&'static str),
    /// Server-sent events, whose data are jobs.
    Events,
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The part of docs/api.md that lists it.
    pub part: &'static str,
    /// `get`, `post` or `delete`.
    pub method: &'static str,
    /// The path behind `/api`, with `{name}` for what varies.
    pub path: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// The type of its body.
    pub asks: Option<&'static str>,
    /// What may stand behind the `?`: names, whether they must, and what they say.
    pub query: &'static [(&'static str, bool, &'static str)],
    /// How it is answered.
    pub answers: Form,
}

impl Request {
    /// A request that reads.
    pub const fn get(part: &'static str, path: &'static str, answers: Form, about: &'static str) -> Request {
        Request { part, method: "get", path, about, asks: None, query: &[], answers }
    }

    /// A request that writes, with a body of a type.
    pub const fn post(
        part: &'static str,
        path: &'static str,
        asks: Option<&'static str>,
        answers: Form,
        about: &'static str,
    ) -> Request {
        Request { part, method: "post", path, about, asks, query: &[], answers }
    }

    /// The names of what varies in the path.
    pub fn variables(&self) -> Vec<&'static str> {
        self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect()
    }
}
