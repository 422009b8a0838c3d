//! TEMPORARY
pub fn text(_k: super::TextKind) -> Option<&'static String> {
    None
}
