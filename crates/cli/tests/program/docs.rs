//! What the documents say of the source is true: excerpts are verbatim, files and functions exist, links lead somewhere.

use crate::common::repository;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands between backticks in a line.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The lines of a document outside of its code blocks.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    text.lines().filter(move |line| {
        let fence = line.starts_with("```");
        in_block ^= fence;
        !in_block && !fence
    })
}

/// The path in the repository that a code span names, if it names one: NAME is a placeholder, `*` stands for all.
fn path_of(span: &str) -> Option<&str> {
    const FOLDERS: [&str; 8] = ["benches", "crates", "docs", "experiments", "fuzz", "nets", "tests", ".ci"];
    let folder = span.split('/').next().unwrap_or_default();
    let is_path = FOLDERS.contains(&folder) && !span.contains("NAME") && !span.contains(' ');
    let path = span.strip_suffix("/*").unwrap_or(span);
    (is_path || span.ends_with(".md")).then_some(path)
}

/// Every `.rs` file below a folder.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(fs::read_to_string(&path).expect("text"));
        }
    }
}

#[test]
fn excerpts_of_extending_are_in_the_files_that_they_name() {
    let document = read("docs/extending.md");
    let parts: Vec<&str> = document.split("```rust\n").collect();
    assert!(parts.len() > 10, "the document shows the code");
    for pair in parts.windows(2) {
        let block = pair[1].split("```").next().unwrap_or_default();
        // The paragraph before a block names its file last.
        let paragraph = pair[0].trim_end().rsplit("\n\n").next().unwrap_or_default().replace('\n', " ");
        let file = code_spans(&paragraph).filter(|span| span.ends_with(".rs")).last();
        let file = file.unwrap_or_else(|| panic!("no file is named before\n{block}"));
        assert!(paragraph.ends_with(&format!("`{file}`:")), "{file} is not named just before\n{block}");
        assert!(read(file).contains(block), "no longer the code of {file}:\n{block}");
    }
}

#[test]
fn paths_in_the_documents_exist() {
    for document in ["ARCHITECTURE.md", "docs/extending.md"] {
        let text = read(document);
        let paths: Vec<&str> = prose(&text).flat_map(code_spans).filter_map(path_of).collect();
        assert!(paths.len() > 20, "{document}: {paths:?}");
        for path in paths {
            assert!(Path::new(&repository(path)).exists(), "{document}: there is no {path}");
        }
    }
}

#[test]
fn functions_that_the_architecture_names_exist() {
    let mut files = Vec::new();
    sources(Path::new(&repository("crates")), &mut files);
    let text = read("ARCHITECTURE.md");
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let mut checked = 0;
    for span in prose(&text).flat_map(code_spans).filter(|span| span.contains("::") && span.split("::").all(is_name)) {
        let name = span.rsplit("::").next().unwrap_or_default();
        let declared =
            |file: &String| [format!("fn {name}("), format!("fn {name}<")].iter().any(|at| file.contains(at));
        assert!(files.iter().any(declared), "ARCHITECTURE.md: there is no function {span}");
        checked += 1;
    }
    assert!(checked > 20, "the walks name functions");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut documents = vec!["python/README.md".to_owned()];
    for folder in ["", "docs/", ".github/ISSUE_TEMPLATE/"] {
        for entry in fs::read_dir(repository(folder)).expect("a folder") {
            let name = entry.expect("an entry").file_name();
            documents.push(format!("{folder}{}", name.to_str().expect("text")));
        }
    }
    for entry in fs::read_dir(repository("tests")).expect("a folder") {
        let name = entry.expect("an entry").file_name();
        let document = format!("tests/{}/README.md", name.to_str().expect("text"));
        documents.extend(Some(document).filter(|document| Path::new(&repository(document)).is_file()));
    }
    assert!(documents.len() > 40, "{documents:?}");
    for document in documents.iter().filter(|document| document.ends_with(".md")) {
        let text = read(document);
        let folder = Path::new(document).parent().expect("a file is in a folder");
        for target in prose(&text).flat_map(targets) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            if path.contains("://") {
                continue;
            }
            let linked =
                if path.is_empty() { document.clone() } else { folder.join(path).to_str().expect("text").to_owned() };
            assert!(Path::new(&repository(&linked)).exists(), "{document}: {target} leads nowhere");
            assert!(
                heading.is_empty() || anchors(&read(&linked)).contains(&heading.to_owned()),
                "{document}: no {target}"
            );
        }
    }
}

/// What a line links to, and the pictures that it shows.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.chain(line.split("src=\"").skip(1).filter_map(|rest| rest.split('"').next()))
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let keep = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    headings.map(|title| title.to_lowercase().replace(' ', "-").chars().filter(|&c| keep(c)).collect()).collect()
}
