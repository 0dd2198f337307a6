//! Tokens, other sites, and what the page may do.

use crate::client::{Client, request};
use lto_server::{Guard, Tokens};

const READ: &str = "Bearer 0123456789abcdef";
const ADMIN: &str = "Bearer fedcba9876543210";

#[tokio::test]
async fn tokens_are_asked_for() {
    let tokens = Tokens::parse("read 0123456789abcdef\nadmin fedcba9876543210").unwrap();
    let client = Client::with_guard(Guard { tokens: Some(tokens), ..Guard::default() });
    let predict = |token: &'static str| {
        let headers = [("authorization", token)];
        let client = &client;
        async move { client.send("POST", "/v1/models/heat/predict", &headers, request().to_string()).await }
    };
    assert_eq!(predict(READ).await.status, 200);
    assert_eq!(predict(ADMIN).await.status, 200);
    let stranger = predict("Bearer 0123456789abcdee").await;
    assert_eq!((stranger.status, stranger.kind().as_str()), (401, "token"));
    assert_eq!(stranger.headers["www-authenticate"], "Bearer");
    let infer = client.send("POST", "/v2/models/heat/infer", &[], "{}").await;
    assert!(infer.status == 401 && infer.json()["error"].is_string());
    let reload = |token: &'static str| {
        let client = &client;
        async move { client.send("POST", "/v1/models/heat/reload", &[("authorization", token)], "").await.status }
    };
    assert_eq!((reload(READ).await, reload(ADMIN).await), (403, 200));
    for open in ["/", "/v2/health/live", "/v2/health/ready", "/openapi.json"] {
        assert_eq!(client.get(open).await.status, 200, "{open}");
    }
    assert_eq!((client.get("/metrics").await.status, client.get("/v1/models").await.status), (401, 401));
}

#[tokio::test]
async fn other_sites_may_not_call_unless_allowed() {
    let own = [("host", "localhost:8000"), ("origin", "http://localhost:8000")];
    let other = [("host", "localhost:8000"), ("origin", "https://a.org")];
    let closed = Client::with_guard(Guard { loopback: true, ..Guard::default() });
    assert_eq!(closed.send("GET", "/v1/models", &own, "").await.status, 200);
    let refused = closed.send("GET", "/v1/models", &other, "").await;
    assert_eq!((refused.status, refused.kind().as_str()), (403, "origin"));
    assert!(!refused.headers.contains_key("access-control-allow-origin"));
    let renamed = closed.send("GET", "/v1/models", &[("host", "a.org")], "").await;
    assert_eq!((renamed.status, renamed.kind().as_str()), (403, "host"));

    let open = Client::with_guard(Guard {
        loopback: true,
        origins: vec!["https://a.org".into()],
        ..Guard::default()
    });
    let allowed = open.send("GET", "/v1/models", &other, "").await;
    assert_eq!(
        (allowed.status, &allowed.headers["access-control-allow-origin"]),
        (200, &"https://a.org".parse().unwrap())
    );
    let asks = [other[0], other[1], ("access-control-request-method", "POST")];
    let preflight = open.send("OPTIONS", "/v1/models/heat/predict", &asks, "").await;
    assert_eq!(
        (preflight.status, &preflight.headers["access-control-allow-origin"]),
        (200, &"https://a.org".parse().unwrap())
    );
}

#[tokio::test]
async fn the_page_comes_out_of_the_binary() {
    let client = Client::new();
    let page = client.get("/").await;
    assert_eq!(
        (page.status, &page.headers["content-type"]),
        (200, &"text/html; charset=utf-8".parse().unwrap())
    );
    assert!(page.headers["content-security-policy"].to_str().unwrap().starts_with("default-src 'self'"));
    assert_eq!(client.get("/index.html").await.body, page.body);
    let tag = page.headers["etag"].to_str().unwrap();
    let again = client.send("GET", "/", &[("if-none-match", tag)], "").await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    for lost in ["/nothing", "/../Cargo.toml", "/%2e%2e/Cargo.toml", "/v1/nothing"] {
        let answer = client.get(lost).await;
        assert_eq!((answer.status, answer.kind().as_str()), (404, "no_route"), "{lost}");
    }
    let wrong = client.get("/v1/models/heat/predict").await;
    assert_eq!((wrong.status, wrong.kind().as_str()), (405, "method"));
    assert_eq!(client.send("POST", "/", &[], "").await.status, 404);
}
