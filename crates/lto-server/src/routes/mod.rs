//! The routes, one line each: `/openapi.json` is made of the same lines.

mod certify;
mod design;
mod health;
mod models;
mod observations;
mod oip;
mod predict;
mod reload;
mod states;
mod stream;
mod truth;

use crate::error::{Error, Result};
use crate::service::Service;
use crate::{page, trace};
use axum::Router;
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tower_http::cors::{AllowHeaders, Any, CorsLayer};
use utoipa::OpenApi;
use utoipa::openapi::OpenApi as Description;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The model's name in a path.
pub struct Name(pub String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let found = Path::<String>::from_request_parts(parts, state).await;
        found.map(|Path(name)| Self(name)).map_err(|error| Error::malformed("path", error.to_string()))
    }
}

/// The title of the description.
#[derive(OpenApi)]
#[openapi(info(
    title = "Latent Twin Operator",
    description = "Fields from sensors anywhere, at any time: predictions, certificates, sensor layouts.",
))]
struct Api;

/// Every route.
fn all() -> OpenApiRouter<Service> {
    OpenApiRouter::with_openapi(Api::openapi())
        .routes(routes!(models::list))
        .routes(routes!(models::one))
        .routes(routes!(predict::predict))
        .routes(routes!(states::encode))
        .routes(routes!(states::decode))
        .routes(routes!(certify::certify))
        .routes(routes!(design::design))
        .routes(routes!(observations::observe))
        .routes(routes!(stream::stream))
        .routes(routes!(truth::truth))
        .routes(routes!(reload::reload))
        .routes(routes!(oip::server))
        .routes(routes!(oip::live))
        .routes(routes!(oip::ready))
        .routes(routes!(oip::model))
        .routes(routes!(oip::model_ready))
        .routes(routes!(oip::infer))
        .routes(routes!(health::metrics))
}

/// The description of the routes.
pub fn openapi() -> Description {
    all().split_for_parts().1
}

/// The routes of a service, with what every request goes through.
pub fn router(service: &Service) -> Router {
    let (router, description) = all().split_for_parts();
    let description = serde_json::to_string(&description).unwrap_or_default();
    let described = get(move || async move { ([("content-type", "application/json")], description) });
    let mut router = router
        .route("/openapi.json", described)
        .merge(oip::versioned())
        .fallback(page::file)
        .method_not_allowed_fallback(trace::no_method)
        .layer(from_fn_with_state(service.clone(), trace::admit))
        .layer(from_fn_with_state(service.clone(), trace::guard));
    let origins: Vec<HeaderValue> =
        service.guard().origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    if !origins.is_empty() {
        let shape = HeaderName::from_static("x-shape");
        router = router.layer(
            CorsLayer::new()
                .allow_origin(origins)
                .allow_headers(AllowHeaders::mirror_request())
                .allow_methods(Any)
                .expose_headers([shape]),
        );
    }
    router.layer(from_fn_with_state(service.clone(), trace::observe)).with_state(service.clone())
}
