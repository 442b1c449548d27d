//! The shapes of messages between editors, agents and their servers.

use std::fmt::Write;

use super::Kind;
use super::json::{Json, Manner, object};
use super::random::Random;

/// One message: its kind and its text.
pub type Shaped = (Kind, String);

const WORDS: &[&str] = &[
    "read",
    "write",
    "file",
    "search",
    "path",
    "list",
    "query",
    "branch",
    "commit",
    "issue",
    "user",
    "token",
    "config",
    "server",
    "client",
    "build",
    "test",
    "error",
    "value",
    "index",
    "result",
    "status",
    "update",
    "delete",
    "create",
    "fetch",
    "render",
    "parse",
    "schema",
    "module",
    "package",
    "function",
    "variable",
    "request",
    "response",
    "session",
    "window",
    "buffer",
    "project",
    "folder",
    "workspace",
    "stream",
    "cursor",
    "region",
    "layout",
    "signal",
    "thread",
];

const TOOLS: &[&str] = &[
    "read_file",
    "write_file",
    "search_code",
    "list_issues",
    "get_user",
    "run_query",
    "fetch_url",
    "git_log",
    "browser_click",
    "create_branch",
];

const IDEOGRAPHS: &[char] = &[
    '数', '据', '读', '取', '完', '成', '文', '件', '错', '误', '処', '理', '結', '果', '検', '索',
    '日', '本', '語', '한', '국', '어', '문', '서', '파', '일',
];

const EMOJI: &[char] = &['🚀', '✅', '❌', '🔥', '📦', '🦀'];

fn word(random: &mut Random) -> &'static str {
    random.pick(WORDS)
}

/// Returns from `least` to `most` words.
fn words(random: &mut Random, least: usize, most: usize) -> String {
    let mut text = word(random).to_owned();
    for _ in 1..random.count(least, most) {
        text.push(' ');
        text.push_str(word(random));
    }
    text
}

fn capitalized(text: &str) -> String {
    let (first, rest) = text.split_at(1);
    first.to_ascii_uppercase() + rest
}

fn sentence(random: &mut Random, least: usize, most: usize) -> String {
    capitalized(&words(random, least, most)) + "."
}

fn path(random: &mut Random) -> String {
    let mut path = String::new();
    for _ in 0..random.count(2, 5) {
        path.push('/');
        path.push_str(word(random));
    }
    path + random.pick(&[".rs", ".ts", ".py", ".md", ".json"])
}

fn file_uri(random: &mut Random) -> Json {
    Json::Text(format!("file://{}", path(random)))
}

/// Returns an id as clients make them: usually a counter, sometimes a UUID, sometimes with a prefix.
fn id(random: &mut Random) -> Json {
    match random.unit() {
        ..0.70 => random.between(0, 200_000).into(),
        ..0.85 => {
            let (high, low) = (random.bits(), random.bits());
            Json::Text(format!(
                "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
                high >> 32,
                high & 0xFFFF,
                (high >> 16) & 0xFFF,
                low & 0xFFF,
                low >> 16,
            ))
        }
        _ => Json::Text(format!("req-{}", random.between(0, 99_999))),
    }
}

fn request(id: Json, method: &str) -> Json {
    object([("jsonrpc", "2.0".into()), ("id", id), ("method", method.into())])
}

fn notification(method: &str, params: Json) -> Json {
    object([("jsonrpc", "2.0".into()), ("method", method.into()), ("params", params)])
}

fn result(id: Json, result: Json) -> Json {
    object([("jsonrpc", "2.0".into()), ("id", id), ("result", result)])
}

fn text_content(text: impl Into<Json>) -> Json {
    object([("type", "text".into()), ("text", text.into())])
}

/// Returns a small MCP message: a call, progress, a log line, a short result or an error.
pub fn small(random: &mut Random) -> Shaped {
    let (kind, mut message) = match random.unit() {
        ..0.30 => (Kind::Request, tool_call(random)),
        ..0.48 => (Kind::Notification, progress(random)),
        ..0.54 => {
            let params = object([
                ("level", random.pick(&["info", "debug", "warning"]).into()),
                ("logger", word(random).into()),
                ("data", words(random, 2, 10).into()),
            ]);
            (Kind::Notification, notification("notifications/message", params))
        }
        ..0.58 => {
            let methods = ["ping", "tools/list", "resources/list", "prompts/list"];
            let mut message = request(id(random), random.pick(&methods));
            if random.chance(0.5) {
                message.put("params", object([]));
            }
            (Kind::Request, message)
        }
        ..0.63 => {
            let mut message = request(id(random), "resources/read");
            message.put("params", object([("uri", file_uri(random))]));
            (Kind::Request, message)
        }
        ..0.90 => (Kind::Result, short_result(random)),
        _ => (Kind::Error, error(random)),
    };
    if random.chance(0.35)
        && let Json::Object(members) = &mut message
    {
        random.shuffle(members);
    }
    let text = message.text(if random.chance(0.2) { Manner::Spaced } else { Manner::Compact });
    (kind, if random.chance(0.02) { text.replace("file", "café") } else { text })
}

fn tool_call(random: &mut Random) -> Json {
    let mut arguments = object([]);
    for _ in 0..random.count(1, 3) {
        let argument: Json = match random.unit() {
            ..0.4 => path(random).into(),
            ..0.6 => random.between(0, 5000).into(),
            ..0.7 => random.chance(0.5).into(),
            _ => words(random, 1, 5).into(),
        };
        arguments.put(word(random), argument);
    }
    let mut params = object([("name", random.pick(TOOLS).into()), ("arguments", arguments)]);
    if random.chance(0.3) {
        params.put("_meta", object([("progressToken", id(random))]));
    }
    let mut message = request(id(random), "tools/call");
    message.put("params", params);
    message
}

fn progress(random: &mut Random) -> Json {
    let mut params = object([
        ("progressToken", id(random)),
        ("progress", random.between(0, 100).into()),
        ("total", Json::Int(100)),
    ]);
    if random.chance(0.4) {
        params.put("message", words(random, 1, 5));
    }
    notification("notifications/progress", params)
}

fn short_result(random: &mut Random) -> Json {
    let body = match random.unit() {
        ..0.6 => object([
            ("content", vec![text_content(words(random, 1, 14))].into()),
            ("isError", random.chance(0.1).into()),
        ]),
        ..0.8 => {
            let (first, second) = (words(random, 3, 3), words(random, 3, 3));
            let text = format!("{first}\n{second} \"{}\"", word(random));
            object([("content", vec![text_content(text)].into())])
        }
        _ => object([]),
    };
    result(id(random), body)
}

fn error(random: &mut Random) -> Json {
    let codes = [-32700, -32600, -32601, -32602, -32603, -32000, -32002];
    let mut error =
        object([("code", Json::Int(random.pick(&codes))), ("message", words(random, 2, 6).into())]);
    if random.chance(0.3) {
        error.put("data", object([("uri", file_uri(random))]));
    }
    object([("jsonrpc", "2.0".into()), ("id", id(random)), ("error", error)])
}

/// Returns a list of tools with their schemas: many short strings, deep in objects.
pub fn tools(random: &mut Random) -> Shaped {
    let target = random.count(5000, 60_000);
    let (mut tools, mut len) = (Vec::new(), 0);
    while len < target {
        let tool = tool(random);
        len += tool.text(Manner::Compact).len();
        tools.push(tool);
    }
    let message = result(id(random), object([("tools", tools.into())]));
    (Kind::Result, message.text(Manner::Compact))
}

fn tool(random: &mut Random) -> Json {
    let (verb, noun) = (word(random), word(random));
    let mut properties = object([]);
    for _ in 0..random.count(2, 6) {
        let name = word(random).to_owned() + random.pick(&["", "_id", "_name"]);
        properties.put(name, schema(random, 3));
    }
    let mut description = sentence(random, 10, 60);
    if random.chance(0.3) {
        let (argument, meaning) = (word(random), words(random, 6, 6));
        let (value, returned) = (word(random), words(random, 5, 5));
        write!(
            description,
            "\n\nArgs:\n    {argument}: {meaning}\n\nReturns:\n    \"{value}\" — {returned}"
        )
        .expect("a String takes everything");
    }
    let schema = object([
        ("type", "object".into()),
        ("required", names_of(&properties, 2).into()),
        ("properties", properties),
        ("$schema", "http://json-schema.org/draft-07/schema#".into()),
    ]);
    let mut tool = object([
        ("name", format!("{verb}_{noun}").into()),
        ("description", description.into()),
        ("inputSchema", schema),
    ]);
    if random.chance(0.4) {
        let annotations = object([
            ("title", format!("{} {}", capitalized(verb), capitalized(noun)).into()),
            ("readOnlyHint", random.chance(0.5).into()),
            ("destructiveHint", false.into()),
            ("openWorldHint", true.into()),
        ]);
        tool.put("annotations", annotations);
    }
    tool
}

/// Returns the names of the first members.
fn names_of(object: &Json, most: usize) -> Vec<Json> {
    let Json::Object(members) = object else { return Vec::new() };
    members.iter().take(most).map(|(name, _)| name.as_str().into()).collect()
}

fn schema(random: &mut Random, depth: u32) -> Json {
    match random.unit() {
        ..0.5 => plain_schema(random),
        _ if depth == 0 => plain_schema(random),
        ..0.65 => object([
            ("type", "array".into()),
            ("items", schema(random, depth - 1)),
            ("description", words(random, 3, 12).into()),
        ]),
        ..0.75 => object([
            ("anyOf", vec![schema(random, depth - 1), object([("type", "null".into())])].into()),
            ("title", capitalized(word(random)).into()),
            ("default", Json::Null),
        ]),
        _ => {
            let mut properties = object([]);
            for _ in 0..random.count(2, 6) {
                let name = word(random).to_owned() + random.pick(&["", "_id", "_name", "Count"]);
                properties.put(name, schema(random, depth - 1));
            }
            let most = random.count(0, 6);
            object([
                ("type", "object".into()),
                ("required", names_of(&properties, most).into()),
                ("properties", properties),
                ("additionalProperties", false.into()),
            ])
        }
    }
}

fn plain_schema(random: &mut Random) -> Json {
    let mut schema = object([
        ("type", random.pick(&["string", "integer", "boolean", "number"]).into()),
        ("description", sentence(random, 4, 20).into()),
    ]);
    if random.chance(0.15) {
        let choices: Vec<Json> = (0..random.count(2, 6)).map(|_| word(random).into()).collect();
        schema.put("enum", choices);
    }
    if random.chance(0.15) {
        let default = match random.count(0, 5) {
            0 => Json::Int(0),
            1 => Json::Int(10),
            2 => "".into(),
            3 => false.into(),
            4 => Json::Null,
            _ => "main".into(),
        };
        schema.put("default", default);
    }
    if random.chance(0.1) {
        schema.put("minimum", Json::Int(0));
        schema.put("maximum", Json::Int(random.pick(&[10, 100, 1000])));
    }
    schema
}

/// Returns a file or a page as one string: code, prose, CJK, or JSON inside JSON.
pub fn text(random: &mut Random) -> Shaped {
    let target = random.count(2000, 50_000);
    let genre = random.unit();
    let mut text = String::new();
    while text.len() < target {
        let x = random.unit();
        let line = match genre {
            ..0.55 if x < 0.97 => code_line(random),
            0.55..0.80 if x < 0.90 => sentence(random, 8, 30),
            0.80..0.90 if x >= 0.80 => sentence(random, 8, 30),
            ..0.90 => foreign_line(random),
            _ => log_line(random),
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&line);
    }
    let body = object([("content", vec![text_content(text)].into()), ("isError", false.into())]);
    let message = result(id(random), body);
    let manner = if random.chance(0.15) { Manner::Escaped } else { Manner::Compact };
    (Kind::Result, message.text(manner))
}

fn code_line(random: &mut Random) -> String {
    let (a, b, c, d) = (word(random), word(random), word(random), word(random));
    let indent = "    ".repeat(random.count(0, 4));
    let code = match random.count(0, 9) {
        0 => format!("fn {a}_{b}({c}: &str) -> Result<{}, Error> {{", capitalized(d)),
        1 => format!("let {a} = {b}.get(\"{c}\").unwrap_or(\"{d}\");"),
        2 => format!("println!(\"{a} {{}}\", {b});"),
        3 => format!("// {}", words(random, 3, 14)),
        4 => "}".to_owned(),
        5 => {
            format!("return {{ \"{a}\": {}, \"{b}\": \"{}\" }};", random.count(0, 99), path(random))
        }
        6 => format!("if ({a}.{b} === null && {c} > {}) {{", random.count(0, 99)),
        7 => format!("{a}.{b}({c}, {d})\t# {}", words(random, 4, 4)),
        8 => format!("path = \"C:\\\\{a}\\\\{b}\""),
        _ => String::new(),
    };
    indent + &code
}

fn foreign_line(random: &mut Random) -> String {
    let mut line = String::new();
    for _ in 0..random.count(8, 40) {
        line.push(random.pick(IDEOGRAPHS));
    }
    line.push_str(random.pick(&["", "！", "。"]));
    line.push(' ');
    line.push(random.pick(EMOJI));
    line.push(' ');
    line.push_str(&words(random, 1, 6));
    line + random.pick(&["", " — naïve café", " “quoted”"])
}

fn log_line(random: &mut Random) -> String {
    object([
        ("ts", random.between(1_000_000_000, 2_000_000_000).into()),
        ("level", "info".into()),
        ("msg", words(random, 6, 6).into()),
        ("path", path(random).into()),
    ])
    .text(Manner::Compact)
}

/// Returns a picture: one string of base64, a megabyte long.
pub fn blob(random: &mut Random) -> Shaped {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = random.count(192 * 1024, 1536 * 1024).div_ceil(3) * 4;
    let mut data = String::with_capacity(digits);
    while data.len() < digits {
        // Ten digits of six bits each.
        let bits = random.bits();
        for digit in 0..(digits - data.len()).min(10) {
            data.push(char::from(ALPHABET[(bits >> (6 * digit)) as usize % 64]));
        }
    }
    let image =
        object([("type", "image".into()), ("data", data.into()), ("mimeType", "image/png".into())]);
    let content = vec![text_content(words(random, 10, 10)), image];
    let message = result(id(random), object([("content", content.into())]));
    (Kind::Result, message.text(Manner::Compact))
}

/// Returns measurements: arrays of numbers, long and short ones.
pub fn numbers(random: &mut Random) -> Shaped {
    let count = random.count(200, 4000);
    let series = random.unit();
    let count = if (0.8..0.9).contains(&series) { count / 2 } else { count };
    let value = |_| match series {
        ..0.4 => Json::Float(random.unit().mul_add(2.0, -1.0)),
        ..0.6 => Json::Float((random.around(100.0, 30.0) * 100.0).round() / 100.0),
        ..0.8 => Json::Int(random.between(-100_000, 100_000)),
        ..0.9 => vec![random.between(0, 4000).into(), random.between(0, 4000).into()].into(),
        _ => Json::Float(random.unit() * 10_f64.powi(random.between(-20, 20) as i32)),
    };
    let values: Vec<Json> = (0..count).map(value).collect();
    let structured = object([
        ("name", word(random).into()),
        ("values", values.into()),
        ("count", Json::Int(count as i64)),
        ("unit", "ms".into()),
    ]);
    let content = vec![text_content("see structuredContent")];
    let body = object([("content", content.into()), ("structuredContent", structured)]);
    (Kind::Result, result(id(random), body).text(Manner::Compact))
}

/// Returns a message of a language server: diagnostics, semantic tokens or completions.
pub fn lsp(random: &mut Random) -> Shaped {
    let (kind, message) = match random.unit() {
        ..0.50 => (Kind::Notification, diagnostics(random)),
        ..0.75 => (Kind::Result, semantic_tokens(random)),
        _ => (Kind::Result, completions(random)),
    };
    (kind, message.text(Manner::Compact))
}

fn position(line: i64, character: i64) -> Json {
    object([("line", line.into()), ("character", character.into())])
}

fn diagnostics(random: &mut Random) -> Json {
    let diagnostic = |random: &mut Random| {
        let (line, column) = (random.between(0, 3000), random.between(0, 80));
        let end = column + random.between(1, 20);
        let range = object([("start", position(line, column)), ("end", position(line, end))]);
        let code = match random.count(0, 3) {
            0 => "E0308".into(),
            1 => "unused_variables".into(),
            2 => "dead_code".into(),
            _ => Json::Int(2322),
        };
        object([
            ("range", range),
            ("severity", random.between(1, 4).into()),
            ("code", code),
            ("source", "rustc".into()),
            ("message", format!("{} `{}`", words(random, 4, 15), word(random)).into()),
            ("relatedInformation", Vec::new().into()),
        ])
    };
    let diagnostics: Vec<Json> = (0..random.count(1, 30)).map(|_| diagnostic(random)).collect();
    let params = object([
        ("uri", file_uri(random)),
        ("version", random.between(1, 500).into()),
        ("diagnostics", diagnostics.into()),
    ]);
    notification("textDocument/publishDiagnostics", params)
}

fn semantic_tokens(random: &mut Random) -> Json {
    let mut data: Vec<Json> = Vec::new();
    for _ in 0..random.count(100, 2500) {
        data.extend([
            Json::Int(random.pick(&[0, 0, 0, 1, 1, 2])),
            random.between(0, 40).into(),
            random.between(1, 18).into(),
            random.between(0, 22).into(),
            Json::Int(random.pick(&[0, 0, 0, 1, 2, 64, 512])),
        ]);
    }
    let tokens =
        object([("resultId", random.between(0, 9999).to_string().into()), ("data", data.into())]);
    result(random.between(0, 10_000).into(), tokens)
}

fn completions(random: &mut Random) -> Json {
    let item = |random: &mut Random| {
        let range = object([("start", position(10, 4)), ("end", position(10, 8))]);
        let edit = object([("range", range), ("newText", format!("{}($0)", word(random)).into())]);
        object([
            ("label", word(random).into()),
            ("kind", random.between(1, 25).into()),
            ("detail", format!("fn({}) -> {}", word(random), word(random)).into()),
            ("sortText", format!("{:08x}", random.bits() >> 32).into()),
            ("textEdit", edit),
            ("insertTextFormat", Json::Int(2)),
        ])
    };
    let items: Vec<Json> = (0..random.count(5, 120)).map(|_| item(random)).collect();
    let list = object([("isIncomplete", true.into()), ("items", items.into())]);
    result(random.between(0, 10_000).into(), list)
}
