//! The functions that the filter imports.

use wasmi::{Caller, Error, Linker, Module};

use super::{Fields, Reply, Result, World};

const OK: u32 = 0;
const NOT_FOUND: u32 = 1;
const BAD_ARGUMENT: u32 = 2;

/// The largest numbers of levels, maps and buffers.
const LEVELS: u32 = 5;
const MAPS: u32 = 8;
const BUFFERS: u32 = 8;

/// The functions that are only imported for methods of the SDK that the filter does not call.
const UNUSED: [&str; 15] = [
    "proxy_add_header_map_value",
    "proxy_close_stream",
    "proxy_continue_stream",
    "proxy_dequeue_shared_queue",
    "proxy_done",
    "proxy_get_current_time_nanoseconds",
    "proxy_get_property",
    "proxy_get_shared_data",
    "proxy_get_status",
    "proxy_grpc_cancel",
    "proxy_grpc_close",
    "proxy_grpc_send",
    "proxy_register_shared_queue",
    "proxy_set_header_map_pairs",
    "proxy_set_shared_data",
];

/// Defines all functions. Any other that the module imports is an error of the linker.
pub(super) fn link(linker: &mut Linker<World>, module: &Module) -> Result<()> {
    let env = "env";
    linker.func_wrap(env, "proxy_log", log)?;
    linker.func_wrap(env, "proxy_set_tick_period_milliseconds", set_tick)?;
    linker.func_wrap(env, "proxy_get_buffer_bytes", get_buffer)?;
    linker.func_wrap(env, "proxy_set_buffer_bytes", set_buffer)?;
    linker.func_wrap(env, "proxy_get_header_map_pairs", get_pairs)?;
    linker.func_wrap(env, "proxy_get_header_map_value", get_value)?;
    linker.func_wrap(env, "proxy_replace_header_map_value", replace_value)?;
    linker.func_wrap(env, "proxy_remove_header_map_value", remove_value)?;
    linker.func_wrap(env, "proxy_set_property", set_property)?;
    linker.func_wrap(env, "proxy_define_metric", define_metric)?;
    linker.func_wrap(env, "proxy_increment_metric", increment_metric)?;
    linker.func_wrap(env, "proxy_call_foreign_function", call_foreign)?;
    linker.func_wrap(env, "proxy_send_local_response", send_reply)?;
    for import in module.imports().filter(|import| UNUSED.contains(&import.name())) {
        let Some(kind) = import.ty().func() else { continue };
        let name = import.name().to_owned();
        linker.func_new(env, import.name(), kind.clone(), move |_, _, _| {
            Err(Error::new(format!("the filter calls {name}")))
        })?;
    }
    Ok(())
}

type Calling<'c> = Caller<'c, World>;

/// Reads bytes of the filter's memory.
fn read(caller: &Calling<'_>, at: u32, length: u32) -> Result<Vec<u8>> {
    let (memory, _) = caller.data().exports()?;
    let mut bytes = vec![0; length as usize];
    memory.read(caller, at as usize, &mut bytes)?;
    Ok(bytes)
}

fn text(caller: &Calling<'_>, at: u32, length: u32) -> Result<String> {
    String::from_utf8(read(caller, at, length)?).map_err(|error| Error::new(error.to_string()))
}

fn write(caller: &mut Calling<'_>, at: u32, bytes: &[u8]) -> Result<()> {
    let (memory, _) = caller.data().exports()?;
    Ok(memory.write(caller, at as usize, bytes)?)
}

/// Gives bytes to the filter, in memory that it allocates.
fn give(caller: &mut Calling<'_>, bytes: &[u8], data: u32, size: u32) -> Result<u32> {
    let length = u32::try_from(bytes.len()).map_err(|error| Error::new(error.to_string()))?;
    let at = match length {
        0 => 0,
        length => {
            let (_, allocate) = caller.data().exports()?;
            allocate.call(&mut *caller, length)?
        }
    };
    write(caller, at, bytes)?;
    write(caller, data, &at.to_le_bytes())?;
    write(caller, size, &length.to_le_bytes())?;
    Ok(OK)
}

fn log(mut caller: Calling<'_>, level: u32, at: u32, length: u32) -> Result<u32> {
    if level > LEVELS {
        return Ok(BAD_ARGUMENT);
    }
    let line = text(&caller, at, length)?;
    caller.data_mut().log.push((level, line));
    Ok(OK)
}

fn set_tick(mut caller: Calling<'_>, period: u32) -> u32 {
    caller.data_mut().tick = period;
    OK
}

fn get_buffer(
    mut caller: Calling<'_>,
    buffer: u32,
    start: u32,
    length: u32,
    data: u32,
    size: u32,
) -> Result<u32> {
    if buffer > BUFFERS || start.checked_add(length).is_none() {
        return Ok(BAD_ARGUMENT);
    }
    let Some(bytes) = caller.data_mut().buffer(buffer) else { return Ok(NOT_FOUND) };
    let rest = bytes.get(start as usize..).unwrap_or_default();
    let bytes = rest.get(..length as usize).unwrap_or(rest).to_vec();
    give(&mut caller, &bytes, data, size)
}

fn set_buffer(
    mut caller: Calling<'_>,
    buffer: u32,
    start: u32,
    length: u32,
    data: u32,
    size: u32,
) -> Result<u32> {
    let new = read(&caller, data, size)?;
    let Some(bytes) = caller.data_mut().buffer(buffer) else { return Ok(NOT_FOUND) };
    let (start, length) = (start as usize, length as usize);
    if start == 0 && length <= bytes.len() {
        bytes.splice(..length, new);
    } else if start > 0 && start >= bytes.len() {
        bytes.extend(new);
    } else {
        return Ok(BAD_ARGUMENT);
    }
    Ok(OK)
}

fn get_pairs(mut caller: Calling<'_>, map: u32, data: u32, size: u32) -> Result<u32> {
    if map > MAPS {
        return Ok(BAD_ARGUMENT);
    }
    // Envoy shows a map that is missing as an empty one.
    let pairs = caller.data_mut().map(map).map_or_else(Vec::new, |fields| written(fields));
    give(&mut caller, &pairs, data, size)
}

fn get_value(
    mut caller: Calling<'_>,
    map: u32,
    name: u32,
    name_size: u32,
    data: u32,
    size: u32,
) -> Result<u32> {
    let name = text(&caller, name, name_size)?;
    let Some(fields) = caller.data_mut().map(map) else { return Ok(BAD_ARGUMENT) };
    let field = fields.iter().find(|(other, _)| *other == name);
    let Some((_, value)) = field else { return Ok(NOT_FOUND) };
    let value = value.clone();
    give(&mut caller, &value, data, size)
}

fn replace_value(
    mut caller: Calling<'_>,
    map: u32,
    name: u32,
    name_size: u32,
    value: u32,
    value_size: u32,
) -> Result<u32> {
    let (name, value) = (text(&caller, name, name_size)?, read(&caller, value, value_size)?);
    let Some(fields) = caller.data_mut().map(map) else { return Ok(BAD_ARGUMENT) };
    fields.retain(|(other, _)| *other != name);
    fields.push((name, value));
    Ok(OK)
}

fn remove_value(mut caller: Calling<'_>, map: u32, name: u32, size: u32) -> Result<u32> {
    let name = text(&caller, name, size)?;
    let Some(fields) = caller.data_mut().map(map) else { return Ok(BAD_ARGUMENT) };
    fields.retain(|(other, _)| *other != name);
    Ok(OK)
}

fn set_property(
    mut caller: Calling<'_>,
    path: u32,
    path_size: u32,
    value: u32,
    size: u32,
) -> Result<u32> {
    let (path, value) = (text(&caller, path, path_size)?, read(&caller, value, size)?);
    let world = caller.data_mut();
    let Some(stream) = world.streams.get_mut(&world.active) else { return Ok(NOT_FOUND) };
    stream.states.insert(path, value);
    Ok(OK)
}

fn define_metric(
    mut caller: Calling<'_>,
    kind: u32,
    name: u32,
    size: u32,
    result: u32,
) -> Result<u32> {
    // The filter has only counters.
    if kind != 0 {
        return Ok(BAD_ARGUMENT);
    }
    let name = text(&caller, name, size)?;
    let counters = &mut caller.data_mut().counters;
    let known = counters.iter().position(|(other, _)| *other == name);
    let id = known.unwrap_or_else(|| {
        counters.push((name, 0));
        counters.len() - 1
    });
    let id = u32::try_from(id).map_err(|error| Error::new(error.to_string()))?;
    write(&mut caller, result, &id.to_le_bytes())?;
    Ok(OK)
}

fn increment_metric(mut caller: Calling<'_>, id: u32, offset: i64) -> u32 {
    let counter = caller.data_mut().counters.get_mut(id as usize);
    let Some((_, value)) = counter else { return NOT_FOUND };
    let Ok(offset) = u64::try_from(offset) else { return BAD_ARGUMENT };
    *value += offset;
    OK
}

/// Envoy's `declare_property`, for a property that is a text. There is no other foreign function.
fn call_foreign(
    mut caller: Calling<'_>,
    name: u32,
    name_size: u32,
    arguments: u32,
    size: u32,
    _: u32,
    _: u32,
) -> Result<u32> {
    if text(&caller, name, name_size)? != "declare_property" {
        return Ok(NOT_FOUND);
    }
    // Field 1 is the name, and field 2 the type.
    let arguments = read(&caller, arguments, size)?;
    let [0x0A, length, property @ .., 0x10, 1] = arguments.as_slice() else {
        return Ok(BAD_ARGUMENT);
    };
    if usize::from(*length) != property.len() {
        return Ok(BAD_ARGUMENT);
    }
    let property = String::from_utf8_lossy(property).into_owned();
    Ok(if caller.data_mut().declared.insert(property) { OK } else { BAD_ARGUMENT })
}

#[expect(clippy::too_many_arguments, reason = "the ABI has as many")]
fn send_reply(
    mut caller: Calling<'_>,
    status: u32,
    _details: u32,
    _details_size: u32,
    body: u32,
    body_size: u32,
    fields: u32,
    fields_size: u32,
    _grpc: u32,
) -> Result<u32> {
    let body = read(&caller, body, body_size)?;
    let fields = parsed(&read(&caller, fields, fields_size)?)
        .ok_or_else(|| Error::new("the fields of a reply are no pairs"))?;
    let world = caller.data_mut();
    let Some(stream) = world.streams.get_mut(&world.active) else { return Ok(BAD_ARGUMENT) };
    if stream.reply.is_some() {
        return Err(Error::new("the filter replies twice"));
    }
    stream.reply = Some(Reply { status, fields, body });
    Ok(OK)
}

/// Writes pairs: their number, the lengths of each, and then each name and value with a zero after it.
fn written(fields: &Fields) -> Vec<u8> {
    let word = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes();
    let mut bytes = word(fields.len()).to_vec();
    for (name, value) in fields {
        bytes.extend(word(name.len()));
        bytes.extend(word(value.len()));
    }
    for part in fields.iter().flat_map(|(name, value)| [name.as_bytes(), value]) {
        bytes.extend_from_slice(part);
        bytes.push(0);
    }
    bytes
}

/// Reads pairs. `None` if they are not written as above.
fn parsed(bytes: &[u8]) -> Option<Fields> {
    let (count, rest) = bytes.split_first_chunk()?;
    let count = u32::from_le_bytes(*count) as usize;
    let (lengths, mut parts) = rest.split_at_checked(count.checked_mul(8)?)?;
    let (lengths, _) = lengths.as_chunks::<4>();
    let mut next = |length: &[u8; 4]| {
        let (part, rest) = parts.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        parts = rest.strip_prefix(&[0])?;
        Some(part.to_vec())
    };
    let (pairs, _) = lengths.as_chunks::<2>();
    let pairs = pairs
        .iter()
        .map(|[name, value]| Some((String::from_utf8(next(name)?).ok()?, next(value)?)));
    pairs.collect()
}
