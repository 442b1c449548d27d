//! The arrows between files: no two files of a crate use each other, directly or in a circle.
//!
//! An arrow points from a file to another one that defines an item which the first names, in a `use` or in code. Re-exports
//! are followed to the definition. `mod` lines, macros, attributes and code for tests are not arrows, and neither is a path
//! from a module up to one that contains it: a folder is a unit, and its `mod.rs` holds what the files in it share.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, Meta, Token, UseTree};

use crate::metadata;
use crate::tools::{Tools, root};

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
    /// The modules inside it. A name has several if conditions choose between them.
    modules: BTreeMap<String, Vec<usize>>,
    /// The items that it defines or imports.
    items: BTreeMap<String, Vec<Named>>,
    /// The modules whose names it has because of `use path::*`.
    globs: Vec<Vec<String>>,
    /// The code that is compiled outside of tests, without modules.
    code: Vec<Item>,
}

/// The meaning of the name of an item.
enum Named {
    Definition,
    Import(Vec<String>),
}

/// The end of a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    /// An item that this file defines.
    Item(usize),
    Module(usize),
}

/// The names that were looked up: the module, the name, and whether the path ends there.
type Seen = BTreeSet<(usize, String, bool)>;

/// The folders that the modules of a file are searched in.
#[derive(Clone)]
struct Paths {
    /// The folder with the files of its modules.
    folder: PathBuf,
    /// The folder that `#[path]` is relative to.
    base: PathBuf,
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
        graph.read_file(file, parent_of(file)?, None)?;
        for module in 0..graph.modules.len() {
            graph.draw(module);
        }
        Ok(graph)
    }

    /// Reads the file of a module. The files of its own modules are in `folder`.
    fn read_file(&mut self, file: &Path, folder: &Path, parent: Option<usize>) -> Result<usize> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let parsed = syn::parse_file(&text).with_context(|| file.display().to_string())?;
        let index = self.files.iter().position(|known| known == file).unwrap_or_else(|| {
            self.files.push(file.to_owned());
            self.files.len() - 1
        });
        let base = parent_of(file)?.to_owned();
        let paths = Paths { folder: folder.to_owned(), base };
        self.read_module(parsed.items, index, &paths, parent)
    }

    fn read_module(
        &mut self,
        items: Vec<Item>,
        file: usize,
        paths: &Paths,
        parent: Option<usize>,
    ) -> Result<usize> {
        let at = self.modules.len();
        self.modules.push(Module {
            file,
            parent,
            modules: BTreeMap::new(),
            items: BTreeMap::new(),
            globs: Vec::new(),
            code: Vec::new(),
        });
        for item in items {
            if attributes(&item).iter().any(is_for_tests) {
                continue;
            }
            if let Item::Mod(module) = item {
                let name = module.ident.to_string();
                let children = self.read_children(module, file, paths, at)?;
                self.modules[at].modules.entry(name).or_default().extend(children);
                continue;
            }
            let module = &mut self.modules[at];
            if let Some(name) = name_of(&item) {
                module.items.entry(name).or_default().push(Named::Definition);
            }
            let mut uses = Uses::default();
            uses.visit_item(&item);
            for (name, target) in uses.names {
                module.items.entry(name).or_default().push(Named::Import(target));
            }
            module.globs.append(&mut uses.globs);
            module.code.push(item);
        }
        Ok(at)
    }

    /// Reads a module inside another: from there, from its file, or from each file that an attribute can choose.
    fn read_children(
        &mut self,
        module: ItemMod,
        file: usize,
        paths: &Paths,
        parent: usize,
    ) -> Result<Vec<usize>> {
        let inside = paths.folder.join(module.ident.to_string());
        if let Some((_, items)) = module.content {
            let paths = Paths { folder: inside.clone(), base: inside };
            return Ok(vec![self.read_module(items, file, &paths, Some(parent))?]);
        }
        let flat = inside.with_extension("rs");
        let usual = if flat.exists() { flat } else { inside.join("mod.rs") };
        let mut found = Vec::new();
        let others: Vec<_> = module.attrs.iter().filter_map(path_of).collect();
        if others.is_empty() || usual.exists() {
            found.push(self.read_file(&usual, &inside, Some(parent))?);
        }
        for other in others {
            let other = paths.base.join(other);
            found.push(self.read_file(&other, parent_of(&other)?, Some(parent))?);
        }
        Ok(found)
    }

    /// Draws the arrows of a module.
    fn draw(&mut self, at: usize) {
        let mut names = Names::default();
        for item in &self.modules[at].code {
            names.visit_item(item);
        }
        for path in names.found {
            for end in self.resolve(at, &path, &mut BTreeSet::new()) {
                if let (End::Item(to), Some(name)) = (end, path.last()) {
                    self.add(at, to, name);
                }
            }
        }
        for path in self.modules[at].globs.clone() {
            for end in self.resolve(at, &path, &mut BTreeSet::new()) {
                let to = match end {
                    End::Item(file) => file,
                    End::Module(module) => self.modules[module].file,
                };
                self.add(at, to, "*");
            }
        }
    }

    /// Adds an arrow from a module, unless it stays in the file or leads up to one that contains the module.
    fn add(&mut self, at: usize, to: usize, name: &str) {
        let from = self.modules[at].file;
        let above = |at: &usize| self.modules[*at].parent;
        let is_above =
            std::iter::successors(above(&at), above).any(|up| self.modules[up].file == to);
        if to != from && !is_above {
            self.arrows.entry((from, to)).or_default().insert(name.to_owned());
        }
    }

    /// Follows a path from a module. Paths to other crates, and names that are not the module's, lead nowhere. The names
    /// that were looked up are kept, because imports can lead back to where they began.
    fn resolve(&self, at: usize, path: &[String], seen: &mut Seen) -> BTreeSet<End> {
        let Some((first, rest)) = path.split_first() else { return BTreeSet::new() };
        let mut ends = match first.as_str() {
            "crate" => BTreeSet::from([End::Module(0)]),
            "self" => BTreeSet::from([End::Module(at)]),
            "super" => self.modules[at].parent.map(End::Module).into_iter().collect(),
            name => self.look_up(at, name, rest.is_empty(), seen),
        };
        for (index, name) in rest.iter().enumerate() {
            let is_last = index + 1 == rest.len();
            ends = ends.into_iter().flat_map(|end| self.step(end, name, is_last, seen)).collect();
        }
        ends
    }

    /// Follows one name of a path.
    fn step(&self, end: End, name: &str, is_last: bool, seen: &mut Seen) -> BTreeSet<End> {
        // The names after an item, such as its variants and methods, belong to it.
        let End::Module(module) = end else { return BTreeSet::from([end]) };
        match name {
            "super" => self.modules[module].parent.map(End::Module).into_iter().collect(),
            "self" => BTreeSet::from([end]),
            _ => {
                let is_new = !seen.contains(&(module, name.to_owned(), is_last));
                let found = self.look_up(module, name, is_last, seen);
                if found.is_empty() && is_new && self.modules[module].globs.is_empty() {
                    // A macro defines it, which this parser does not see. It belongs to the file of the macro's call.
                    return BTreeSet::from([End::Item(self.modules[module].file)]);
                }
                found
            }
        }
    }

    /// Looks a name up in a module. Within a path it is a module if there is one, and at its end an item.
    fn look_up(&self, at: usize, name: &str, is_last: bool, seen: &mut Seen) -> BTreeSet<End> {
        if !seen.insert((at, name.to_owned(), is_last)) {
            return BTreeSet::new();
        }
        let module = &self.modules[at];
        let modules = module.modules.get(name).into_iter().flatten().copied().map(End::Module);
        let mut found: BTreeSet<End> = modules.collect();
        for named in module.items.get(name).into_iter().flatten() {
            match named {
                Named::Definition => {
                    found.insert(End::Item(module.file));
                }
                // An import of a name by itself is another crate's, unless the name is a module's here.
                Named::Import(path) => {
                    let is_local = path
                        .first()
                        .is_some_and(|first| first != name || module.modules.contains_key(first));
                    if is_local {
                        found.extend(self.resolve(at, path, seen));
                    }
                }
            }
        }
        if found.is_empty() {
            for glob in &module.globs {
                for end in self.resolve(at, glob, seen) {
                    if let End::Module(other) = end {
                        found.extend(self.look_up(other, name, is_last, seen));
                    }
                }
            }
        }
        let is_module = |end: &End| matches!(end, End::Module(_));
        if is_last && !found.iter().all(is_module) {
            found.retain(|end| !is_module(end));
        } else if !is_last && found.iter().any(is_module) {
            found.retain(is_module);
        }
        found
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
struct Names {
    found: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for Names {
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

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !item.attrs.iter().any(is_for_tests) {
            visit::visit_impl_item_fn(self, item);
        }
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

pub fn attributes(item: &Item) -> &[Attribute] {
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
pub fn is_for_tests(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<Meta>().is_ok_and(|condition| requires_tests(&condition))
}

fn requires_tests(condition: &Meta) -> bool {
    match condition {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
            .is_ok_and(|all| all.iter().any(requires_tests)),
        _ => false,
    }
}

/// Returns the file that `#[path = "…"]` names, or that it names under a condition.
fn path_of(attribute: &Attribute) -> Option<String> {
    if attribute.path().is_ident("cfg_attr") {
        let list = attribute.meta.require_list().ok()?;
        let metas = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
        return metas.iter().skip(1).find_map(path_in);
    }
    path_in(&attribute.meta)
}

fn path_in(meta: &Meta) -> Option<String> {
    let named = meta.require_name_value().ok()?;
    match &named.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })
            if named.path.is_ident("path") =>
        {
            Some(text.value())
        }
        _ => None,
    }
}

fn parent_of(file: &Path) -> Result<&Path> {
    file.parent().with_context(|| format!("{} has no folder", file.display()))
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
    fn a_function_can_have_the_name_of_a_module() {
        let root = ("lib.rs", "mod a;\nmod b;\npub use b::b as go;\nuse b::b;\n");
        let a = ("a.rs", "pub struct A;\nfn a() { crate::b(); crate::go() }\n");
        let found = circles(&[root, a, ("b.rs", "pub fn b(_: crate::a::A) {}\n")]);
        assert_eq!(found, "a circle of 2 files:\n  a.rs -> b.rs: b, go\n  b.rs -> a.rs: A");
    }

    #[test]
    fn a_glob_is_an_arrow_and_globs_may_be_mutual() {
        let found = circles(&[
            ("lib.rs", "mod a;\nmod b;\npub use a::*;\npub use b::*;\n"),
            ("a.rs", "use crate::b::*;\nuse super::*;\npub struct A(Unknown);\n"),
            ("b.rs", "use crate::a::*;\nuse super::*;\npub struct B(Option<A>);\n"),
        ]);
        assert_eq!(found, "a circle of 2 files:\n  a.rs -> b.rs: *\n  b.rs -> a.rs: *, A");
    }

    #[test]
    fn each_file_that_a_condition_can_choose_is_read() {
        let found = circles(&[
            ("lib.rs", "mod a;\n#[cfg_attr(not(fast), path = \"none/b.rs\")]\nmod b;\n"),
            ("a.rs", "pub struct A(crate::b::B);\n"),
            ("b.rs", "pub struct B;\n"),
            ("none/b.rs", "pub struct B(crate::a::A);\n"),
        ]);
        assert_eq!(found, "a circle of 2 files:\n  a.rs -> none/b.rs: B\n  none/b.rs -> a.rs: A");
    }

    #[test]
    fn modules_inside_files_belong_to_them() {
        let found = circles(&[
            ("lib.rs", "mod a { pub mod b; pub struct A; }\nmod c;\n"),
            ("a/b.rs", "use super::A;\npub struct B(A, crate::c::inside::C);\n"),
            ("c.rs", "pub mod inside { pub struct C; }\nfn c(_: crate::a::b::B) {}\n"),
        ]);
        assert_eq!(found, "a circle of 2 files:\n  a/b.rs -> c.rs: C\n  c.rs -> a/b.rs: B");
    }

    #[test]
    fn some_paths_are_not_arrows() {
        for (a, b) in [
            (
                "use crate::B;\npub struct A(B);",
                "pub struct B;\n#[cfg(test)]\nmod tests { use crate::A; }",
            ),
            ("use crate::B;\npub struct A(B);", "#[cfg(test)]\nuse crate::A;\npub struct B;"),
            (
                "use crate::B;\npub struct A(B);",
                "pub struct B;\nimpl B { #[cfg(all(unix, test))] fn b(_: crate::A) {} }",
            ),
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
