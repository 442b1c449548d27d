//! Finds all processes that a child has started in `/proc`, including orphans and processes in other sessions.
//!
//! This program is a subreaper, so orphans below it become its children. It can find them, and collect the exit
//! statuses of those that have ended.

use std::fs::{self, File};
use std::sync::{Mutex, Once, PoisonError};

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, pidfd_open, pidfd_send_signal,
    set_child_subreaper, waitpid,
};

/// The children of this program that have a [`Descendants`], and so are not orphans.
static LEADERS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// A process at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Process {
    pid: Pid,
    parent: Option<Pid>,
    group: Option<Pid>,
    is_zombie: bool,
    /// The time of its start, which distinguishes it from a later process with the same id.
    start: u64,
}

impl Process {
    /// Returns whether it is a child of this program.
    fn is_own(&self) -> bool {
        self.parent == Some(getpid())
    }
}

/// The children that this program had before a child was started.
#[derive(Debug)]
pub struct Before(Vec<Process>);

impl Before {
    /// Records the current children, and makes this program the reaper of orphans.
    pub fn now() -> Self {
        static SUBREAPER: Once = Once::new();
        // If the kernel can't do this, orphans are not found.
        SUBREAPER.call_once(|| {
            let _ = set_child_subreaper(Some(getpid()));
        });
        Self(below(&all(), Process::is_own))
    }

    fn contains(&self, process: &Process) -> bool {
        self.0.iter().any(|other| (other.pid, other.start) == (process.pid, process.start))
    }
}

/// The processes below a child, and the orphans that it has left.
#[derive(Debug)]
pub struct Descendants {
    leader: Pid,
    before: Before,
}

impl Descendants {
    pub fn new(leader: Pid, before: Before) -> Self {
        LEADERS.lock().unwrap_or_else(PoisonError::into_inner).push(leader);
        Self { leader, before }
    }

    /// Sends a signal to each process that exists now, except the members of a group.
    pub fn signal(&self, group: Pid, signal: Signal) {
        for process in self.find() {
            if process.group == Some(group) {
                continue;
            }
            // While this is open, the id belongs to the process.
            let Ok(handle) = pidfd_open(process.pid, PidfdFlags::empty()) else { continue };
            if look(process.pid).is_some_and(|now| now.start == process.start) {
                let _ = pidfd_send_signal(handle, signal);
            }
        }
    }

    /// Collects the exit statuses of orphans. Returns the number of processes that run, or whose exit status this
    /// program still has to collect.
    pub fn count(&self) -> usize {
        let mut found = self.find();
        if reap(&found) {
            found = self.find();
        }
        let is_foreign = |process: &&Process| process.is_zombie && !process.is_own();
        found.len() - found.iter().filter(is_foreign).count()
    }

    /// Collects the exit statuses of orphans.
    pub fn reap(&self) {
        reap(&self.find());
    }

    fn find(&self) -> Vec<Process> {
        let leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let is_orphan = |process: &Process| {
            process.is_own() && !leaders.contains(&process.pid) && !self.before.contains(process)
        };
        let is_child = |process: &Process| process.parent == Some(self.leader);
        below(&all(), |process| is_orphan(process) || is_child(process))
    }
}

impl Drop for Descendants {
    fn drop(&mut self) {
        let mut leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
        leaders.retain(|&leader| leader != self.leader);
    }
}

/// Collects the exit statuses of orphans that have ended. Returns whether there were any.
fn reap(found: &[Process]) -> bool {
    let mut is_any = false;
    for process in found.iter().filter(|process| process.is_zombie && process.is_own()) {
        is_any = true;
        let _ = waitpid(Some(process.pid), WaitOptions::NOHANG);
    }
    is_any
}

/// Returns the processes for which `is_root` holds, and all processes below them.
fn below(all: &[Process], is_root: impl Fn(&Process) -> bool) -> Vec<Process> {
    let (mut found, mut rest): (Vec<Process>, Vec<Process>) =
        all.iter().copied().partition(|process| is_root(process));
    let mut next = 0;
    while let Some(parent) = found.get(next).map(|process| process.pid) {
        rest.retain(|process| {
            let is_child = process.parent == Some(parent);
            if is_child {
                found.push(*process);
            }
            !is_child
        });
        next += 1;
    }
    found
}

/// Returns all processes in `/proc`.
fn all() -> Vec<Process> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(Pid::from_raw).filter_map(look).collect()
}

/// Reads the state of a process. Returns `None` if it is gone.
fn look(pid: Pid) -> Option<Process> {
    // Every process of the system is examined, so this makes as few system calls as possible. One read returns the
    // whole line.
    let mut room = [0; 2048];
    let mut file = File::open(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    let length = crate::input::read(&mut file, &mut room).ok()?;
    parse(pid, room.get(..length)?)
}

/// Parses a line of `/proc/PID/stat`. The name of the program, in parentheses, may contain any bytes.
fn parse(pid: Pid, stat: &[u8]) -> Option<Process> {
    let name_end = memchr::memrchr(b')', stat)?;
    let rest = str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let is_zombie = matches!(fields.next()?, "Z" | "X");
    // A process that is about to vanish has -1 as its group.
    let mut pid_of = || Some(Pid::from_raw(fields.next()?.parse::<i32>().ok()?.max(0)));
    let (parent, group) = (pid_of()?, pid_of()?);
    // The first of `fields` is the third field of the line, and the start time is the 22nd.
    let start = fields.nth(16)?.parse().ok()?;
    Some(Process { pid, parent, group, is_zombie, start })
}

#[cfg(test)]
mod tests {
    use rustix::process::{Pid, getpid};

    use super::{Process, all, below, look, parse};

    fn pid(id: i32) -> Pid {
        Pid::from_raw(id).unwrap()
    }

    #[test]
    fn names_of_programs_may_have_any_bytes() {
        let line =
            b"7 (a) Z 1 (\xFF\n) S 3 8 9 0 -1 4194560 3386 75688 0 61 0 2 106 50 20 0 1 0 27865 51";
        let process = parse(pid(7), line).unwrap();
        let (parent, group) = (Some(pid(3)), Some(pid(8)));
        assert_eq!(process, Process { pid: pid(7), parent, group, is_zombie: false, start: 27865 });
        assert_eq!(parse(pid(7), b"7 (a) S"), None);
        let line = b"7 (a) X 0 -1 -1 0 -1 4194560 3386 75688 0 61 0 2 106 50 20 0 1 0 27865 51";
        let process = parse(pid(7), line).unwrap();
        assert_eq!((process.parent, process.group, process.is_zombie), (None, None, true));
    }

    #[test]
    fn this_process_is_found_below_its_parent() {
        let this = look(getpid()).unwrap();
        assert!(!this.is_zombie);
        let found = below(&all(), |process| Some(process.pid) == this.parent);
        assert!(found.iter().any(|process| process.pid == this.pid));
    }

    #[test]
    fn descendants_are_found_in_any_order() {
        let process = |id, parent| Process {
            pid: pid(id),
            parent: Pid::from_raw(parent),
            group: None,
            is_zombie: false,
            start: 1,
        };
        // A chain from 2 to 5 in reverse order, and an unrelated process.
        let all = [process(5, 4), process(4, 3), process(3, 2), process(2, 1), process(9, 1)];
        let found = below(&all, |process| process.pid == pid(2));
        let ids: Vec<i32> =
            found.iter().map(|process| process.pid.as_raw_nonzero().get()).collect();
        assert_eq!(ids, [2, 3, 4, 5]);
    }
}
