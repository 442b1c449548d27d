//! Lists that are fetched page by page: whether their pages belong together, and whether a change is announced. Also the
//! tasks that are found by their id, which the list of tasks must have (2025-11-25, utilities/tasks, task listing).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use tautline::ErrorCode;

use super::{Answer, Call, Conversation, MOST, Notice, Params, missing, name, text};
use crate::session::Capability;
use crate::{Era, Finding, KnownMethod, Revision, Role, hash, places, rule};

/// A list that a side keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Tools,
    Prompts,
    Resources,
    Templates,
    Roots,
    TasksOfClient,
    TasksOfServer,
}

impl Subject {
    fn of(owner: Role, method: KnownMethod) -> Option<Self> {
        Some(match (owner, method) {
            (Role::Server, KnownMethod::ToolsList) => Self::Tools,
            (Role::Server, KnownMethod::PromptsList) => Self::Prompts,
            (Role::Server, KnownMethod::ResourcesList) => Self::Resources,
            (Role::Server, KnownMethod::ResourcesTemplatesList) => Self::Templates,
            (Role::Client, KnownMethod::RootsList) => Self::Roots,
            (Role::Client, KnownMethod::TasksList) => Self::TasksOfClient,
            (Role::Server, KnownMethod::TasksList) => Self::TasksOfServer,
            _ => return None,
        })
    }

    fn announced_by(owner: Role, method: KnownMethod) -> Option<Self> {
        Some(match (owner, method) {
            (Role::Server, KnownMethod::ToolsListChanged) => Self::Tools,
            (Role::Server, KnownMethod::PromptsListChanged) => Self::Prompts,
            (Role::Server, KnownMethod::ResourcesListChanged) => Self::Resources,
            (Role::Client, KnownMethod::RootsListChanged) => Self::Roots,
            _ => return None,
        })
    }

    /// Returns the name of the member that has the elements, and the name of the member that identifies an element.
    const fn members(self) -> (&'static str, &'static str) {
        match self {
            Self::Tools => ("tools", "name"),
            Self::Prompts => ("prompts", "name"),
            Self::Resources => ("resources", "uri"),
            Self::Templates => ("resourceTemplates", "uriTemplate"),
            Self::Roots => ("roots", "uri"),
            Self::TasksOfClient | Self::TasksOfServer => ("tasks", "taskId"),
        }
    }

    /// Returns the owner of the list, the method that requests it, and the capability to announce changes.
    const fn changes(self) -> Option<(Role, KnownMethod, Capability)> {
        Some(match self {
            Self::Tools => (Role::Server, KnownMethod::ToolsList, Capability::ToolsListChanged),
            Self::Prompts => {
                (Role::Server, KnownMethod::PromptsList, Capability::PromptsListChanged)
            }
            Self::Resources => {
                (Role::Server, KnownMethod::ResourcesList, Capability::ResourcesListChanged)
            }
            Self::Roots => (Role::Client, KnownMethod::RootsList, Capability::RootsListChanged),
            Self::Templates | Self::TasksOfClient | Self::TasksOfServer => return None,
        })
    }
}

/// The lists of both sides.
#[derive(Debug, Default)]
pub(super) struct Lists(BTreeMap<Subject, History>);

impl Lists {
    pub(super) const NONE: Self = Self(BTreeMap::new());
}

/// The listings of one list.
#[derive(Debug, Default)]
struct History {
    /// The listing that still lacks pages.
    current: Option<Listing>,
    /// The last complete listing.
    last: Option<Listing>,
    /// The number of messages up to the last announcement of a change.
    announced: u64,
    /// The number of messages up to the listing that shows an unannounced change.
    changed: Option<u64>,
    /// True if the last answer refused a cursor.
    has_refused: bool,
}

/// The elements of a list, from one request for its first page and the requests for its other pages.
#[derive(Debug, Default)]
struct Listing {
    /// The number of messages up to the first request.
    begun: u64,
    /// The cursor for the next page.
    next: Option<String>,
    scope: Option<String>,
    /// Hashes of the names, in order.
    names: Vec<u64>,
    seen: BTreeSet<u64>,
    /// True if there were more names, or one of them was repeated.
    is_partial: bool,
    /// A hash of what the client has declared in the request, on which the list may depend.
    declared: u64,
}

/// A task that `tasks/get` has found.
#[derive(Debug)]
pub(super) struct Found {
    owner: Role,
    /// A hash of its id.
    name: u64,
    /// The number of messages up to the result.
    seen: u64,
    /// The number of messages up to the last complete list, if the task is not in it.
    unlisted: Option<u64>,
}

impl Conversation {
    /// Checks a page of a list, and the list if the page is the last one.
    pub(super) fn check_page(
        &mut self,
        from: Role,
        call: &Call,
        answer: &Answer<'_>,
        revision: Revision,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(subject) = call.method.and_then(|method| Subject::of(from, method)) else {
            return;
        };
        let history = self.lists.0.entry(subject).or_default();
        history.has_refused = false;
        let mut listing = match &call.cursor {
            None => {
                Listing { begun: call.number, declared: call.declared_hash, ..Listing::default() }
            }
            Some(cursor) => {
                let is_next = |listing: &mut Listing| listing.next.as_ref() == Some(cursor);
                let Some(listing) = history.current.take_if(is_next) else { return };
                listing
            }
        };
        if let Some(scope) = answer.member(notice.frame, "cacheScope") {
            let name = text(Some(scope));
            if listing.scope.is_some() && listing.scope != name {
                notice.at(rule::CACHE_SCOPE_MIXED, scope.at);
            }
            listing.scope = listing.scope.or(name);
        }
        let is_named_once = subject == Subject::Tools && revision >= Revision::V2025_11_25;
        let is_stable = history.announced < listing.begun;
        let (elements, key) = subject.members();
        let elements = answer.member(notice.frame, elements);
        let mut page = BTreeSet::new();
        for at in places::objects(notice.frame, elements) {
            let Some(member) = places::member(notice.frame, at, key) else { continue };
            let Some(name) = member.string().map(hash::of_text) else { continue };
            if listing.names.len() >= MOST || page.len() >= MOST {
                listing.is_partial = true;
                break;
            }
            let is_new_here = page.insert(name);
            if listing.seen.insert(name) {
                listing.names.push(name);
                continue;
            }
            listing.is_partial = true;
            // A tool that was added between two pages may have moved another one.
            if is_named_once && (!is_new_here || is_stable) {
                notice.at(rule::TOOL_NAME_REPEATED, member.at);
            }
        }
        listing.next = text(answer.next_cursor);
        if listing.next.is_some() {
            history.current = Some(listing);
            return;
        }
        self.note_listed_tasks(from, call, &listing);
        let at = elements.map_or(answer.at, |elements| elements.at);
        self.compare_with_last(subject, listing, revision, at, notice);
    }

    /// Compares a complete listing with the one before.
    fn compare_with_last(
        &mut self,
        subject: Subject,
        listing: Listing,
        revision: Revision,
        at: usize,
        notice: &mut Notice<'_, '_>,
    ) {
        let begun =
            self.lists.0.get(&subject).and_then(|history| Some(history.last.as_ref()?.begun));
        let is_due = begun.is_some_and(|begun| self.announces(subject, revision, begun));
        let Some(history) = self.lists.0.get_mut(&subject) else { return };
        if let Some(last) = &history.last
            && !last.is_partial
            && !listing.is_partial
            && last.declared == listing.declared
        {
            if last.seen == listing.seen {
                let is_ordered = subject == Subject::Tools && revision.era() == Era::Modern;
                if is_ordered && last.names != listing.names {
                    notice.at(rule::TOOL_ORDER, at);
                }
            } else if is_due && history.announced < last.begun {
                history.changed = history.changed.or(Some(self.messages));
            }
        }
        history.last = Some(listing);
    }

    /// Returns whether the owner of a list has to announce a change to the other side, if it happened after this many
    /// messages.
    fn announces(&self, subject: Subject, revision: Revision, since: u64) -> bool {
        let Some((owner, _, capability)) = subject.changes() else { return false };
        let declared = match owner {
            Role::Client => self.client_capabilities,
            Role::Server => self.server_capabilities,
        };
        if !declared.is_some_and(|declared| declared.has(capability)) {
            return false;
        }
        match revision.era() {
            // A server can send nothing over HTTP unless the client keeps a stream open for it.
            Era::Legacy => owner == Role::Client || !self.is_http,
            Era::Modern => {
                let name = match subject {
                    Subject::Tools => "toolsListChanged",
                    Subject::Prompts => "promptsListChanged",
                    _ => "resourcesListChanged",
                };
                let mut all = self.subscriptions.values();
                all.any(|subscription| subscription.has_delivered(name, since))
            }
        }
    }

    /// Records an announcement.
    pub(super) fn note_change(&mut self, from: Role, method: Option<KnownMethod>) {
        let subject = method.and_then(|method| Subject::announced_by(from, method));
        if let Some(subject) = subject {
            let history = self.lists.0.entry(subject).or_default();
            history.announced = self.messages;
            history.changed = None;
        }
    }

    /// Forgets changes that were not announced, because the subscription to them has ended.
    pub(super) fn forget_changes(&mut self) {
        for history in self.lists.0.values_mut() {
            history.changed = None;
        }
    }

    /// Records an error that answers a request for a page, since 2026-07-28.
    pub(super) fn note_refused_page(&mut self, from: Role, call: &Call, code: Option<ErrorCode>) {
        let Some(method) = call.method else { return };
        let Some(subject) = Subject::of(from, method) else { return };
        // Another request for the list may have crossed the error.
        let is_alone = self.has_none_waiting(|other| other.method == Some(method));
        let history = self.lists.0.entry(subject).or_default();
        if call.cursor.is_some() && code == Some(ErrorCode::INVALID_PARAMS) {
            history.has_refused = is_alone;
            history.current = None;
        }
    }

    /// Checks that a client whose cursor was refused starts again at the first page, since 2026-07-28.
    pub(super) fn check_first_page(
        &mut self,
        from: Role,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let subject = method.and_then(|method| Subject::of(from.other(), method));
        let Some(history) = subject.and_then(|subject| self.lists.0.get_mut(&subject)) else {
            return;
        };
        if core::mem::take(&mut history.has_refused)
            && let Some(cursor) = params.cursor
        {
            notice.at(rule::CURSOR_STALE, cursor.at);
        }
    }

    /// Reports the changes that were never announced, although their owner has answered a later request.
    pub(super) fn finish_lists(&self, report: &mut dyn FnMut(Finding)) {
        for (subject, history) in &self.lists.0 {
            if let (Some(changed), Some((owner, method, _))) = (history.changed, subject.changes())
                && self.answered_by(owner) > changed
            {
                report(missing(owner, method, rule::LIST_CHANGE_UNANNOUNCED));
            }
        }
    }

    /// Records the tasks that a complete list of this side has or lacks.
    fn note_listed_tasks(&mut self, from: Role, call: &Call, listing: &Listing) {
        if call.method != Some(KnownMethod::TasksList) || listing.is_partial {
            return;
        }
        for found in self.found_tasks.values_mut().filter(|found| found.owner == from) {
            if found.seen < listing.begun {
                let is_there = listing.seen.contains(&found.name);
                found.unlisted = (!is_there).then_some(self.messages);
            }
        }
    }

    /// Checks that a task that is found was in the list, if it had already been found before the list was requested.
    pub(super) fn check_listed(
        &mut self,
        from: Role,
        call: &Call,
        answer: &Answer<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(member) = answer.task_id else { return };
        let (Some(id), Some(hash)) = (text(Some(member)), member.string().map(hash::of_text))
        else {
            return;
        };
        let key = name(&[from.name(), &id]);
        if let Some(found) = self.found_tasks.get_mut(&key) {
            if found.unlisted.take().is_some_and(|listed| call.number > listed) {
                notice.at(rule::TASK_UNLISTED, member.at);
            }
            return;
        }
        let found = Found { owner: from, name: hash, seen: self.messages, unlisted: None };
        self.found_tasks.insert(key, found);
    }
}
