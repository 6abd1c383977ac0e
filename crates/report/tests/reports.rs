//! Reports as files: escaped, read back to the byte, compared with significance.

use tesuji_report::document::Board;
use tesuji_report::*;

fn share(hits: f64, of: f64) -> Quantity {
    Quantity::Share { hits, of }
}

fn report(hits: f64) -> Report {
    let mut report = Report::new("runs/<a&b>");
    report.lead.push("one <b> line".to_owned());
    report.facts.push(("scale".to_owned(), "smoke".to_owned()));
    let verdict = Verdict::NotDecided;
    report.verdicts.push(VerdictLine {
        claim: "A beats B".to_owned(),
        place: "table 2".to_owned(),
        verdict,
        why: "55.0% [40, 69]".to_owned(),
        section: "Strength".to_owned(),
        timed: false,
    });
    let rows = vec![vec![Cell::text("a|b"), Cell::share(share(hits, 200.0)), Cell::count(7)]];
    let heads = vec![Head::ours("player"), Head::ours("wins"), Head::paper("wins")];
    let series = |paper| Series {
        name: "s".to_owned(),
        paper,
        points: vec![Point::of(1.0, &share(hits, 200.0), 100.0), Point::new(2.0, 3.0)],
    };
    let chart = Chart {
        title: "Curve".to_owned(),
        caption: "What to see.".to_owned(),
        series: vec![series(false), series(true)],
        ..Chart::default()
    };
    let board = Board { caption: "Start".to_owned(), text: "r n\nP .".to_owned() };
    let blocks = vec![
        Block::Text("text".to_owned()),
        Block::List(vec!["item".to_owned()]),
        Block::Code("tesuji <x>".to_owned()),
        Block::Table(Table { caption: "Table".to_owned(), heads, rows }),
        Block::Chart(chart),
        Block::Board(board),
    ];
    report.section("Strength", blocks);
    report.section("Other", vec![]);
    report.measures.insert("wins".to_owned(), Measure { quantity: share(hits, 200.0), timed: false });
    report.measures.insert("ms".to_owned(), Measure { quantity: Quantity::Single(hits), timed: true });
    report
}

#[test]
fn a_page_stands_alone_and_escapes_what_it_quotes() {
    let page = html(&report(110.0));
    assert!(
        page.contains("runs/&lt;a&amp;b&gt;")
            && page.contains("one &lt;b&gt; line")
            && page.contains("tesuji &lt;x&gt;")
    );
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("<svg").count(), 2);
    assert!(
        page.contains("class=\"legend\"")
            && page.contains("not decided at this scale")
            && page.contains("href=\"#s1\"")
    );
    assert!(page.contains("55.0 <small>[47."), "the interval stands behind the number");
}

#[test]
fn markdown_has_the_tables_and_the_data_of_the_charts() {
    let text = markdown(&report(110.0));
    assert!(text.contains("| a\\|b | 55.0 [47.") && text.contains("paper: wins") && text.contains("s (paper)"));
    assert!(text.contains("    P .") && text.contains("| A beats B | table 2 | not decided at this scale |"));
}

#[test]
fn json_is_read_back_to_the_byte_and_anything_else_refused() {
    let text = json::write(&report(110.0));
    let back = json::read(&text).unwrap();
    assert_eq!(back, report(110.0));
    assert_eq!(json::write(&back), text);
    for wrong in
        ["", "{}", "[1]", &text.replace("\"format\": 1", "\"format\": 9"), &text.replace("\"lead\"", "\"led\"")]
    {
        let error = json::read(wrong).unwrap_err().to_string();
        assert!(error.contains("not a report") && !error.contains('\n'), "{error}");
    }
}

#[test]
fn what_depends_on_clocks_is_no_part_of_the_results() {
    let mut later = report(110.0);
    later.measures.insert("ms".to_owned(), Measure { quantity: Quantity::Single(99.0), timed: true });
    assert_ne!(later, report(110.0));
    assert_eq!(later.without_times(), report(110.0).without_times());
    assert!(report(110.0).without_times().measures.contains_key("wins"));
}

#[test]
fn two_reports_differ_where_the_intervals_say_so() {
    let text = |a: f64, b: f64| markdown(&compare(&report(a), &report(b)));
    let near = text(110.0, 112.0);
    assert!(near.contains("0 of these differ") && near.contains("| not significant |"), "{near}");
    let far = text(60.0, 140.0);
    assert!(far.contains("1 of these differ") && far.contains("## What changed"), "{far}");
    // The number of one clock reading has no interval: never significant.
    assert!(far.contains("no interval"));
}
