//! Options by name: `key=value` pairs into typed structs, and the same structs as documentation.

use std::ops::RangeInclusive;
use std::time::Duration;
use tesuji_core::budget::{from_to, parse_duration};
use tesuji_core::{ParseError, limits};

/// A documented option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name before the `=`.
    pub name: &'static str,
    /// The value if none is given, as it would be written.
    pub default: String,
    /// What may be written: for numbers, their range.
    pub form: String,
    /// What it means.
    pub help: String,
}

/// A type that an option may have.
pub trait OptionValue: Sized {
    /// What is declared beside the name of each option of this type: the range of numbers; `()` where there is nothing
    /// to declare. So a number without a range does not compile.
    type Bounds;

    /// The accepted values, as text for people.
    fn form(bounds: &Self::Bounds) -> String;

    /// Reads a value; `None` if it is not one, or out of bounds.
    fn read(text: &str, bounds: &Self::Bounds) -> Option<Self>;

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

/// Reads `key=value,key=value` into the options of `owner`; `key` alone is `key=on` for a key that is on or off.
///
/// # Errors
/// If a key is unknown (the error lists those that are known) or given twice, or a value does not fit.
pub fn read(owner: &str, text: &str, options: &mut dyn Options) -> Result<(), ParseError> {
    let mut seen: Vec<&str> = Vec::new();
    for pair in text.split(',').filter(|_| !text.is_empty()) {
        let wrong = |problem: String| ParseError::new("agent", text, problem);
        // The name of a switch alone switches it on.
        let (name, value) = match pair.split_once('=') {
            Some(pair) => pair,
            None if is_switch(pair, options) => (pair, "on"),
            None => return Err(wrong(format!("{pair:?} is not KEY=VALUE; {}", known(owner, options)))),
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

/// Whether a key of this name is on or off.
fn is_switch(name: &str, options: &dyn Options) -> bool {
    let mut keys = Vec::new();
    options.keys(&mut keys);
    keys.iter().any(|key| key.name == name && key.form == bool::form(&()))
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

/// Defines a struct of options: a doc comment, a type and a default for each, and for numbers the range, in brackets
/// behind the name.
///
/// ```
/// tesuji_search::options! {
///     /// Ours.
///     pub struct Mine {
///         /// how deep to look
///         depth(1..=99): u32 = 4,
///     }
/// }
/// let mut mine = Mine::default();
/// tesuji_search::options::read("mine", "depth=7", &mut mine).unwrap();
/// assert_eq!(mine.depth, 7);
/// let problem = tesuji_search::options::read("mine", "depth=100", &mut mine).unwrap_err().to_string();
/// assert!(problem.contains("expected a whole number from 1 to 99"));
/// assert!(tesuji_search::options::read("mine", "dpeth=7", &mut mine).unwrap_err().to_string().contains("mine has depth"));
/// ```
#[macro_export]
macro_rules! options {
    (@bounds) => { () };
    (@bounds $bounds:expr) => { $bounds };
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $($(#[doc = $help:literal])+ $field:ident $(($bounds:expr))?: $type:ty = $default:expr,)*
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
                    form: <$type as $crate::options::OptionValue>::form(&$crate::options!(@bounds $($bounds)?)),
                    help: concat!($($help),+).trim().to_owned(),
                });)*
            }

            fn set(&mut self, name: &str, value: &str) -> Option<Result<(), String>> {
                $(if name == $crate::options::plain(stringify!($field)) {
                    let bounds = $crate::options!(@bounds $($bounds)?);
                    let value = <$type as $crate::options::OptionValue>::read(value, &bounds);
                    return Some(match value {
                        Some(value) => {
                            self.$field = value;
                            Ok(())
                        }
                        None => Err(<$type as $crate::options::OptionValue>::form(&bounds)),
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
            type Bounds = ();

            fn form((): &()) -> String {
                [$($name),*].join("|")
            }

            fn read(text: &str, (): &()) -> Option<Self> {
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
    ($($type:ty, $form:literal;)*) => {
        $(impl OptionValue for $type {
            type Bounds = RangeInclusive<$type>;

            fn form(bounds: &RangeInclusive<$type>) -> String {
                format!("{} {}", $form, from_to(bounds))
            }

            fn read(text: &str, bounds: &RangeInclusive<$type>) -> Option<Self> {
                // No range holds what is no number.
                text.parse().ok().filter(|number| bounds.contains(number))
            }

            fn write(&self) -> String {
                self.to_string()
            }
        })*
    };
}

numbers! {
    u32, "a whole number";
    u64, "a whole number";
    usize, "a whole number";
    f32, "a number";
}

impl OptionValue for String {
    type Bounds = ();

    fn form((): &()) -> String {
        "a name".to_owned()
    }

    fn read(text: &str, (): &()) -> Option<String> {
        (!text.is_empty()).then(|| text.to_owned())
    }

    fn write(&self) -> String {
        self.clone()
    }
}

impl OptionValue for bool {
    type Bounds = ();

    fn form((): &()) -> String {
        "on|off".to_owned()
    }

    fn read(text: &str, (): &()) -> Option<bool> {
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

/// Times all have the same range, [`limits::TIME`].
impl OptionValue for Duration {
    type Bounds = ();

    fn form((): &()) -> String {
        "a time of 1us to 1000h, such as 200ms or 1.5s".to_owned()
    }

    fn read(text: &str, (): &()) -> Option<Duration> {
        parse_duration(text).filter(|time| limits::TIME.contains(time))
    }

    fn write(&self) -> String {
        format!("{self:?}")
    }
}

/// An option that may be left out; `none` is what it is then.
impl<T: OptionValue> OptionValue for Option<T> {
    type Bounds = T::Bounds;

    fn form(bounds: &T::Bounds) -> String {
        format!("{}, or none", T::form(bounds))
    }

    fn read(text: &str, bounds: &T::Bounds) -> Option<Option<T>> {
        if text == "none" { Some(None) } else { T::read(text, bounds).map(Some) }
    }

    fn write(&self) -> String {
        self.as_ref().map_or_else(|| "none".to_owned(), T::write)
    }
}

/// Two numbers, written `A:B`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair(pub f32, pub f32);

impl OptionValue for Pair {
    type Bounds = (RangeInclusive<f32>, RangeInclusive<f32>);

    fn form((a, b): &Self::Bounds) -> String {
        format!("two numbers A:B, A {} and B {}", from_to(a), from_to(b))
    }

    fn read(text: &str, bounds: &Self::Bounds) -> Option<Pair> {
        let (a, b) = text.split_once(':')?;
        Some(Pair(f32::read(a, &bounds.0)?, f32::read(b, &bounds.1)?))
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
            count(1..=9): u32 = 3,
            /// how much,
            /// on two lines
            share(0.0..=1.0): Option<f32> = None,
            /// whether
            on: bool = true,
            /// how long
            time: Duration = Duration::from_millis(250),
            /// two
            pair((0.0..=2.0, 0.0..=1.0)): Pair = Pair(1.0, 0.5),
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
        let mut few = Few { on: false, ..Few::default() };
        read("few", "on,count=4", &mut few).unwrap();
        assert!(few.on && few.count == 4);
        assert!(problem("coutn=1").contains("unknown key \"coutn\"; few has count, share, on, time, pair"));
        assert!(problem("count").contains("is not KEY=VALUE"));
        assert!(problem("count=x").contains("count=x: expected a whole number from 1 to 9"));
        assert!(problem("count=10").contains("count=10: expected a whole number from 1 to 9"));
        assert!(problem("on=yes").contains("expected on|off"));
        for value in ["-1", "1.01", "NaN", "inf", "-inf", "1e39", ""] {
            assert!(problem(&format!("share={value}")).contains("expected a number from 0 to 1, or none"), "{value}");
        }
        assert!(problem("pair=2.5:1").contains("two numbers A:B, A from 0 to 2 and B from 0 to 1"));
        assert!(problem("time=0s").contains("a time of 1us to 1000h"));
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
