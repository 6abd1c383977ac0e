//! Options by name: `key=value` pairs into typed structs, and the same structs as documentation.

use std::time::Duration;
use tesuji_core::{ParseError, budget};

/// A documented option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name before the `=`.
    pub name: &'static str,
    /// The value if none is given, as it would be written.
    pub default: String,
    /// What may be written.
    pub form: String,
    /// What it means.
    pub help: String,
}

/// A type that an option may have.
pub trait OptionValue: Sized {
    /// The accepted values, as text for people.
    fn form() -> String;

    /// Reads a value; `None` if it is not one.
    fn read(text: &str) -> Option<Self>;

    /// The value as it would be written.
    fn write(&self) -> String;
}

/// Options that are set by name. Made by [`options!`](crate::options!); tuples combine several.
pub trait Options {
    /// Adds every option with its present value as the default.
    fn keys(&self, out: &mut Vec<Key>);

    /// Sets an option: `None` if there is none of this name, an error if the value is not one of its type.
    fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>>;
}

/// Reads `key=value,key=value` into the options of `owner`.
///
/// # Errors
/// If a key is unknown (the error lists those that are known) or given twice, or a value does not fit.
pub fn read(owner: &str, text: &str, options: &mut dyn Options) -> Result<(), ParseError> {
    let mut seen: Vec<&str> = Vec::new();
    for pair in text.split(',').filter(|_| !text.is_empty()) {
        let wrong = |problem: String| ParseError::new("agent", text, problem);
        let Some((name, value)) = pair.split_once('=') else {
            return Err(wrong(format!("{pair:?} is not KEY=VALUE; {}", known(owner, options))));
        };
        if seen.contains(&name) {
            return Err(wrong(format!("{name:?} is given twice")));
        }
        seen.push(name);
        match options.set(name, value) {
            Some(Ok(())) => {}
            Some(Err(form)) => return Err(wrong(format!("{name}={value}: expected {form}"))),
            None => return Err(wrong(format!("unknown key {name:?}; {}", known(owner, options)))),
        }
    }
    Ok(())
}

/// The name of a field; one that is a keyword of Rust is written `r#word` in the source.
pub fn plain(field: &'static str) -> &'static str {
    field.strip_prefix("r#").unwrap_or(field)
}

fn known(owner: &str, options: &dyn Options) -> String {
    let mut keys = Vec::new();
    options.keys(&mut keys);
    match keys.as_slice() {
        [] => format!("{owner} has no keys"),
        keys => format!("{owner} has {}", keys.iter().map(|key| key.name).collect::<Vec<_>>().join(", ")),
    }
}

impl Options for () {
    fn keys(&self, _out: &mut Vec<Key>) {}

    fn set(&mut self, _name: &str, _value: &str) -> Option<Result<(), String>> {
        None
    }
}

macro_rules! tuple {
    ($($part:ident $index:tt)*) => {
        impl<$($part: Options),*> Options for ($($part,)*) {
            fn keys(&self, out: &mut Vec<Key>) {
                $(self.$index.keys(out);)*
            }

            fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
                None$(.or_else(|| self.$index.set(name, value)))*
            }
        }
    };
}

tuple!(A 0 B 1);
tuple!(A 0 B 1 C 2);
tuple!(A 0 B 1 C 2 D 3);

/// Defines a struct of options: a doc comment, a type and a default for each.
///
/// ```
/// tesuji_search::options! {
///     /// Ours.
///     pub struct Mine {
///         /// how deep to look
///         depth: u32 = 4,
///     }
/// }
/// let mut mine = Mine::default();
/// tesuji_search::options::read("mine", "depth=7", &mut mine).unwrap();
/// assert_eq!(mine.depth, 7);
/// assert!(tesuji_search::options::read("mine", "dpeth=7", &mut mine).unwrap_err().to_string().contains("mine has depth"));
/// ```
#[macro_export]
macro_rules! options {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[doc = $help:literal])+ $field:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[doc = $help])+ pub $field: $type,)*
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default),* }
            }
        }

        impl $crate::options::Options for $name {
            fn keys(&self, out: &mut Vec<$crate::options::Key>) {
                $(out.push($crate::options::Key {
                    name: $crate::options::plain(stringify!($field)),
                    default: <$type as $crate::options::OptionValue>::write(&self.$field),
                    form: <$type as $crate::options::OptionValue>::form(),
                    help: concat!($($help),+).trim().to_owned(),
                });)*
            }

            fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
                $(if name == $crate::options::plain(stringify!($field)) {
                    let value = <$type as $crate::options::OptionValue>::read(value);
                    return Some(match value {
                        Some(value) => {
                            self.$field = value;
                            Ok(())
                        }
                        None => Err(<$type as $crate::options::OptionValue>::form()),
                    });
                })*
                None
            }
        }
    };
}

/// Gives an enum without fields its names as an option.
#[macro_export]
macro_rules! option_names {
    ($type:ty { $($variant:ident = $name:literal),* $(,)? }) => {
        impl $crate::options::OptionValue for $type {
            fn form() -> String {
                [$($name),*].join("|")
            }

            fn read(text: &str) -> Option<Self> {
                match text {
                    $($name => Some(<$type>::$variant),)*
                    _ => None,
                }
            }

            fn write(&self) -> String {
                match self {
                    $(<$type>::$variant => $name,)*
                }
                .to_owned()
            }
        }
    };
}

macro_rules! numbers {
    ($($type:ty, $form:literal, $fits:expr;)*) => {
        $(impl OptionValue for $type {
            fn form() -> String {
                $form.to_owned()
            }

            fn read(text: &str) -> Option<Self> {
                text.parse().ok().filter($fits)
            }

            fn write(&self) -> String {
                self.to_string()
            }
        })*
    };
}

numbers! {
    u32, "a whole number", |_| true;
    u64, "a whole number", |_| true;
    usize, "a whole number", |_| true;
    f32, "a number, 0 or more", |value: &f32| value.is_finite() && *value >= 0.0;
}

impl OptionValue for String {
    fn form() -> String {
        "a name".to_owned()
    }

    fn read(text: &str) -> Option<String> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn write(&self) -> String {
        self.clone()
    }
}

impl OptionValue for bool {
    fn form() -> String {
        "on|off".to_owned()
    }

    fn read(text: &str) -> Option<bool> {
        match text {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        }
    }

    fn write(&self) -> String {
        if *self { "on" } else { "off" }.to_owned()
    }
}

impl OptionValue for Duration {
    fn form() -> String {
        "a time such as 200ms or 1.5s".to_owned()
    }

    fn read(text: &str) -> Option<Duration> {
        budget::parse_duration(text)
    }

    fn write(&self) -> String {
        format!("{self:?}")
    }
}

/// An option that may be left out; `none` is what it is then.
impl<T: OptionValue> OptionValue for Option<T> {
    fn form() -> String {
        format!("{}, or none", T::form())
    }

    fn read(text: &str) -> Option<Option<T>> {
        if text == "none" { Some(None) } else { T::read(text).map(Some) }
    }

    fn write(&self) -> String {
        self.as_ref().map_or_else(|| "none".to_owned(), T::write)
    }
}

/// Two numbers, written `A:B`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair(pub f32, pub f32);

impl OptionValue for Pair {
    fn form() -> String {
        "two numbers A:B".to_owned()
    }

    fn read(text: &str) -> Option<Pair> {
        let (a, b) = text.split_once(':')?;
        Some(Pair(f32::read(a)?, f32::read(b)?))
    }

    fn write(&self) -> String {
        format!("{}:{}", self.0, self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    options! {
        /// Of a test.
        pub struct Few {
            /// how many
            count: u32 = 3,
            /// how much,
            /// on two lines
            share: Option<f32> = None,
            /// whether
            on: bool = true,
            /// how long
            time: Duration = Duration::from_millis(250),
            /// two
            pair: Pair = Pair(1.0, 0.5),
        }
    }

    #[test]
    fn keys_document_themselves_and_read_what_they_write() {
        let mut keys = Vec::new();
        Few::default().keys(&mut keys);
        assert_eq!(keys.iter().map(|key| key.name).collect::<Vec<_>>(), ["count", "share", "on", "time", "pair"]);
        assert_eq!(keys[1].help, "how much, on two lines");
        let mut few = Few { count: 0, share: Some(1.0), on: false, time: Duration::ZERO, pair: Pair(0.0, 0.0) };
        for key in keys {
            few.set(key.name, &key.default).unwrap().unwrap();
        }
        assert_eq!(few, Few::default());
    }

    #[test]
    fn errors_say_what_to_write() {
        let problem = |text: &str| read("few", text, &mut Few::default()).unwrap_err().to_string();
        assert!(problem("coutn=1").contains("unknown key \"coutn\"; few has count, share, on, time, pair"));
        assert!(problem("count").contains("is not KEY=VALUE"));
        assert!(problem("count=x").contains("count=x: expected a whole number"));
        assert!(problem("on=yes").contains("expected on|off"));
        assert!(problem("share=-1").contains("expected a number, 0 or more, or none"));
        assert!(problem("share=NaN").contains("expected a number"));
        assert!(problem("count=1,count=2").contains("\"count\" is given twice"));
        assert!(read("none", "", &mut ()).is_ok());
        assert!(read("none", "x=1", &mut ()).unwrap_err().to_string().contains("none has no keys"));
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".{0,40}") {
            let _ = read("few", &text, &mut (Few::default(), ()));
        }
    }
}
