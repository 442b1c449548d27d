//! The definition shared by the table of rules and the table of lost places.

/// Defines an enum with one variant per row: its name, its summary, its reference and its help text. Rows are grouped
/// by the configuration in which they exist.
macro_rules! table {
    (
        $(#[$attribute:meta])*
        pub enum $Table:ident {
            $(
                [$present:meta]
                $($variant:ident $name:literal $summary:literal $spec_ref:literal $help:literal)*
            )*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $Table {
            $($(
                #[doc = concat!("`", $name, "`: ", $summary, " (", $spec_ref, ").")]
                #[cfg($present)]
                #[cfg_attr(docsrs, doc(cfg($present)))]
                $variant,
            )*)*
        }

        impl $Table {
            /// All rows, in the order of the table.
            pub const ALL: &[Self] = &[$($(#[cfg($present)] Self::$variant,)*)*];

            /// Returns the stable name, in kebab case.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $($(#[cfg($present)] Self::$variant => $name,)*)* }
            }

            /// Returns a one-line description of the error.
            #[must_use]
            pub const fn summary(self) -> &'static str {
                match self { $($(#[cfg($present)] Self::$variant => $summary,)*)* }
            }

            /// Returns the section of the specification that contains the rule.
            #[must_use]
            pub const fn spec_ref(self) -> &'static str {
                match self { $($(#[cfg($present)] Self::$variant => $spec_ref,)*)* }
            }

            /// Returns advice for the sender.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $($(#[cfg($present)] Self::$variant => $help,)*)* }
            }
        }

        $crate::name::display_name!($Table);
    };
}
pub(crate) use table;
