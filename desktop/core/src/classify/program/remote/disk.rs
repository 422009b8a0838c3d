//! Disks, partitions, file systems and mounts. Whatever can write a disk is destructive, whatever its options.

use super::{
    super::entry::{DESTRUCTIVE, Does, Entry, READ_ASKS, UNKNOWN, UNKNOWN_RED},
    args, cli,
};
use crate::classify::{finding::Finding, word::Command};

/// Disks and file systems.
#[rustfmt::skip] // rows of words
pub(super) const ENTRIES: &[Entry] = &[
    Entry {
        names: &[
            "mkfs", "mkfs.ext2", "mkfs.ext3", "mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "mkfs.vfat", "mkfs.fat",
            "mkfs.msdos", "mkfs.ntfs", "mkfs.exfat", "mkfs.f2fs", "mkfs.minix", "mkfs.cramfs", "mkfs.jfs",
            "mkfs.reiserfs", "mkfs.bfs", "mkfs.udf", "mkfs.nilfs2", "mkfs.erofs", "mkfs.ubifs", "mkfs.gfs2",
            "mkfs.ocfs2", "mkfs.bcachefs", "mke2fs", "mkdosfs", "mkntfs", "mkswap", "mkudffs", "newfs",
            "newfs_apfs", "newfs_hfs", "newfs_msdos", "newfs_exfat", "fdisk", "sfdisk", "cfdisk", "gdisk",
            "sgdisk", "cgdisk", "fixparts", "parted", "gparted", "partx", "wipefs", "blkdiscard", "badblocks",
            "scrub", "nwipe", "dban", "wipe", "srm", "sfill", "sswap", "secure-delete", "dc3dd", "dcfldd",
            "ddrescue", "partclone", "clonezilla", "ocs-sr", "flashcp", "flash_erase", "nandwrite",
            "mtd_debug", "ubiformat", "woeusb", "balena-etcher", "etcher", "rpi-imager", "asr", "gpt",
            "pdisk", "disklabel", "bsdlabel", "gpart", "format.com", "diskpart.exe",
        ],
        does: Does::Always(DESTRUCTIVE.because("writes a disk or its layout")),
        why: "what was on it is gone",
    },
    Entry {
        names: &[
            "hdparm", "sdparm", "nvme", "smartctl", "cryptsetup", "dmsetup", "mdadm", "lvm", "lvs", "pvs",
            "vgs", "lvdisplay", "pvdisplay", "vgdisplay", "lvremove", "vgremove", "pvremove", "lvcreate",
            "lvextend", "lvreduce", "lvresize", "lvchange", "lvconvert", "lvrename", "vgcreate", "vgextend",
            "vgreduce", "vgchange", "vgexport", "vgimport", "pvcreate", "pvmove", "pvchange", "pvresize",
            "zpool", "zfs", "btrfs", "bcachefs", "xfs_admin", "xfs_repair", "xfs_growfs", "xfs_db", "tune2fs",
            "resize2fs", "e2label", "e2fsck", "fsck", "fsck.ext4", "fsck.vfat", "debugfs", "ntfsfix",
            "ntfsresize", "fatlabel", "swaplabel", "swapon", "swapoff", "losetup", "partprobe", "kpartx",
            "multipath", "iscsiadm", "drbdadm", "stratis", "snapper", "timeshift", "veracrypt", "udisksctl",
            "eject", "fstrim", "quotaon", "quotaoff", "setquota", "edquota", "hdiutil", "tmutil", "diskutil",
            "fsfreeze", "umount", "unmount", "fusermount", "fusermount3", "mount.cifs", "mount.nfs",
            "exportfs", "automount", "zramctl", "blockdev", "e4defrag", "defrag",
        ],
        does: Does::Code(|c, _| volumes(c)),
        why: "changes volumes, or only lists them",
    },
    Entry {
        names: &["format"],
        does: Does::Code(|c, _| format(c)),
        why: "formats a drive, or is a script of the project's of that name",
    },
    Entry {
        names: &["mount", "findmnt"],
        does: Does::Code(|c, _| mount(c)),
        why: "lists mounts, or makes one",
    },
];

/// Words that wipe or remove, beyond the verbs that every service has.
#[rustfmt::skip] // rows of words
const WIPES: &[&str] = &[
    "luksformat", "lukserase", "lukskillslot", "luksremovekey", "reencrypt", "format", "sanitize",
    "security-erase", "erasedisk", "erasevolume", "secureerase", "partitiondisk", "randomdisk", "zerodisk",
    "reformat", "wipe_table", "labelclear", "zero-superblock", "delete-ns", "write-zeroes", "deletecontainer",
    "deletevolume", "splitpartition", "mergepartitions", "deletelocalsnapshots", "rollback", "createpool",
    "stop-all", "replace", "security-erase-enhanced",
];

/// `format D: /q`; `npm run format` names no drive.
fn format(command: &Command) -> Finding {
    if command.arguments().iter().any(|word| !word.is_known || word.text.contains(':')) {
        return DESTRUCTIVE.because("formats a drive").finding();
    }
    UNKNOWN.finding()
}

fn volumes(command: &Command) -> Finding {
    let words: Vec<&str> = args::texts(command).collect();
    let wipes = words.iter().any(|word| {
        let low = word.trim_start_matches('-').to_ascii_lowercase();
        WIPES.iter().any(|wipe| low.starts_with(wipe) || low.replace('-', "") == *wipe)
    });
    let by_name = ["remove", "reduce"].iter().any(|verb| command.name().ends_with(verb));
    if wipes || by_name || cli::destroys(&words) || cli::has_destroying_option(command) {
        return DESTRUCTIVE.because("removes or overwrites a volume").finding();
    }
    let looks = matches!(
        (command.name(), words.as_slice()),
        ("lvs" | "pvs" | "vgs" | "lvdisplay" | "pvdisplay" | "vgdisplay", _)
            | ("diskutil", ["list" | "info" | "activity", ..])
            | ("zpool" | "zfs", ["list" | "status" | "get", ..])
            | ("zpool", ["iostat" | "history", ..])
            | ("tmutil", ["status" | "listbackups" | "latestbackup" | "destinationinfo"])
            | ("btrfs", ["filesystem" | "fi", "df" | "show" | "usage", ..])
            | ("btrfs", ["subvolume", "list" | "show", ..])
            | (
                "losetup" | "zramctl" | "swapon",
                [] | ["-a" | "-l" | "--list" | "--show" | "-s" | "--summary"]
            )
    );
    if looks { READ_ASKS.finding() } else { UNKNOWN_RED.because("changes disks or mounts").finding() }
}

fn mount(command: &Command) -> Finding {
    let words: Vec<&str> = args::texts(command).collect();
    let looks =
        command.name() == "findmnt" || matches!(words.as_slice(), [] | ["-l"] | ["-t", _] | ["-l", "-t", _]);
    if looks { READ_ASKS.finding() } else { UNKNOWN_RED.because("mounts a file system").finding() }
}

#[cfg(test)]
mod tests {
    use countersign_proto::request::{Class, Level};

    use super::{super::args::tests::command, *};

    #[test]
    fn wiping_and_removing_a_volume_is_destructive() {
        for line in [
            "cryptsetup luksFormat /dev/sdc",
            "cryptsetup -q luksErase a",
            "zpool destroy tank",
            "zfs destroy -r tank/a",
            "lvremove -f vg/a",
            "vgreduce vg a",
            "nvme format a",
            "hdparm --security-erase p a",
            "diskutil eraseDisk JHFS+ X disk2",
            "btrfs subvolume delete a",
            "mdadm --zero-superblock a",
            "tmutil delete a",
            "diskutil apfs deleteContainer disk2",
        ] {
            let finding = volumes(&command(line));
            assert_eq!((finding.class, finding.level), (Class::Destructive, Level::Red), "{line}");
        }
    }

    #[test]
    fn listing_volumes_is_a_read_and_changing_them_is_red() {
        for line in ["lvs", "diskutil list", "zpool status", "btrfs filesystem df .", "losetup -a"] {
            assert_eq!(volumes(&command(line)).level, Level::Yellow, "{line}");
        }
        for line in [
            "umount -l /home",
            "swapoff -a",
            "mdadm --create a",
            "zfs set quota=1G tank",
            "udisksctl mount -b a",
        ] {
            assert_eq!(volumes(&command(line)).level, Level::Red, "{line}");
        }
        assert_eq!(mount(&command("mount")).level, Level::Yellow);
        assert_eq!(mount(&command("mount --bind a b")).level, Level::Red);
    }
}
