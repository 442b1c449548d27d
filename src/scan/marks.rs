//! The structure of valid text, for callers that skip values.

/// The positions of colons and curly brackets outside of strings, in order, and of quotes that begin or end a string if
/// the visitor wants them.
pub(crate) trait Marks {
    /// Returns the next position.
    fn next(&mut self) -> Option<u32>;

    /// Returns the position of the quote that begins the last string before this mark, which is the last one.
    fn string_before(&self, mark: u32) -> u32;

    /// Returns whether the string that began at this position may have escapes. The string must have been passed.
    fn may_have_escapes(&self, string: u32) -> bool;
}

/// A visitor of the marks of a text. It is compiled for the vector unit that finds them.
pub(crate) trait MarksVisitor {
    /// True if quotes are among the marks.
    const WITH_QUOTES: bool;

    fn visit(&mut self, marks: impl Marks);
}
