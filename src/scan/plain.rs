//! The plain scanner: one byte at a time, as the grammar says.

use super::cursor::Cursor;
use super::nesting::{Container, Nesting};
use super::{Descend, Level, Sink, Span, Syntax, SyntaxError};

/// Scans a text that is one value with whitespace around it, and says where the value is.
pub(crate) fn document(
    text: &[u8],
    max_depth: u8,
    sink: &mut impl Sink,
) -> Result<Span, SyntaxError> {
    let span = value(text, 0, max_depth, sink)?;
    let mut cursor = Cursor { text, at: crate::cast::index(span.end()) };
    cursor.skip_whitespace();
    match cursor.peek() {
        None => Ok(span),
        Some(_) => Err(cursor.unexpected(Syntax::TrailingBytes)),
    }
}

/// Scans one value that stands in the text `from` some place on, behind whitespace or not, and says
/// where it is. What follows it is not looked at.
#[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
pub(crate) fn value(
    text: &[u8],
    from: usize,
    max_depth: u8,
    sink: &mut impl Sink,
) -> Result<Span, SyntaxError> {
    let mut cursor = Cursor { text, at: from };
    cursor.skip_whitespace();
    let start = cursor.at;
    let mut scanner = Scanner {
        cursor,
        nesting: Nesting::new(max_depth),
        sink,
        starts: [start; 2],
        entered: false,
        too_deep: None,
    };
    let result = scanner.run();
    // The depth fault came first: what was found behind it is not the first fault of the text.
    match scanner.too_deep {
        Some(error) => Err(error),
        None => result.map(|()| Span::new(start, scanner.cursor.at)),
    }
}

/// Says where the string, number or word is that the text is, with whitespace around it at most; `None`
/// of any other text.
pub(crate) fn scalar(text: &[u8]) -> Option<Span> {
    let mut cursor = Cursor { text, at: 0 };
    cursor.skip_whitespace();
    let start = cursor.at;
    cursor.scalar().ok()?;
    let span = Span::new(start, cursor.at);
    cursor.skip_whitespace();
    cursor.peek().is_none().then_some(span)
}

struct Scanner<'text, 'sink, S> {
    cursor: Cursor<'text>,
    nesting: Nesting,
    sink: &'sink mut S,
    /// Where the value under way begins in the outermost container, and in the one inside that.
    starts: [usize; 2],
    /// The sink wants to know the members of the member under way of the top object.
    entered: bool,
    /// The depth limit was passed here.
    too_deep: Option<SyntaxError>,
}

impl<S: Sink> Scanner<'_, '_, S> {
    /// A value, with all the values in it.
    fn run(&mut self) -> Result<(), SyntaxError> {
        loop {
            if self.begin_value()? {
                while self.end_value()? {}
                if self.nesting.depth() == 0 {
                    return Ok(());
                }
            }
        }
    }

    /// The beginning of a value, and all of it if it is short. Says whether the value has ended; if
    /// not, another one begins at the position.
    fn begin_value(&mut self) -> Result<bool, SyntaxError> {
        match self.nesting.depth() {
            1 => self.starts[0] = self.cursor.at,
            2 => self.starts[1] = self.cursor.at,
            _ => {}
        }
        match self.cursor.peek() {
            Some(b'{' | b'[') => self.open(),
            _ => self.cursor.scalar().map(|()| true),
        }
    }

    /// A container, up to its first value. Says whether it has ended.
    fn open(&mut self) -> Result<bool, SyntaxError> {
        let container = match self.cursor.peek() {
            Some(b'{') => Container::Object,
            _ => Container::Array,
        };
        if !self.nesting.push(container) {
            return self.skip_too_deep();
        }
        self.cursor.bump();
        self.cursor.skip_whitespace();
        if self.cursor.eat(container.end()) {
            self.nesting.pop();
            return Ok(true);
        }
        if container == Container::Object {
            self.name()?;
        }
        Ok(false)
    }

    /// What follows a value. Says whether it was the end of the container, which ends a value too; if
    /// not, either another value begins at the position or there is no container left.
    fn end_value(&mut self) -> Result<bool, SyntaxError> {
        let Some(container) = self.nesting.top() else {
            return Ok(false);
        };
        match (self.nesting.depth(), container) {
            (1, Container::Object) => self.report(Level::Top, self.starts[0]),
            (1, Container::Array) => self.sink.element(),
            (2, Container::Object) if self.entered => self.report(Level::Inner, self.starts[1]),
            _ => {}
        }
        self.cursor.skip_whitespace();
        if self.cursor.eat(container.end()) {
            self.nesting.pop();
            return Ok(true);
        }
        if !self.cursor.eat(b',') {
            return Err(self.cursor.unexpected(Syntax::ExpectedCommaOrEnd));
        }
        self.cursor.skip_whitespace();
        if container == Container::Object {
            self.name()?;
        }
        Ok(false)
    }

    /// A member's name and the colon, up to its value.
    fn name(&mut self) -> Result<(), SyntaxError> {
        let start = self.cursor.at;
        if self.cursor.peek() != Some(b'"') {
            return Err(self.cursor.unexpected(Syntax::ExpectedName));
        }
        self.cursor.string()?;
        let name = Span::new(start, self.cursor.at);
        match self.nesting.depth() {
            1 => self.entered = self.sink.name(Level::Top, name) == Descend::Enter,
            2 if self.entered => {
                self.sink.name(Level::Inner, name);
            }
            _ => {}
        }
        self.cursor.skip_whitespace();
        if !self.cursor.eat(b':') {
            return Err(self.cursor.unexpected(Syntax::ExpectedColon));
        }
        self.cursor.skip_whitespace();
        Ok(())
    }

    fn report(&mut self, level: Level, start: usize) {
        self.sink.value(level, Span::new(start, self.cursor.at));
    }

    /// A container too deep, skipped by its brackets and strings alone, so that the members behind it
    /// are seen: a frame that may be a notification or a response must not be answered.
    fn skip_too_deep(&mut self) -> Result<bool, SyntaxError> {
        if self.too_deep.is_none() {
            self.too_deep = Some(self.cursor.fault(Syntax::TooDeep));
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
                None => return Err(self.cursor.fault(Syntax::ExpectedCommaOrEnd)),
            }
            self.cursor.bump();
            if open == 0 {
                return Ok(true);
            }
        }
    }
}
