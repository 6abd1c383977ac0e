//! Numbers in the text come from files: a table behind `<!-- results/FILE.json: SECTION -->` is that of the file.

use std::fs;
use std::path::{Path, PathBuf};
use tesuji_report::{Block, json, markdown};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tables of a section as Markdown, as `tesuji report` writes them.
fn tables(file: &str, section: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
    let report = json::read(&text).unwrap_or_else(|error| panic!("{file}: {error}"));
    let found = report.sections.iter().find(|known| known.title == section);
    let found = found.unwrap_or_else(|| panic!("{file}: no section {section:?}"));
    let alone = |block: &Block| {
        let mut one = tesuji_report::Report::new("");
        one.section("", vec![block.clone()]);
        let lines: Vec<String> =
            markdown(&one).lines().filter(|line| line.starts_with('|')).map(str::to_owned).collect();
        lines.join("\n")
    };
    found.blocks.iter().filter(|block| matches!(block, Block::Table(_))).map(alone).collect()
}

#[test]
fn tables_in_the_text_are_those_of_the_results() {
    let mut texts = vec![root().join("README.md")];
    texts.extend(
        fs::read_dir(root().join("docs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "md")),
    );
    let mut seen = 0;
    for path in texts {
        let text = fs::read_to_string(&path).unwrap();
        for part in text.split("<!-- results/").skip(1) {
            let (name, rest) = part.split_once(" -->").expect("the end of a comment");
            let Some((file, section)) =
                name.split_once(": ").filter(|(file, _)| file.ends_with(".json") && *file != "FILE.json")
            else {
                continue;
            };
            let shown: Vec<&str> =
                rest.lines().skip_while(|line| line.is_empty()).take_while(|line| line.starts_with('|')).collect();
            let known = tables(&format!("results/{file}"), section);
            assert!(
                known.contains(&shown.join("\n")),
                "{}: the table of {section:?} is not that of results/{file}; it has:\n{}",
                path.display(),
                known.join("\n\n")
            );
            seen += 1;
        }
    }
    assert!(seen >= 1, "no table of the text is checked");
}
