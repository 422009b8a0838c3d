//! A ticket as a QR code: in the terminal, in half blocks of fixed black on white whatever its theme, or as a picture.

use image::{ExtendedColorType, ImageEncoder as _, codecs::png::PngEncoder};
use qrcode::{EcLevel, QrCode, types::Color};

/// How a code may be drawn, the best way first: level of error correction, and modules of white around it. On a screen
/// nothing gets dirty, so correction is given up before the margin is.
const WAYS: [(EcLevel, usize); 4] = [(EcLevel::M, 4), (EcLevel::L, 4), (EcLevel::M, 2), (EcLevel::L, 2)];
/// Black on white of the fixed part of the 256 colours, which no theme changes.
const BLACK_ON_WHITE: &str = "\x1b[38;5;16;48;5;231m";
const RESET: &str = "\x1b[0m";
/// Rows kept free below the code, for the time left.
const SPARE_ROWS: usize = 1;
/// Pixels of a module in a picture.
const SCALE: usize = 8;

/// A code with its white margin.
#[derive(Debug)]
struct Code {
    dark: Vec<bool>,
    size: usize,
}

/// Why no code is drawn.
#[derive(Debug, PartialEq, Eq)]
pub enum NotDrawn {
    /// The window is too small for the smallest way.
    TooSmall {
        /// Columns that are needed.
        columns: usize,
        /// Rows that are needed.
        rows: usize,
    },
    /// The text is too long for any code.
    TooLong,
}

/// Draws a code that fits a window of so many columns and rows.
pub fn draw(text: &str, (columns, rows): (u16, u16)) -> Result<String, NotDrawn> {
    let mut smallest = NotDrawn::TooLong;
    for (level, margin) in WAYS {
        let Some(code) = Code::new(text, level, margin) else { continue };
        let needed = (code.size, code.size.div_ceil(2) + SPARE_ROWS);
        if needed.0 <= usize::from(columns) && needed.1 <= usize::from(rows) {
            return Ok(code.half_blocks());
        }
        smallest = NotDrawn::TooSmall { columns: needed.0, rows: needed.1 };
    }
    Err(smallest)
}

/// A code as a PNG picture.
pub fn picture(text: &str) -> Option<Vec<u8>> {
    let code = Code::new(text, EcLevel::M, 4)?;
    let side = code.size * SCALE;
    let pixels: Vec<u8> = (0..side * side)
        .map(|at| if code.is_dark(at % side / SCALE, at / side / SCALE) { 0 } else { u8::MAX })
        .collect();
    let mut png = Vec::new();
    let side = u32::try_from(side).ok()?;
    PngEncoder::new(&mut png).write_image(&pixels, side, side, ExtendedColorType::L8).ok()?;
    Some(png)
}

impl Code {
    fn new(text: &str, level: EcLevel, margin: usize) -> Option<Self> {
        let code = QrCode::with_error_correction_level(text, level).ok()?;
        let (inner, size) = (code.width(), code.width() + 2 * margin);
        let colors = code.to_colors();
        let dark = (0..size * size).map(|at| {
            let (x, y) = ((at % size).checked_sub(margin), (at / size).checked_sub(margin));
            let (Some(x), Some(y)) = (x, y) else { return false };
            x < inner && colors.get(y * inner + x) == Some(&Color::Dark)
        });
        Some(Self { dark: dark.collect(), size })
    }

    /// Everything outside is white.
    fn is_dark(&self, x: usize, y: usize) -> bool {
        self.dark.get(y * self.size + x).copied().unwrap_or(false)
    }

    /// Two rows of modules a line; the colours end with each line, so that nothing beside it is touched.
    fn half_blocks(&self) -> String {
        let row = |y: usize| {
            let cells = (0..self.size).map(|x| match (self.is_dark(x, y), self.is_dark(x, y + 1)) {
                (false, false) => ' ',
                (true, false) => '▀',
                (false, true) => '▄',
                (true, true) => '█',
            });
            format!("{BLACK_ON_WHITE}{}{RESET}\n", cells.collect::<String>())
        };
        (0..self.size).step_by(2).map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ticket for a relay on loopback.
    fn ticket() -> String {
        format!("CSGN1:{}", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".repeat(4).get(..105).unwrap())
    }

    /// One for a long host, with a certificate's pin.
    fn long_ticket() -> String {
        format!("CSGN1:{}", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".repeat(8).get(..212).unwrap())
    }

    /// What a camera would see: every cell of the window, the code's own colours, and the theme's around it.
    fn photograph(drawn: &str, (columns, rows): (usize, usize), is_theme_dark: bool) -> Vec<Vec<bool>> {
        let mut pixels = vec![vec![is_theme_dark; columns]; rows * 2];
        for (row, line) in drawn.lines().enumerate() {
            let cells = line.strip_prefix(BLACK_ON_WHITE).unwrap().strip_suffix(RESET).unwrap();
            for (column, cell) in cells.chars().enumerate() {
                let (upper, lower) = match cell {
                    ' ' => (false, false),
                    '▀' => (true, false),
                    '▄' => (false, true),
                    '█' => (true, true),
                    other => panic!("{other:?}"),
                };
                pixels[2 * row][column] = upper;
                pixels[2 * row + 1][column] = lower;
            }
        }
        pixels
    }

    fn scan(pixels: &[Vec<bool>]) -> String {
        const ZOOM: usize = 5;
        let (width, height) = (pixels[0].len() * ZOOM, pixels.len() * ZOOM);
        let mut image =
            rqrr::PreparedImage::prepare_from_bitmap(width, height, |x, y| pixels[y / ZOOM][x / ZOOM]);
        let grids = image.detect_grids();
        assert_eq!(grids.len(), 1);
        grids[0].decode().unwrap().1
    }

    #[test]
    fn a_code_in_a_window_of_80_by_24_is_read_back_in_dark_and_light_themes() {
        for text in [ticket(), long_ticket()] {
            let drawn = draw(&text, (80, 30)).unwrap();
            for is_theme_dark in [true, false] {
                assert_eq!(scan(&photograph(&drawn, (80, 30), is_theme_dark)), text);
            }
        }
        for size in [(80, 24), (40, 24)] {
            let drawn = draw(&ticket(), size).unwrap();
            assert!(drawn.lines().count() <= 23, "a row stays free");
            assert_eq!(scan(&photograph(&drawn, (size.0.into(), size.1.into()), true)), ticket());
        }
    }

    #[test]
    fn in_a_small_window_correction_and_margin_are_given_up_one_by_one_and_it_is_still_read() {
        let mut sizes = Vec::new();
        for rows in (10..=30).rev() {
            let Ok(drawn) = draw(&long_ticket(), (80, rows)) else { continue };
            sizes.push(drawn.lines().count());
            assert_eq!(scan(&photograph(&drawn, (80, usize::from(rows)), true)), long_ticket());
        }
        sizes.dedup();
        assert!(sizes.len() >= 3, "{sizes:?}");
    }

    #[test]
    fn where_nothing_fits_the_needed_window_is_told() {
        let NotDrawn::TooSmall { columns, rows } = draw(&ticket(), (30, 24)).unwrap_err() else { panic!() };
        assert!(columns > 30 && columns < 40 && rows <= 24, "{columns} × {rows}");
        let needed = (u16::try_from(columns).unwrap(), u16::try_from(rows).unwrap());
        assert!(draw(&ticket(), needed).is_ok());
        assert!(draw(&ticket(), (needed.0 - 1, needed.1)).is_err());
        assert_eq!(draw(&"A".repeat(9_000), (500, 500)), Err(NotDrawn::TooLong));
    }

    #[test]
    fn colours_end_with_each_line() {
        let drawn = draw(&ticket(), (80, 24)).unwrap();
        assert!(drawn.lines().all(|line| line.starts_with(BLACK_ON_WHITE) && line.ends_with(RESET)));
    }

    #[test]
    fn a_picture_is_read_back() {
        let png = picture(&ticket()).unwrap();
        let image = image::load_from_memory(&png).unwrap().to_luma8();
        let (width, height) = (image.width() as usize, image.height() as usize);
        let mut prepared = rqrr::PreparedImage::prepare_from_greyscale(width, height, |x, y| {
            image.get_pixel(u32::try_from(x).unwrap(), u32::try_from(y).unwrap()).0[0]
        });
        assert_eq!(prepared.detect_grids()[0].decode().unwrap().1, ticket());
    }
}
