//! The corpora are the same in every run, and consist of lines of valid JSON with the promised kinds and sizes. All
//! competitors give the right answers on them.

use std::collections::HashSet;
use std::process::Command;

use benches::corpora::{self, Corpus, Counts, Kind, Scale};
use compare::competitors::{self, Answer};
use compare::faults::FAULTS;
use compare::recorded;
use serde_json::Value;
use tautline::{Message, Outcome, Profile};

fn lines(corpus: &Corpus) -> impl Iterator<Item = &[u8]> {
    corpus.wire.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

#[test]
fn a_corpus_is_the_same_every_time() {
    for name in corpora::names() {
        let make = |seed| corpora::corpus(name, Scale::Smoke, seed).unwrap();
        assert!(make(0).wire == make(0).wire, "{name}");
        assert!(make(0).wire != make(1).wire, "{name} has one seed");
    }
    assert!(corpora::corpus("no such corpus", Scale::Smoke, 0).is_none());
}

#[test]
fn recorded_messages_are_those_of_the_recordings() {
    let messages = recorded::messages().unwrap();
    let distinct: HashSet<&str> = messages.iter().map(|(_, text)| text.as_str()).collect();
    println!("{} messages, {} of them different", messages.len(), distinct.len());
    for part in [
        // Posted, received as the data of an event, and recorded as an object: a file for each.
        r#""clientInfo":{"name":"#,
        r#"{"jsonrpc":"2.0","id":900,"method":"roots/list"}"#,
        r#""serverInfo":{"name":"#,
    ] {
        assert!(distinct.iter().any(|text| text.contains(part)), "no message has {part}");
    }
    assert!(distinct.len() > 100, "only {} messages", distinct.len());

    let corpus = recorded::corpus(Scale::Smoke).unwrap();
    assert_eq!(lines(&corpus).count() as u64, corpus.counts.accepted());
    assert!(lines(&corpus).all(|line| Message::parse(line, &Profile::JSON_RPC).is_ok()));
}

#[test]
fn every_line_is_json_and_the_message_that_it_was_made_as() {
    for corpus in corpora::corpora(Scale::Part(0.2)) {
        let mut counts = Counts::default();
        for line in lines(&corpus) {
            let json: Result<Value, _> = serde_json::from_slice(line);
            assert!(json.is_ok(), "{}", String::from_utf8_lossy(line));
            counts.add(match Message::parse(line, &Profile::JSON_RPC) {
                Ok(Message::Request(_)) => Some(Kind::Request),
                Ok(Message::Notification(_)) => Some(Kind::Notification),
                Ok(Message::Response(response)) => Some(match response.outcome() {
                    Outcome::Result(_) => Kind::Result,
                    Outcome::Error(_) => Kind::Error,
                }),
                Ok(Message::Batch(_)) | Err(_) => None,
            });
        }
        assert_eq!(counts, corpus.counts, "{}", corpus.name);
    }
}

#[test]
fn sizes_are_those_that_were_meant() {
    // The average length of a line in bytes, from and to.
    let meant = [
        ("small", 130, 150),
        ("tools", 30_000, 40_000),
        ("text", 24_000, 32_000),
        ("blob", 900_000, 1_500_000),
        ("numbers", 25_000, 33_000),
        ("lsp", 8_000, 10_500),
    ];
    let seeds = [corpora::USUAL_SEED, 1];
    for (seed, (name, least, most)) in seeds.into_iter().flat_map(|seed| meant.map(|it| (seed, it)))
    {
        let corpus = corpora::corpus(name, Scale::Full, seed).unwrap();
        let average = corpus.wire.len() as u64 / corpus.counts.accepted();
        println!("{name}: {:?}, {average} bytes on average", corpus.counts);
        assert_eq!(corpus.name, name);
        assert!((least..=most).contains(&average), "{name}: {average} bytes on average");
    }
}

#[test]
fn small_messages_are_many_and_all_different() {
    for (scale, least) in [(Scale::Full, 100_000), (Scale::Part(0.01), 50_000)] {
        let corpus = corpora::corpus("small", scale, corpora::USUAL_SEED).unwrap();
        let distinct: HashSet<&[u8]> = lines(&corpus).collect();
        assert_eq!(distinct.len() as u64, corpus.counts.accepted());
        assert!(distinct.len() >= least);
    }
}

#[test]
fn tautline_lets_no_fault_through_by_any_door() {
    for mut competitor in competitors::all() {
        let accepts = competitor.accepts();
        if competitor.name.starts_with("tautline") {
            assert_eq!(accepts, [""; 0], "{}", competitor.name);
        }
        if competitor.answer != Answer::Limit {
            assert!(accepts.len() < FAULTS.len(), "{} takes everything", competitor.name);
        }
    }
}

#[test]
fn names_are_all_different() {
    let competitors = competitors::all();
    let names: HashSet<&str> = competitors.iter().map(|competitor| competitor.name).collect();
    assert_eq!(names.len(), competitors.len());
}

/// The program itself compares the answers with the corpora.
#[test]
fn every_competitor_gives_the_right_answers() {
    let output = Command::new(env!("CARGO_BIN_EXE_compare")).arg("--smoke").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let tables = String::from_utf8(output.stdout).unwrap();
    let competitors = competitors::all();
    let names = competitors.iter().map(|competitor| competitor.name).chain(corpora::names());
    for name in names.chain([recorded::NAME]) {
        assert!(tables.contains(&format!("| {name} |")), "{name} is in no table: {tables}");
    }
}
