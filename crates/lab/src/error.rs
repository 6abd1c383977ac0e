//! Why the laboratory cannot go on.

/// Why a reproduction, a comparison or a report cannot be made, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LabError {
    /// Something is wrong or missing.
    #[error("{0}")]
    Problem(String),
    /// It was stopped; the same command resumes.
    #[error("stopped")]
    Stopped,
}

impl LabError {
    /// A problem in words.
    pub fn new(problem: impl Into<String>) -> LabError {
        LabError::Problem(problem.into())
    }

    /// The same problem with where it is.
    #[must_use]
    pub fn at(self, place: &str) -> LabError {
        match self {
            LabError::Problem(problem) => LabError::Problem(format!("{place}: {problem}")),
            LabError::Stopped => LabError::Stopped,
        }
    }
}

/// Any error as a problem of ours.
pub(crate) fn problem(error: impl std::fmt::Display) -> LabError {
    LabError::new(error.to_string())
}
