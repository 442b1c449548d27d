//! The stack of open containers, one bit each, which replaces recursion.

/// The two kinds of container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Container {
    Array,
    Object,
}

impl Container {
    /// Returns the container that this opening bracket begins.
    pub(super) const fn begun_by(first: u8) -> Option<Self> {
        match first {
            b'{' | b'[' => Some(if first == b'{' { Self::Object } else { Self::Array }),
            _ => None,
        }
    }

    /// Returns its closing bracket.
    pub(super) const fn end(self) -> u8 {
        match self {
            Self::Array => b']',
            Self::Object => b'}',
        }
    }
}

/// The open containers, outermost first, one bit each.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Nesting {
    /// Bit `n % 32` of word `n / 32` is set if container `n` is an object.
    objects: [u32; 8],
    depth: u8,
    max_depth: u8,
}

impl core::fmt::Debug for Nesting {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} of {}", self.depth, self.max_depth)
    }
}

impl Nesting {
    pub(super) const fn new(max_depth: u8) -> Self {
        Self { objects: [0; 8], depth: 0, max_depth }
    }

    /// Returns the limit on open containers.
    pub(super) const fn max_depth(&self) -> u8 {
        self.max_depth
    }

    /// Sets another limit. No container may be open.
    pub(super) const fn limit_to(&mut self, max_depth: u8) {
        self.max_depth = max_depth;
    }

    /// Returns the number of open containers.
    pub(super) const fn depth(&self) -> u8 {
        self.depth
    }

    /// Opens a container, and returns whether the limit allows it.
    #[inline(always)]
    pub(super) fn push(&mut self, container: Container) -> bool {
        if self.depth >= self.max_depth {
            return false;
        }
        let (word, bit) = Self::place(self.depth);
        if let Some(word) = self.objects.get_mut(word) {
            let object = if container == Container::Object { bit } else { 0 };
            *word = *word & !bit | object;
        }
        self.depth = self.depth.wrapping_add(1);
        true
    }

    /// Closes the innermost container. One must be open.
    pub(super) const fn pop(&mut self) {
        self.depth = self.depth.wrapping_sub(1);
    }

    /// Returns the innermost open container.
    pub(super) fn top(&self) -> Option<Container> {
        let (word, bit) = Self::place(self.depth.checked_sub(1)?);
        match self.objects.get(word)? & bit {
            0 => Some(Container::Array),
            _ => Some(Container::Object),
        }
    }

    fn place(level: u8) -> (usize, u32) {
        (usize::from(level >> 5), 1 << (level & 31))
    }
}

#[cfg(test)]
mod tests {
    use super::{Container, Nesting};
    use std::vec::Vec;

    #[test]
    fn remembers_every_level_up_to_the_deepest() {
        for max in [0, 1, 31, 32, 33, 127, 128, 255] {
            let kinds: Vec<Container> = (0..u32::from(max))
                .map(|level| match (level * level / 7) % 2 {
                    0 => Container::Array,
                    _ => Container::Object,
                })
                .collect();
            let mut nesting = Nesting::new(max);
            for &kind in &kinds {
                assert!(nesting.push(kind));
                assert_eq!(nesting.top(), Some(kind));
            }
            assert!(!nesting.push(Container::Object));
            assert_eq!(nesting.depth(), max);
            for &kind in kinds.iter().rev() {
                assert_eq!(nesting.top(), Some(kind));
                nesting.pop();
            }
            assert_eq!(nesting.top(), None);
        }
    }

    #[test]
    fn a_level_that_is_used_again_forgets_what_it_was() {
        let mut nesting = Nesting::new(2);
        assert!(nesting.push(Container::Object));
        nesting.pop();
        assert!(nesting.push(Container::Array));
        assert_eq!(nesting.top(), Some(Container::Array));
    }
}
