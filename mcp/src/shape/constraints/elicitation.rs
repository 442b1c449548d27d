//! URLs in elicitations (since 2025-11-25, client/elicitation, safe URL handling).

use tautline::json::Kind;
use tautline::{RawJson, Rule};

use super::schema;
use crate::places::{elements, is_object, member, members};
use crate::rule;
use crate::shape::syntax::{contains_web_address, is_insecure};

/// Checks the elicitation in the params at this offset.
pub(super) fn check(frame: &[u8], params: usize, report: &mut impl FnMut(Rule, usize)) {
    let (mut url, mut message, mut form, mut mode) = (None, None, None, None);
    for member in members(frame, params) {
        let place = match () {
            () if member.name == *"url" => &mut url,
            () if member.name == *"message" => &mut message,
            () if member.name == *"requestedSchema" => &mut form,
            () if member.name == *"mode" => &mut mode,
            () => continue,
        };
        *place = place.or(Some(member));
    }
    if mode.and_then(|mode| mode.value.string()).is_some_and(|mode| mode == *"url") {
        let url = url.filter(|url| url.value.string().is_some_and(is_insecure));
        if let Some(url) = url {
            report(rule::ELICITATION_URL_INSECURE, url.at);
        }
        return;
    }
    if let Some(message) = message.filter(|message| has_link(message.value)) {
        report(rule::ELICITATION_FORM_LINK, message.at);
    }
    let Some(form) = form.filter(|form| is_object(&form.value)) else { return };
    schema::check_dialect(frame, form.at, report);
    let properties = member(frame, form.at, "properties");
    let Some(properties) = properties.filter(|all| is_object(&all.value)) else { return };
    for field in members(frame, properties.at).filter(|field| is_object(&field.value)) {
        check_field(frame, field.at, report);
    }
}

/// Checks the texts of the field at this offset, and the texts of its choices.
fn check_field(frame: &[u8], field: usize, report: &mut impl FnMut(Rule, usize)) {
    for member in members(frame, field) {
        let is_text = member.name == *"title" || member.name == *"description";
        if is_text && has_link(member.value) {
            report(rule::ELICITATION_FORM_LINK, member.at);
        }
        if member.name == *"oneOf" && member.value.kind() == Kind::Array {
            check_choices(frame, member.at, report);
        }
        if member.name == *"items" && is_object(&member.value) {
            let choices = self::member(frame, member.at, "anyOf");
            if let Some(choices) = choices.filter(|all| all.value.kind() == Kind::Array) {
                check_choices(frame, choices.at, report);
            }
        }
    }
}

/// Checks the titles of the choices in the array at this offset.
fn check_choices(frame: &[u8], choices: usize, report: &mut impl FnMut(Rule, usize)) {
    for (at, _) in elements(frame, choices).filter(|(_, choice)| is_object(choice)) {
        if let Some(title) = member(frame, at, "title").filter(|title| has_link(title.value)) {
            report(rule::ELICITATION_FORM_LINK, title.at);
        }
    }
}

fn has_link(text: RawJson<'_>) -> bool {
    text.string().is_some_and(contains_web_address)
}
