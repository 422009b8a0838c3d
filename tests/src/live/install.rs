//! Finds the real agents' programs, each version pinned, and fetches a missing one with npm (the registry is the
//! only host asked; install scripts do not run).

use std::{
    env,
    fs::{self, File},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use tokio::process::Command;

/// The version of Claude Code that the live tests drive.
pub const CLAUDE_VERSION: &str = "2.1.332";

/// Where the agents live: `$COUNTERSIGN_AGENTS_DIR`, else `target/agents` of the workspace.
pub fn agents_dir() -> PathBuf {
    match env::var_os("COUNTERSIGN_AGENTS_DIR") {
        Some(dir) => PathBuf::from(dir),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("agents"),
    }
}

/// The native program of Claude Code below an agents folder, installed there if it is missing or of another version.
pub async fn claude(dir: &Path) -> Result<PathBuf> {
    let package = platform_package()?;
    let prefix = dir.join("claude");
    fs::create_dir_all(&prefix).with_context(|| format!("cannot make `{}`", prefix.display()))?;
    let lock = File::create(dir.join("claude.lock"))?;
    let lock = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock)).await??;
    let program = prefix.join("node_modules/@anthropic-ai").join(package).join("claude");
    if !is_pinned(&program).await {
        npm_install(&prefix, &format!("@anthropic-ai/claude-code@{CLAUDE_VERSION}")).await?;
        ensure!(
            is_pinned(&program).await,
            "npm left no Claude Code {CLAUDE_VERSION} in `{}`",
            program.display()
        );
    }
    drop(lock);
    fs::canonicalize(&program).with_context(|| format!("cannot find `{}`", program.display()))
}

/// The npm package of this machine that holds the native file; the `.bin` stub would need an install script.
fn platform_package() -> Result<&'static str> {
    Ok(match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => "claude-code-linux-x64",
        ("linux", "aarch64") => "claude-code-linux-arm64",
        (os, arch) => bail!("the live tests know no Claude Code for {os} on {arch}"),
    })
}

/// Asks the program itself: a download that was cut short leaves a manifest of the right version beside half a file.
async fn is_pinned(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").env("DISABLE_AUTOUPDATER", "1").output().await;
    output
        .is_ok_and(|output| String::from_utf8_lossy(&output.stdout).split(' ').next() == Some(CLAUDE_VERSION))
}

async fn npm_install(prefix: &Path, package: &str) -> Result<()> {
    let manifest = prefix.join("package.json");
    if !manifest.exists() {
        fs::write(&manifest, "{\"private\":true}\n")?;
    }
    let output = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", package])
        .current_dir(prefix)
        .kill_on_drop(true)
        .output()
        .await
        .with_context(|| {
            format!(
                "cannot run npm, which is needed once to fetch {package}: install Node.js with npm, or point \
                 COUNTERSIGN_AGENTS_DIR to a folder that already holds it"
            )
        })?;
    ensure!(
        output.status.success(),
        "npm could not install {package}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pinned_version_is_one_whose_payloads_were_captured() {
        let fixtures =
            Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("desktop").join("agents/fixtures");
        assert!(fixtures.join("claude").join(CLAUDE_VERSION).join("PermissionRequest.Bash.json").exists());
    }

    #[tokio::test]
    async fn a_program_of_another_version_or_none_is_not_the_pinned_one() {
        assert!(!is_pinned(Path::new("/bin/true")).await);
        assert!(!is_pinned(Path::new("/nowhere/claude")).await);
    }
}
