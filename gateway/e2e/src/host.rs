//! A second engine: the filter in the interpreter wasmi, in a host that does what Envoy does, in miniature.
//!
//! The host has the functions of proxy-wasm's ABI 0.2.1 that the filter calls, with the statuses of Envoy. If the
//! filter changes a head or a body that is missing, its SDK panics, and the call ends in a trap. The host is stricter
//! than Envoy in one thing: the filter cannot read or change a head after it has passed.

mod functions;

use std::collections::{BTreeMap, BTreeSet};

use wasmi::{
    Config, Engine, Error, Instance, Linker, Memory, Module, Store, TypedFunc, WasmParams,
    WasmResults,
};

/// The names and values of a head. The names are in lower case.
pub type Fields = Vec<(String, Vec<u8>)>;

/// The result of a call of the filter.
pub type Result<T> = std::result::Result<T, Error>;

/// A side of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The request.
    Request,
    /// The response.
    Response,
}

/// A reply that the filter has sent in place of what the proxy holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status.
    pub status: u32,
    /// The header fields.
    pub fields: Fields,
    /// The body.
    pub body: Vec<u8>,
}

/// One side of an exchange: what the filter can read, and what has passed.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// The head that is shown or held.
    head: Option<Fields>,
    /// The part of the body that is shown or held.
    body: Option<Vec<u8>>,
    /// The head that has passed.
    pub passed: Option<Fields>,
    /// The part of the body that has passed.
    pub passed_body: Vec<u8>,
}

/// An exchange.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// The request.
    pub request: Half,
    /// The response.
    pub response: Half,
    /// The reply of the filter.
    pub reply: Option<Reply>,
    /// The states that the filter has set.
    pub states: BTreeMap<String, Vec<u8>>,
}

impl Stream {
    const fn half(&mut self, side: Side) -> &mut Half {
        match side {
            Side::Request => &mut self.request,
            Side::Response => &mut self.response,
        }
    }
}

/// The state of the host.
#[derive(Default)]
struct World {
    exports: Option<(Memory, TypedFunc<u32, u32>)>,
    /// The configuration, while it is read.
    configuration: Option<Vec<u8>>,
    log: Vec<(u32, String)>,
    counters: Vec<(String, u64)>,
    declared: BTreeSet<String>,
    tick: u32,
    streams: BTreeMap<u32, Stream>,
    /// The exchange whose context is called.
    active: u32,
}

impl World {
    fn exports(&self) -> Result<(Memory, TypedFunc<u32, u32>)> {
        self.exports.ok_or_else(|| Error::new("the filter calls the host before it has started"))
    }

    /// Returns a map by its number, if there is one.
    fn map(&mut self, map: u32) -> Option<&mut Fields> {
        let side = match map {
            0 => Side::Request,
            2 => Side::Response,
            _ => return None,
        };
        self.streams.get_mut(&self.active)?.half(side).head.as_mut()
    }

    /// Returns a buffer by its number, if there is one.
    fn buffer(&mut self, buffer: u32) -> Option<&mut Vec<u8>> {
        let side = match buffer {
            0 => Side::Request,
            1 => Side::Response,
            7 => return self.configuration.as_mut(),
            _ => return None,
        };
        self.streams.get_mut(&self.active)?.half(side).body.as_mut()
    }
}

/// Returns the features of the engine: no others than `gateway/build` lets the modules use.
fn features() -> Config {
    let mut config = Config::default();
    config
        .wasm_custom_page_sizes(false)
        .wasm_extended_const(false)
        .wasm_multi_memory(false)
        .wasm_relaxed_simd(false)
        .wasm_tail_call(false)
        .wasm_wide_arithmetic(false);
    config
}

/// The filter in its engine.
pub struct Host {
    store: Store<World>,
    instance: Instance,
    memory: Memory,
}

/// The context of the configuration.
const ROOT: u32 = 1;

impl Host {
    /// Starts the filter.
    ///
    /// # Errors
    ///
    /// Fails if the module is invalid, imports what the host does not have, or traps.
    pub fn start(module: &[u8]) -> Result<Self> {
        let engine = Engine::new(&features());
        let module = Module::new(&engine, module)?;
        let mut linker = Linker::new(&engine);
        functions::link(&mut linker, &module)?;
        let mut store = Store::new(&engine, World::default());
        let instance = linker.instantiate_and_start(&mut store, &module)?;
        let memory = instance.get_memory(&store, "memory");
        let memory = memory.ok_or_else(|| Error::new("the module exports no memory"))?;
        let allocate = instance.get_typed_func(&store, "malloc")?;
        store.data_mut().exports = Some((memory, allocate));
        let mut host = Self { store, instance, memory };
        host.run::<(), ()>("_initialize", ())?;
        host.run::<(), ()>("proxy_abi_version_0_2_1", ())?;
        host.run::<_, ()>("proxy_on_context_create", (ROOT, 0_u32))?;
        match host.run::<_, u32>("proxy_on_vm_start", (ROOT, 0_u32))? {
            1 => Ok(host),
            other => Err(Error::new(format!("proxy_on_vm_start returns {other}"))),
        }
    }

    /// Configures the filter. Returns whether it accepts the configuration.
    ///
    /// # Errors
    ///
    /// Fails if the filter traps.
    pub fn configure(&mut self, settings: &str) -> Result<bool> {
        let size = u32::try_from(settings.len()).map_err(|error| Error::new(error.to_string()))?;
        self.store.data_mut().configuration = Some(settings.into());
        let accepts = self.call::<_, u32>(ROOT, "proxy_on_configure", (ROOT, size));
        self.store.data_mut().configuration = None;
        Ok(accepts? == 1)
    }

    /// Calls a function of the filter for a context.
    ///
    /// # Errors
    ///
    /// Fails if the filter traps, or has no such function.
    pub fn call<P: WasmParams, R: WasmResults>(
        &mut self,
        context: u32,
        name: &str,
        parameters: P,
    ) -> Result<R> {
        self.store.data_mut().active = context;
        self.run(name, parameters)
    }

    fn run<P: WasmParams, R: WasmResults>(&mut self, name: &str, parameters: P) -> Result<R> {
        let function = self.instance.get_typed_func::<P, R>(&self.store, name)?;
        function.call(&mut self.store, parameters)
    }

    /// Creates the context of an exchange, with the lowest id that is free. It traps if the filter has kept an old one.
    ///
    /// # Errors
    ///
    /// Fails if the filter traps.
    pub fn open(&mut self) -> Result<u32> {
        let streams = &mut self.store.data_mut().streams;
        let id = (ROOT + 1..).find(|id| !streams.contains_key(id));
        let id = id.ok_or_else(|| Error::new("no id is free"))?;
        streams.insert(id, Stream::default());
        self.call::<_, ()>(id, "proxy_on_context_create", (id, ROOT))?;
        Ok(id)
    }

    /// Shows a head. It passes if the filter does not hold it.
    ///
    /// # Errors
    ///
    /// Fails if the filter traps.
    pub fn head(&mut self, id: u32, side: Side, fields: Fields, ended: bool) -> Result<()> {
        let count = u32::try_from(fields.len()).map_err(|error| Error::new(error.to_string()))?;
        self.half(id, side)?.head = Some(fields);
        let name = match side {
            Side::Request => "proxy_on_request_headers",
            Side::Response => "proxy_on_response_headers",
        };
        let action = self.call(id, name, (id, count, u32::from(ended)))?;
        self.act(id, side, action)
    }

    /// Shows the next piece of a body, with what is held of it. All passes if the filter does not hold it.
    ///
    /// # Errors
    ///
    /// Fails if the filter traps.
    pub fn body(&mut self, id: u32, side: Side, piece: &[u8], ended: bool) -> Result<()> {
        let body = self.half(id, side)?.body.get_or_insert_default();
        body.extend_from_slice(piece);
        let size = u32::try_from(body.len()).map_err(|error| Error::new(error.to_string()))?;
        let name = match side {
            Side::Request => "proxy_on_request_body",
            Side::Response => "proxy_on_response_body",
        };
        let action = self.call(id, name, (id, size, u32::from(ended)))?;
        self.act(id, side, action)
    }

    /// Shows trailers.
    ///
    /// # Errors
    ///
    /// Fails if the filter traps.
    pub fn trailers(&mut self, id: u32, side: Side) -> Result<()> {
        let name = match side {
            Side::Request => "proxy_on_request_trailers",
            Side::Response => "proxy_on_response_trailers",
        };
        let action = self.call(id, name, (id, 1_u32))?;
        self.act(id, side, action)
    }

    /// Ends an exchange, and returns what has become of it.
    ///
    /// # Errors
    ///
    /// Fails if the filter traps.
    pub fn close(&mut self, id: u32) -> Result<Stream> {
        self.call::<_, ()>(id, "proxy_on_log", id)?;
        let is_done = self.call::<_, u32>(id, "proxy_on_done", id)?;
        if is_done != 1 {
            return Err(Error::new("the filter wants an exchange that has ended to stay"));
        }
        self.call::<_, ()>(id, "proxy_on_delete", id)?;
        let stream = self.store.data_mut().streams.remove(&id);
        stream.ok_or_else(|| Error::new("there is no such exchange"))
    }

    /// Carries out an action: passes on what the filter was shown, or holds it.
    fn act(&mut self, id: u32, side: Side, action: u32) -> Result<()> {
        let half = self.half(id, side)?;
        match action {
            0 => {
                if let Some(head) = half.head.take() {
                    half.passed = Some(head);
                }
                half.passed_body.extend(half.body.take().unwrap_or_default());
                Ok(())
            }
            1 => Ok(()),
            other => Err(Error::new(format!("the filter returns the action {other}"))),
        }
    }

    fn half(&mut self, id: u32, side: Side) -> Result<&mut Half> {
        let stream = self.store.data_mut().streams.get_mut(&id);
        Ok(stream.ok_or_else(|| Error::new("there is no such exchange"))?.half(side))
    }

    /// Returns an exchange.
    #[must_use]
    pub fn stream(&self, id: u32) -> Option<&Stream> {
        self.store.data().streams.get(&id)
    }

    /// Returns the lines of the log that have come since the last call, with their levels.
    pub fn log(&mut self) -> Vec<(u32, String)> {
        std::mem::take(&mut self.store.data_mut().log)
    }

    /// Returns the value of a counter. `None` if the filter has not defined it.
    #[must_use]
    pub fn counter(&self, name: &str) -> Option<u64> {
        let mut counters = self.store.data().counters.iter();
        counters.find(|(other, _)| other == name).map(|(_, value)| *value)
    }

    /// Returns the names of the states that the filter has declared.
    #[must_use]
    pub fn declared(&self) -> &BTreeSet<String> {
        &self.store.data().declared
    }

    /// Returns the interval between ticks that the filter wants, in milliseconds.
    #[must_use]
    pub fn tick(&self) -> u32 {
        self.store.data().tick
    }

    /// Returns the size of the filter's memory, in pages.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.memory.size(&self.store)
    }
}
