//! Work that does not hold up other requests.

use crate::problem::{Answer, Problem};

/// Does work that takes milliseconds where it does not hold up other requests.
pub async fn apart<T: Send + 'static>(work: impl FnOnce() -> Answer<T> + Send + 'static) -> Answer<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(Problem::internal("a fault of the program; please report it")))
}
