//! The client against small servers on the loopback interface.

mod chaos;
mod failures;
mod judged;
mod legacy;
mod limits;
mod modern;
mod negotiation;
mod sessions;
mod streams;
mod support;
mod tools;
