//! Regions on the command line.

use lto_numerics::theory::plan::Region;

/// `box:0.2:0.4,0.1:0.3`, lower and upper bound along each axis, or `circle:x,y,r`, a center and a radius
/// (`ball:x,y,z,r` in three dimensions).
pub fn region(text: &str) -> Result<Region, String> {
    let wrong = || "must be box:LOWER:UPPER,… with bounds for each axis, or circle:X,Y,RADIUS".to_string();
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    let (kind, numbers) = text.split_once(':').ok_or_else(wrong)?;
    match kind {
        "box" => {
            let bounds = numbers.split(',').map(|part| {
                let (lower, upper) = part.split_once(':')?;
                Some((number(lower)?, number(upper)?)).filter(|(lower, upper)| lower <= upper)
            });
            let (lower, upper) = bounds.collect::<Option<Vec<_>>>().ok_or_else(wrong)?.into_iter().unzip();
            Ok(Region::Box { lower, upper })
        }
        "circle" | "ball" => {
            let mut center =
                numbers.split(',').map(number).collect::<Option<Vec<f64>>>().ok_or_else(wrong)?;
            let radius = center.pop().filter(|radius| *radius >= 0.0).ok_or_else(wrong)?;
            if center.is_empty() {
                return Err(wrong());
            }
            Ok(Region::Ball { center, radius })
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_circles_are_understood_and_nothing_else() {
        let cube = Region::Box { lower: vec![0.2, -1.0], upper: vec![0.4, 0.3] };
        assert_eq!(region("box:0.2:0.4,-1:0.3"), Ok(cube));
        let ball = Region::Ball { center: vec![0.5, 0.25], radius: 0.1 };
        assert_eq!(
            (region("circle:0.5,0.25,0.1"), region("ball:0.5,0.25,0.1")),
            (Ok(ball.clone()), Ok(ball))
        );
        for wrong in [
            "",
            "box",
            "box:",
            "box:1",
            "box:0.4:0.2",
            "circle:0.1",
            "circle:a,b,c",
            "circle:1,2,-3",
            "square:0:1",
        ] {
            assert!(region(wrong).is_err(), "{wrong}");
        }
    }
}
