//! Writes the header of the C library.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    std::fs::write(tautline_c_header::path(), tautline_c_header::text()?)?;
    Ok(())
}
