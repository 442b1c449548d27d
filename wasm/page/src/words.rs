//! Messages of the engine, in the words of the page, which has fields instead of the switches of the command line.

/// The words of the engine, and the words of the page.
const WORDS: [(&str, &str); 5] = [
    (
        "use --client and --server with one file for each side, and --framing content-length",
        "choose “Two files”, one for each side, and the framing “content-length”",
    ),
    (
        "use `tautline check`, --client and --server with one file for each side, or --client-mark and --server-mark \
         with the texts before messages",
        "choose “Two files”, one for each side",
    ),
    (": use --source ", ": choose its format, "),
    (" or none", ", or “Detect”"),
    ("; --source names one", "; choose the format yourself if you know it"),
];

/// Returns a message of the engine in the words of the page.
pub fn for_the_page(message: &str) -> String {
    let mut words = message.to_owned();
    for (engine, page) in WORDS {
        // These words end a sentence that begins with a switch.
        if engine != " or none" || message.contains("--source") {
            words = words.replace(engine, page);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use tautline_audit::source::SourceKind;

    use super::for_the_page;

    /// Files in no supported format.
    const OTHERS: [&[u8]; 7] = [
        b"",
        b"hello",
        b"\x1F\x8B",
        b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n",
        b"Content-Length: 2\r\n\r\n{}",
        b"2026-01-31 10:00:00.123 [info] Starting server\n",
        b"{\"generated_at\":1,\"summary\":2}",
    ];

    #[test]
    fn the_page_does_not_speak_of_switches() {
        let mut messages: Vec<String> =
            OTHERS.iter().map(|file| SourceKind::detect(file).unwrap_err()).collect();
        let recording = b"{\"tautline-recording\":1}\n";
        let wrong = SourceKind::Har.read(&mut &recording[..], 1, &mut |_, _| Ok(()));
        messages.push(wrong.unwrap_err().to_string());
        let changed = messages.iter().filter(|message| {
            let words = for_the_page(message);
            assert!(!words.contains("--") && !words.contains('`'), "{words}");
            words != **message
        });
        assert_eq!(changed.count(), 4);
        let last = for_the_page(messages.last().unwrap());
        let expected = "line 1: this is not a HAR; it looks like a recording of tautline: choose its \
                        format, recording, or “Detect”";
        assert_eq!(last, expected);
    }
}
