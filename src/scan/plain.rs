//! The plain scanner: one byte at a time, as the grammar says.

use super::cursor::{Cursor, Scanned};
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
        Some(_) => Err(cursor.error(Syntax::TrailingBytes)),
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
    let mut scanner = Scanner {
        cursor: Cursor { text, at: from },
        nesting: Nesting::new(max_depth),
        sink,
        starts: [0; 3],
        entered: false,
        too_deep: None,
    };
    let mut scanned = scanner.run();
    if let Some(at) = scanner.too_deep {
        // This came first: what was found behind it is not the first fault of the text.
        scanner.cursor.at = at;
        scanned = Err(Syntax::TooDeep);
    }
    match scanned {
        Ok(()) => Ok(Span::new(scanner.starts[0], scanner.cursor.at)),
        Err(kind) => Err(scanner.cursor.error(kind)),
    }
}

/// Says where the string, number or word is that the text is, with whitespace around it at most; `None`
/// of any other text.
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
    /// Where the value under way begins: the outermost one, the one in that, and the one in that again.
    starts: [usize; 3],
    /// The sink wants to know the members of the member under way of the top object.
    entered: bool,
    /// The depth limit was passed here.
    too_deep: Option<usize>,
}

impl<S: Sink> Scanner<'_, '_, S> {
    /// A value, with all the values in it.
    fn run(&mut self) -> Scanned {
        loop {
            let mut ended = self.begin_value()?;
            // The ends of containers, each of which ends a value too, up to where the next one begins.
            let container = loop {
                let Some(container) = self.nesting.top() else { return Ok(()) };
                if ended {
                    self.report(container);
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

    /// The beginning of a value, and all of it if it is not a container. Says whether it has ended.
    fn begin_value(&mut self) -> Result<bool, Syntax> {
        let first = self.cursor.token();
        if let Some(start) = self.starts.get_mut(usize::from(self.nesting.depth())) {
            *start = self.cursor.at;
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

    /// Reports the value that has ended, in a container of this kind.
    fn report(&mut self, container: Container) {
        let [_, top, inner] = self.starts;
        let (level, start) = match (self.nesting.depth(), container) {
            (1, Container::Object) => (Level::Top, top),
            (1, Container::Array) => return self.sink.element(),
            (2, Container::Object) if self.entered => (Level::Inner, inner),
            _ => return,
        };
        self.sink.value(level, Span::new(start, self.cursor.at));
    }

    /// A member's name and the colon, up to its value.
    fn name(&mut self) -> Scanned {
        if self.cursor.token() != b'"' {
            return Err(Syntax::ExpectedName);
        }
        let start = self.cursor.at;
        self.cursor.string()?;
        let name = Span::new(start, self.cursor.at);
        match self.nesting.depth() {
            1 => self.entered = self.sink.name(Level::Top, name) == Descend::Enter,
            2 if self.entered => {
                self.sink.name(Level::Inner, name);
            }
            _ => {}
        }
        if self.cursor.token() != b':' {
            return Err(Syntax::ExpectedColon);
        }
        self.cursor.bump();
        Ok(())
    }

    /// A container too deep, skipped by its brackets and strings alone, so that the members behind it
    /// are seen: a frame that may be a notification or a response must not be answered.
    fn skip_too_deep(&mut self) -> Scanned {
        if self.too_deep.is_none() {
            self.too_deep = Some(self.cursor.at);
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
