//! Writes the headers of the C library.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (path, text) in tautline_c_header::headers()? {
        std::fs::write(path, text)?;
    }
    Ok(())
}
