//! Rules, policies and settings: looked at, brought in, taken out.

use countersign_core::{
    command::Report,
    input::{Accept, Input},
    policy::{Consent, ConsentId, TextKind},
    rule::{OnWord, Rule, RuleId, Scope},
    settings::Strict,
};
use countersign_ipc::control::{
    ControlReply, ErrorCode, Failure, PolicyInfo, PolicyKind, PolicyText, RuleInfo,
};
use countersign_proto::text::Shown;

use super::words::{failure, is_over, not_stored};
use crate::{clock, keys::random, replay, status::House};

pub(super) async fn rules(house: &House) -> Result<ControlReply, Failure> {
    let look = house.handle.look(|view| view.core.rules().into_iter().map(rule).collect());
    Ok(ControlReply::Rules { rules: look.await.map_err(|_| is_over())? })
}

pub(super) async fn remove_rule(house: &House, id: &str) -> Result<ControlReply, Failure> {
    let id = RuleId(id_of(id).ok_or_else(unknown_rule)?);
    done(
        house,
        Input::RemoveRule(id),
        "taken out until the daemon ends, but that could not be stored",
        unknown_rule,
    )
    .await
}

pub(super) async fn resume_rule(house: &House, id: &str) -> Result<ControlReply, Failure> {
    let id = RuleId(id_of(id).ok_or_else(unknown_rule)?);
    done(house, Input::ResumeRule(id), "this could not be stored, so the rule stays suspended", unknown_rule)
        .await
}

pub(super) async fn policies(house: &House) -> Result<ControlReply, Failure> {
    let look = house.handle.look(|view| view.core.consents().into_iter().map(policy).collect());
    Ok(ControlReply::Policies { policies: look.await.map_err(|_| is_over())? })
}

pub(super) async fn review(house: &House, text: PolicyText) -> Result<ControlReply, Failure> {
    let accept = accept_of(text)?;
    let look = house.handle.look(move |view| view.core.review(&accept));
    let review = look.await.map_err(|_| is_over())?.map_err(|error| bad_policy(&error.to_string()))?;
    let ends = review.ends.iter().map(policy).collect();
    let replayed = replay::replay(house, review.now, review.then).await;
    let replayed = replayed.map_err(|error| super::words::store_failed(&error))?;
    Ok(ControlReply::PolicyReview(countersign_ipc::control::PolicyReview { ends, ..replayed }))
}

pub(super) async fn accept(house: &House, text: PolicyText) -> Result<ControlReply, Failure> {
    let accept = accept_of(text)?;
    let id = accept.id;
    let outcome = house.handle.act(Input::Accept(Box::new(accept))).await.map_err(|_| is_over())?;
    match outcome.report {
        Some(Report::Done) => {
            let look = house.handle.look(move |view| {
                view.core.consents().into_iter().filter(|consent| consent.id == id).map(policy).collect()
            });
            Ok(ControlReply::Policies { policies: look.await.map_err(|_| is_over())? })
        }
        Some(Report::Refused(why)) => Err(bad_policy(why.as_str())),
        Some(Report::NotStored) => Err(not_stored("this could not be stored, so nothing was accepted")),
        _ => Err(is_over()),
    }
}

pub(super) async fn revoke(house: &House, id: &str) -> Result<ControlReply, Failure> {
    let unknown = || {
        failure(
            ErrorCode::UnknownPolicy,
            "no policy with this id is in force",
            "`countersign policy list` shows the ids",
        )
    };
    let id = ConsentId(id_of(id).ok_or_else(unknown)?);
    done(
        house,
        Input::RevokeConsent(id),
        "revoked until the daemon ends, but that could not be stored",
        unknown,
    )
    .await
}

pub(super) async fn strict(house: &House, what: &str, is_strict: bool) -> Result<ControlReply, Failure> {
    let bad = || {
        let text = "say what is strict as `agent NAME` or `project FOLDER`";
        failure(ErrorCode::BadRequest, text, "")
    };
    let what = Strict::read(what).ok_or_else(bad)?;
    let unchanged = || failure(ErrorCode::BadRequest, "that is so already, or Countersign is locked", "");
    let done = done(house, Input::Strict { what, is_strict }, "this could not be stored", unchanged).await;
    house.handle.status_changed();
    done
}

pub(super) async fn pause(house: &House, is_paused: bool) -> Result<ControlReply, Failure> {
    let unchanged = || failure(ErrorCode::BadRequest, "that is so already, or Countersign is locked", "");
    let done = done(house, Input::Pause(is_paused), "this could not be stored", unchanged).await;
    house.handle.status_changed();
    done
}

pub(super) async fn protect(
    house: &House,
    branch: String,
    is_protected: bool,
) -> Result<ControlReply, Failure> {
    let unchanged = || {
        let text = "that is so already, it is no branch's name, or Countersign is locked";
        failure(ErrorCode::BadRequest, text, "`main` and `master` are always protected")
    };
    done(house, Input::Protect { branch, is_protected }, "this could not be stored", unchanged).await
}

pub(super) async fn lift_env(
    house: &House,
    project: String,
    is_lifted: bool,
) -> Result<ControlReply, Failure> {
    let unchanged = || {
        let text = "that is so already, it is no absolute folder, or Countersign is locked";
        failure(ErrorCode::BadRequest, text, "")
    };
    done(house, Input::LiftEnv { project, is_lifted }, "this could not be stored", unchanged).await
}

pub(super) async fn accept_risk(house: &House, risk: String) -> Result<ControlReply, Failure> {
    let unchanged =
        || failure(ErrorCode::BadRequest, "that is accepted already, or Countersign is locked", "");
    done(house, Input::AcceptRisk(risk), "this could not be stored, so nothing was accepted", unchanged).await
}

async fn done(
    house: &House,
    input: Input,
    unstored: &str,
    unknown: impl FnOnce() -> Failure,
) -> Result<ControlReply, Failure> {
    match house.handle.act(input).await.map_err(|_| is_over())?.report {
        Some(Report::Done) => Ok(ControlReply::Done {}),
        Some(Report::NotStored) => Err(not_stored(unstored)),
        _ => Err(unknown()),
    }
}

fn accept_of(text: PolicyText) -> Result<Accept, Failure> {
    let PolicyText { kind, text, folder, instead_of } = text;
    let instead_of = match instead_of {
        Some(id) => {
            let bad = || failure(ErrorCode::BadRequest, "the consent's id is not whole", "");
            Some(ConsentId(id_of(&id).ok_or_else(bad)?))
        }
        None => None,
    };
    let id =
        random::<16>().map_err(|_| failure(ErrorCode::Internal, "the system gives no random bytes", ""))?;
    Ok(Accept { id: ConsentId(*id), kind: kind_of(kind), text, folder, instead_of })
}

const fn kind_of(kind: PolicyKind) -> TextKind {
    match kind {
        PolicyKind::Policy => TextKind::Lines,
        PolicyKind::PermissionFile => TextKind::Permission,
        PolicyKind::GreenReads => TextKind::GreenReads,
        PolicyKind::GreenWrites => TextKind::GreenWrites,
    }
}

fn rule(rule: &Rule) -> RuleInfo {
    RuleInfo {
        rule_id: hex(rule.id.0),
        scope: rule.scope.name().to_owned(),
        agent: rule.agent.clone(),
        tool: rule.tool.shown().to_string(),
        project: rule.project.as_ref().map(|folder| Shown::bytes(folder).to_string()),
        session: match &rule.scope {
            Scope::Session(session) => Some(session.session.shown().to_string()),
            Scope::Project => None,
        },
        text: rule.shown().to_string(),
        depends: rule.depends.iter().map(|file| file.path.shown().to_string()).collect(),
        word: word(rule.word),
        since: clock::rfc3339(rule.wall_ms),
        suspended: rule.is_suspended,
    }
}

fn policy(consent: &Consent) -> PolicyInfo {
    PolicyInfo {
        consent_id: hex(consent.id.0),
        kind: match consent.kind {
            TextKind::Lines => PolicyKind::Policy,
            TextKind::Permission => PolicyKind::PermissionFile,
            TextKind::GreenReads => PolicyKind::GreenReads,
            TextKind::GreenWrites => PolicyKind::GreenWrites,
        },
        project: consent.project.clone(),
        state: consent.state.name().to_owned(),
        text_hash: consent.text_hash().to_string(),
        text: consent.text.clone(),
        word: word(consent.word),
        since: clock::rfc3339(consent.wall_ms),
    }
}

fn word(word: OnWord) -> String {
    match word {
        OnWord::Desktop => "this desktop".to_owned(),
        OnWord::Phone(device) => device.to_string(),
    }
}

fn hex(id: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(id))
}

fn id_of(text: &str) -> Option<[u8; 16]> {
    let is_whole = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_whole.then(|| u128::from_str_radix(text, 16).ok()).flatten().map(u128::to_be_bytes)
}

fn unknown_rule() -> Failure {
    failure(ErrorCode::UnknownRule, "no such rule", "`countersign rules list` shows the ids")
}

fn bad_policy(why: &str) -> Failure {
    failure(ErrorCode::BadPolicy, why, "nothing was accepted; what was in force still is")
}
