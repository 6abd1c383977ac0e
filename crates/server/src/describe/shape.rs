//! The language in which types are declared: that of TypeScript, as far as JSON needs it.
//!
//! `string`, `number`, `integer`, `boolean`, `null`, `any`; `"word"`; the name of another type; `T[]`; `[A, B]`;
//! `Record<string, T>`; `{name: T, maybe?: T}`; `A | B`; `A & {more: T}` of objects.

use serde_json::{Map, Value, json};

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A type of JSON, or `any`.
    Plain(&'static str),
    /// One word.
    Word(String),
    /// Another type, by name.
    Name(String),
    /// A list.
    List(Box<Shape>),
    /// A list with one type for each place.
    Tuple(Vec<Shape>),
    /// An object with any names.
    Record(Box<Shape>),
    /// An object: names, whether they must be there, types.
    Object(Vec<(String, bool, Shape)>),
    /// One of several.
    Either(Vec<Shape>),
    /// An object with the fields of several.
    Both(Vec<Shape>),
}

/// The types that have no parts.
const PLAIN: [&str; 6] = ["string", "number", "integer", "boolean", "null", "any"];

/// Finds a type by its name.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<Shape>;

impl Shape {
    /// Reads a type.
    ///
    /// # Errors
    /// If the text is none; in one line.
    pub fn parse(text: &str) -> Result<Shape, String> {
        let mut reader = Reader { rest: text };
        let shape = reader.either()?;
        if reader.peek().is_some() { Err(format!("{:?} is left over", reader.rest)) } else { Ok(shape) }
    }

    /// The names of other types in it.
    pub fn names(&self) -> Vec<&str> {
        match self {
            Shape::Plain(_) | Shape::Word(_) => Vec::new(),
            Shape::Name(name) => vec![name],
            Shape::List(of) | Shape::Record(of) => of.names(),
            Shape::Tuple(parts) | Shape::Either(parts) | Shape::Both(parts) => {
                parts.iter().flat_map(Shape::names).collect()
            }
            Shape::Object(fields) => fields.iter().flat_map(|(_, _, shape)| shape.names()).collect(),
        }
    }

    /// The type in TypeScript.
    pub fn typescript(&self) -> String {
        let list =
            |parts: &[Shape], between: &str| parts.iter().map(Shape::typescript).collect::<Vec<_>>().join(between);
        match self {
            Shape::Plain("integer") => "number".to_owned(),
            Shape::Plain(name) => (*name).to_owned(),
            Shape::Word(word) => format!("{word:?}"),
            Shape::Name(name) => name.clone(),
            Shape::List(of) if matches!(**of, Shape::Either(_) | Shape::Both(_)) => format!("({})[]", of.typescript()),
            Shape::List(of) => format!("{}[]", of.typescript()),
            Shape::Tuple(parts) => format!("[{}]", list(parts, ", ")),
            Shape::Record(of) => format!("Record<string, {}>", of.typescript()),
            Shape::Either(parts) => list(parts, "|"),
            Shape::Both(parts) => list(parts, " & "),
            Shape::Object(fields) => {
                let field = |(name, must, shape): &(String, bool, Shape)| {
                    format!("{name}{}: {}", if *must { "" } else { "?" }, shape.typescript())
                };
                format!("{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The fields of an object, with those of the types that it extends.
    fn fields(&self, lookup: Lookup<'_>) -> Option<Vec<(String, bool, Shape)>> {
        match self {
            Shape::Object(fields) => Some(fields.clone()),
            Shape::Name(name) => lookup(name)?.fields(lookup),
            Shape::Both(parts) => {
                parts.iter().map(|part| part.fields(lookup)).collect::<Option<Vec<_>>>().map(|all| all.concat())
            }
            _ => None,
        }
    }

    /// The type as JSON Schema, in which other types are named.
    pub fn schema(&self, lookup: Lookup<'_>) -> Value {
        let all = |parts: &[Shape]| parts.iter().map(|part| part.schema(lookup)).collect::<Vec<_>>();
        match self {
            Shape::Plain("any") => json!({}),
            Shape::Plain(name) => json!({ "type": name }),
            Shape::Word(word) => json!({ "const": word }),
            Shape::Name(name) => json!({ "$ref": format!("#/components/schemas/{name}") }),
            Shape::List(of) => json!({ "type": "array", "items": of.schema(lookup) }),
            Shape::Tuple(parts) => json!({
                "type": "array", "prefixItems": all(parts), "minItems": parts.len(), "maxItems": parts.len() }),
            Shape::Record(of) => json!({ "type": "object", "additionalProperties": of.schema(lookup) }),
            Shape::Either(parts) => json!({ "anyOf": all(parts) }),
            Shape::Object(_) | Shape::Both(_) => {
                let fields = self.fields(lookup).unwrap_or_default();
                let required: Vec<&String> =
                    fields.iter().filter(|(_, must, _)| *must).map(|(name, ..)| name).collect();
                let properties: Map<String, Value> =
                    fields.iter().map(|(name, _, shape)| (name.clone(), shape.schema(lookup))).collect();
                json!({ "type": "object", "properties": properties, "required": required,
                    "additionalProperties": false })
            }
        }
    }

    /// Whether a value is of this type: no field is missing, and none is unknown.
    ///
    /// # Errors
    /// If it is not; the error says where.
    pub fn check(&self, value: &Value, lookup: Lookup<'_>) -> Result<(), String> {
        let wrong = || {
            let shown: String = value.to_string().chars().take(120).collect();
            Err(format!("expected {}, found {shown}", self.typescript()))
        };
        let within = |place: String, problem: String| format!("{place}: {problem}");
        match (self, value) {
            (Shape::Plain("any"), _)
            | (Shape::Plain("string"), Value::String(_))
            | (Shape::Plain("number"), Value::Number(_))
            | (Shape::Plain("boolean"), Value::Bool(_))
            | (Shape::Plain("null"), Value::Null) => Ok(()),
            (Shape::Plain("integer"), Value::Number(number)) if number.is_i64() || number.is_u64() => Ok(()),
            (Shape::Word(word), Value::String(text)) if word == text => Ok(()),
            (Shape::Name(name), _) => match lookup(name) {
                Some(shape) => shape.check(value, lookup).map_err(|problem| within(name.clone(), problem)),
                None => Err(format!("no type {name}")),
            },
            (Shape::List(of), Value::Array(items)) => {
                let mut items = items.iter().enumerate();
                items.try_for_each(|(at, item)| {
                    of.check(item, lookup).map_err(|problem| within(format!("[{at}]"), problem))
                })
            }
            (Shape::Tuple(parts), Value::Array(items)) if parts.len() == items.len() => {
                parts.iter().zip(items).try_for_each(|(part, item)| part.check(item, lookup))
            }
            (Shape::Record(of), Value::Object(map)) => map
                .iter()
                .try_for_each(|(name, item)| of.check(item, lookup).map_err(|problem| within(name.clone(), problem))),
            (Shape::Either(parts), _) => {
                let problems: Vec<String> = parts.iter().filter_map(|part| part.check(value, lookup).err()).collect();
                // What is not null is wrong in the way of the other part.
                let other = |problem: &&String| !problem.starts_with("expected null");
                if problems.len() < parts.len() {
                    Ok(())
                } else {
                    Err(problems.iter().find(other).or(problems.first()).cloned().unwrap_or_default())
                }
            }
            (Shape::Object(_) | Shape::Both(_), Value::Object(map)) => {
                let fields = self.fields(lookup).ok_or("only objects are put together")?;
                if let Some(name) = map.keys().find(|name| !fields.iter().any(|(known, ..)| known == *name)) {
                    return Err(format!("unknown field {name}"));
                }
                fields.iter().try_for_each(|(name, must, shape)| match map.get(name) {
                    Some(value) => shape.check(value, lookup).map_err(|problem| within(name.clone(), problem)),
                    None if *must => Err(format!("{name} is missing")),
                    None => Ok(()),
                })
            }
            _ => wrong(),
        }
    }
}

/// Reads types from the front of a text.
struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn take(&mut self, word: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, word: &str) -> Result<(), String> {
        if self.take(word) { Ok(()) } else { Err(format!("expected {word:?} before {:?}", self.rest)) }
    }

    fn name(&mut self) -> Result<String, String> {
        self.rest = self.rest.trim_start();
        let letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = self.rest.find(|found: char| !letter(found)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        if name.is_empty() { Err(format!("expected a name before {rest:?}")) } else { Ok(name.to_owned()) }
    }

    fn either(&mut self) -> Result<Shape, String> {
        let mut parts = vec![self.both()?];
        while self.take("|") {
            parts.push(self.both()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Shape::Either(parts) })
    }

    fn both(&mut self) -> Result<Shape, String> {
        let mut parts = vec![self.list()?];
        while self.take("&") {
            parts.push(self.list()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Shape::Both(parts) })
    }

    fn list(&mut self) -> Result<Shape, String> {
        let mut shape = self.one()?;
        while self.take("[]") {
            shape = Shape::List(Box::new(shape));
        }
        Ok(shape)
    }

    fn one(&mut self) -> Result<Shape, String> {
        if self.take("(") {
            let shape = self.either()?;
            return self.expect(")").map(|()| shape);
        }
        if self.take("[") {
            let mut parts = vec![self.either()?];
            while self.take(",") {
                parts.push(self.either()?);
            }
            return self.expect("]").map(|()| Shape::Tuple(parts));
        }
        if self.take("{") {
            return self.object();
        }
        if self.take("\"") {
            let (word, rest) = self.rest.split_once('"').ok_or("a word has no end")?;
            self.rest = rest;
            return Ok(Shape::Word(word.to_owned()));
        }
        let name = self.name()?;
        if name == "Record" {
            self.expect("<")?;
            self.expect("string")?;
            self.expect(",")?;
            let of = self.either()?;
            return self.expect(">").map(|()| Shape::Record(Box::new(of)));
        }
        Ok(PLAIN.iter().find(|plain| **plain == name).map_or(Shape::Name(name), |plain| Shape::Plain(plain)))
    }

    fn object(&mut self) -> Result<Shape, String> {
        let mut fields = Vec::new();
        while !self.take("}") {
            let name = self.name()?;
            let must = !self.take("?");
            self.expect(":")?;
            fields.push((name, must, self.either()?));
            if !self.take(",") {
                self.expect("}")?;
                break;
            }
        }
        Ok(Shape::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Option<Shape> {
        None
    }

    #[test]
    fn types_are_read_and_written() {
        for text in [
            "string",
            "{a: string[], b?: number|null}",
            "(\"x\"|\"y\")[]",
            "[number, string]",
            "Record<string, Job[]>",
            "Run & {more: boolean}",
            "{}",
        ] {
            assert_eq!(Shape::parse(text).unwrap().typescript(), text);
        }
        assert_eq!(Shape::parse(" { a : integer , } ").unwrap().typescript(), "{a: number}");
        for text in ["", "{a}", "{a: }", "[", "string string", "\"x", "Record<number, string>", "|"] {
            assert!(Shape::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_are_checked() {
        let fits = |text: &str, value: Value| Shape::parse(text).unwrap().check(&value, &none);
        assert_eq!(fits("{a: integer, b?: string|null}", json!({ "a": 1, "b": null })), Ok(()));
        assert_eq!(fits("{a: integer}", json!({ "a": 1.5 })), Err("a: expected number, found 1.5".to_owned()));
        assert_eq!(fits("{a: integer}", json!({})), Err("a is missing".to_owned()));
        assert_eq!(fits("{}", json!({ "b": 1 })), Err("unknown field b".to_owned()));
        assert!(fits("[number, string]", json!([1])).is_err());
        assert!(fits("\"x\"|\"y\"", json!("z")).is_err());
        assert_eq!(fits("Record<string, number>", json!({ "any": 1 })), Ok(()));
        let run = |name: &str| (name == "Run").then(|| Shape::parse("{id: string}").unwrap());
        let more = Shape::parse("Run & {more: boolean}").unwrap();
        assert_eq!(more.check(&json!({ "id": "r", "more": true }), &run), Ok(()));
        assert_eq!(more.schema(&run)["required"], json!(["id", "more"]));
    }
}
