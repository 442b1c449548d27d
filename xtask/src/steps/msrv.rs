//! The minimum supported Rust version, which the manifests state.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::metadata;
use crate::tools::Tools;

/// Checks that no package in the lock file requires a newer version than the manifests state. Clippy's lint
/// `incompatible_msrv` checks that our own code uses nothing newer.
pub fn msrv(tools: &Tools) -> Result<()> {
    let packages = metadata::packages(tools, true)?;
    let packages: Vec<_> = packages.iter().map(Package::of).collect::<Result<_>>()?;
    println!("{}", check(&packages)?);
    Ok(())
}

#[derive(Debug)]
struct Package {
    name: String,
    /// The version of Rust that it states.
    stated: Option<Version>,
    is_ours: bool,
}

/// A version of Rust: its major and minor number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version(u32, u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}

impl Package {
    fn of(package: &Value) -> Result<Self> {
        let text = |field: &str| package[field].as_str().context("a package without a name");
        let name = format!("{} {}", text("name")?, text("version")?);
        let stated = package["rust_version"].as_str().map(parse).transpose()?;
        Ok(Self { name, stated, is_ours: package["source"].is_null() })
    }
}

fn parse(version: &str) -> Result<Version> {
    let mut parts = version.split('.').map(str::parse);
    let mut next = || parts.next().and_then(Result::ok);
    let version = next().zip(next()).with_context(|| format!("`{version}` is no version"))?;
    Ok(Version(version.0, version.1))
}

/// Returns the text to print if no package needs a newer version than ours state.
fn check(packages: &[Package]) -> Result<String> {
    let ours = packages.iter().filter(|package| package.is_ours);
    let stated: BTreeSet<_> = ours.map(|package| package.stated).collect();
    let one = stated.first().filter(|_| stated.len() == 1);
    let msrv = one.context("the packages of the workspace state different versions")?;
    let msrv = msrv.context("the packages of the workspace state no version")?;
    let mut newest = Version(0, 0);
    let mut too_new = String::new();
    for Package { name, stated, .. } in packages {
        let Some(stated) = *stated else { continue };
        newest = newest.max(stated);
        if stated > msrv {
            too_new += &format!("\n{name}: {stated}");
        }
    }
    ensure!(too_new.is_empty(), "these packages need a newer Rust than {msrv}:{too_new}");
    Ok(format!("msrv: {msrv}; the newest that a package in the lock file asks for: {newest}"))
}

#[cfg(test)]
mod tests {
    use super::{Package, check, parse};

    fn package(name: &str, stated: Option<&str>, is_ours: bool) -> Package {
        let stated = stated.map(|version| parse(version).unwrap());
        Package { name: name.to_owned(), stated, is_ours }
    }

    #[test]
    fn versions_are_compared_by_their_numbers() {
        assert!(parse("1.9.3").unwrap() < parse("1.88").unwrap());
        assert!(parse("2.0").unwrap() > parse("1.88").unwrap());
        assert!(parse("1").is_err());
        assert!(parse("1.x").is_err());
    }

    #[test]
    fn no_dependency_may_need_a_newer_version() {
        let ours = || package("tautline 0.1.0", Some("1.88"), true);
        let others =
            |version| [ours(), package("a 1", version, false), package("b 1", None, false)];
        assert!(check(&others(Some("1.88.0"))).is_ok());
        assert!(check(&others(None)).is_ok());
        assert!(check(&others(Some("1.89"))).unwrap_err().to_string().contains("a 1: 1.89"));
    }

    #[test]
    fn our_packages_state_the_same_version() {
        let two = |version| {
            [
                package("one", Some("1.88"), true),
                package("two", version, true),
                package("a", None, false),
            ]
        };
        assert!(check(&two(Some("1.88"))).is_ok());
        assert!(check(&two(Some("1.87"))).is_err());
        assert!(check(&two(None)).is_err());
    }
}
