//! Who may ask: a one-time token in the printed URL, the cookie that it is turned into, and a bearer token for scripts.

use std::sync::Mutex;
use std::sync::PoisonError;

/// The secrets of one start of the server.
pub struct Secrets {
    /// The token of the printed URL; gone once it has been used.
    once: Mutex<Option<String>>,
    cookie: String,
    bearer: String,
}

impl Secrets {
    /// New ones from the operating system's random numbers.
    ///
    /// # Errors
    /// If it has none.
    pub fn new() -> Result<Secrets, getrandom::Error> {
        Ok(Secrets { once: Mutex::new(Some(random_word()?)), cookie: random_word()?, bearer: random_word()? })
    }

    /// The token of the URL, if it has not been used.
    pub fn once(&self) -> Option<String> {
        self.once.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The token for scripts.
    pub fn bearer(&self) -> &str {
        &self.bearer
    }

    /// The value of the cookie in exchange for the token of the URL; `None` if it is another or has been used.
    pub fn redeem(&self, token: &str) -> Option<&str> {
        let mut once = self.once.lock().unwrap_or_else(PoisonError::into_inner);
        let right = once.as_deref().is_some_and(|known| same(known, token));
        right.then(|| {
            *once = None;
            self.cookie.as_str()
        })
    }

    /// Whether the headers of a request have the cookie of this name.
    pub fn has_cookie(&self, name: &str, cookies: &str) -> bool {
        let pairs = cookies.split(';').filter_map(|pair| pair.trim().split_once('='));
        pairs.into_iter().any(|(key, value)| key == name && same(value, &self.cookie))
    }

    /// Whether an `Authorization` header has the token for scripts.
    pub fn has_bearer(&self, header: &str) -> bool {
        header.strip_prefix("Bearer ").is_some_and(|token| same(token, &self.bearer))
    }
}

/// 128 random bits as a word.
fn random_word() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Compares without telling by its time how far the words are alike.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
}
