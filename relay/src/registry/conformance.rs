//! What every registry does. Each test runs once per implementation.

use countersign_proto::{
    id::ChannelId,
    key::{SigningKey, VerifyingKey},
};

use super::{Channel, Keys, Made, MemoryRegistry, Registry, SqliteRegistry};

const DAY: u64 = 24 * 60 * 60;
const NOW: u64 = 20_000 * DAY;
const ID: ChannelId = ChannelId::new([1; 16]);

fn key(seed: u8) -> VerifyingKey {
    SigningKey::from_seed(&[seed; 32]).public()
}

fn channel(id: ChannelId, ends_at: Option<u64>) -> Channel {
    Channel { id, keys: Keys { desktop: key(1), phone: key(2) }, ends_at }
}

/// Runs a test against both registries.
macro_rules! conform {
    ($($name:ident)*) => {$(
        mod $name {
            #[tokio::test]
            async fn in_memory() {
                super::$name(&super::MemoryRegistry::default()).await;
            }

            #[tokio::test]
            async fn in_sqlite() {
                let folder = tempfile::tempdir().unwrap();
                super::$name(&super::SqliteRegistry::open(folder.path()).await.unwrap()).await;
            }
        }
    )*};
}

conform! {
    a_made_channel_has_its_keys
    making_it_again_with_the_same_keys_changes_nothing
    other_keys_do_not_take_a_channel_over
    a_deleted_channel_is_gone_and_its_id_free
    a_channel_with_an_end_is_over_at_that_second
    a_channel_is_over_after_ninety_idle_days_and_use_starts_them_anew
    a_channel_in_use_is_not_idle_though_the_clock_jumped
    the_id_of_a_channel_that_is_over_is_free
    only_what_is_over_is_removed_and_named_once
}

async fn a_made_channel_has_its_keys(registry: &dyn Registry) {
    assert_eq!(registry.keys(ID, NOW).await.unwrap(), None);
    assert_eq!(registry.make(channel(ID, None), NOW).await.unwrap(), Made::New);
    let keys = registry.keys(ID, NOW).await.unwrap().unwrap();
    assert_eq!((keys.desktop, keys.phone), (key(1), key(2)));
    assert_eq!(registry.keys(ChannelId::new([2; 16]), NOW).await.unwrap(), None);
}

async fn making_it_again_with_the_same_keys_changes_nothing(registry: &dyn Registry) {
    registry.make(channel(ID, Some(NOW + 10)), NOW).await.unwrap();
    assert_eq!(registry.make(channel(ID, None), NOW).await.unwrap(), Made::Same);
    assert_eq!(registry.keys(ID, NOW + 10).await.unwrap(), None, "it still ends when it was to end");
}

async fn other_keys_do_not_take_a_channel_over(registry: &dyn Registry) {
    registry.make(channel(ID, None), NOW).await.unwrap();
    let swapped = Channel { keys: Keys { desktop: key(2), phone: key(1) }, ..channel(ID, None) };
    assert_eq!(registry.make(swapped, NOW).await.unwrap(), Made::Taken);
    let foreign = Channel { keys: Keys { desktop: key(1), phone: key(3) }, ..channel(ID, None) };
    assert_eq!(registry.make(foreign, NOW).await.unwrap(), Made::Taken);
    assert_eq!(registry.keys(ID, NOW).await.unwrap(), Some(channel(ID, None).keys));
}

async fn a_deleted_channel_is_gone_and_its_id_free(registry: &dyn Registry) {
    registry.make(channel(ID, None), NOW).await.unwrap();
    assert!(registry.delete(ID).await.unwrap());
    assert!(!registry.delete(ID).await.unwrap());
    assert!(!registry.touch(ID, NOW).await.unwrap());
    assert_eq!(registry.keys(ID, NOW).await.unwrap(), None);
    assert_eq!(registry.make(channel(ID, None), NOW).await.unwrap(), Made::New);
}

async fn a_channel_with_an_end_is_over_at_that_second(registry: &dyn Registry) {
    registry.make(channel(ID, Some(NOW + 180)), NOW).await.unwrap();
    assert!(registry.touch(ID, NOW + 179).await.unwrap());
    assert!(registry.keys(ID, NOW + 179).await.unwrap().is_some());
    assert!(registry.keys(ID, NOW + 180).await.unwrap().is_none());
    assert!(!registry.touch(ID, NOW + 180).await.unwrap());
}

async fn a_channel_is_over_after_ninety_idle_days_and_use_starts_them_anew(registry: &dyn Registry) {
    registry.make(channel(ID, None), NOW).await.unwrap();
    assert!(registry.keys(ID, NOW + 90 * DAY).await.unwrap().is_some());
    assert!(registry.keys(ID, NOW + 91 * DAY).await.unwrap().is_none());
    assert!(registry.touch(ID, NOW + 60 * DAY).await.unwrap());
    assert!(registry.keys(ID, NOW + 150 * DAY).await.unwrap().is_some());
    assert!(registry.keys(ID, NOW + 151 * DAY).await.unwrap().is_none());
}

async fn a_channel_in_use_is_not_idle_though_the_clock_jumped(registry: &dyn Registry) {
    registry.make(channel(ID, None), NOW).await.unwrap();
    assert!(registry.touch(ID, NOW + 400 * DAY).await.unwrap());
    assert_eq!(registry.remove_over(NOW + 400 * DAY).await.unwrap(), []);
    assert!(registry.touch(ID, NOW).await.unwrap(), "and back");
    assert!(registry.keys(ID, NOW + 90 * DAY).await.unwrap().is_some());
    assert!(registry.keys(ID, NOW + 91 * DAY).await.unwrap().is_none());
}

async fn the_id_of_a_channel_that_is_over_is_free(registry: &dyn Registry) {
    registry.make(channel(ID, Some(NOW + 180)), NOW).await.unwrap();
    let foreign = Channel { keys: Keys { desktop: key(3), phone: key(4) }, ..channel(ID, None) };
    assert_eq!(registry.make(foreign, NOW + 179).await.unwrap(), Made::Taken);
    assert_eq!(registry.make(foreign, NOW + 180).await.unwrap(), Made::New);
    assert_eq!(registry.keys(ID, NOW + 180).await.unwrap(), Some(foreign.keys));
}

async fn only_what_is_over_is_removed_and_named_once(registry: &dyn Registry) {
    let (short, idle, used) = (ChannelId::new([2; 16]), ChannelId::new([3; 16]), ChannelId::new([4; 16]));
    registry.make(channel(idle, None), NOW).await.unwrap();
    registry.make(channel(used, None), NOW).await.unwrap();
    registry.make(channel(short, Some(NOW + 180)), NOW).await.unwrap();
    assert_eq!(registry.remove_over(NOW + 179).await.unwrap(), []);
    assert_eq!(registry.remove_over(NOW + 180).await.unwrap(), [short]);
    registry.touch(used, NOW + 50 * DAY).await.unwrap();
    assert_eq!(registry.remove_over(NOW + 91 * DAY).await.unwrap(), [idle]);
    assert_eq!(registry.remove_over(NOW + 91 * DAY).await.unwrap(), []);
    assert!(registry.keys(used, NOW + 91 * DAY).await.unwrap().is_some());
}

#[tokio::test]
async fn a_registry_in_sqlite_outlives_its_process_and_admits_one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let registry = SqliteRegistry::open(folder.path()).await.unwrap();
    registry.make(channel(ID, None), NOW).await.unwrap();
    let second = SqliteRegistry::open(folder.path()).await.err().unwrap();
    assert!(second.to_string().starts_with("another relay is using the folder"), "{second}");
    drop(registry);
    let registry = SqliteRegistry::open(folder.path()).await.unwrap();
    assert_eq!(registry.keys(ID, NOW).await.unwrap(), Some(channel(ID, None).keys));
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("relay.db");
    std::fs::write(&file, "my shopping list, which is longer than a page header of any database would be")
        .unwrap();
    let error = SqliteRegistry::open(folder.path()).await.err().unwrap();
    assert!(error.to_string().contains("cannot be used as a registry"), "{error}");
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("my shopping list"));
}
