//! Reads the ticket from a picture of its QR code.

use std::path::Path;

use anyhow::{Context, bail};
use zeroize::Zeroizing;

/// The text of the one QR code in a PNG.
///
/// # Errors
/// The file can't be read, or holds no code or more than one.
pub fn read(path: &Path) -> anyhow::Result<Zeroizing<String>> {
    let named = || format!("cannot read the picture `{}`", path.display());
    let picture = image::open(path).with_context(named)?.to_luma8();
    let mut prepared = rqrr::PreparedImage::prepare(picture);
    match prepared.detect_grids().as_slice() {
        [grid] => {
            let (_, text) = grid.decode().with_context(|| {
                format!("the QR code in `{}` can't be read: take a sharper picture", path.display())
            })?;
            Ok(Zeroizing::new(text))
        }
        [] => bail!("there is no QR code in `{}`", path.display()),
        _ => bail!("there is more than one QR code in `{}`: show the ticket alone", path.display()),
    }
}
