//! The API described: one declaration of its types and requests, from which the OpenAPI document, the page's types and the
//! tables of docs/api.md come.
//!
//! | file | what it holds |
//! |---|---|
//! | [`shape`] | the language in which types are declared; whether a value is of a type |
//! | [`types`] | the types |
//! | [`request`] | what a request asks and answers |
//! | [`openapi`] | the OpenAPI document |
//! | [`texts`] | the page's types, and the tables of docs/api.md |

pub mod openapi;
pub mod request;
pub mod shape;
pub mod texts;
pub mod types;
