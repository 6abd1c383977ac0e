//! Numbers in the text come from files: a table behind `<!-- results/FILE.json: SECTION -->` is that of the file, and the lists
//! of docs/results.md and of the papers' pages are made of all files. `TESUJI_REWRITE_RESULTS=1` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};
use tesuji_report::{Block, Quantity, Report, Verdict, html, json, markdown};

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

/// The reports of a folder, by name.
fn reports(folder: &str) -> Vec<(String, Report)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(root().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        // Ladders have a format and a page of their own.
        (!name.starts_with("ladder-")).then(|| (name, json::read(&fs::read_to_string(&path).unwrap()).unwrap()))
    };
    paths.into_iter().filter_map(read).collect()
}

fn fact<'a>(report: &'a Report, name: &str) -> &'a str {
    report.facts.iter().find(|(known, _)| known.starts_with(name)).map_or("", |(_, value)| value)
}

/// The list of matches: a row each.
fn matches() -> String {
    let mut text = String::from(
        "| game | match | a move may take | openings | won, drawn, lost | score | Elo, 95% interval | pairs won, split, lost |\n|---|---|---|---|---|---|---|---|\n",
    );
    for (name, report) in reports("results") {
        let Some(Quantity::Share { hits, of }) = report.measures.get("score").map(|measure| measure.quantity) else {
            panic!("results/{name}.json is no report of a match");
        };
        let (game, players) = report.title.split_once(": ").unwrap();
        let lead = &report.lead[0];
        let elo = lead.split_once("Elo ").and_then(|(_, rest)| rest.split_once("), ")).unwrap().0;
        let counts = lead.split_once(" won ").unwrap().1.split_once(" games").unwrap().0;
        let counts: Vec<&str> =
            counts.split(|letter: char| !letter.is_ascii_digit()).filter(|part| !part.is_empty()).collect();
        let pairs: Vec<u32> = fact(&report, "pairs").split(' ').map(|count| count.parse().unwrap()).collect();
        text += &format!(
            "| {game} | [`{}`](../results/{name}.json) | {} | {} | {}, {}, {} | {:.1}% | {} | {}, {}, {} |\n",
            players.replace('|', "\\|"),
            fact(&report, "budgets"),
            fact(&report, "openings"),
            counts[0],
            counts[1],
            counts[2],
            100.0 * hits / of,
            elo.replace("(95% interval ", "(") + ")",
            pairs[3] + pairs[4],
            pairs[2],
            pairs[0] + pairs[1],
        );
    }
    text
}

/// What became of a paper's claims.
fn claims(name: &str, report: &Report) -> String {
    let (scale, cost) = (fact(report, "scale"), fact(report, "cost"));
    let mut text = format!(
        "`tesuji reproduce {name} --scale {scale}`, {cost}: [the report](../reports/{name}.html).\n\n| claim | where | verdict | numbers |\n|---|---|---|---|\n"
    );
    for line in &report.verdicts {
        let cell = |words: &str| words.replace('|', "\\|");
        let verdict = match line.verdict {
            Verdict::NotDecided => line.verdict.name().to_owned(),
            decided => format!("**{}**", decided.name()),
        };
        text += &format!("| {} | {} | {verdict} | {} |\n", cell(&line.claim), cell(&line.place), cell(&line.why));
    }
    text
}

/// The list of papers: a row each.
fn papers(reports: &[(String, Report)]) -> String {
    let mut text = String::from(
        "| reproduction | claims | hold | do not hold | not decided | cost | report |\n|---|---|---|---|---|---|---|\n",
    );
    for (name, report) in reports {
        let count = |verdict: Verdict| report.verdicts.iter().filter(|line| line.verdict == verdict).count();
        let [holds, fails, open] = [Verdict::Holds, Verdict::DoesNotHold, Verdict::NotDecided].map(count);
        let (claims, cost) = (report.verdicts.len(), fact(report, "cost"));
        let title = page(name).map_or_else(|| name.clone(), |page| format!("[{name}]({page})"));
        text += &format!(
            "| {title} | {claims} | {holds} | {fails} | {open} | {cost} | [HTML](../reports/{name}.html), [JSON](../reports/{name}.json) |\n"
        );
    }
    text
}

/// The page of a paper, if it is one of the five.
fn page(name: &str) -> Option<String> {
    let page = format!("paper-{name}.md");
    root().join("docs").join(&page).exists().then_some(page)
}

/// Puts what files say between its marks in a page; whether the page had something else there.
fn put(page: &str, name: &str, made: &str) -> bool {
    let path = root().join("docs").join(page);
    let mut text = fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- made of files: {name} -->\n\n"), format!("<!-- end of {name} -->"));
    let from = text.find(&begin).unwrap_or_else(|| panic!("docs/{page} has no {begin:?}")) + begin.len();
    let to = from + text[from..].find(&end).unwrap_or_else(|| panic!("docs/{page} has no {end:?}"));
    let made = format!("{}\n\n", made.trim_end());
    if text[from..to] == made {
        return false;
    }
    if std::env::var_os("TESUJI_REWRITE_RESULTS").is_some() {
        text.replace_range(from..to, &made);
        fs::write(&path, text).unwrap();
        return false;
    }
    true
}

#[test]
fn lists_in_the_text_are_made_of_the_files() {
    let reports = reports("reports");
    let mut old: Vec<String> = Vec::new();
    let mut note = |page: &str, is_old: bool| old.extend(is_old.then(|| page.to_owned()));
    note("results.md", put("results.md", "matches", &matches()));
    note("results.md", put("results.md", "papers", &papers(&reports)));
    for (name, report) in &reports {
        if let Some(page) = page(name) {
            note(&page, put(&page, &format!("claims of {name}"), &claims(name, report)));
        }
    }
    assert!(old.is_empty(), "older than results/ or reports/: {old:?}; TESUJI_REWRITE_RESULTS=1 writes them anew");
}

#[test]
fn pages_of_reports_are_those_of_their_numbers() {
    let reports = reports("reports");
    for (name, report) in &reports {
        let page = fs::read_to_string(root().join(format!("reports/{name}.html"))).unwrap();
        assert!(
            page == html(report),
            "reports/{name}.html is not what reports/{name}.json says: tesuji report writes it"
        );
        assert!(page.len() <= 2 << 20, "reports/{name}.html: {} bytes", page.len());
        assert!(!report.verdicts.is_empty(), "reports/{name}.json has no verdicts");
    }
}
