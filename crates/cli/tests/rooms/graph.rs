//! Which module depends on which, and in what cycles.

use crate::source::{Module, ModulePath};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::{self, Display};

/// A file and a line.
type Place = String;

/// The modules of a crate by their paths.
pub struct Crate {
    modules: BTreeMap<ModulePath, Module>,
    /// The modules of the macros that are exported.
    macros: BTreeMap<String, ModulePath>,
    /// What the names of all its files begin with.
    folder: String,
}

/// What a path leads to: a module, or an item in it.
struct Target {
    module: ModulePath,
    is_item: bool,
}

/// Names that stand for each other are looked up this often; a `use` of a foreign crate by its own name would go on.
const PATIENCE: u32 = 16;

impl Crate {
    pub fn new(modules: Vec<Module>) -> Crate {
        let macros = modules.iter().flat_map(|module| {
            module.exported_macros.iter().map(|name| (name.clone(), module.path.clone())).collect::<Vec<_>>()
        });
        let folder = modules[0].file.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let macros = macros.collect();
        Crate { macros, folder, modules: modules.into_iter().map(|module| (module.path.clone(), module)).collect() }
    }

    /// What a path means in a module; `None` for what is not of this crate, and for local names.
    fn resolve(&self, module: &[String], segments: &[String], patience: u32) -> Option<Target> {
        match segments[0].as_str() {
            "crate" => self.walk(&[], &segments[1..], true, patience),
            "self" => self.walk(module, &segments[1..], true, patience),
            "super" => {
                let supers = segments.iter().take_while(|segment| *segment == "super").count();
                let ancestor = &module[..module.len().checked_sub(supers)?];
                self.walk(ancestor, &segments[supers..], true, patience)
            }
            _ => self.walk(module, segments, false, patience),
        }
    }

    fn child(&self, module: &[String], name: &str) -> Option<ModulePath> {
        let path = [module, &[name.to_owned()]].concat();
        self.modules.contains_key(&path).then_some(path)
    }

    /// Follows names from a module down. An `explicit` path must be of this crate, even if its item is not seen in the
    /// source, since a macro may have made it.
    fn walk(&self, module: &[String], segments: &[String], explicit: bool, patience: u32) -> Option<Target> {
        let here = |is_item| Some(Target { module: module.to_vec(), is_item });
        let Some((name, rest)) = segments.split_first() else { return here(false) };
        let patience = patience.checked_sub(1)?;
        let known = &self.modules[module];
        if let Some(child) = self.child(module, name) {
            return self.walk(&child, rest, true, patience);
        }
        if let Some(import) = known.imports.get(name) {
            let path = [&import[..], rest].concat();
            return self.resolve(module, &path, patience).or_else(|| here(true));
        }
        if known.items.contains(name) {
            return here(true);
        }
        let of_glob = known.globs.iter().find_map(|glob| {
            let target = self.resolve(module, glob, patience).filter(|target| !target.is_item)?;
            if target.module == module || rest.is_empty() && self.child(&target.module, name).is_some() {
                return None;
            }
            self.walk(&target.module, segments, false, patience)
        });
        let of_macro = || self.macros.get(name).filter(|_| explicit && module.is_empty());
        of_glob
            .or_else(|| of_macro().map(|path| Target { module: path.clone(), is_item: true }))
            .or_else(|| explicit.then(|| here(true)).flatten())
    }

    /// For each folder, the edges between its rooms with one place for each: its children, and its own file.
    fn levels(&self) -> BTreeMap<ModulePath, Edges> {
        let mut levels: BTreeMap<ModulePath, Edges> = BTreeMap::new();
        for (within, module) in &self.modules {
            for mention in &module.mentions {
                // A variable may have the name of a module; a module alone is no value and no type.
                if mention.segments.len() == 1 && self.child(within, &mention.segments[0]).is_some() {
                    continue;
                }
                let target = self.resolve(within, &mention.segments, PATIENCE);
                let Some(Target { module: to, is_item }) = target else { continue };
                let (from, to) = (self.of_file(within), self.of_file(&to));
                let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
                let down = from.len() == common;
                // A folder may show what its children have, and the name of a folder says nothing of its file.
                if from == to || down && mention.reexport || to.len() == common && !is_item {
                    continue;
                }
                let edges = levels.entry(from[..common].to_vec()).or_default();
                let (a, b) = (self.room(from, common), self.room(to, common));
                let place = || format!("{}:{}", module.file, mention.line);
                edges.entry(a).or_default().entry(b).or_insert_with(place);
            }
        }
        levels
    }

    /// The module of the file that a module is written in: those in braces belong to their file.
    fn of_file<'a>(&self, module: &'a [String]) -> &'a [String] {
        let braces = (0..module.len()).take_while(|up| self.modules[&module[..module.len() - up]].in_braces).count();
        &module[..module.len() - braces]
    }

    /// The room of a folder, `depth` below the root, that holds a module: a child, or the folder's own file.
    fn room(&self, module: &[String], depth: usize) -> String {
        match module.len() > depth {
            true => module[..=depth].join("::"),
            false => self.modules[module].file.replacen(&self.folder, "", 1),
        }
    }

    /// The greatest sets of rooms that all depend on each other.
    pub fn cycles(&self) -> Vec<Cycle> {
        self.levels().into_values().flat_map(cycles).collect()
    }
}

type Edges = BTreeMap<String, BTreeMap<String, Place>>;

/// Rooms of one folder that all depend on each other.
#[derive(Debug)]
pub struct Cycle {
    pub rooms: BTreeSet<String>,
    /// A shortest way around.
    way: Vec<(String, String, Place)>,
    /// The other edges between them.
    others: Vec<(String, String, Place)>,
}

impl Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rooms: Vec<&str> = self.rooms.iter().map(String::as_str).collect();
        writeln!(f, "{}", rooms.join(", "))?;
        for (a, b, place) in &self.way {
            writeln!(f, "    {a} -> {b}  {place}")?;
        }
        if !self.others.is_empty() {
            writeln!(f, "  and among the same:")?;
        }
        for (a, b, place) in &self.others {
            writeln!(f, "    {a} -> {b}  {place}")?;
        }
        Ok(())
    }
}

/// The rooms that a room depends on, each with the one before it on a shortest way.
fn reach<'a>(edges: &'a Edges, start: &'a String) -> BTreeMap<&'a String, &'a String> {
    let mut before = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(room) = queue.pop_front() {
        for next in edges.get(room).into_iter().flat_map(BTreeMap::keys) {
            if !before.contains_key(next) {
                before.insert(next, room);
                queue.push_back(next);
            }
        }
    }
    before
}

fn cycles(edges: Edges) -> Vec<Cycle> {
    let before: BTreeMap<&String, _> = edges.keys().map(|room| (room, reach(&edges, room))).collect();
    let mut found: Vec<Cycle> = Vec::new();
    for (&room, reached) in &before {
        if !reached.contains_key(room) || found.iter().any(|cycle| cycle.rooms.contains(room)) {
            continue;
        }
        let back = |other: &&&String| before.get(**other).is_some_and(|reached| reached.contains_key(room));
        let rooms: BTreeSet<String> = reached.keys().filter(back).map(|&room| room.clone()).collect();
        let shortest = rooms.iter().map(|start| way_around(start, &before[start])).min_by_key(Vec::len);
        let way: BTreeSet<(String, String)> = shortest.iter().flatten().cloned().collect();
        let edge = |(a, b): &(String, String)| (a.clone(), b.clone(), edges[a][b].clone());
        let others = edges.iter().filter(|(a, _)| rooms.contains(*a)).flat_map(|(a, targets)| {
            targets.keys().filter(|b| rooms.contains(*b)).map(|b| (a.clone(), b.clone())).collect::<Vec<_>>()
        });
        let others = others.filter(|pair| !way.contains(pair)).map(|pair| edge(&pair)).collect();
        found.push(Cycle { way: shortest.iter().flatten().map(edge).collect(), rooms, others });
    }
    found
}

/// The edges from a room back to it, by what comes before each room.
fn way_around(start: &String, before: &BTreeMap<&String, &String>) -> Vec<(String, String)> {
    let mut way = Vec::new();
    let mut room = start;
    while way.is_empty() || room != start {
        way.push((before[room].clone(), room.clone()));
        room = before[room];
    }
    way.reverse();
    way
}
