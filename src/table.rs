//! What the table of rules and that of lost places have in common.

/// An enum in which every variant is a row: its name, what it means, where that is written, and the way out.
macro_rules! table {
    (
        $(#[$attribute:meta])*
        pub enum $Table:ident {
            $($variant:ident $name:literal $meaning:literal $clause:literal $help:literal)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $Table {
            $(#[doc = concat!("`", $name, "`: ", $meaning, " (", $clause, ").")] $variant,)*
        }

        impl $Table {
            /// All of them, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The name, in kebab case, which is stable.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// What is wrong, in one line.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),* }
            }

            /// Where the rule is written.
            #[must_use]
            pub const fn clause(self) -> &'static str {
                match self { $(Self::$variant => $clause),* }
            }

            /// The way out, for whoever wrote to the wire.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help),* }
            }
        }

        impl core::fmt::Display for $Table {
            /// The name.
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}
pub(crate) use table;
