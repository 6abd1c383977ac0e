//! What the source of a crate says: its modules, the names in them, and the paths that they mention.

use proc_macro2::{Span, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, Meta, UseTree, Visibility};

/// The names from the crate's root down to a module; empty for the root.
pub type ModulePath = Vec<String>;

/// A path in the source.
#[derive(Debug)]
pub struct Mention {
    pub segments: Vec<String>,
    pub line: usize,
    /// Whether a `pub use` mentions it.
    pub reexport: bool,
}

/// A module without those below it.
#[derive(Debug, Default)]
pub struct Module {
    pub path: ModulePath,
    /// The file that holds it.
    pub file: String,
    /// Whether it is `mod name { .. }` in its parent's file.
    pub in_braces: bool,
    /// What it defines, other modules excepted.
    pub items: BTreeSet<String>,
    /// Names that `use` brings in, and what they stand for.
    pub imports: BTreeMap<String, Vec<String>>,
    /// Paths of `use path::*`.
    pub globs: Vec<Vec<String>>,
    /// Macros that `#[macro_export]` puts into the crate's root.
    pub exported_macros: Vec<String>,
    pub mentions: Vec<Mention>,
}

/// The modules of the crate whose root is this file; `read` gives the text of a file, if there is one.
///
/// # Panics
/// If a file is missing or is not Rust.
pub fn modules(root: &str, read: &dyn Fn(&str) -> Option<String>) -> Vec<Module> {
    let text = read(root).unwrap_or_else(|| panic!("{root}: no such file"));
    let mut found = Vec::new();
    let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    add_file(Vec::new(), root.to_owned(), folder, &text, read, &mut found);
    found
}

/// Adds the module of a file, whose children are in `folder`, and everything below it.
fn add_file(
    path: ModulePath,
    file: String,
    folder: String,
    text: &str,
    read: &dyn Fn(&str) -> Option<String>,
    found: &mut Vec<Module>,
) {
    let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{file}:{}: {error}", error.span().start().line));
    add_items(path, file, folder, &parsed.items, read, found);
}

fn add_items(
    path: ModulePath,
    file: String,
    folder: String,
    items: &[Item],
    read: &dyn Fn(&str) -> Option<String>,
    found: &mut Vec<Module>,
) {
    let mut reader = Reader { module: Module { path, file, ..Module::default() }, children: Vec::new() };
    items.iter().for_each(|item| reader.visit_item(item));
    let Reader { module, children } = reader;
    let (parent, parent_file) = (module.path.clone(), module.file.clone());
    found.push(module);
    for child in children {
        let name = child.ident.to_string();
        let path = [&parent[..], std::slice::from_ref(&name)].concat();
        let below = format!("{folder}/{name}");
        if let Some((_, items)) = &child.content {
            let index = found.len();
            add_items(path, parent_file.clone(), below, items, read, found);
            found[index].in_braces = true;
            continue;
        }
        let candidates = [format!("{below}.rs"), format!("{below}/mod.rs")];
        let (file, text) = candidates
            .into_iter()
            .find_map(|file| read(&file).map(|text| (file, text)))
            .unwrap_or_else(|| panic!("{parent_file}: no file for the module {name}"));
        add_file(path, file, below, &text, read, found);
    }
}

/// Collects what one module says.
struct Reader<'ast> {
    module: Module,
    children: Vec<&'ast syn::ItemMod>,
}

impl Reader<'_> {
    fn mention(&mut self, segments: Vec<String>, span: Span, reexport: bool) {
        self.module.mentions.push(Mention { segments, line: span.start().line, reexport });
    }

    fn import(&mut self, tree: &UseTree, mut prefix: Vec<String>, reexport: bool) {
        let (ident, name) = match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                return self.import(&path.tree, prefix, reexport);
            }
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.import(tree, prefix.clone(), reexport));
            }
            UseTree::Glob(glob) => {
                self.mention(prefix.clone(), glob.star_token.spans[0], reexport);
                return self.module.globs.push(prefix);
            }
            UseTree::Name(name) => (&name.ident, &name.ident),
            UseTree::Rename(rename) => (&rename.ident, &rename.rename),
        };
        // `use path::{self}` means the path.
        if ident != "self" || prefix.is_empty() {
            prefix.push(ident.to_string());
        }
        let name = if name == "self" { prefix[prefix.len() - 1].clone() } else { name.to_string() };
        self.mention(prefix.clone(), ident.span(), reexport);
        self.module.imports.entry(name).or_insert(prefix);
    }

    /// Macros and attributes are not parsed; their paths are runs of names with `::` between.
    fn scan(&mut self, tokens: TokenStream) {
        let mut run: Vec<String> = Vec::new();
        let (mut start, mut colons) = (Span::call_site(), 0);
        for token in tokens {
            match &token {
                TokenTree::Ident(ident) if colons == 2 && !run.is_empty() => run.push(ident.to_string()),
                TokenTree::Ident(ident) => {
                    self.end_run(&mut run, start);
                    start = ident.span();
                    run.push(ident.to_string());
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                TokenTree::Group(group) => {
                    self.end_run(&mut run, start);
                    self.scan(group.stream());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => self.end_run(&mut run, start),
            }
            colons = 0;
        }
        self.end_run(&mut run, start);
    }

    fn end_run(&mut self, run: &mut Vec<String>, start: Span) {
        // A single name in tokens may be anything.
        if run.len() > 1 {
            self.mention(std::mem::take(run), start, false);
        }
        run.clear();
    }
}

impl<'ast> Visit<'ast> for Reader<'ast> {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_off(attributes(item)) {
            return;
        }
        match item {
            Item::Mod(module) => return self.children.push(module),
            Item::Use(item) => {
                if item.leading_colon.is_none() {
                    self.import(&item.tree, Vec::new(), !matches!(item.vis, Visibility::Inherited));
                }
                return;
            }
            Item::Macro(item) => {
                if let Some(ident) = &item.ident {
                    self.module.items.insert(ident.to_string());
                    if item.attrs.iter().any(|attribute| attribute.path().is_ident("macro_export")) {
                        self.module.exported_macros.push(ident.to_string());
                    }
                }
            }
            Item::Const(syn::ItemConst { ident, .. })
            | Item::Enum(syn::ItemEnum { ident, .. })
            | Item::Static(syn::ItemStatic { ident, .. })
            | Item::Struct(syn::ItemStruct { ident, .. })
            | Item::Trait(syn::ItemTrait { ident, .. })
            | Item::TraitAlias(syn::ItemTraitAlias { ident, .. })
            | Item::Type(syn::ItemType { ident, .. })
            | Item::Union(syn::ItemUnion { ident, .. }) => {
                self.module.items.insert(ident.to_string());
            }
            Item::Fn(item) => {
                self.module.items.insert(item.sig.ident.to_string());
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_off(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        if !is_off(&local.attrs) {
            visit::visit_local(self, local);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            let segments = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            self.mention(segments, path.segments[0].ident.span(), false);
        }
        // Arguments of generics have paths of their own.
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, macro_: &'ast syn::Macro) {
        visit::visit_macro(self, macro_);
        self.scan(macro_.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        match &attribute.meta {
            Meta::List(list) => self.scan(list.tokens.clone()),
            // Documentation is among these, and links in it are no use of what they link to.
            Meta::NameValue(_) | Meta::Path(_) => {}
        }
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(syn::ItemConst { attrs, .. })
        | Item::Enum(syn::ItemEnum { attrs, .. })
        | Item::ExternCrate(syn::ItemExternCrate { attrs, .. })
        | Item::Fn(syn::ItemFn { attrs, .. })
        | Item::ForeignMod(syn::ItemForeignMod { attrs, .. })
        | Item::Impl(syn::ItemImpl { attrs, .. })
        | Item::Macro(syn::ItemMacro { attrs, .. })
        | Item::Mod(syn::ItemMod { attrs, .. })
        | Item::Static(syn::ItemStatic { attrs, .. })
        | Item::Struct(syn::ItemStruct { attrs, .. })
        | Item::Trait(syn::ItemTrait { attrs, .. })
        | Item::TraitAlias(syn::ItemTraitAlias { attrs, .. })
        | Item::Type(syn::ItemType { attrs, .. })
        | Item::Union(syn::ItemUnion { attrs, .. })
        | Item::Use(syn::ItemUse { attrs, .. }) => attrs,
        _ => &[],
    }
}

/// Whether code is there for tests or documentation alone: `cfg(test)`, `cfg(all(test, ..))`, `cfg(doc)`.
fn is_off(attributes: &[Attribute]) -> bool {
    fn asks(tokens: TokenStream) -> bool {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        tokens.iter().enumerate().any(|(index, token)| match token {
            TokenTree::Ident(ident) => ident == "test" || ident == "doc",
            TokenTree::Group(group) => {
                let all = index > 0 && matches!(&tokens[index - 1], TokenTree::Ident(ident) if ident == "all");
                all && asks(group.stream())
            }
            _ => false,
        })
    }
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::List(list) => list.path.is_ident("cfg") && asks(list.tokens.clone()),
        _ => false,
    })
}
