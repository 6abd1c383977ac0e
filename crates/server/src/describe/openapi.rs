//! The OpenAPI document.

use super::request::{Form, Request};
use super::shape::Shape;
use super::types::{TYPES, lookup};
use serde_json::{Map, Value, json};

/// A type of a request, which a test has read.
fn schema(text: &str) -> Value {
    Shape::parse(text).map(|shape| shape.schema(&lookup)).unwrap_or_default()
}

/// The document of all requests.
pub fn document(requests: &[Request]) -> Value {
    let mut paths = Map::new();
    for request in requests {
        let path = paths.entry(format!("/api{}", request.path)).or_insert_with(|| json!({}));
        path[request.method] = operation(request);
    }
    let schemas: Map<String, Value> = TYPES
        .iter()
        .map(|known| {
            let mut schema = schema(known.text);
            schema["description"] = known.about.into();
            (known.name.to_owned(), schema)
        })
        .collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "tesuji serve", "version": env!("CARGO_PKG_VERSION"),
            "description": "Games, agents, matches and training runs on this machine.",
            "license": { "name": "GPL-3.0-or-later", "identifier": "GPL-3.0-or-later" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "token": [] }, { "cookie": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": { "type": "http", "scheme": "bearer", "description": "the token of --token-file" },
                "cookie": { "type": "apiKey", "in": "cookie", "name": "tesuji-PORT",
                    "description": "set by the printed URL; PORT is the server's" },
            },
        },
    })
}

fn operation(request: &Request) -> Value {
    let word = |letter: char| if letter.is_ascii_alphanumeric() { letter } else { '_' };
    let id: String = format!("{}{}", request.method, request.path).chars().map(word).collect();
    let variables = request.variables().into_iter().map(|name| {
        let kind = if name == "index" { "integer" } else { "string" };
        json!({ "name": name, "in": "path", "required": true, "schema": { "type": kind } })
    });
    let query = request.query.iter().map(|(name, must, about)| {
        json!({ "name": name, "in": "query", "required": must, "description": about, "schema": { "type": "string" } })
    });
    let content = match request.answers {
        Form::Json(text) => json!({ "application/json": { "schema": schema(text) } }),
        Form::File(kind) => json!({ kind: { "schema": { "type": "string", "format": "binary" } } }),
        Form::Events => json!({ "text/event-stream": { "schema": { "type": "string" } } }),
    };
    let refused = json!({ "application/json": { "schema": schema("Problem") } });
    let mut operation = json!({
        "operationId": id.trim_matches('_'), "tags": [request.part], "summary": request.about,
        "parameters": variables.chain(query).collect::<Vec<_>>(),
        "responses": {
            "200": { "description": "done", "content": content },
            "4XX": { "description": "refused", "content": refused },
        },
    });
    if let Some(text) = request.asks {
        operation["requestBody"] =
            json!({ "required": true, "content": { "application/json": { "schema": schema(text) } } });
    }
    operation
}
