//! What a person does: each request becomes one input, and the core's word becomes the reply.

use countersign_core::{
    command::Report,
    input::{Choice, Click, Input, SurfaceId, Which},
};
use countersign_ipc::control::{
    ControlReply, ControlRequest, Decision, DenyWhich, Ending, ErrorCode, Failure, Phone, PhoneWhich,
};
use countersign_proto::{
    id::{DeviceId, Hash, RequestId},
    limits,
};

use super::decided;
use super::words::{click_refused, failure, is_over, not_stored, not_waiting};
use crate::{card, doctor, eventloop::Outcome, log, status::House};

pub(super) async fn act(house: &House, surface: SurfaceId, request: ControlRequest) -> ControlReply {
    reply(house, surface, request).await.unwrap_or_else(ControlReply::Failed)
}

async fn reply(house: &House, surface: SurfaceId, request: ControlRequest) -> Result<ControlReply, Failure> {
    match request {
        ControlRequest::Status {} => {
            Ok(ControlReply::Status(Box::new(house.status().await.map_err(|_| is_over())?)))
        }
        ControlRequest::Pending {} => {
            let cards = house.cards().await.map_err(|_| is_over())?;
            // An agent may look, too, and lists end up in files: what can be unfolded goes to those who watch.
            Ok(ControlReply::Pending { cards: cards.into_iter().map(card::mask).collect() })
        }
        ControlRequest::Card { request_id } => {
            let card = house.card(request_of(&request_id)?).await.map_err(|_| is_over())?;
            Ok(ControlReply::Card(Box::new(card::mask(card.ok_or_else(not_waiting)?))))
        }
        ControlRequest::Fronted { request_id, binding, seen_to_end } => {
            fronted(house, surface, (request_of(&request_id)?, binding_of(&binding)?), seen_to_end).await
        }
        ControlRequest::Click { request_id, binding, decision, note } => {
            let (request, binding) = (request_of(&request_id)?, binding_of(&binding)?);
            let choice = choice(house, request, decision, note).await?;
            click(house, Click { surface, request, binding, choice }).await
        }
        ControlRequest::Deny { which } => {
            let which = match which {
                DenyWhich::All => Which::All,
                DenyWhich::One(id) => Which::One(request_of(&id)?),
            };
            closed(which, did(house, Input::Deny(which)).await?)
        }
        ControlRequest::Release { request_id } => {
            let which = request_id.map_or(Ok(Which::All), |id| request_of(&id).map(Which::One))?;
            closed(which, did(house, Input::Release(which)).await?)
        }
        ControlRequest::Lock {} => lock(did(house, Input::Lock).await?),
        ControlRequest::Unlock {} => unlock(did(house, Input::Unlock).await?),
        ControlRequest::PhonesList {} => {
            Ok(ControlReply::Phones { phones: house.phones().await.map_err(|_| is_over())? })
        }
        ControlRequest::PhonesRevoke { which } => revoke(house, which).await,
        ControlRequest::PhonesUnsuspend { device_id } => unsuspend(house, &device_id).await,
        ControlRequest::RulesList {} => decided::rules(house).await,
        ControlRequest::RulesRemove { rule_id } => decided::remove_rule(house, &rule_id).await,
        ControlRequest::RulesResume { rule_id } => decided::resume_rule(house, &rule_id).await,
        ControlRequest::PoliciesList {} => decided::policies(house).await,
        ControlRequest::PolicyReview { text } => decided::review(house, text).await,
        ControlRequest::PolicyAccept { text } => decided::accept(house, text).await,
        ControlRequest::PolicyRevoke { consent_id } => decided::revoke(house, &consent_id).await,
        ControlRequest::Strict { what, strict } => decided::strict(house, &what, strict).await,
        ControlRequest::Pause { paused } => decided::pause(house, paused).await,
        ControlRequest::Protect { branch, protected } => decided::protect(house, branch, protected).await,
        ControlRequest::LiftEnv { project, lifted } => decided::lift_env(house, project, lifted).await,
        ControlRequest::AcceptRisk { risk } => decided::accept_risk(house, risk).await,
        ControlRequest::LogVerify {} => log::verify(&house.store)
            .await
            .map(ControlReply::LogVerified)
            .map_err(|error| super::words::store_failed(&error)),
        ControlRequest::Doctor {} => {
            Ok(ControlReply::Doctor { checks: doctor::checks(house).await.map_err(|_| is_over())? })
        }
        ControlRequest::Stop {} => {
            house.shutdown.cancel();
            Ok(ControlReply::Done {})
        }
        ControlRequest::Watch {}
        | ControlRequest::PairStart { .. }
        | ControlRequest::PairCode { .. }
        | ControlRequest::PairCancel {}
        | ControlRequest::LogList { .. }
        | ControlRequest::LogExport { .. } => {
            Err(failure(ErrorCode::Internal, "this request is answered elsewhere", ""))
        }
    }
}

async fn did(house: &House, input: Input) -> Result<Outcome, Failure> {
    house.handle.act(input).await.map_err(|_| is_over())
}

async fn fronted(
    house: &House,
    surface: SurfaceId,
    (request, binding): (RequestId, Hash),
    seen_to_end: bool,
) -> Result<ControlReply, Failure> {
    let outcome = did(house, Input::Fronted { surface, request, binding, seen_to_end }).await?;
    match outcome.report {
        Some(Report::Done) => Ok(ControlReply::Done {}),
        _ => Err(failure(
            ErrorCode::StaleCard,
            "the card that was drawn is not the one that waits",
            "draw the card that waits now",
        )),
    }
}

/// An *Always* names the text on the card by its place there.
async fn choice(
    house: &House,
    request: RequestId,
    decision: Decision,
    note: Option<String>,
) -> Result<Choice, Failure> {
    let scope = match decision {
        Decision::AlwaysSession => "session",
        Decision::AlwaysProject => "project",
        Decision::AllowOnce | Decision::Deny | Decision::DenyWithNote | Decision::HandOff => {
            return plain_choice(decision, note);
        }
    };
    if note.is_some() {
        return Err(failure(ErrorCode::BadRequest, "a note goes only with a denial that carries one", ""));
    }
    let look = house.handle.look(move |view| {
        let offered = &view.core.card(request)?.request.always;
        offered.iter().position(|always| always.scope.raw() == scope)
    });
    let index = look.await.map_err(|_| is_over())?.and_then(|index| u8::try_from(index).ok());
    index.map(Choice::Always).ok_or_else(|| {
        failure(ErrorCode::NotOffered, "this card does not offer that", "allow it once, or deny it")
    })
}

fn plain_choice(decision: Decision, note: Option<String>) -> Result<Choice, Failure> {
    let refuse = |text| Err(failure(ErrorCode::BadRequest, text, ""));
    match (decision, note) {
        (Decision::AllowOnce, None) => Ok(Choice::AllowOnce),
        (Decision::Deny, None) => Ok(Choice::Deny { note: None }),
        (Decision::HandOff, None) => Ok(Choice::HandOff),
        (Decision::DenyWithNote, Some(note)) if note.trim().is_empty() => refuse("the note is empty"),
        (Decision::DenyWithNote, Some(note)) if note.chars().count() > limits::NOTE_CHARS => {
            refuse("the note is longer than 1000 characters")
        }
        (Decision::DenyWithNote, Some(note)) => Ok(Choice::Deny { note: Some(note) }),
        (Decision::DenyWithNote, None) => refuse("the note is missing"),
        (Decision::AllowOnce | Decision::Deny | Decision::HandOff, Some(_)) => {
            refuse("a note goes only with a denial that carries one")
        }
        (Decision::AlwaysSession | Decision::AlwaysProject, _) => refuse("this card does not offer that"),
    }
}

async fn click(house: &House, click: Click) -> Result<ControlReply, Failure> {
    let request = click.request;
    let outcome = did(house, Input::Click(click)).await?;
    match outcome.report {
        Some(Report::Done) => {
            let ending = ending_of(request, outcome.endings);
            Ok(ControlReply::Settled(ending.ok_or_else(not_waiting)?))
        }
        Some(Report::Click(refusal)) => Err(click_refused(refusal)),
        Some(Report::NotStored) => Err(not_stored(
            "the decision could not be stored, so nothing was released; the agent asks in its terminal",
        )),
        Some(Report::Nothing | Report::Pairing(_) | Report::Refused(_)) | None => Err(not_waiting()),
    }
}

fn ending_of(request: RequestId, endings: Vec<Ending>) -> Option<Ending> {
    let id = request.to_string();
    endings.into_iter().find(|ending| ending.request_id == id)
}

fn closed(which: Which, outcome: Outcome) -> Result<ControlReply, Failure> {
    match (outcome.report, which) {
        (Some(Report::Done), _) => Ok(ControlReply::Closed { endings: outcome.endings }),
        (Some(Report::NotStored), _) => {
            Err(not_stored("this could not be stored; the waiting calls went back to the agents' terminals"))
        }
        (_, Which::All) => Ok(ControlReply::Closed { endings: Vec::new() }),
        (_, Which::One(_)) => Err(not_waiting()),
    }
}

fn lock(outcome: Outcome) -> Result<ControlReply, Failure> {
    match outcome.report {
        Some(Report::NotStored) => {
            Err(not_stored("locked until the daemon ends, but that could not be stored"))
        }
        _ => Ok(ControlReply::Closed { endings: outcome.endings }),
    }
}

fn unlock(outcome: Outcome) -> Result<ControlReply, Failure> {
    match outcome.report {
        Some(Report::NotStored) => Err(not_stored("this could not be stored, so the doors stay closed")),
        _ => Ok(ControlReply::Done {}),
    }
}

async fn revoke(house: &House, which: PhoneWhich) -> Result<ControlReply, Failure> {
    let devices: Vec<DeviceId> = match which {
        PhoneWhich::One(id) => vec![id.parse().map_err(|_| unknown_phone())?],
        PhoneWhich::All => house.active_phones().await.map_err(|_| is_over())?,
    };
    let mut is_stored = true;
    for device in &devices {
        match did(house, Input::Revoke(*device)).await?.report {
            Some(Report::Done) => {}
            Some(Report::NotStored) => is_stored = false,
            _ => return Err(unknown_phone()),
        }
    }
    if !is_stored {
        return Err(not_stored("revoked until the daemon ends, but that could not be stored"));
    }
    Ok(ControlReply::Revoked { phones: phones(house, &devices).await? })
}

async fn unsuspend(house: &House, device_id: &str) -> Result<ControlReply, Failure> {
    let device: DeviceId = device_id.parse().map_err(|_| unknown_phone())?;
    match did(house, Input::Unsuspend(device)).await?.report {
        Some(Report::Done) => Ok(ControlReply::Phones { phones: phones(house, &[device]).await? }),
        Some(Report::NotStored) => Err(not_stored("this could not be stored, so the phone stays suspended")),
        _ => Err(failure(
            ErrorCode::UnknownPhone,
            "no phone with this id is suspended here",
            "`countersign phones list` shows which are",
        )),
    }
}

async fn phones(house: &House, devices: &[DeviceId]) -> Result<Vec<Phone>, Failure> {
    let ids: Vec<String> = devices.iter().map(ToString::to_string).collect();
    let mut phones = house.phones().await.map_err(|_| is_over())?;
    phones.retain(|phone| ids.contains(&phone.device_id));
    Ok(phones)
}

fn unknown_phone() -> Failure {
    failure(
        ErrorCode::UnknownPhone,
        "no phone with this id may decide here",
        "`countersign phones list` shows the ids",
    )
}

fn request_of(text: &str) -> Result<RequestId, Failure> {
    text.parse()
        .map_err(|bad| failure(ErrorCode::BadRequest, &format!("{bad}"), "give the request's whole id"))
}

fn binding_of(text: &str) -> Result<Hash, Failure> {
    text.parse()
        .map_err(|bad| failure(ErrorCode::BadRequest, &format!("{bad}"), "give the card's whole binding"))
}
