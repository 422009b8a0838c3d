//! The disk under the desktop's state is full: what can't be recorded is not released (WHO-4).

use std::{
    fs::{self, File},
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use countersign_ipc::control::{ControlReply, Decision, ErrorCode};
use countersign_tests::world::{BOUND, World};

use crate::{ALLOWED, LIMIT};

/// A small disk of its own in a folder, gone with this.
struct SmallDisk(PathBuf);

impl SmallDisk {
    /// `None` where this machine does not let us mount.
    fn mount(folder: &Path) -> Result<Option<Self>> {
        fs::create_dir_all(folder)?;
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=2m,mode=0700", "countersign-test"])
            .arg(folder)
            .output();
        if mounted.is_ok_and(|output| output.status.success()) {
            return Ok(Some(Self(folder.to_owned())));
        }
        fs::remove_dir(folder)?;
        Ok(None)
    }

    /// Leaves no byte free.
    fn fill(&self) -> Result<()> {
        let mut file = File::options().append(true).create(true).open(self.0.join("filler"))?;
        for size in [4_096, 1] {
            while file.write_all(&vec![0; size]).and_then(|()| file.flush()).is_ok() {}
        }
        Ok(())
    }

    fn make_room(&self) -> Result<()> {
        Ok(fs::remove_file(self.0.join("filler"))?)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
        let _ = fs::remove_dir(&self.0);
    }
}

#[tokio::test]
async fn on_a_full_disk_nothing_is_released_and_with_room_again_everything_works() -> Result<()> {
    let mut world = World::prepare()?;
    let Some(disk) = SmallDisk::mount(&world.state_folder()?)? else {
        println!("NOT RUN: this machine does not let the test mount a small disk");
        return Ok(());
    };
    let done = full_disk(&mut world, &disk).await;
    // Its processes hold files on the disk.
    drop(world);
    done
}

async fn full_disk(world: &mut World, disk: &SmallDisk) -> Result<()> {
    world.start_desktop().await?;
    let mut phone = world.pair("phone").await?;
    let mut surface = world.surface().await?;

    // By phone: the finger was there, the record could not be.
    let mut hook = world.hook(&world.asks("s", "make one"), LIMIT).await?;
    let card = phone.card_of("make one").await?;
    surface.card().await?;
    disk.fill()?;
    phone.allow(&card).await?;
    let (code, printed) = hook.ends(BOUND).await.context("approved on a full disk")?;
    ensure!(code == Some(0) && printed.is_empty(), "a full disk let {printed} through, {code:?}");
    let receipt = phone.receipt(&card, "refused").await?;
    ensure!(receipt["refusal"] == "store_failed", "{receipt}");

    // What comes while it is full goes back at once. The store makes room where it can, so there is more to fill.
    disk.fill()?;
    let printed = world.hook_says(&world.asks("s", "make two")).await.context("asked on a full disk")?;
    ensure!(printed.is_empty(), "a full disk let {printed} through");
    ensure!(world.pending().await?.is_empty(), "a card waits that can't be recorded");
    disk.make_room()?;

    // By click.
    let mut hook = world.hook(&world.asks("s", "make three"), LIMIT).await?;
    let card = surface.card().await?;
    surface.front(&card).await?;
    // A click counts half a second later, and a click that is refused for that could not be recorded either.
    tokio::time::sleep(Duration::from_millis(600)).await;
    disk.fill()?;
    let clicked = surface.click(&card, Decision::AllowOnce).await?;
    let is_told = matches!(&clicked, ControlReply::Failed(failure) if failure.code == ErrorCode::StoreFailed);
    ensure!(is_told, "{clicked:?}");
    let (_, printed) = hook.ends(BOUND).await.context("clicked on a full disk")?;
    ensure!(printed.is_empty(), "a click went through on a full disk");
    disk.make_room()?;

    let mut hook = world.hook(&world.asks("s", "make four"), LIMIT).await?;
    let card = phone.card_of("make four").await?;
    phone.allow(&card).await?;
    ensure!(hook.ends(BOUND).await?.1 == ALLOWED, "with room again nothing works");
    phone.receipt(&card, "released").await?;
    let allowed = world.story("s").await?.iter().filter(|kind| *kind == "allowed").count();
    ensure!(allowed == 1, "{allowed} calls were recorded as allowed");
    world.assert_log_is_whole().await?;

    // A desktop that can't record anything does not even start.
    world.kill_desktop().await?;
    disk.fill()?;
    let error = world.start_desktop().await.err().context("it started on a full disk")?.to_string();
    ensure!(error.contains("disk"), "it does not say why: {error}");
    disk.make_room()?;
    world.start_desktop().await?;
    world.assert_log_is_whole().await?;
    Ok(())
}
