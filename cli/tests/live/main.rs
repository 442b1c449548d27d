//! `tautline tap` and `tautline replay` with servers of all kinds. This program itself is also the server, so that the
//! tests need no other: `main` plays a server if its arguments ask for one, and otherwise runs the tests.

#[cfg(unix)]
mod garbage;
#[cfg(unix)]
mod replay;
#[cfg(unix)]
mod servers;
#[cfg(unix)]
mod support;
#[cfg(unix)]
mod tap;
#[cfg(unix)]
mod tap_ends;
#[cfg(unix)]
#[path = "../../../tests/support/volume.rs"]
mod volume;

#[cfg(unix)]
fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(support::AS_SERVER) {
        return servers::play(&arguments.collect::<Vec<_>>());
    }
    support::ignore_no_signals();
    let tests = [tap::tests(), tap_ends::tests(), replay::tests()].concat();
    let trials = tests.into_iter().map(|(name, test)| {
        libtest_mimic::Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    let mut arguments = libtest_mimic::Arguments::from_args();
    // The tests spend most of their time waiting.
    arguments.test_threads.get_or_insert(8);
    libtest_mimic::run(&arguments, trials.collect()).exit();
}

/// The tests need signals and process groups.
#[cfg(not(unix))]
fn main() {}
