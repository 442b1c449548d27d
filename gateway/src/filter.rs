//! The contexts of proxy-wasm: what the proxy calls, and what the filter calls of it. Everything else is elsewhere.

mod request;
mod response;
mod shared;

use std::rc::Rc;
use std::time::Duration;

use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext, RootContext};
use proxy_wasm::types::{Action, BufferType, ContextType, LogLevel};

use self::request::Stage;
use self::response::Answer;
use self::shared::{Share, Shared};
use crate::reply::Reply;
use crate::report::Facts;
use crate::response::Asked;
use crate::settings::Settings;

proxy_wasm::main! {{
    proxy_wasm::set_root_context(|_| Box::new(Root { shared: None }));
}}

/// The interval at which the filter looks for requests that the proxy holds without showing their bodies.
const TICK: Duration = Duration::from_secs(5);

/// The context of a configuration.
struct Root {
    shared: Option<Rc<Shared>>,
}

impl Context for Root {}

impl RootContext for Root {
    fn on_configure(&mut self, _size: usize) -> bool {
        let configuration = self.get_plugin_configuration().unwrap_or_default();
        match Settings::parse(&configuration) {
            Ok(settings) => {
                self.shared = Some(Rc::new(Shared::new(settings)));
                self.set_tick_period(TICK);
                true
            }
            Err(error) => {
                log(LogLevel::Critical, &format!("the configuration is refused: {error}"));
                false
            }
        }
    }

    fn on_tick(&mut self) {
        if let Some(shared) = &self.shared
            && shared.are_bodies_missing()
        {
            log(
                LogLevel::Error,
                "requests are held, but their bodies do not arrive: \
                 either clients are slow, or the filter's configuration lacks allow_on_headers_stop_iteration: true",
            );
        }
    }

    fn create_http_context(&self, _id: u32) -> Option<Box<dyn HttpContext>> {
        let shared = Rc::clone(self.shared.as_ref()?);
        Some(Box::new(Exchange {
            share: Share::none(&shared),
            shared,
            stage: Stage::Passing,
            facts: Facts::default(),
            asked: None,
            answer: Answer::Passing,
            held: 0,
            is_clean: true,
        }))
    }

    fn get_type(&self) -> Option<ContextType> {
        Some(ContextType::HttpContext)
    }
}

/// The context of an exchange.
struct Exchange {
    shared: Rc<Shared>,
    stage: Stage,
    facts: Facts,
    /// The part of an accepted request that its response has to answer.
    asked: Option<Asked>,
    answer: Answer,
    /// The number of bytes of the response that the proxy holds.
    held: usize,
    /// False if something of the response was refused, or passed on unjudged.
    is_clean: bool,
    /// The memory that the response takes.
    share: Share,
}

impl Context for Exchange {}

impl HttpContext for Exchange {
    fn on_http_request_headers(&mut self, _count: usize, ended: bool) -> Action {
        self.request_head(ended)
    }

    fn on_http_request_body(&mut self, size: usize, ended: bool) -> Action {
        self.request_body(size, ended)
    }

    fn on_http_request_trailers(&mut self, _count: usize) -> Action {
        self.request_trailers()
    }

    fn on_http_response_headers(&mut self, _count: usize, ended: bool) -> Action {
        self.response_head(ended)
    }

    fn on_http_response_body(&mut self, size: usize, ended: bool) -> Action {
        self.response_body(size, ended)
    }

    fn on_http_response_trailers(&mut self, _count: usize) -> Action {
        self.response_trailers()
    }

    fn on_log(&mut self) {
        self.request_log();
        self.response_log();
    }
}

/// Returns bytes of a body that the proxy has. They are fewer if it does not show them.
fn bytes(body: BufferType, start: usize, length: usize) -> Vec<u8> {
    if length == 0 {
        return Vec::new();
    }
    hostcalls::get_buffer(body, start, length).ok().flatten().unwrap_or_default()
}

/// Sends a reply in place of what the proxy holds.
fn send(reply: &Reply) -> Action {
    let body = (!reply.body.is_empty()).then_some(reply.body.as_slice());
    let _ = hostcalls::send_http_response(reply.status.into(), reply.headers(), body);
    Action::Pause
}

fn log(level: LogLevel, line: &str) {
    // Without a log, the operator cannot be told.
    let _ = hostcalls::log(level, line);
}
