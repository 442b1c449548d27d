//! The headers that repeat parts of the body.

use tautline::json::Kind;
use tautline::{RawJson, RawStr, Rule};

use super::encoding::Value;
use super::field::{Single, suffix};
use super::finding::Place;
use super::parameter::Argument;
use super::verdict::Bench;
use super::{Body, Each, Field, Head, Parameter, Parameters, Server, Tool};
use crate::{ParamsView, rule};

/// The largest integer that a double and its neighbours tell apart.
const LARGEST: i64 = 9_007_199_254_740_991;

impl<'a, I> Head<'a, I> {
    /// Compares a header with a string of the body.
    pub(super) fn compare(
        &self,
        body: &Body<'a>,
        field: Field,
        header: Single<'a>,
        due: RawStr<'a>,
        bench: &mut Bench<'a, '_>,
    ) {
        let place = Place::of_both(field, body.string_offset(due));
        let is_same = |value: Value<'_>| value.is_string(due);
        // `Mcp-Method` has no encoding.
        let is_encoded = field != Field::Method;
        if let Some(rule) = broken_by(header, is_encoded, is_same) {
            bench.mismatch(self.policy, rule, place);
        }
    }

    /// Compares the headers of parameters with the arguments of a tool.
    pub(super) fn compare_parameters(
        &self,
        server: &dyn Server,
        body: &Body<'a>,
        tool: RawStr<'a>,
        each: Each<'_, 'a>,
        bench: &mut Bench<'a, '_>,
    ) -> Parameters {
        let arguments = body.call.params.as_ref().and_then(ParamsView::arguments);
        let known = server.parameters(tool, &mut |parameter| {
            self.compare_parameter(body, arguments, parameter, each, bench);
        });
        match known {
            Tool::Known => Parameters::Judged,
            Tool::Unknown => Parameters::NotJudged,
        }
    }

    fn compare_parameter(
        &self,
        body: &Body<'a>,
        arguments: Option<RawJson<'a>>,
        parameter: &Parameter<'_>,
        each: Each<'_, 'a>,
        bench: &mut Bench<'a, '_>,
    ) {
        let field = Field::Parameter;
        let mut header = Single::Absent;
        each(&mut |name, value| {
            if suffix(name).is_some_and(|suffix| parameter.header().is_suffix(suffix)) {
                header.add(value);
            }
        });
        let argument = match Argument::at(arguments, parameter.path()) {
            Argument::Value(argument) => argument,
            Argument::Repeated(name) => {
                let place = Place::of_both(field, body.string_offset(name));
                return bench.mismatch(self.policy, Rule::DUPLICATE_NESTED_MEMBER, place);
            }
            Argument::Absent if header == Single::Absent => return,
            // "The client MUST omit the header." A gateway would act on a value that the body does not have.
            Argument::Absent => {
                return bench.mismatch(self.policy, rule::HTTP_HEADER_UNEXPECTED, field.into());
            }
        };
        let place = Place::of_both(field, body.message.offset_of(argument.as_bytes()));
        let is_same = |value: Value<'_>| match argument.kind() {
            Kind::String => argument.string().is_some_and(|text| value.is_string(text)),
            Kind::Number => argument.number().is_some_and(|number| value.is_number(number)),
            Kind::Bool => {
                value.is_text(if argument.bool() == Some(true) { "true" } else { "false" })
            }
            // No header stands for them, so the arguments break the tool's schema.
            Kind::Null | Kind::Array | Kind::Object => false,
        };
        if let Some(rule) = broken_by(header, true, is_same) {
            bench.mismatch(self.policy, rule, place);
        }
        let number = argument.number().filter(|number| number.is_integer());
        let is_safe = |number: i64| (-LARGEST..=LARGEST).contains(&number);
        if number.is_some_and(|number| !number.as_i64().is_some_and(is_safe)) {
            bench.note(rule::HEADER_INTEGER_RANGE, place);
        }
    }
}

/// Returns the rule that a header breaks which repeats the body.
fn broken_by(
    header: Single<'_>,
    is_encoded: bool,
    is_same: impl FnOnce(Value<'_>) -> bool,
) -> Option<Rule> {
    let value = match header {
        Single::Absent => return Some(rule::HTTP_HEADER_MISSING),
        Single::Repeated => return Some(rule::HTTP_HEADER_REPEATED),
        Single::Value(value) => value,
    };
    let value = match Value::parse(value) {
        Err(rule::HTTP_HEADER_ENCODING) if !is_encoded => Value::Plain(value),
        Ok(_) if !is_encoded => Value::Plain(value),
        Ok(value) => value,
        Err(rule) => return Some(rule),
    };
    (!is_same(value)).then_some(rule::HTTP_HEADER_MISMATCH)
}
