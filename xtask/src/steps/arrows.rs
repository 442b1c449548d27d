//! The arrows between files: no two files of a crate use each other, directly or in a circle.
//!
//! An arrow points from a file to another one that defines an item which the first names, in a `use` or in code. Re-exports
//! are followed to the definition. `mod` lines, macros, attributes and code for tests are not arrows, and neither is a path
//! from a module up to one that contains it: a folder is a unit, and its `mod.rs` holds what the files in it share.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, UseTree};

use crate::metadata;
use crate::tools::{Tools, root};

/// The number of re-exports that are followed to a definition. More of them are a circle.
const MOST_STEPS: usize = 32;

/// Checks every library, program and example of the repository.
pub fn arrows(tools: &Tools) -> Result<()> {
    let mut report = String::new();
    let (mut files, mut count) = (0, 0);
    for root in metadata::crate_roots(tools)? {
        let graph = Graph::read(&root)?;
        files += graph.files.len();
        count += graph.arrows.len();
        for circle in graph.circles() {
            report += &graph.describe(&circle);
        }
    }
    ensure!(count > 0, "there is no arrow at all");
    ensure!(report.is_empty(), "files use each other in a circle:{report}");
    println!("arrows: {count} between {files} files, and no circle");
    Ok(())
}

/// A module, in a file of its own or inside another.
struct Module {
    file: usize,
    parent: Option<usize>,
    names: BTreeMap<String, Name>,
    /// The modules whose names it has because of `use path::*`.
    globs: Vec<Vec<String>>,
    /// The items that are compiled outside of tests, without modules.
    items: Vec<Item>,
}

/// The meaning of a name in a module.
enum Name {
    Item,
    Module(usize),
    Use(Vec<String>),
}

/// The end of a path.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// An item that this file defines.
    Item(usize),
    Module(usize),
}

/// The files of a crate, and the arrows between them.
struct Graph {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
    /// The names that cause each arrow.
    arrows: BTreeMap<(usize, usize), BTreeSet<String>>,
}

impl Graph {
    /// Reads a crate from its root file.
    fn read(file: &Path) -> Result<Self> {
        let mut graph = Self { files: Vec::new(), modules: Vec::new(), arrows: BTreeMap::new() };
        let folder = file.parent().context("the root has no folder")?;
        graph.read_file(file, folder, None)?;
        for module in 0..graph.modules.len() {
            graph.draw(module);
        }
        Ok(graph)
    }

    /// Reads the file of a module. The files of its own modules are in `folder`.
    fn read_file(&mut self, file: &Path, folder: &Path, parent: Option<usize>) -> Result<usize> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let parsed = syn::parse_file(&text).with_context(|| file.display().to_string())?;
        self.files.push(file.to_owned());
        self.read_module(parsed.items, self.files.len() - 1, file, folder, parent)
    }

    fn read_module(
        &mut self,
        items: Vec<Item>,
        file: usize,
        path: &Path,
        folder: &Path,
        parent: Option<usize>,
    ) -> Result<usize> {
        let at = self.modules.len();
        let names = BTreeMap::new();
        self.modules.push(Module { file, parent, names, globs: Vec::new(), items: Vec::new() });
        for item in items {
            if attributes(&item).iter().any(is_for_tests) {
                continue;
            }
            match item {
                Item::Mod(module) => {
                    let name = module.ident.to_string();
                    let child = self.read_child(module, file, path, folder, at)?;
                    self.modules[at].names.insert(name, Name::Module(child));
                }
                item => {
                    if let Some(name) = name_of(&item) {
                        self.modules[at].names.entry(name).or_insert(Name::Item);
                    }
                    let mut uses = Uses::default();
                    uses.visit_item(&item);
                    let module = &mut self.modules[at];
                    for (name, target) in uses.names {
                        module.names.entry(name).or_insert(Name::Use(target));
                    }
                    module.globs.append(&mut uses.globs);
                    module.items.push(item);
                }
            }
        }
        Ok(at)
    }

    fn read_child(
        &mut self,
        module: ItemMod,
        file: usize,
        path: &Path,
        folder: &Path,
        parent: usize,
    ) -> Result<usize> {
        let name = module.ident.to_string();
        let inside = folder.join(&name);
        if let Some((_, items)) = module.content {
            return self.read_module(items, file, path, &inside, Some(parent));
        }
        if let Some(other) = module.attrs.iter().find_map(path_of) {
            let other = path.parent().context("a file has a folder")?.join(other);
            let inside = other.parent().context("a file has a folder")?.to_owned();
            return self.read_file(&other, &inside, Some(parent));
        }
        let flat = folder.join(format!("{name}.rs"));
        let file = if flat.exists() { flat } else { inside.join("mod.rs") };
        self.read_file(&file, &inside, Some(parent))
    }

    /// Draws the arrows of a module.
    fn draw(&mut self, at: usize) {
        let mut paths = Paths::default();
        for item in &self.modules[at].items {
            paths.visit_item(item);
        }
        let from = self.modules[at].file;
        for path in paths.found {
            if let Some(End::Item(to)) = self.resolve(at, &path, MOST_STEPS)
                && to != from
                && !self.contains(to, at)
                && let Some(name) = path.last()
            {
                self.arrows.entry((from, to)).or_default().insert(name.clone());
            }
        }
    }

    /// Returns whether a file has a module that contains this one.
    fn contains(&self, file: usize, at: usize) -> bool {
        let above = |at: &usize| self.modules[*at].parent;
        std::iter::successors(above(&at), above).any(|module| self.modules[module].file == file)
    }

    /// Follows a path from a module. Paths to other crates, and names that are not the module's, lead nowhere.
    fn resolve(&self, at: usize, path: &[String], steps: usize) -> Option<End> {
        let (first, mut rest) = path.split_first()?;
        let mut end = match first.as_str() {
            "crate" => End::Module(0),
            "self" => End::Module(at),
            "super" => End::Module(self.modules[at].parent?),
            name => self.look_up(at, name, steps)?,
        };
        while let (End::Module(module), Some((name, others))) = (end, rest.split_first()) {
            rest = others;
            end = match name.as_str() {
                "super" => End::Module(self.modules[module].parent?),
                "self" => end,
                // A macro defines it, which this parser does not see. It belongs to the file of the macro's call.
                name => self
                    .look_up(module, name, steps)
                    .unwrap_or(End::Item(self.modules[module].file)),
            };
        }
        Some(end)
    }

    /// Looks a name up in a module.
    fn look_up(&self, at: usize, name: &str, steps: usize) -> Option<End> {
        let steps = steps.checked_sub(1)?;
        let module = &self.modules[at];
        match module.names.get(name) {
            Some(Name::Item) => return Some(End::Item(module.file)),
            Some(Name::Module(module)) => return Some(End::Module(*module)),
            // A name that stands for itself is another crate's.
            Some(Name::Use(path)) if path.first().is_some_and(|first| first == name) => {
                return None;
            }
            Some(Name::Use(path)) => return self.resolve(at, path, steps),
            None => {}
        }
        module.globs.iter().find_map(|glob| match self.resolve(at, glob, steps)? {
            End::Module(other) if other != at => self.look_up(other, name, steps),
            _ => None,
        })
    }

    /// Returns the circles: the sets of files each of which leads to all others of its set.
    fn circles(&self) -> Vec<BTreeSet<usize>> {
        let reached: Vec<BTreeSet<usize>> =
            (0..self.files.len()).map(|file| self.reached_from(file)).collect();
        let mut circles = BTreeSet::new();
        for (file, reached_from_it) in reached.iter().enumerate() {
            let back = |other: &&usize| reached[**other].contains(&file);
            let circle: BTreeSet<usize> = reached_from_it.iter().filter(back).copied().collect();
            if !circle.is_empty() {
                circles.insert(circle);
            }
        }
        circles.into_iter().collect()
    }

    /// Returns the files that arrows lead to from a file, itself only if it is in a circle.
    fn reached_from(&self, file: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![file];
        while let Some(from) = waiting.pop() {
            for (_, to) in self.arrows.range((from, 0)..(from + 1, 0)).map(|(arrow, _)| *arrow) {
                if reached.insert(to) {
                    waiting.push(to);
                }
            }
        }
        reached
    }

    /// Lists the arrows of a circle, and the names that cause them.
    fn describe(&self, circle: &BTreeSet<usize>) -> String {
        let mut text = format!("\n\na circle of {} files:", circle.len());
        for ((from, to), names) in &self.arrows {
            if circle.contains(from) && circle.contains(to) {
                let [from, to] = [from, to].map(|file| self.shown(*file));
                let names: Vec<_> = names.iter().map(String::as_str).collect();
                text += &format!("\n  {from} -> {to}: {}", names.join(", "));
            }
        }
        text
    }

    fn shown(&self, file: usize) -> String {
        let path = &self.files[file];
        path.strip_prefix(root()).unwrap_or(path).display().to_string()
    }
}

/// Collects the imports of an item, those inside functions as well.
#[derive(Default)]
struct Uses {
    names: Vec<(String, Vec<String>)>,
    globs: Vec<Vec<String>>,
}

impl Uses {
    fn add(&mut self, tree: &UseTree, before: &[String]) {
        let with = |name: String| before.iter().cloned().chain([name]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => self.add(&path.tree, &with(path.ident.to_string())),
            UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = before.last() {
                    self.names.push((last.clone(), before.to_vec()));
                }
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                self.names.push((name.clone(), with(name)));
            }
            UseTree::Rename(rename) => {
                let target = rename.ident.to_string();
                let path = if target == "self" { before.to_vec() } else { with(target) };
                self.names.push((rename.rename.to_string(), path));
            }
            UseTree::Glob(_) => self.globs.push(before.to_vec()),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.add(tree, before)),
        }
    }
}

impl Visit<'_> for Uses {
    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        if !item.attrs.iter().any(is_for_tests) {
            self.add(&item.tree, &[]);
        }
    }
}

/// Collects the paths in an item.
#[derive(Default)]
struct Paths {
    found: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        if !attributes(item).iter().any(is_for_tests) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let mut uses = Uses::default();
        uses.visit_item_use(item);
        self.found.extend(uses.names.into_iter().map(|(_, path)| path));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.found.push(path.segments.iter().map(|part| part.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, _: &'ast syn::Macro) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the name that an item defines in its module.
fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Returns whether an attribute is `#[cfg(test)]`, or requires it among other conditions.
fn is_for_tests(attribute: &Attribute) -> bool {
    let Ok(list) = attribute.meta.require_list() else { return false };
    if !list.path.is_ident("cfg") {
        return false;
    }
    let condition = list.tokens.to_string();
    condition == "test"
        || condition.starts_with("all (test ,")
        || condition.starts_with("all (test,")
}

/// Returns the file that `#[path = "…"]` names.
fn path_of(attribute: &Attribute) -> Option<String> {
    let named = attribute.meta.require_name_value().ok()?;
    match &named.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })
            if named.path.is_ident("path") =>
        {
            Some(text.value())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::Graph;

    /// Returns the circles of a crate with these files. The first is its root.
    fn circles(files: &[(&str, &str)]) -> String {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let graph = Graph::read(&folder.path().join(files[0].0)).unwrap();
        let described: String =
            graph.circles().iter().map(|circle| graph.describe(circle)).collect();
        described.replace(&format!("{}/", folder.path().display()), "").trim().to_owned()
    }

    const ROOT: (&str, &str) = ("lib.rs", "mod a;\nmod b;\npub use a::A;\npub use b::B;\n");

    #[test]
    fn a_circle_is_listed_with_the_names_behind_it() {
        let found = circles(&[
            ROOT,
            ("a.rs", "use crate::b::B;\npub struct A(B);\n"),
            ("b.rs", "pub struct B;\nfn b() { crate::a::A::new() }\n"),
        ]);
        assert_eq!(found, "a circle of 2 files:\n  a.rs -> b.rs: B\n  b.rs -> a.rs: new");
    }

    #[test]
    fn names_lead_to_where_they_are_defined() {
        // `B` through a re-export, a glob and another name; `A` through a macro, whose definitions are not seen.
        for (a, b) in [
            ("use crate::B;\npub struct A(B);", "pub struct B(super::A);"),
            ("use super::*;\npub struct A(B);", "use crate::a;\npub struct B(a::A);"),
            ("use crate::b as other;\npub struct A(other::B);", "pub struct B(crate::A);"),
            (
                "use crate::B;\nmake! { A(B) }\nfn a(_: B) {}",
                "pub struct B;\nfn b(_: crate::a::A) {}",
            ),
            ("pub struct A;\nfn a() { use crate::b::B; B }", "pub struct B(crate::A);"),
        ] {
            let found = circles(&[ROOT, ("a.rs", a), ("b.rs", b)]);
            assert!(found.starts_with("a circle of 2 files:"), "{a}\n{b}\n{found}");
        }
    }

    #[test]
    fn some_paths_are_not_arrows() {
        for (a, b) in [
            (
                "use crate::B;\npub struct A(B);",
                "pub struct B;\n#[cfg(test)]\nmod tests { use crate::A; }",
            ),
            ("use crate::B;\npub struct A(B);", "#[cfg(test)]\nuse crate::A;\npub struct B;"),
            ("use crate::B;\npub struct A(B);", "pub struct B;\nfn b() { vec![crate::A] }"),
            ("use crate::B;\npub struct A(B);", "use crate::a;\npub struct B;"),
            ("use crate::B;\npub struct A(B);", "use other::A;\npub struct B(A);"),
        ] {
            assert_eq!(circles(&[ROOT, ("a.rs", a), ("b.rs", b)]), "", "{a}\n{b}");
        }
    }

    #[test]
    fn a_folder_is_a_unit() {
        let found = circles(&[
            ("lib.rs", "mod a;\nmod c;\npub struct Shared;\n"),
            ("a/mod.rs", "mod b;\npub use b::B;\npub struct A;\nfn a(_: B) {}\n"),
            ("a/b.rs", "use super::A;\nuse crate::Shared;\npub struct B(A, Shared);\n"),
            ("c.rs", "pub struct C(crate::a::B);\n"),
        ]);
        assert_eq!(found, "");
        // But a file of the folder and one beside it can be a circle, through the folder's `mod.rs`.
        let found = circles(&[
            ("lib.rs", "mod a;\nmod c;\n"),
            ("a/mod.rs", "mod b;\npub use b::B;\npub fn a() { b::go() }\n"),
            ("a/b.rs", "use crate::c::C;\npub struct B(C);\npub fn go() {}\n"),
            ("c.rs", "pub struct C;\nfn c() { crate::a::a() }\n"),
        ]);
        assert!(found.starts_with("a circle of 3 files:"), "{found}");
    }
}
