//! The calls of the last 30 days, looked at once more under the texts in force and under those that would be (POL-7).
//! What they do is judged by the world as it is now. Nothing is decided here.

use std::sync::Arc;

use countersign_agents::tools;
use countersign_core::{
    classify::{self, Action, Facts, Resolver},
    policy::{
        Asked, InForce, SessionView,
        eval::Decided,
        replay::{Recorded, replay as look},
    },
};
use countersign_ipc::control::{PolicyChange, PolicyReview};
use countersign_proto::request::{Kind, Request};

use crate::{
    sight::{self, Sight, User},
    status::House,
    store::StoreError,
    whereabouts,
};

/// Calls that are looked at, the newest.
const MOST: i64 = 2_000;

/// A call, read back.
struct Call {
    request: Request,
    action: Action,
    facts: Facts,
}

/// What would have come of them.
///
/// # Errors
/// [`StoreError`].
pub(crate) async fn replay(
    house: &House,
    now: Vec<InForce>,
    then: Vec<InForce>,
) -> Result<PolicyReview, StoreError> {
    let newest = house.store.newest_request().await?;
    let mut row = (newest - MOST).max(0);
    let mut requests = Vec::new();
    loop {
        let page = house.store.requests_after(row).await?;
        let Some(last) = page.last() else { break };
        row = last.row;
        requests.extend(page.into_iter().filter_map(|row| Some((row.bytes?, row.raw?))));
    }
    let home = whereabouts::home();
    // Where the agents' programs lay is not kept; most likely where ours are.
    let path = std::env::var("PATH").ok();
    let sight =
        Sight { path, home: home.clone(), worktree: String::new(), temporary: None, user: User::own() };
    let requests = Arc::new(requests);
    let judge = move |resolver: &dyn Resolver| {
        let calls: Vec<Call> =
            requests.iter().filter_map(|(bytes, raw)| read(bytes, raw, &home, resolver)).collect();
        let recorded = calls.iter().map(|call| recorded(call, &home));
        let replayed = look(recorded, &now, &then);
        let changes = replayed.changes.into_iter().map(|change| PolicyChange {
            from: change.from.name().to_owned(),
            to: change.to.name().to_owned(),
            class: change.class.name().to_owned(),
            count: change.count,
            examples: change.examples.iter().map(ToString::to_string).collect(),
        });
        (replayed.calls, changes.collect::<Vec<_>>())
    };
    let (calls, changes) = sight::judge(sight, judge).await;
    Ok(PolicyReview { ends: Vec::new(), calls, more: newest > MOST, changes })
}

fn read(bytes: &[u8], raw: &[u8], home: &str, resolver: &dyn Resolver) -> Option<Call> {
    let request = Request::decode(bytes).ok().filter(|request| request.kind == Kind::Tool)?;
    let input = serde_json::from_slice(raw).ok()?;
    let (agent, tool) = (request.agent.id.raw(), request.tool.raw());
    let action = tools::action(agent, tool, &input);
    let folder = String::from_utf8_lossy(&request.folder);
    let start = request.start_folder.as_deref().map(String::from_utf8_lossy);
    let call = classify::Call {
        agent,
        tool,
        action: &action,
        folder: &folder,
        worktree: start.as_deref().unwrap_or(&folder),
        home,
        takes_allow_lines: tools::takes_allow_lines(agent),
        protected: &[],
        env_is_lifted: false,
    };
    let facts = classify::classify(&call, resolver);
    drop((folder, start));
    Some(Call { request, action, facts })
}

fn recorded<'a>(call: &'a Call, home: &'a str) -> Recorded<'a> {
    let request = &call.request;
    Recorded {
        asked: Asked {
            agent: request.agent.id.raw(),
            profile: None,
            tool: request.tool.raw(),
            action: &call.action,
            facts: &call.facts,
            folder: std::str::from_utf8(&request.folder).unwrap_or_default(),
            home,
            is_whole: request.whole,
            takes_allow_lines: tools::takes_allow_lines(request.agent.id.raw()),
            session: SessionView {
                start_folder: request
                    .start_folder
                    .as_deref()
                    .and_then(|folder| std::str::from_utf8(folder).ok()),
                moved: false,
                is_tainted: request.taint,
                repeats: 1,
            },
        },
        decided: Decided::default(),
        words: request.judgement.headline.raw(),
    }
}
