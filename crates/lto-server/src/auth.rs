//! Who may ask: tokens, and requests that other sites make a browser send.

use crate::error::{Error, Result};
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};
use std::path::Path;
use subtle::ConstantTimeEq;

/// A shorter token could be guessed.
const SHORTEST: usize = 16;

/// What a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// To compute and to look.
    Read,
    /// To change what others see. Without tokens, whoever reaches the service may.
    Write,
    /// To change the service. Without tokens, nobody may.
    Admin,
}

/// The tokens of a file: lines `read TOKEN` and `admin TOKEN`.
#[derive(Clone, Default)]
pub struct Tokens(Vec<(Access, String)>);

impl Tokens {
    /// Reads a token file, which nobody else may read.
    ///
    /// # Errors
    /// A file that cannot be read, is open to others, or holds something else.
    pub fn read(path: &Path) -> std::result::Result<Self, String> {
        let at = |problem: String| format!("{}: {problem}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| at(error.to_string()))?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = path.metadata().map_err(|error| at(error.to_string()))?.permissions().mode();
            if mode & 0o077 != 0 {
                return Err(at(format!(
                    "others may read the tokens (mode {:o}): chmod 600 it",
                    mode & 0o777
                )));
            }
        }
        Self::parse(&text).map_err(at)
    }

    /// The tokens of a file's text; empty lines and those that begin with `#` are left out.
    ///
    /// # Errors
    /// The line that is not understood, never with its token.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut tokens = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let wrong = |problem: &str| Err(format!("line {}: {problem}", number + 1));
            match line.split_whitespace().collect::<Vec<_>>()[..] {
                [] => {}
                [first, ..] if first.starts_with('#') => {}
                [kind, token] => {
                    let access = match kind {
                        "read" => Access::Read,
                        "admin" => Access::Admin,
                        _ => return wrong("begins with neither read nor admin"),
                    };
                    if token.len() < SHORTEST {
                        return wrong("the token is shorter than 16 characters: try openssl rand -hex 16");
                    }
                    tokens.push((access, token.to_string()));
                }
                _ => return wrong("is not of the form: read TOKEN, or admin TOKEN"),
            }
        }
        if tokens.is_empty() {
            return Err("holds no token; write lines of the form: read TOKEN, or admin TOKEN".into());
        }
        Ok(Self(tokens))
    }

    /// What the bearer of a token may; every token is compared, in constant time.
    fn access(&self, given: &str) -> Option<Access> {
        let equal = |token: &String| bool::from(token.as_bytes().ct_eq(given.as_bytes()));
        let of = |(access, token): &(Access, String)| equal(token).then_some(*access);
        self.0.iter().map(of).fold(None, Option::max)
    }
}

/// Who may ask.
#[derive(Clone, Default)]
pub struct Guard {
    /// The tokens; `None` if none is needed.
    pub tokens: Option<Tokens>,
    /// Whether the service is meant for this machine only.
    pub loopback: bool,
    /// Other sites that may call the service, such as `https://example.org`.
    pub origins: Vec<String>,
}

impl Guard {
    /// Refuses whoever may not.
    ///
    /// # Errors
    /// A site that may not call, a name that is not this machine's, or no token for this.
    pub fn check(&self, path: &str, headers: &HeaderMap) -> Result<()> {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(&HOST);
        // A name of somebody else's that leads here would make their site ours, for a browser.
        if let (true, Some(host)) = (self.loopback, host) {
            let name = host
                .rsplit_once(':')
                .map_or(host, |(name, port)| if port.ends_with(']') { host } else { name });
            if !(name.eq_ignore_ascii_case("localhost") || name == "[::1]" || name.starts_with("127.")) {
                let message = format!(
                    "{host} is not this machine; name it localhost, or start the service with --host"
                );
                return Err(Error::forbidden("host", message));
            }
        }
        if let Some(origin) = text(&ORIGIN) {
            let ours = origin.split_once("://").is_some_and(|(_, name)| Some(name) == host);
            if !ours && !self.origins.iter().any(|allowed| allowed == origin) {
                let message = format!("{origin} may not call this service; --allow-origin lets it");
                return Err(Error::forbidden("origin", message));
            }
        }
        let Some(needed) = needed(path) else { return Ok(()) };
        let Some(tokens) = &self.tokens else {
            return match needed {
                Access::Admin => {
                    Err(Error::forbidden("admin", "this needs an admin token: start with --token-file"))
                }
                _ => Ok(()),
            };
        };
        let given = text(&AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        match tokens.access(given.trim()) {
            Some(access) if access >= needed => Ok(()),
            Some(_) => Err(Error::forbidden("admin", "this needs an admin token")),
            None => Err(Error::unauthorized()),
        }
    }
}

/// What a path needs; the page, the description of the routes and the signs of life are for everybody.
fn needed(path: &str) -> Option<Access> {
    let inside =
        |part: &str| path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    match path {
        _ if inside("/v2/health") => None,
        _ if !["/v1", "/v2", "/metrics"].into_iter().any(inside) => None,
        _ if path.ends_with("/reload") => Some(Access::Admin),
        _ if path.ends_with("/observations") => Some(Access::Write),
        _ => Some(Access::Read),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: &str = "0123456789abcdef";
    const ADMIN: &str = "fedcba9876543210";

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    #[test]
    fn token_files_are_read_line_by_line() {
        let tokens = Tokens::parse(&format!("# ours\n\nread {READ}\n admin\t{ADMIN} \n")).unwrap();
        assert_eq!(tokens.access(READ), Some(Access::Read));
        assert_eq!(tokens.access(ADMIN), Some(Access::Admin));
        for wrong in ["", &READ[1..], &format!("{READ}0"), "fedcba9876543211"] {
            assert_eq!(tokens.access(wrong), None);
        }
        for (text, told) in [
            ("", "holds no token"),
            ("read short", "line 1: the token is shorter"),
            ("\nwrite 0123456789abcdef", "line 2: begins with neither"),
            ("read a b", "line 1: is not of the form"),
        ] {
            let error = Tokens::parse(text).err().unwrap();
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn every_route_needs_the_right_token() {
        let tokens = Tokens::parse(&format!("read {READ}\nadmin {ADMIN}")).unwrap();
        let guard = Guard { tokens: Some(tokens), ..Guard::default() };
        let status = |path: &str, token: &str| {
            let headers = headers(&[(AUTHORIZATION, &format!("Bearer {token}"))]);
            guard.check(path, &headers).map_or_else(|error| error.status().as_u16(), |()| 200)
        };
        for (path, none, read, admin) in [
            ("/", 200, 200, 200),
            ("/assets/page.js", 200, 200, 200),
            ("/openapi.json", 200, 200, 200),
            ("/v2/health/live", 200, 200, 200),
            ("/v2/healthy", 401, 200, 200),
            ("/v1/models", 401, 200, 200),
            ("/v2/models/m/infer", 401, 200, 200),
            ("/metrics", 401, 200, 200),
            ("/v1/models/m/observations", 401, 403, 200),
            ("/v1/models/m/reload", 401, 403, 200),
        ] {
            assert_eq!(
                (status(path, ""), status(path, READ), status(path, ADMIN)),
                (none, read, admin),
                "{path}"
            );
        }
        let open = Guard::default();
        let status =
            |path: &str| open.check(path, &HeaderMap::new()).map_or_else(|e| e.status().as_u16(), |()| 200);
        assert_eq!(
            (status("/v1/models"), status("/v1/models/m/observations"), status("/v1/models/m/reload")),
            (200, 200, 403)
        );
    }

    #[test]
    fn other_sites_and_other_names_are_refused() {
        let guard = Guard { loopback: true, origins: vec!["https://a.org".into()], ..Guard::default() };
        let check = |pairs: &[(HeaderName, &str)]| guard.check("/v1/models", &headers(pairs)).is_ok();
        for host in ["localhost:8000", "LOCALHOST", "127.0.0.1:1", "[::1]:8000", "[::1]"] {
            assert!(check(&[(HOST, host)]), "{host}");
        }
        for host in ["evil.org", "evil.org:8000", "localhost.evil.org", "[::2]"] {
            assert!(!check(&[(HOST, host)]), "{host}");
        }
        assert!(check(&[(HOST, "localhost:8000"), (ORIGIN, "http://localhost:8000")]));
        assert!(check(&[(HOST, "localhost:8000"), (ORIGIN, "https://a.org")]));
        for origin in ["null", "http://evil.org", "http://localhost:9000", "https://a.org.evil.org"] {
            assert!(!check(&[(HOST, "localhost:8000"), (ORIGIN, origin)]), "{origin}");
        }
    }
}
