//! The structure of valid text, for callers that skip values.

/// The positions of quotes that begin or end a string, and of curly brackets outside of strings, in order.
pub(crate) trait Marks {
    /// Returns the next position.
    fn next(&mut self) -> Option<usize>;

    /// Returns whether the string that began at this position may have escapes. The string must have been passed.
    fn may_have_escapes(&self, string: usize) -> bool;
}

/// A visitor of the marks of a text. It is compiled for the vector unit that finds them.
pub(crate) trait MarksVisitor {
    fn visit(&mut self, marks: impl Marks);
}
