//! Changes of lists and resources, and the clients that want to know of them.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tautline_http::HttpRequest;
use tautline_mcp::meta;
use tautline_tokio::{CallError, Context, RpcError};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use crate::Everything;

/// The parts of the server that change while it runs.
pub struct Changes {
    sender: broadcast::Sender<Change>,
    has_extra_tool: AtomicBool,
    has_extra_prompt: AtomicBool,
    version: AtomicU64,
}

/// A change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Tools,
    Prompts,
    /// The resource with this URI.
    Resource(&'static str),
}

impl Changes {
    pub fn new() -> Self {
        // A client that misses changes, because it reads too slowly, is notified of all of them.
        let sender = broadcast::Sender::new(64);
        let (tool, prompt) = (AtomicBool::new(false), AtomicBool::new(false));
        Self { sender, has_extra_tool: tool, has_extra_prompt: prompt, version: AtomicU64::new(0) }
    }

    pub fn has_extra_tool(&self) -> bool {
        self.has_extra_tool.load(Ordering::Relaxed)
    }

    pub fn has_extra_prompt(&self) -> bool {
        self.has_extra_prompt.load(Ordering::Relaxed)
    }

    /// Returns the version of `test://watched-resource`.
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Adds a tool, or removes it again.
    pub fn change_tools(&self) {
        self.has_extra_tool.fetch_not(Ordering::Relaxed);
        self.announce(Change::Tools);
    }

    /// Adds a prompt, or removes it again.
    pub fn change_prompts(&self) {
        self.has_extra_prompt.fetch_not(Ordering::Relaxed);
        self.announce(Change::Prompts);
    }

    pub fn update_resource(&self) {
        self.version.fetch_add(1, Ordering::Relaxed);
        self.announce(Change::Resource(WATCHED));
    }

    fn announce(&self, change: Change) {
        // It fails if no client listens.
        let _ = self.sender.send(change);
    }
}

const WATCHED: &str = "test://watched-resource";

/// The changes that a client wants to know of.
#[derive(Clone, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
struct Filter {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tools_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_list_changed: bool,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    resource_subscriptions: BTreeSet<String>,
}

impl Filter {
    /// Returns the notification of a change, if the client wants it.
    fn notification(&self, change: Change) -> Option<(&'static str, Value)> {
        match change {
            Change::Tools if self.tools_list_changed => {
                Some(("notifications/tools/list_changed", json!({})))
            }
            Change::Prompts if self.prompts_list_changed => {
                Some(("notifications/prompts/list_changed", json!({})))
            }
            Change::Resource(uri) if self.resource_subscriptions.contains(uri) => {
                Some(("notifications/resources/updated", json!({ "uri": uri })))
            }
            _ => None,
        }
    }
}

/// Returns the next changes.
async fn next(changes: &mut broadcast::Receiver<Change>) -> Vec<Change> {
    match changes.recv().await {
        Ok(change) => vec![change],
        Err(RecvError::Lagged(_)) => {
            vec![Change::Tools, Change::Prompts, Change::Resource(WATCHED)]
        }
        // The sender lives as long as the server.
        Err(RecvError::Closed) => std::future::pending().await,
    }
}

#[derive(Deserialize)]
pub struct Listen {
    notifications: Filter,
}

/// Notifies a client for as long as it listens (2026-07-28, basic/patterns/subscriptions).
pub async fn listen(context: Context<Everything>, params: Listen) -> Result<Value, RpcError> {
    let filter = params.notifications;
    let mut changes = context.state().changes.sender.subscribe();
    let meta = json!({ meta::SUBSCRIPTION_ID: context.request_id() });
    let accepted = json!({ "_meta": meta, "notifications": filter });
    context.peer().notify("notifications/subscriptions/acknowledged", accepted).await?;
    let request = context.attachment::<HttpRequest>().ok_or_else(RpcError::method_not_found)?;
    loop {
        let changes = tokio::select! {
            changes = next(&mut changes) => changes,
            // The result tells the client that the subscription has not just been lost.
            () = request.closing() => return Ok(json!({ "_meta": meta })),
        };
        for change in changes {
            if let Some((method, mut params)) = filter.notification(change) {
                params["_meta"] = meta.clone();
                context.peer().notify(method, params).await?;
            }
        }
    }
}

/// The filter of a session of the legacy era.
#[derive(Default)]
struct Subscriptions {
    filter: Mutex<Filter>,
    is_watched: AtomicBool,
}

impl Subscriptions {
    fn change(&self, change: impl FnOnce(&mut BTreeSet<String>)) {
        change(
            &mut self.filter.lock().unwrap_or_else(PoisonError::into_inner).resource_subscriptions,
        );
    }

    fn filter(&self) -> Filter {
        let resources = self.filter.lock().unwrap_or_else(PoisonError::into_inner).clone();
        // Lists are announced to all clients.
        Filter { tools_list_changed: true, prompts_list_changed: true, ..resources }
    }
}

#[derive(Deserialize)]
pub struct Resource {
    uri: String,
}

/// The number of resources that a session may subscribe to.
const MOST: usize = 1000;

/// Subscribes a session to a resource (up to 2025-11-25).
pub async fn subscribe(context: Context<Everything>, params: Resource) -> Result<Value, RpcError> {
    let subscriptions = subscriptions(&context)?;
    subscriptions.change(|resources| {
        if resources.len() < MOST {
            resources.insert(params.uri);
        }
    });
    Ok(json!({}))
}

pub async fn unsubscribe(
    context: Context<Everything>,
    params: Resource,
) -> Result<Value, RpcError> {
    subscriptions(&context)?.change(|resources| {
        resources.remove(&params.uri);
    });
    Ok(json!({}))
}

fn subscriptions(context: &Context<Everything>) -> Result<Arc<Subscriptions>, RpcError> {
    let session = context.attachment().and_then(HttpRequest::session);
    Ok(session.ok_or_else(RpcError::method_not_found)?.data())
}

/// Notifies a session from its beginning to its end, on the stream that its client opens with GET.
pub async fn watch(context: Context<Everything>, _: Value) {
    let Ok(subscriptions) = subscriptions(&context) else { return };
    if subscriptions.is_watched.swap(true, Ordering::Relaxed) {
        return;
    }
    let mut changes = context.state().changes.sender.subscribe();
    // In a task, because the next notification of the client waits for the end of this handler.
    tokio::spawn(async move {
        let peer = context.peer();
        loop {
            let changes = tokio::select! {
                changes = next(&mut changes) => changes,
                _ = peer.closed() => return Ok::<_, CallError>(()),
            };
            let filter = subscriptions.filter();
            for (method, params) in changes.into_iter().filter_map(|it| filter.notification(it)) {
                peer.notify(method, params).await?;
            }
        }
    });
}
