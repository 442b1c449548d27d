//! The plain scanner, which follows the grammar one byte at a time.

use super::cursor::{Cursor, Scanned};
use super::nesting::{Container, Nesting};
use super::{Descend, Level, Sink, Span, Syntax, SyntaxError};

/// Scans a text that is one value with whitespace around it, and returns the span of the value. If `element`
/// is given, the value is an element that begins at this offset, possibly after whitespace, and the text
/// after it is not checked.
#[cfg_attr(
    all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
    inline(always)
)]
pub(crate) fn text(
    text: &[u8],
    element: Option<usize>,
    max_depth: u8,
    sink: &mut impl Sink,
) -> Result<Span, SyntaxError> {
    let cursor = Cursor { text, at: element.unwrap_or(0) };
    let nesting = Nesting::new(max_depth);
    let mut scanner = Scanner { cursor, nesting, sink, entered: false, too_deep: usize::MAX };
    scanner.cursor.skip_whitespace();
    let start = scanner.cursor.at;
    let mut scanned = scanner.run();
    let end = scanner.cursor.at;
    if scanner.too_deep != usize::MAX {
        // The nesting error came first, so a later error is not the first one in the text.
        scanner.cursor.at = scanner.too_deep;
        scanned = Err(Syntax::TooDeep);
    } else if element.is_none() && scanned.is_ok() {
        scanner.cursor.skip_whitespace();
        if scanner.cursor.peek().is_some() {
            scanned = Err(Syntax::TrailingBytes);
        }
    }
    match scanned {
        Ok(()) => Ok(Span::new(start, end)),
        Err(kind) => Err(scanner.cursor.error(kind)),
    }
}

/// Returns the span of a text that is one string, number or literal with only whitespace around it, and
/// `None` for any other text.
pub(crate) fn scalar(text: &[u8]) -> Option<Span> {
    let mut cursor = Cursor { text, at: 0 };
    let first = cursor.token();
    let start = cursor.at;
    cursor.scalar(first).ok()?;
    let span = Span::new(start, cursor.at);
    cursor.skip_whitespace();
    cursor.peek().is_none().then_some(span)
}

struct Scanner<'text, 'sink, S> {
    cursor: Cursor<'text>,
    nesting: Nesting,
    sink: &'sink mut S,
    /// True if the sink asked for the members of the current member of the top object.
    entered: bool,
    /// The offset where the depth limit was first exceeded, or `usize::MAX`.
    too_deep: usize,
}

impl<S: Sink> Scanner<'_, '_, S> {
    /// Scans a value with everything in it.
    fn run(&mut self) -> Scanned {
        loop {
            let mut ended = self.begin_value()?;
            // The closing brackets of containers, each of which also ends a value, up to the next value.
            let container = loop {
                let Some(container) = self.nesting.top() else { return Ok(()) };
                if ended {
                    self.end_value(container);
                }
                match self.cursor.token() {
                    byte if byte == container.end() => self.nesting.pop(),
                    b',' if ended => {
                        self.cursor.bump();
                        break container;
                    }
                    _ if ended => return Err(Syntax::ExpectedCommaOrEnd),
                    _ => break container,
                }
                self.cursor.bump();
                ended = true;
            };
            if container == Container::Object {
                self.name()?;
            }
        }
    }

    /// Scans the beginning of a value, or all of it if it is not a container. Returns whether the value has
    /// ended.
    fn begin_value(&mut self) -> Result<bool, Syntax> {
        let first = self.cursor.token();
        if let Some(level) = self.level() {
            self.sink.begin_value(level, self.cursor.at);
        }
        let Some(container) = Container::begun_by(first) else {
            return self.cursor.scalar(first).map(|()| true);
        };
        if !self.nesting.push(container) {
            return self.skip_too_deep().map(|()| true);
        }
        self.cursor.bump();
        Ok(false)
    }

    /// Reports the end of a value in a container of this kind.
    fn end_value(&mut self, container: Container) {
        match (self.level(), container) {
            (Some(level), Container::Object) => self.sink.end_value(level, self.cursor.at),
            (Some(Level::Top), Container::Array) => self.sink.element(),
            _ => {}
        }
    }

    /// Returns the level of the innermost container, if it is an object whose members are reported.
    const fn level(&self) -> Option<Level> {
        match self.nesting.depth() {
            1 => Some(Level::Top),
            2 if self.entered => Some(Level::Inner),
            _ => None,
        }
    }

    /// Scans a member's name and the colon.
    fn name(&mut self) -> Scanned {
        if self.cursor.token() != b'"' {
            return Err(Syntax::ExpectedName);
        }
        let start = self.cursor.at;
        self.cursor.string()?;
        if let Some(level) = self.level() {
            let descend = self.sink.name(level, Span::new(start, self.cursor.at));
            if level == Level::Top {
                self.entered = descend == Descend::Enter;
            }
        }
        if self.cursor.token() != b':' {
            return Err(Syntax::ExpectedColon);
        }
        self.cursor.bump();
        Ok(())
    }

    /// Skips a container nested too deep by its brackets and strings alone. So the members after it are still
    /// seen: a frame that may be a notification or a response must not be answered.
    fn skip_too_deep(&mut self) -> Scanned {
        if self.too_deep == usize::MAX {
            self.too_deep = self.cursor.at;
            self.sink.too_deep();
        }
        let mut open: usize = 0;
        loop {
            match self.cursor.peek() {
                Some(b'"') => {
                    self.cursor.string()?;
                    continue;
                }
                Some(b'{' | b'[') => open = open.wrapping_add(1),
                Some(b'}' | b']') => open = open.wrapping_sub(1),
                Some(_) => {}
                None => return Err(Syntax::ExpectedCommaOrEnd),
            }
            self.cursor.bump();
            if open == 0 {
                return Ok(());
            }
        }
    }
}
