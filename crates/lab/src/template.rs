//! Values of a scale and of a sweep's point, filled into the texts of steps; what steps refer to.

use crate::error::LabError;
use std::collections::BTreeMap;

/// Values by name.
#[derive(Clone, Debug, Default)]
pub struct Values(pub BTreeMap<String, toml::Value>);

/// Around what refers to another step in a filled text.
const REFERENCE: (char, char) = ('\u{1}', '\u{2}');

impl Values {
    /// Fills `{name}` with its value, from the inside out; `{run:...}` and `{data:...}` stay, for [`refer`].
    ///
    /// # Errors
    /// If a name has no value, or braces do not match.
    pub fn fill(&self, text: &str) -> Result<String, LabError> {
        let mut text = text.to_owned();
        while let Some(close) = text.find('}') {
            let wrong = || LabError::new(format!("{text:?}: braces do not match"));
            let open = text[..close].rfind('{').ok_or_else(wrong)?;
            let name = &text[open + 1..close];
            let value = if name.starts_with("run:") || name.starts_with("data:") {
                format!("{}{name}{}", REFERENCE.0, REFERENCE.1)
            } else {
                match self.0.get(name) {
                    Some(value) => scalar(value),
                    None => return Err(LabError::new(format!("{text:?}: no value {name:?} at this scale"))),
                }
            };
            text.replace_range(open..=close, &value);
        }
        if text.contains('{') {
            return Err(LabError::new(format!("{text:?}: braces do not match")));
        }
        Ok(text)
    }

    /// Fills a list of texts; one that is a name alone may stand for a list.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn fill_list(&self, texts: &[String]) -> Result<Vec<String>, LabError> {
        let mut filled = Vec::new();
        for text in texts {
            let name = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
            match name.and_then(|name| self.0.get(name)) {
                Some(toml::Value::Array(items)) => {
                    for item in items {
                        filled.push(self.fill(&scalar(item))?);
                    }
                }
                _ => filled.push(self.fill(text)?),
            }
        }
        Ok(filled)
    }
}

/// A value as text.
pub fn scalar(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// What a filled text refers to: `run:NAME`, `run:NAME@7`, `run:NAME@cpu=10`, `run:NAME@step=500`, `data:NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Whether it is a run; else it is a data set.
    pub run: bool,
    /// The job's name.
    pub job: String,
    /// Behind the `@`; empty for the latest network.
    pub at: String,
}

/// The references of a filled text.
pub fn references(text: &str) -> Vec<Reference> {
    let parts = text.split(REFERENCE.0).skip(1).filter_map(|part| part.split_once(REFERENCE.1));
    parts.map(|(name, _)| parse(name)).collect()
}

fn parse(name: &str) -> Reference {
    let (kind, rest) = name.split_once(':').unwrap_or(("run", name));
    let (job, at) = rest.split_once('@').unwrap_or((rest, ""));
    Reference { run: kind == "run", job: job.to_owned(), at: at.to_owned() }
}

/// The text with each reference replaced.
///
/// # Errors
/// Those of `with`.
pub fn refer(text: &str, with: &dyn Fn(&Reference) -> Result<String, LabError>) -> Result<String, LabError> {
    let mut parts = text.split(REFERENCE.0);
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(REFERENCE.1).unwrap_or((part, ""));
        filled.push_str(&with(&parse(name))?);
        filled.push_str(rest);
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_filled_from_the_inside_out_and_references_stay() {
        let table: toml::Table = "n = 3\nwho = 'bot'\nmany = ['a={n}', 'b=2']".parse().unwrap();
        let values = Values(table.into_iter().collect());
        let text = values.fill("uct:sims={n},eval=net:{run:layers-{n}@cpu=10},x={who}").unwrap();
        let expected = Reference { run: true, job: "layers-3".to_owned(), at: "cpu=10".to_owned() };
        assert_eq!(references(&text), [expected]);
        let filled = refer(&text, &|reference| Ok(format!("<{}>", reference.job))).unwrap();
        assert_eq!(filled, "uct:sims=3,eval=net:<layers-3>,x=bot");
        assert_eq!(values.fill_list(&["{many}".to_owned(), "c={n}".to_owned()]).unwrap(), ["a=3", "b=2", "c=3"]);
        for wrong in ["{none}", "a}", "{n"] {
            assert!(values.fill(wrong).is_err(), "{wrong}");
        }
    }
}
