//! The client side: requests that wait for their answers.
//!
//! [`PendingRequests`] gives out ids, keeps a value of the caller's for each request, and finds the request
//! that a response answers. It performs no I/O and has no clock: sending, timeouts and wakers are up to the
//! caller.
//!
//! [`ForwardedRequests`] does the same for a gateway, which sends the requests of several clients to one server.
//! It also keeps the client of each request and its original id.
//!
//! # What is guaranteed
//!
//! - An id is given out once. Every request that begins also ends once: it is answered, broken, cancelled or
//!   drained.
//! - A *broken* response ends its request too: one with both `result` and `error`, a result of a kind that
//!   the profile forbids, no `jsonrpc`, or more bytes than the limit. Otherwise its caller would wait forever.
//! - Finding a request takes constant time, whatever the number of pending requests.
//!
//! # What is not checked
//!
//! Some frames answer no request, because it is not known which one was meant: bytes that are not JSON, frames with
//! several ids, and those whose id follows a part that is too deep. The elements of a forbidden batch answer none
//! either. Use a timeout for these cases.
//!
//! ```
//! use tautline::client::{Answer, PendingRequests, PendingSlot};
//! use tautline::encode::{Encoder, NO_PARAMS, Slice};
//! use tautline::stream::Messages;
//! use tautline::envelope::Results;
//! use tautline::{Rule, Profile};
//!
//! let profile = Profile::JSON_RPC.with_results(Results::Object);
//! let mut pending = PendingRequests::new([const { PendingSlot::EMPTY }; 4]);
//! let mut room = [0; 256];
//! let mut encoder = Encoder::with_profile(Slice::new(&mut room), &profile);
//! for method in ["sum", "list"] {
//!     let id = pending.begin(method).unwrap();
//!     encoder.request(id, method, NO_PARAMS)?;
//! }
//!
//! // The second response is broken: this profile forbids null as a result.
//! let wire = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null}\n";
//! for received in Messages::new(wire, 1024, &profile) {
//!     match pending.receive(&received) {
//!         Some(Answer::Response { request, .. }) => assert_eq!(request, "sum"),
//!         Some(Answer::Broken { request, fault, .. }) => {
//!             assert_eq!((request, fault.rule()), ("list", Rule::RESULT_TYPE));
//!         }
//!         other => panic!("{other:?}"),
//!     }
//! }
//! assert!(pending.is_empty());
//! # Ok::<(), tautline::encode::EncodeError>(())
//! ```

mod forwarded;
mod gateway;
#[cfg(feature = "alloc")]
mod heap_slots;
mod pending;

pub use forwarded::{Forwarded, ForwardedSlots};
pub use gateway::{BeginError, ForwardedRequests};
#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub use heap_slots::HeapSlots;
pub use pending::{Answer, Full, IdMatching, PendingRequests, PendingSlot, Slots};
