//! The beta and Student distributions behind the intervals.

/// The regularised incomplete beta function I_x(a, b): the probability that a beta variable is below x.
pub fn beta_cdf(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    let front = (libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (1.0 - x).ln()).exp();
    // The continued fraction converges fast on this side of the mean; the other side is its mirror image.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * fraction(x, a, b) / a
    } else {
        1.0 - front * fraction(1.0 - x, b, a) / b
    }
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let safe = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / safe(1.0 - (a + b) * x / (a + 1.0));
    let mut sum = d;
    for m in 1..300 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / safe(1.0 + even * d);
        c = safe(1.0 + even / c);
        sum *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / safe(1.0 + odd * d);
        c = safe(1.0 + odd / c);
        let step = d * c;
        sum *= step;
        if (step - 1.0).abs() < 1e-14 {
            break;
        }
    }
    sum
}

/// The x below which a beta variable is with probability `p`.
pub fn beta_quantile(p: f64, a: f64, b: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..52 {
        let middle = 0.5 * (low + high);
        if beta_cdf(middle, a, b) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The t that a Student variable with `freedom` degrees of freedom exceeds in size with probability `p`.
pub fn student_bound(p: f64, freedom: f64) -> f64 {
    // P(|T| > t) is the probability that a beta variable is below x = freedom / (freedom + t^2).
    let x = beta_quantile(p, 0.5 * freedom, 0.5);
    (freedom * (1.0 - x) / x.max(f64::MIN_POSITIVE)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, error: f64) -> bool {
        (a - b).abs() < error
    }

    #[test]
    fn known_values() {
        // I_x(1, 1) is x, I_x(2, 1) is x^2; the others are from tables.
        assert!(close(beta_cdf(0.3, 1.0, 1.0), 0.3, 1e-12) && close(beta_cdf(0.3, 2.0, 1.0), 0.09, 1e-12));
        assert!(close(beta_cdf(0.5, 5.0, 5.0), 0.5, 1e-12) && close(beta_cdf(0.2, 2.0, 5.0), 0.344_64, 1e-5));
        assert!(close(beta_quantile(0.025, 8.0, 3.0), 0.4439, 1e-4));
        for (freedom, bound) in [(1.0, 12.706), (4.0, 2.776), (30.0, 2.042), (1e6, 1.960)] {
            assert!(close(student_bound(0.05, freedom), bound, 1e-3), "{freedom}: {}", student_bound(0.05, freedom));
        }
    }
}
