//! The body of a hook's frame: every field in a fixed order, each with its length before it and a limit of its own.

use super::{BadFrame, Call, INPUT};
use crate::environment::Environment;

const AGENT: usize = 32;
const EVENT: usize = 64;
const CWD: usize = 8 << 10;
const PATH: usize = 64 << 10;
const NAME: usize = 256;
const VALUE: usize = 8 << 10;
const NAMES: usize = 256;
const PASSED: usize = 16;

pub fn encode(call: &Call, out: &mut Vec<u8>) -> Result<(), BadFrame> {
    put(out, call.agent.as_bytes(), AGENT, "agent")?;
    put(out, call.event.as_bytes(), EVENT, "event")?;
    out.extend_from_slice(&call.limit_ms.to_be_bytes());
    put(out, &call.cwd, CWD, "folder")?;
    put(out, &call.environment.path, PATH, "PATH")?;
    put_count(out, call.environment.risky.len(), NAMES)?;
    for name in &call.environment.risky {
        put(out, name, NAME, "variable")?;
    }
    put_count(out, call.environment.passed.len(), PASSED)?;
    for (name, value) in &call.environment.passed {
        put(out, name, NAME, "variable")?;
        put(out, value, VALUE, "variable")?;
    }
    put(out, &call.input, INPUT, "input")
}

pub fn decode(body: &[u8]) -> Result<Call, BadFrame> {
    let mut rest = body;
    let call = Call {
        agent: text(take(&mut rest, AGENT, "agent")?, "agent")?,
        event: text(take(&mut rest, EVENT, "event")?, "event")?,
        limit_ms: number(&mut rest)?,
        cwd: take(&mut rest, CWD, "folder")?.to_vec(),
        environment: environment(&mut rest)?,
        input: take(&mut rest, INPUT, "input")?.to_vec(),
    };
    if rest.is_empty() { Ok(call) } else { Err(BadFrame::Length) }
}

fn environment(rest: &mut &[u8]) -> Result<Environment, BadFrame> {
    let path = take(rest, PATH, "PATH")?.to_vec();
    let mut risky = Vec::new();
    for _ in 0..count(rest, NAMES)? {
        risky.push(take(rest, NAME, "variable")?.to_vec());
    }
    let mut passed = Vec::new();
    for _ in 0..count(rest, PASSED)? {
        let name = take(rest, NAME, "variable")?.to_vec();
        passed.push((name, take(rest, VALUE, "variable")?.to_vec()));
    }
    Ok(Environment { path, risky, passed })
}

fn put(out: &mut Vec<u8>, field: &[u8], limit: usize, name: &'static str) -> Result<(), BadFrame> {
    if field.len() > limit {
        return Err(BadFrame::TooBig(name));
    }
    out.extend_from_slice(&u32::try_from(field.len()).map_err(|_| BadFrame::TooBig(name))?.to_be_bytes());
    out.extend_from_slice(field);
    Ok(())
}

fn put_count(out: &mut Vec<u8>, count: usize, limit: usize) -> Result<(), BadFrame> {
    if count > limit {
        return Err(BadFrame::TooBig("list of variables"));
    }
    let count = u32::try_from(count).map_err(|_| BadFrame::TooBig("list of variables"))?;
    out.extend_from_slice(&count.to_be_bytes());
    Ok(())
}

fn take<'b>(rest: &mut &'b [u8], limit: usize, name: &'static str) -> Result<&'b [u8], BadFrame> {
    let length = number(rest)? as usize;
    if length > limit {
        return Err(BadFrame::TooBig(name));
    }
    rest.split_off(..length).ok_or(BadFrame::Length)
}

fn count(rest: &mut &[u8], limit: usize) -> Result<usize, BadFrame> {
    let count = number(rest)? as usize;
    if count > limit { Err(BadFrame::TooBig("list of variables")) } else { Ok(count) }
}

fn number(rest: &mut &[u8]) -> Result<u32, BadFrame> {
    let bytes = rest.split_off(..4).and_then(|four| four.try_into().ok()).ok_or(BadFrame::Length)?;
    Ok(u32::from_be_bytes(bytes))
}

fn text(bytes: &[u8], name: &'static str) -> Result<String, BadFrame> {
    String::from_utf8(bytes.to_vec()).map_err(|_| BadFrame::Text(name))
}
