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

#[cfg(test)]
mod tests {
    use image::{GrayImage, Luma};
    use qrcode::{Color, EcLevel, QrCode};

    use super::*;

    const SCALE: u32 = 4;

    /// A picture of codes side by side, each with its quiet zone.
    fn draw(texts: &[&str], path: &Path) {
        let codes = texts.iter().map(|text| QrCode::with_error_correction_level(text, EcLevel::M).unwrap());
        let codes: Vec<QrCode> = codes.collect();
        let side = codes.iter().map(QrCode::width).max().map_or(40, |width| width as u32 + 8);
        let mut picture =
            GrayImage::from_pixel(side * SCALE * texts.len().max(1) as u32, side * SCALE, Luma([255]));
        for (place, code) in codes.iter().enumerate() {
            for (at, color) in code.to_colors().into_iter().enumerate() {
                let (x, y) = ((at % code.width()) as u32 + 4, (at / code.width()) as u32 + 4);
                for (dx, dy) in (0..SCALE).flat_map(|dx| (0..SCALE).map(move |dy| (dx, dy))) {
                    let dark = if color == Color::Dark { 0 } else { 255 };
                    let x = (place as u32 * side + x) * SCALE + dx;
                    picture.put_pixel(x, y * SCALE + dy, Luma([dark]));
                }
            }
        }
        picture.save(path).unwrap();
    }

    #[test]
    fn the_ticket_comes_out_of_a_picture_of_its_code() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ticket.png");
        let text = format!("CSGN1:{}", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".repeat(3));
        draw(&[&text], &path);
        assert_eq!(read(&path).unwrap().as_str(), text);
    }

    #[test]
    fn a_picture_without_one_single_code_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.png");
        draw(&[], &path);
        assert!(read(&path).unwrap_err().to_string().starts_with("there is no QR code"));
        draw(&["CSGN1:ONE", "CSGN1:TWO"], &path);
        assert!(read(&path).unwrap_err().to_string().contains("more than one QR code"));
        std::fs::write(&path, b"no picture").unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("cannot read the picture"));
    }
}
