//! Text that means nothing but itself to HTML and SVG.

/// Text for HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() && letter != '\n' => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}
