//! Conversations of any messages: nothing makes them panic, and one that joins in the middle finds no more than one that
//! has seen the beginning.

use tautline::{Message, Rule};
use tautline_mcp::conversation::Conversation;
use tautline_mcp::session::{Heap, Session};
use tautline_mcp::{Revision, Role};

/// The input is a revision, and lines with a side and a frame.
pub fn check(input: &[u8]) {
    let Some((&first, lines)) = input.split_first() else { return };
    let revision = Revision::ALL[usize::from(first) % Revision::ALL.len()];
    let profile = Revision::V2025_03_26.profile();
    let mut conversations = [Conversation::new(), Conversation::joined()];
    let mut session = Session::new(Heap::new());
    for line in lines.split(|byte| *byte == b'\n') {
        let Some((side, frame)) = line.split_first() else { continue };
        let from = if side % 2 == 0 { Role::Server } else { Role::Client };
        let message = match Message::parse(frame, &profile) {
            Ok(Message::Batch(_)) => continue,
            Ok(message) => message,
            Err(fault) => {
                session.observe_fault(from, &fault);
                continue;
            }
        };
        session.observe(from, &message, |_| {});
        let pairing = session.pairing();
        let [all, fewer] = conversations.each_mut().map(|conversation| {
            let mut found: Vec<(Rule, u32)> = Vec::new();
            conversation.observe(from, &message, revision, &pairing, |finding| {
                let offset = finding.offset().expect("a message has a place");
                assert!((offset as usize) < frame.len(), "{finding}");
                found.push((finding.rule(), offset));
            });
            found
        });
        let text = String::from_utf8_lossy(frame);
        assert!(fewer.iter().all(|found| all.contains(found)), "{text}: {fewer:?}, {all:?}");
    }
    let [all, fewer] = conversations.map(|conversation| {
        let mut omissions = Vec::new();
        conversation.finish(|finding| omissions.push(finding));
        omissions
    });
    assert!(fewer.iter().all(|omission| all.contains(omission)), "{fewer:?}, {all:?}");
}
