//! An encoded message is read back as the same message: by the crate itself, and by `serde_json`.

use serde_json::{Value, json};
use tautline::encode::{
    Array, EncodeError, Encoder, Formatted, NewError, NewId, Object, Output, Payload, Slice,
    Written, array, object,
};
use tautline::{ErrorCode, Id, Message, Outcome, Profile, RawJson, RawStr};

/// Takes a message from the input, encodes it to every output, and reads it back.
pub fn check(input: &[u8]) {
    let mut source = Source { rest: input };
    let message = Outgoing::take(&mut source, 0);
    let mut line = Vec::new();
    let length = match message.encode(&mut Encoder::new(&mut line)) {
        Ok(length) => length,
        Err(error) => {
            assert_eq!(Some(error), message.expected_error(), "{message:?}");
            assert!(line.is_empty(), "{message:?}");
            return;
        }
    };
    assert_eq!(message.expected_error(), None, "{message:?}");
    assert_eq!(length, line.len());
    check_line(&line, &message);
    check_outputs(&line, &message);
}

/// Checks that the message is one line.
fn check_line(line: &[u8], message: &Outgoing) {
    let (&last, frame) = line.split_last().unwrap();
    assert_eq!(last, b'\n');
    assert!(!frame.iter().any(|byte| matches!(byte, b'\n' | b'\r')), "{}", frame.escape_ascii());
    // The payload may already be as deep as the limit, and the message adds to it.
    let profile = Profile::JSON_RPC.with_max_depth(u8::MAX);
    let parsed = Message::parse(frame, &profile);
    let parsed = parsed.unwrap_or_else(|fault| panic!("{fault}: {}", frame.escape_ascii()));
    message.assert_is(&parsed);
    // serde_json does not support unpaired surrogates and numbers beyond f64 in raw payload.
    if let Some(expected) = message.value() {
        let value: Value = serde_json::from_slice(frame).unwrap();
        assert_eq!(value, expected);
    }
}

/// Checks that every output gets the same bytes, completely or not at all.
fn check_outputs(line: &[u8], message: &Outgoing) {
    let mut text = Encoder::new(Formatted::new(String::new()));
    assert_eq!(message.encode(&mut text), Ok(line.len()));
    assert_eq!(text.into_output().into_inner().as_bytes(), line);

    let mut room = vec![b'{'; line.len()];
    let mut slice = Encoder::new(Slice::new(&mut room));
    assert_eq!(message.encode(&mut slice), Ok(line.len()));
    assert_eq!(slice.output().written(), line);

    for short in [0, 1, line.len() / 2, line.len() - 1] {
        let mut room = vec![b' '; short];
        let mut slice = Encoder::new(Slice::new(&mut room));
        let needed = line.len();
        let refused = message.encode(&mut slice);
        assert!(matches!(refused, Err(EncodeError::DoesNotFit { needed: n, .. }) if n == needed));
        assert!(slice.output().written().is_empty());
        assert_eq!(slice.output().mark(), 0);
        assert!(room.iter().all(|byte| matches!(byte, b' ' | b'\n')), "{}", room.escape_ascii());
    }
}

/// Choices and text, taken from the front of the input. Once it is used up, every choice is 0.
struct Source<'a> {
    rest: &'a [u8],
}

impl<'a> Source<'a> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.rest.split_first().unwrap_or((&0, b""));
        self.rest = rest;
        *first
    }

    fn bytes(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()).min(self.rest.len());
        let (bytes, rest) = self.rest.split_at(length);
        self.rest = rest;
        bytes
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    fn integer(&mut self) -> i64 {
        let mut bytes = [0; 8];
        bytes.fill_with(|| self.byte());
        match self.byte() % 3 {
            0 => i64::from(bytes[0]),
            1 => i64::from_le_bytes(bytes),
            _ => [i64::MIN, i64::MAX, -1][usize::from(bytes[0] % 3)],
        }
    }
}

/// A message to encode.
#[derive(Debug)]
enum Outgoing {
    Request { id: AnyId, method: String, params: Option<Any> },
    Notification { method: String, params: Option<Any> },
    Result { id: AnyId, result: Any },
    Error { id: AnyId, code: i64, message: String, data: Option<Any> },
    Batch(Vec<Outgoing>),
}

/// An id to encode.
#[derive(Debug)]
enum AnyId {
    Text(String),
    Integer(i64),
    Unsigned(u64),
    /// The text of a parsed id.
    Read(Vec<u8>),
}

/// A payload to encode.
#[derive(Debug)]
enum Any {
    Null,
    Bool(bool),
    Integer(i64),
    Unsigned(u64),
    Float(f64),
    Text(String),
    Array(Vec<Any>),
    Object(Vec<(String, Any)>),
    /// Parsed JSON text.
    Raw(Vec<u8>),
}

impl Outgoing {
    fn take(source: &mut Source<'_>, depth: u8) -> Self {
        match source.byte() % 5 {
            0 => Self::Request {
                id: AnyId::take(source),
                method: source.text(),
                params: Any::take_optional(source),
            },
            1 => Self::Notification { method: source.text(), params: Any::take_optional(source) },
            2 => Self::Result { id: AnyId::take(source), result: Any::take(source, 0) },
            3 => Self::Error {
                id: AnyId::take(source),
                code: source.integer(),
                message: source.text(),
                data: Any::take_optional(source),
            },
            _ if depth > 0 => Self::Notification { method: source.text(), params: None },
            _ => {
                let count = source.byte() % 4;
                Self::Batch((0..count).map(|_| Self::take(source, 1)).collect())
            }
        }
    }

    fn encode<O: Output>(&self, encoder: &mut Encoder<O>) -> Result<usize, EncodeError> {
        match self {
            Self::Request { id, method, params } => {
                encoder.request(id.new_id(), method, params.as_ref())
            }
            Self::Notification { method, params } => encoder.notification(method, params.as_ref()),
            Self::Result { id, result } => encoder.result(id.new_id(), result),
            Self::Error { id, code, message, data } => {
                let error = NewError::new(ErrorCode::new(*code), message);
                match data {
                    Some(data) => encoder.error(id.new_id(), error.with_data(data)),
                    None => encoder.error(id.new_id(), error),
                }
            }
            Self::Batch(messages) => encoder.batch(|batch| {
                for message in messages {
                    match message {
                        Self::Request { id, method, params } => {
                            batch.request(id.new_id(), method, params.as_ref());
                        }
                        Self::Notification { method, params } => {
                            batch.notification(method, params.as_ref());
                        }
                        Self::Result { id, result } => batch.result(id.new_id(), result),
                        Self::Error { id, code, message, data } => {
                            let error = NewError::new(ErrorCode::new(*code), message);
                            match data {
                                Some(data) => batch.error(id.new_id(), error.with_data(data)),
                                None => batch.error(id.new_id(), error),
                            }
                        }
                        Self::Batch(_) => unreachable!("there are no batches in batches"),
                    }
                }
            }),
        }
    }

    /// Returns the first error that keeps it from being encoded.
    fn expected_error(&self) -> Option<EncodeError> {
        match self {
            Self::Request { id, .. } | Self::Result { id, .. } | Self::Error { id, .. }
                if id.is_half() =>
            {
                Some(EncodeError::IdNotAllowed)
            }
            Self::Request { params, .. } | Self::Notification { params, .. } => {
                let params = params.as_ref()?;
                match params.is_structured() {
                    true => params.expected_error(),
                    // A float that is not a number is reported before the wrong type of the params.
                    false => params.expected_error().or(Some(EncodeError::ParamsType)),
                }
            }
            Self::Result { result, .. } => result.expected_error(),
            Self::Error { data, .. } => data.as_ref()?.expected_error(),
            Self::Batch(messages) if messages.is_empty() => Some(EncodeError::EmptyBatch),
            Self::Batch(messages) => messages.iter().find_map(Self::expected_error),
        }
    }

    /// Returns the value that serde_json must read, if it can.
    fn value(&self) -> Option<Value> {
        let payload = |value: &Option<Any>| match value {
            Some(value) => value.value().map(Some),
            None => Some(None),
        };
        let mut value = match self {
            Self::Request { id, method, params } => {
                let mut value = json!({"jsonrpc": "2.0", "id": id.value()?, "method": method});
                if let Some(params) = payload(params)? {
                    value["params"] = params;
                }
                value
            }
            Self::Notification { method, params } => {
                let mut value = json!({"jsonrpc": "2.0", "method": method});
                if let Some(params) = payload(params)? {
                    value["params"] = params;
                }
                value
            }
            Self::Result { id, result } => {
                json!({"jsonrpc": "2.0", "id": id.value()?, "result": result.value()?})
            }
            Self::Error { id, code, message, data } => {
                let error = json!({"code": code, "message": message});
                let mut value = json!({"jsonrpc": "2.0", "id": id.value()?, "error": error});
                if let Some(data) = payload(data)? {
                    value["error"]["data"] = data;
                }
                value
            }
            Self::Batch(messages) => {
                Value::Array(messages.iter().map(Self::value).collect::<Option<_>>()?)
            }
        };
        // serde_json limits nesting to less than was requested above.
        let text = value.take().to_string();
        serde_json::from_str(&text).ok()
    }

    fn assert_is(&self, parsed: &Message<'_>) {
        let same = match (self, parsed) {
            (Self::Request { id, method, params }, Message::Request(parsed)) => {
                id.is(&parsed.id())
                    && parsed.method() == method.as_str()
                    && is_payload(params, parsed.params())
            }
            (Self::Notification { method, params }, Message::Notification(parsed)) => {
                parsed.method() == method.as_str() && is_payload(params, parsed.params())
            }
            (Self::Result { id, result }, Message::Response(parsed)) => {
                let Outcome::Result(value) = parsed.outcome() else { panic!("{self:?}") };
                id.is(&parsed.id().unwrap()) && result.is(value)
            }
            (Self::Error { id, code, message, data }, Message::Response(parsed)) => {
                let error = parsed.error().unwrap();
                id.is(&parsed.id().unwrap())
                    && error.code() == Some(ErrorCode::new(*code))
                    && error.message() == message.as_str()
                    && is_payload(data, error.data())
            }
            (Self::Batch(messages), Message::Batch(batch)) => {
                let parsed: Vec<_> = batch.iter().collect();
                assert_eq!(parsed.len(), messages.len());
                for (message, parsed) in messages.iter().zip(parsed) {
                    message.assert_is(&parsed.message().unwrap());
                }
                true
            }
            _ => false,
        };
        assert!(same, "{self:?} was read as {parsed:?}");
    }
}

fn is_payload(expected: &Option<Any>, read: Option<RawJson<'_>>) -> bool {
    match (expected, read) {
        (Some(expected), Some(read)) => expected.is(read),
        (None, None) => true,
        _ => false,
    }
}

impl AnyId {
    fn take(source: &mut Source<'_>) -> Self {
        match source.byte() % 4 {
            0 => Self::Text(source.text()),
            1 => Self::Integer(source.integer()),
            2 => Self::Unsigned(source.integer().cast_unsigned()),
            _ => {
                let text = source.bytes().to_vec();
                match Id::parse(&text) {
                    Some(_) => Self::Read(text),
                    None => Self::Integer(8),
                }
            }
        }
    }

    fn new_id(&self) -> NewId<'_> {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Integer(integer) => (*integer).into(),
            Self::Unsigned(integer) => (*integer).into(),
            Self::Read(text) => Id::parse(text).unwrap().into(),
        }
    }

    /// Returns whether it contains an unpaired surrogate.
    fn is_half(&self) -> bool {
        match self {
            Self::Read(text) => matches!(
                Id::parse(text),
                Some(Id::String(text)) if text.lone_surrogate().is_some()
            ),
            _ => false,
        }
    }

    fn value(&self) -> Option<Value> {
        Some(match self {
            Self::Text(text) => text.as_str().into(),
            Self::Integer(integer) => (*integer).into(),
            Self::Unsigned(integer) => (*integer).into(),
            Self::Read(text) => serde_json::from_slice(text).ok()?,
        })
    }

    fn is(&self, read: &Id<'_>) -> bool {
        match (self, read) {
            (Self::Text(text), Id::String(read)) => *read == text.as_str(),
            (Self::Integer(integer), Id::Number(read)) => read.as_i64() == Some(*integer),
            (Self::Unsigned(integer), Id::Number(read)) => read.as_u64() == Some(*integer),
            (Self::Read(text), read) => {
                // Byte for byte as received, except for the surrounding whitespace.
                Id::parse(text).as_ref() == Some(read)
                    && read.to_string().as_bytes() == text.trim_ascii()
            }
            _ => false,
        }
    }
}

impl Any {
    fn take(source: &mut Source<'_>, depth: u8) -> Self {
        let kinds = if depth < 4 { 9 } else { 7 };
        match source.byte() % kinds {
            0 => Self::Null,
            1 => Self::Bool(source.byte() % 2 == 1),
            2 => Self::Integer(source.integer()),
            3 => Self::Unsigned(source.integer().cast_unsigned()),
            4 => Self::Float(f64::from_bits(source.integer().cast_unsigned())),
            5 => Self::Text(source.text()),
            6 => {
                let text = source.bytes();
                match RawJson::parse(text) {
                    Ok(_) => Self::Raw(text.to_vec()),
                    Err(_) => Self::Raw(b" {\"a\" :\r\n [ 1 ,\n2]\t} ".to_vec()),
                }
            }
            7 => {
                let count = source.byte() % 4;
                Self::Array((0..count).map(|_| Self::take(source, depth + 1)).collect())
            }
            _ => {
                let count = source.byte() % 4;
                // Unique names: only one of several members with the same name would be read.
                let member =
                    |number| (format!("{}{number}", source.text()), Self::take(source, depth + 1));
                Self::Object((0..count).map(member).collect())
            }
        }
    }

    fn take_optional(source: &mut Source<'_>) -> Option<Self> {
        match source.byte() % 4 {
            0 => None,
            1 => Some(Self::take(source, 0)),
            2 => Some(Self::Array(vec![Self::take(source, 1)])),
            _ => Some(Self::Object(vec![("a".to_owned(), Self::take(source, 1))])),
        }
    }

    fn is_structured(&self) -> bool {
        match self {
            Self::Array(_) | Self::Object(_) => true,
            Self::Raw(text) => matches!(text.trim_ascii().first(), Some(b'[' | b'{')),
            _ => false,
        }
    }

    fn expected_error(&self) -> Option<EncodeError> {
        match self {
            Self::Float(float) if !float.is_finite() => Some(EncodeError::NotFinite),
            Self::Array(elements) => elements.iter().find_map(Self::expected_error),
            Self::Object(members) => members.iter().find_map(|(_, value)| value.expected_error()),
            _ => None,
        }
    }

    fn value(&self) -> Option<Value> {
        Some(match self {
            Self::Null => Value::Null,
            Self::Bool(value) => (*value).into(),
            Self::Integer(value) => (*value).into(),
            Self::Unsigned(value) => (*value).into(),
            Self::Float(value) => (*value).into(),
            Self::Text(text) => text.as_str().into(),
            Self::Array(elements) => elements.iter().map(Self::value).collect::<Option<_>>()?,
            Self::Object(members) => {
                let member = |(name, value): &(String, Self)| Some((name.clone(), value.value()?));
                Value::Object(members.iter().map(member).collect::<Option<_>>()?)
            }
            Self::Raw(text) => serde_json::from_slice(text).ok()?,
        })
    }

    fn is(&self, read: RawJson<'_>) -> bool {
        match self {
            Self::Null => read.is_null(),
            Self::Bool(value) => read.bool() == Some(*value),
            Self::Integer(value) => read.number().and_then(|n| n.as_i64()) == Some(*value),
            Self::Unsigned(value) => read.number().and_then(|n| n.as_u64()) == Some(*value),
            Self::Float(value) => read.to_string().parse() == Ok(*value),
            Self::Text(text) => read.string().is_some_and(|read| read == text.as_str()),
            Self::Array(elements) => {
                let read: Vec<_> = read.elements().unwrap().collect();
                read.len() == elements.len() && elements.iter().zip(read).all(|(a, b)| a.is(b))
            }
            Self::Object(members) => {
                let read: Vec<_> = read.members().unwrap().collect();
                let same =
                    |((name, value), read): (&(String, Self), tautline::json::Member<'_>)| {
                        read.name == name.as_str() && value.is(read.value)
                    };
                read.len() == members.len() && members.iter().zip(read).all(same)
            }
            Self::Raw(text) => {
                let newline = |byte: &u8| matches!(byte, b'\n' | b'\r');
                let one_line: Vec<u8> =
                    text.iter().copied().filter(|byte| !newline(byte)).collect();
                read.as_bytes() == one_line.trim_ascii()
            }
        }
    }
}

impl Payload for &Any {
    fn write<'a>(self, value: tautline::encode::Value<'a, '_>) -> Written<'a> {
        match self {
            Any::Null => None::<bool>.write(value),
            Any::Bool(bool) => bool.write(value),
            Any::Integer(integer) => integer.write(value),
            Any::Unsigned(integer) => integer.write(value),
            Any::Float(float) => float.write(value),
            Any::Text(text) => text.as_str().write(value),
            Any::Array(elements) => array(|array: &mut Array<'_, '_>| {
                for element in elements {
                    array.element(element);
                }
            })
            .write(value),
            Any::Object(members) => object(|object: &mut Object<'_, '_>| {
                for (name, member) in members {
                    object.member(name, member);
                }
            })
            .write(value),
            Any::Raw(text) => match RawJson::parse(text).unwrap() {
                raw if raw.string().is_some_and(|text: RawStr<'_>| text.has_escapes()) => {
                    raw.string().unwrap().write(value)
                }
                raw => raw.write(value),
            },
        }
    }
}
