//! The session of the header.

use std::mem::MaybeUninit;

use tautline::Id;
use tautline::envelope::Batches;
use tautline_c::abi::tl_profile;
use tautline_c::abi::{TL_ABI, tl_event, tl_out, tl_view};
use tautline_c::export::session_names::{tl_phase_name, tl_revision_name};
use tautline_c::export::sessions::*;
use tautline_c::session::abi::*;
use tautline_mcp::session::{Capability, Phase};
use tautline_mcp::{Revision, Role};

use crate::meaning::{Meaning, method_number, number, text};
use crate::reference::Reference;

/// The session of the header, with its slots.
pub(crate) struct InC {
    session: Box<MaybeUninit<tl_session>>,
    /// The memory that the session uses.
    _slots: Vec<MaybeUninit<tl_slot>>,
}

impl InC {
    pub(crate) fn new(profile: &tl_profile, count: usize, set: i32, early: [i32; 2]) -> Self {
        let mut session = Box::new(MaybeUninit::<tl_session>::uninit());
        let mut slots: Vec<MaybeUninit<tl_slot>> =
            (0..count).map(|_| MaybeUninit::uninit()).collect();
        let at = session.as_mut_ptr();
        // SAFETY: all pointers are of this test, and the slots live as long as the session.
        unsafe {
            let slots = slots.as_mut_ptr().cast();
            assert_eq!(
                tl_session_init(TL_ABI, at, size_of::<tl_session>(), profile, slots, count),
                0
            );
            let has_batches = profile.profile().batches() != Batches::Forbidden;
            assert_eq!(tl_session_supported(at), if has_batches { 31 } else { 29 });
            assert_eq!(tl_session_support(at, set), 0);
            assert_eq!(tl_session_set_early(at, early[0], early[1]), 0);
            assert_eq!(tl_session_supported(at), set);
        }
        Self { session, _slots: slots }
    }

    pub(crate) fn at(&mut self) -> *mut tl_session {
        self.session.as_mut_ptr()
    }

    pub(crate) fn observe(
        &mut self,
        from: Role,
        event: &tl_event,
        room: usize,
    ) -> (Meaning, tl_session_event) {
        let mut found = vec![MaybeUninit::<tl_finding>::uninit(); room];
        let mut findings = tl_findings { ptr: found.as_mut_ptr().cast(), room, count: 77 };
        let mut seen = MaybeUninit::<tl_session_event>::uninit();
        let to = &raw mut findings;
        // SAFETY: all pointers are of this test.
        let kind =
            unsafe { tl_session_observe(self.at(), number(from), event, seen.as_mut_ptr(), to) };
        assert!(kind >= 0, "{kind} for {event:?}");
        // SAFETY: the function has set it.
        let seen = unsafe { seen.assume_init() };
        assert_eq!(kind, seen.kind);
        assert!(findings.count <= room);
        // SAFETY: the function has written this many.
        let found = found[..findings.count].iter().map(|one| unsafe { one.assume_init() });
        let views = [
            seen.name,
            seen.arguments,
            seen.uri,
            seen.version,
            seen.capabilities,
            seen.progress_token,
            seen.request_id,
        ];
        let is_of_client = from == Role::Client && kind == 1;
        let meaning = Meaning {
            kind,
            method: seen.method,
            completion: seen.completion,
            late: seen.late == 1,
            rule: seen.rule,
            place: seen.place,
            code: seen.code,
            findings: found.map(|one| (one.rule, one.severity, one.place)).collect(),
            views: views.map(text),
            modern: is_of_client.then_some(seen.modern == 1),
        };
        (meaning, seen)
    }

    pub(crate) fn refuse(&mut self, event: &tl_event, seen: &tl_session_event) -> Vec<u8> {
        let mut out = tl_out::of(&mut []);
        // SAFETY: all pointers are of this test.
        let status = unsafe { tl_session_refuse(self.at(), &mut out, event, seen) };
        if status == 0 {
            return Vec::new();
        }
        assert_eq!(status, -7);
        let mut room = vec![0_u8; out.needed];
        out = tl_out::of(&mut room);
        // SAFETY: the same.
        assert_eq!(unsafe { tl_session_refuse(self.at(), &mut out, event, seen) }, 0);
        assert_eq!(out.used, room.len());
        room
    }

    /// Shows lines as sent, perhaps with batches, and returns the findings, whose places are in the lines.
    pub(crate) fn take(&mut self, from: Role, lines: &[u8], batches: bool) -> Vec<(u16, u8, u32)> {
        let mut copy = lines.to_vec();
        let mut found = [MaybeUninit::<tl_finding>::uninit(); 64];
        let mut findings = tl_findings { ptr: found.as_mut_ptr().cast(), room: 64, count: 0 };
        let mut out = tl_out::of(&mut copy);
        out.used = lines.len();
        let mut sent = tl_view::NONE;
        let to = &raw mut findings;
        // SAFETY: all pointers are of this test.
        let take = if batches { tl_session_take_batches } else { tl_session_take };
        let status = unsafe { take(self.at(), number(from), &mut out, &mut sent, to) };
        assert_eq!((status, out.used), (0, 0));
        assert_eq!(text(sent).unwrap().as_bytes(), lines);
        // SAFETY: the function has written this many.
        let found = found[..findings.count].iter().map(|one| unsafe { one.assume_init() });
        found.map(|one| (one.rule, one.severity, one.place)).collect()
    }

    pub(crate) fn compare(&mut self, reference: &Reference) {
        let at = self.at();
        let session = &reference.session;
        let phase = Phase::ALL.iter().position(|one| *one == session.phase()).unwrap() as i32 + 1;
        // SAFETY: all pointers are of this test.
        unsafe {
            assert_eq!(tl_session_phase(at), phase);
            assert_eq!(text(tl_phase_name(phase)).unwrap(), session.phase().name());
            let revision = tl_session_revision(at);
            let name = text(tl_revision_name(revision));
            assert_eq!(name.as_deref(), session.revision().map(Revision::name));
            for role in [Role::Client, Role::Server] {
                let mut set = 77;
                let is_declared = tl_session_declared(at, number(role), &mut set);
                let expected = session.declared(role);
                assert_eq!(is_declared, i32::from(expected.is_some()));
                for (bit, one) in Capability::ALL.iter().enumerate() {
                    let has = expected.is_some_and(|declared| declared.has(*one));
                    assert_eq!(set & (1 << bit) != 0, has, "{one}");
                }
            }
            let mut index = 0;
            for expected in session.in_flight() {
                let mut request = MaybeUninit::<tl_in_flight>::uninit();
                assert_eq!(tl_session_in_flight(at, index, request.as_mut_ptr()), 1);
                let request = request.assume_init();
                let id = text(request.id).unwrap();
                assert_eq!(Id::parse(id.as_bytes()), Some(expected.id()));
                assert_eq!(request.from, number(expected.from()));
                assert_eq!(request.method, method_number(expected.method()));
                assert_eq!(request.cancelled == 1, expected.is_cancelled());
                index += 1;
            }
            let mut waiting = 0;
            session.end(|_, _| waiting += 1);
            let mut request = MaybeUninit::<tl_in_flight>::uninit();
            let mut waits = 0;
            for at_index in 0..index {
                tl_session_in_flight(at, at_index, request.as_mut_ptr());
                waits += request.assume_init().waits;
            }
            assert_eq!(waits, waiting);
            assert_eq!(tl_session_in_flight(at, index, request.as_mut_ptr()), 0);
        }
    }
}
