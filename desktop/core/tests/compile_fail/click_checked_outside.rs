//! Only the core checks a click.
use countersign_core::authority::BoundClick;

fn main() {
    let _ = BoundClick::check;
}
