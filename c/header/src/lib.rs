//! Makes the headers of the C library: types and functions from its source, and what macros and tables define from
//! these.

mod mcp;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cbindgen::{
    Builder, Config, DocumentationStyle, EnumConfig, ExportConfig, ItemType, Language, RenameRule,
    Style,
};
use tautline::scan::Syntax;
use tautline::{ErrorCode, rule};
use tautline_c::abi::TL_ABI;
use tautline_c::event_number;
use tautline_c::export::framings::FRAMINGS;
use tautline_c::export::profiles::PROFILES;

/// The files with what `tautline.h` declares, in this order.
const SOURCES: &[&str] = &[
    "abi.rs",
    "export/profiles.rs",
    "export/framings.rs",
    "export/check.rs",
    "export/streams.rs",
    "export/batches.rs",
    "export/values.rs",
    "export/outputs.rs",
    "export/messages.rs",
    "export/writers.rs",
    "export/names.rs",
];

/// Returns the folder of the C library.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the path and the text of each header.
///
/// # Errors
///
/// Fails if the source can't be read.
pub fn headers() -> Result<Vec<(PathBuf, String)>, Box<dyn std::error::Error>> {
    let include = root().join("include");
    Ok(vec![
        (include.join("tautline.h"), generate(core(), SOURCES)?),
        (include.join("tautline_mcp.h"), generate(mcp::config(), mcp::SOURCES)?),
    ])
}

/// Returns the text of a header.
fn generate(config: Config, sources: &[&str]) -> Result<String, Box<dyn std::error::Error>> {
    let builder = sources.iter().fold(Builder::new().with_config(config), |builder, source| {
        builder.with_src(root().join("src").join(source))
    });
    let mut text = Vec::new();
    builder.generate()?.write(&mut text);
    Ok(String::from_utf8(text)?)
}

/// Returns what all headers have in common.
fn common() -> Config {
    Config {
        language: Language::C,
        cpp_compat: true,
        style: Style::Both,
        documentation_style: DocumentationStyle::Doxy,
        usize_is_size_t: true,
        no_includes: true,
        line_length: 100,
        enumeration: EnumConfig {
            rename_variants: RenameRule::QualifiedScreamingSnakeCase,
            ..EnumConfig::default()
        },
        ..Config::default()
    }
}

/// Returns the beginning of a header with this guard, which [`guarded`] ends: a guard of cbindgen ends before the trailer.
fn head(guard: &str, text: &str) -> String {
    format!("{}\n\n#ifndef {guard}\n#define {guard}", text.trim_end())
}

/// Returns the end of a header.
fn guarded(trailer: &str) -> String {
    format!("{}\n\n#endif", trailer.trim_end())
}

/// Returns what is exported: these types, which no function names, and all that functions do name. Constants of Rust are
/// no constants of C.
fn export(types: &[&str]) -> ExportConfig {
    ExportConfig {
        include: types.iter().map(|&name| name.to_owned()).collect(),
        item_types: vec![
            ItemType::Enums,
            ItemType::Structs,
            ItemType::OpaqueItems,
            ItemType::Functions,
        ],
        ..ExportConfig::default()
    }
}

/// Returns the settings for `tautline.h`.
fn core() -> Config {
    Config {
        sys_includes: ["stddef.h", "stdint.h"].map(str::to_owned).into(),
        header: Some(head("TAUTLINE_H", include_str!("head.h"))),
        after_includes: Some(tables()),
        trailer: Some(guarded(&trailer())),
        export: export(&["tl_kind", "tl_error", "tl_skimming_stream", "tl_sse_stream"]),
        ..common()
    }
}

/// Returns the enums of the tables.
fn tables() -> String {
    let mut text = format!(
        "\n/** The version of the interface, for `tl_stream_init`. It changes with every size, number or signature. */\n\
         #define TL_ABI {TL_ABI}\n\n"
    );
    text.push_str(
        "/** The rules that a frame can break, with their numbers, which never change. */\nenum tl_rule {\n",
    );
    for &rule in rule::ALL {
        let name = screaming(rule::name(rule));
        let _ = writeln!(text, "  /** {}. */", rule::summary(rule));
        let _ = writeln!(text, "  TL_RULE_{name} = {},", rule.number());
    }
    text.push_str("};\n\n/** What is wrong with the syntax of a frame that is not JSON. */\nenum tl_syntax {\n");
    for &syntax in Syntax::ALL {
        let name = screaming(&kebab(&format!("{syntax:?}")));
        let _ = writeln!(text, "  /** {}. */", syntax.description());
        let _ = writeln!(text, "  TL_SYNTAX_{name} = {},", event_number(syntax));
    }
    text.push_str("};\n\n/** The codes of JSON-RPC for errors. */\nenum tl_code {\n");
    for code in [
        ErrorCode::PARSE_ERROR,
        ErrorCode::INVALID_REQUEST,
        ErrorCode::METHOD_NOT_FOUND,
        ErrorCode::INVALID_PARAMS,
        ErrorCode::INTERNAL_ERROR,
    ] {
        let name = code.name().unwrap_or_default();
        let constant = screaming(&name.replace(' ', "-"));
        let _ = writeln!(text, "  /** {name}. */\n  TL_CODE_{constant} = {},", code.value());
    }
    text.push_str("};");
    text.replace(",\n};", "\n};")
}

/// Returns the constants of the library, and what is inline.
fn trailer() -> String {
    let mut text = String::from("#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for (constant, _, about) in PROFILES {
        let _ = writeln!(text, "\n/** {about} */\nextern const tl_profile {constant};");
    }
    for (constant, skimming, _, about) in FRAMINGS {
        let _ = writeln!(text, "\n/** {about} */\nextern const tl_framing {constant};");
        let _ = writeln!(
            text,
            "\n/** The same, for a larger state: oversized requests are answered with their ids. */\n\
             extern const tl_framing {skimming};"
        );
    }
    text.push_str("\n#ifdef __cplusplus\n} /* extern \"C\" */\n#endif\n\n");
    text.push_str(include_str!("tail.h").trim_end());
    text
}

fn screaming(kebab: &str) -> String {
    kebab.to_uppercase().replace('-', "_")
}

/// Returns a name in kebab case.
fn kebab(camel: &str) -> String {
    let mut text = String::new();
    for (at, sign) in camel.char_indices() {
        if at > 0 && sign.is_uppercase() {
            text.push('-');
        }
        text.push(sign.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    #[test]
    fn the_committed_headers_are_current() {
        for (path, current) in super::headers().unwrap() {
            let committed = fs::read_to_string(&path).unwrap();
            assert!(
                committed == current,
                "{}: run `cargo run -p tautline-c-header` in c/",
                path.display()
            );
        }
    }
}
