//! Coordinates on the Earth: which axes are latitudes and longitudes.

const LATITUDES: [&str; 5] = ["lat", "latitude", "lats", "nav_lat", "grid_latitude"];
const LONGITUDES: [&str; 8] =
    ["lon", "longitude", "lons", "long", "lng", "nav_lon", "grid_longitude", "longitudes"];

/// Whether an axis of this name holds latitudes in degrees: `lat`, `Latitude`, `nav_lat`, …
pub fn is_latitude(name: &str) -> bool {
    LATITUDES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether an axis of this name holds longitudes in degrees: `lon`, `lng`, `Longitude`, …
pub fn is_longitude(name: &str) -> bool {
    LONGITUDES.iter().any(|known| known.eq_ignore_ascii_case(name))
}
