//! What a person relies on, step by step.

mod answers;
mod receipts;
mod sessions;

use countersign_proto::{id::OfferId, message::Message, request::Request};

use super::world::World;

/// Offers a request and lets it arrive.
fn offer(world: &mut World, request: &Request) -> OfferId {
    let (offer_id, message) = world.desktop.make_offer(request, world.now.boot_ms);
    let envelopes = world.desktop.say(&Message::Offer(message), world.now.boot_ms);
    world.push(envelopes);
    world.settle();
    offer_id
}
