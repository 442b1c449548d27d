//! The structure of valid text, as far as those need it who pass over values.

/// The positions of quotes that begin or end a string, and of curly brackets outside of strings, in order.
pub(crate) trait Marks {
    /// Returns the next position.
    fn next(&mut self) -> Option<usize>;

    /// Returns whether a string that has been passed, and began at this position, may have escapes.
    fn may_have_escapes(&self, string: usize) -> bool;
}

/// A program that goes over the marks of a text. It is compiled for the vector unit that finds them.
pub(crate) trait MarksVisitor {
    fn visit(&mut self, marks: impl Marks);
}
