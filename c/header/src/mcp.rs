//! The header for sessions of MCP.

use std::fmt::Write as _;

use cbindgen::Config;
use tautline::ErrorCode;
use tautline::rule::CodeClass;
use tautline_c::session::numbers;
use tautline_mcp::session::Capability;
use tautline_mcp::{Era, KnownMethod, Revision, rule};

use crate::{common, export, guarded, head, kebab, screaming};

/// The files with what the header declares, in this order.
pub(crate) const SOURCES: &[&str] =
    &["session/abi.rs", "export/sessions.rs", "export/session_names.rs"];

/// Returns the settings for the header.
pub(crate) fn config() -> Config {
    Config {
        includes: vec!["tautline.h".to_owned()],
        header: Some(head("TAUTLINE_MCP_H", include_str!("mcp_head.h"))),
        after_includes: Some(tables()),
        trailer: Some(guarded(include_str!("mcp_tail.h"))),
        export: export(&[
            "tl_role",
            "tl_meaning",
            "tl_completion",
            "tl_phase",
            "tl_severity",
            "tl_early",
        ]),
        ..common()
    }
}

/// Returns the enums of the tables.
fn tables() -> String {
    let mut text = String::from(
        "\n/** The rules that a session reports, besides those of `tl_rule`, with their numbers, which never change. */\n\
         enum tl_mcp_rule {\n",
    );
    for rule in rule::ALL.iter().filter(|rule| tautline_c::session::reports(**rule)) {
        let _ = writeln!(text, "  /** {}. */", rule::summary(*rule));
        let _ =
            writeln!(text, "  TL_MCP_RULE_{} = {},", screaming(rule::name(*rule)), rule.number());
    }
    text.push_str("};\n\n/** The methods of all revisions. */\nenum tl_method {\n");
    for method in KnownMethod::ALL {
        let name = constant_of(method.name());
        let _ = writeln!(text, "  /** `{}` */", method.name());
        let _ = writeln!(text, "  TL_METHOD_{name} = {},", numbers::of_method(*method));
    }
    text.push_str("};\n\n/** The codes of MCP for errors, besides those of `tl_code`. */\nenum tl_mcp_code {\n");
    for code in (-32_099..=-32_000).rev() {
        put_code(&mut text, ErrorCode::new(code));
    }
    text.push_str(
        "};\n\n/** The revisions, each a bit, so that they make sets. */\nenum tl_revision {\n",
    );
    for &revision in Revision::ALL {
        let name = revision.name().replace('-', "_");
        let _ = writeln!(text, "  /** {} */", revision.name());
        let _ = writeln!(text, "  TL_REVISION_{name} = {},", numbers::of_revision(revision));
    }
    for (era, about) in [
        (Era::Legacy, "which begin with a handshake"),
        (Era::Modern, "in which every request has its version"),
    ] {
        let of_era = Revision::ALL.iter().filter(|revision| revision.era() == era);
        let set = of_era.fold(0, |set, revision| set | numbers::of_revision(*revision));
        let _ = writeln!(text, "  /** All revisions {about}. */");
        let _ = writeln!(text, "  TL_REVISIONS_{} = {set},", era.name().to_uppercase());
    }
    let all = Revision::ALL.iter().fold(0, |set, revision| set | numbers::of_revision(*revision));
    let _ = writeln!(text, "  /** All revisions. */\n  TL_REVISIONS_ALL = {all},");
    text.push_str("};\n\n/** The capabilities that a side can declare, each a bit, so that they make sets. */\nenum tl_capability {\n");
    for &capability in Capability::ALL {
        let name = constant_of(capability.name());
        let _ = writeln!(text, "  /** `{}` */", capability.name());
        let _ =
            writeln!(text, "  TL_CAPABILITY_{name} = {:#x},", numbers::of_capability(capability));
    }
    text.push_str("};");
    text.replace(",\n};", "\n};")
}

/// Writes a code that a revision defines, and its revisions.
fn put_code(text: &mut String, code: ErrorCode) {
    let defines = |revision: &&Revision| revision.profile().code_class(code) == CodeClass::Protocol;
    let mut revisions = Revision::ALL.iter().filter(defines);
    let Some(&first) = revisions.next() else { return };
    let name = first.code_name(code).unwrap_or_default();
    let is_phrase = name.contains(' ');
    let words = if is_phrase { name.replace(' ', "-") } else { kebab(name) };
    let until = revisions.next_back().map_or(String::new(), |last| format!(" to {}", last.name()));
    let _ = writeln!(text, "  /** {name}: {}{until}. */", first.name());
    let _ = writeln!(text, "  TL_MCP_CODE_{} = {},", screaming(&words), code.value());
}

/// Returns the part of a constant's name that stands for a name of MCP, such as `tools/list_changed`.
fn constant_of(name: &str) -> String {
    let mut text = String::new();
    for sign in name.chars() {
        match sign {
            '/' | '.' => text.push('_'),
            sign if sign.is_uppercase() => {
                text.push('_');
                text.push(sign);
            }
            sign => text.extend(sign.to_uppercase()),
        }
    }
    text
}
