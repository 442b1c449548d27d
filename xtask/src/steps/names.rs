//! The names of the core: none of its literals has a name of MCP, which `tautline-mcp` gives it as data.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item};

use super::arrows::{attributes, is_for_tests};
use crate::tools::{Tools, root};

/// Checks the literals of `src`, without tests and documentation.
pub fn names(_: &Tools) -> Result<()> {
    let mut forbidden = methods(&root().join("mcp/src/method.rs"))?;
    ensure!(forbidden.len() > 30, "the table of methods has only {} rows", forbidden.len());
    let reserved = literals_of(&root().join("mcp/src/meta.rs"))?;
    ensure!(!reserved.is_empty(), "no name is reserved in `_meta`");
    forbidden.extend(reserved);
    forbidden.extend(["_meta", "progressToken", "requestId"].map(str::to_owned));

    let (mut files, mut count) = (Vec::new(), 0);
    list(&root().join("src"), &mut files)?;
    let mut report = String::new();
    for file in &files {
        let literals = literals_of(file)?;
        count += literals.len();
        for literal in literals {
            for word in words(&literal).filter(|word| forbidden.contains(*word)) {
                report += &format!("\n  {}: `{word}` in {literal:?}", file.display());
            }
        }
    }
    ensure!(count > 500, "only {count} literals were found");
    ensure!(report.is_empty(), "the core has names of MCP:{report}");
    println!("names: none of {} names of MCP in {count} literals", forbidden.len());
    Ok(())
}

/// Returns the names of the methods, from the rows of `methods!`: the variant, the name and the kind.
fn methods(file: &Path) -> Result<BTreeSet<String>> {
    let parsed = parse(file)?;
    let is_table = |item: &&Item| matches!(item, Item::Macro(call) if call.ident.is_none() && call.mac.path.is_ident("methods"));
    let Some(Item::Macro(table)) = parsed.items.iter().find(is_table) else {
        anyhow::bail!("{} has no table of methods", file.display());
    };
    let tokens: Vec<TokenTree> = table.mac.tokens.clone().into_iter().collect();
    let mut names = BTreeSet::new();
    for pair in tokens.windows(2) {
        let [TokenTree::Literal(name), TokenTree::Ident(kind)] = pair else { continue };
        let name = text_of(name.clone()).context("a name of a method is not a string")?;
        let before = if kind == "Notification" { "notifications/" } else { "" };
        names.insert(format!("{before}{name}"));
    }
    Ok(names)
}

/// Returns the words of a text: what could be the name of a method or of a member.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|sign: char| !sign.is_alphanumeric() && !"_/.-".contains(sign))
}

fn list(folder: &Path, files: &mut Vec<std::path::PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

fn parse(file: &Path) -> Result<syn::File> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    syn::parse_file(&text).with_context(|| file.display().to_string())
}

fn literals_of(file: &Path) -> Result<Vec<String>> {
    let mut literals = Literals::default();
    literals.visit_file(&parse(file)?);
    Ok(literals.found)
}

/// Collects the literals that are texts.
#[derive(Default)]
struct Literals {
    found: Vec<String>,
}

impl Literals {
    /// Reads the tokens of a macro, without the attributes in them, which documentation is too.
    fn read(&mut self, tokens: TokenStream) {
        let mut is_after_hash = false;
        for token in tokens {
            let is_hash = matches!(&token, TokenTree::Punct(sign) if sign.as_char() == '#');
            match token {
                TokenTree::Group(group)
                    if !(is_after_hash && group.delimiter() == Delimiter::Bracket) =>
                {
                    self.read(group.stream());
                }
                TokenTree::Literal(literal) => self.found.extend(text_of(literal)),
                _ => {}
            }
            is_after_hash = is_hash;
        }
    }
}

impl<'ast> Visit<'ast> for Literals {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !item.attrs.iter().any(is_for_tests) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_lit(&mut self, literal: &'ast syn::Lit) {
        self.found.extend(text_in(literal));
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.read(call.tokens.clone());
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

fn text_of(literal: proc_macro2::Literal) -> Option<String> {
    text_in(&syn::Lit::new(literal))
}

fn text_in(literal: &syn::Lit) -> Option<String> {
    match literal {
        syn::Lit::Str(text) => Some(text.value()),
        syn::Lit::ByteStr(bytes) => Some(String::from_utf8_lossy(&bytes.value()).into_owned()),
        syn::Lit::CStr(text) => Some(text.value().to_string_lossy().into_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_in_code_and_in_macros_but_not_in_tests_and_documentation() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = r##"
            //! "of the file"
            /// "of an item"
            const A: &[&str] = &["a", concat!("b", "c")];
            rules! { 1 NAME #[doc = "d"] /** "e" */ "f" { b"g" c"h" [r#"i"#] } }
            impl X {
                fn f() { g("j") }
                #[cfg(test)]
                fn h() { g("k") }
            }
            #[cfg(test)]
            mod tests { const B: &str = "l"; }
        "##;
        fs::write(file.path(), text).unwrap();
        assert_eq!(literals_of(file.path()).unwrap().concat(), "abcfghij");
    }

    #[test]
    fn words_are_whole_names() {
        let found: Vec<_> = words(r#"{"method":"tools/call","x.y/z_0":1}"#)
            .filter(|word| !word.is_empty())
            .collect();
        assert_eq!(found, ["method", "tools/call", "x.y/z_0", "1"]);
    }
}
