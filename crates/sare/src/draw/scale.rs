//! From numbers to places: linear and logarithmic scales with ticks at 1, 2 or 5 times powers of ten.

/// Numbers of this size and beyond are not drawn.
const HUGE: f64 = 1e100;

/// True for numbers that can be drawn: neither NaN nor infinite nor absurdly large.
pub fn usable(x: f64) -> bool {
    x.abs() < HUGE
}

/// The smallest and the largest of the numbers that can be drawn, if there are any.
pub fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let widen = |r: Option<(f64, f64)>, x: f64| match r {
        None => Some((x, x)),
        Some((low, high)) => Some((low.min(x), high.max(x))),
    };
    values.into_iter().filter(|x| usable(*x)).fold(None, widen)
}

/// A range that has an inside: as it is, or widened around its one value; from 0 to 1 if there is none.
pub fn settle(range: Option<(f64, f64)>) -> (f64, f64) {
    let Some((low, high)) = range.filter(|r| usable(r.0) && usable(r.1)) else { return (0.0, 1.0) };
    let (low, high) = (low.min(high), low.max(high));
    let size = low.abs().max(high.abs());
    if size < 1e-90 {
        (0.0, 1.0)
    } else if high - low > size * 1e-9 {
        (low, high)
    } else {
        let middle = low / 2.0 + high / 2.0;
        (middle - size * 0.1, middle + size * 0.1)
    }
}

/// The range with a share of its length added at either end.
///
/// Ranges without negative numbers get none: a share of errors has no room below 0.
pub fn pad((low, high): (f64, f64), share: f64) -> (f64, f64) {
    let more = (high - low) * share;
    let below = low - more;
    (if low >= 0.0 { below.max(0.0) } else { below }, high + more)
}

/// The range widened to whole steps, such that a linear scale's ticks, at most `most` steps, stand at its ends.
pub fn nice(range: (f64, f64), most: usize) -> (f64, f64) {
    let (mut low, mut high) = settle(Some(range));
    // A wider range may ask for a longer step; that ends soon, as steps more than double.
    for _ in 0..8 {
        let step = Step::of(high - low, most);
        let wide = (
            step.times((low / step.size() + 1e-9).floor()),
            step.times((high / step.size() - 1e-9).ceil()),
        );
        if wide == (low, high) {
            break;
        }
        (low, high) = wide;
    }
    (low, high)
}

/// 1, 2 or 5 times a power of ten.
#[derive(Clone, Copy, Debug)]
struct Step {
    factor: f64,
    power: i32,
}

impl Step {
    /// The smallest step of which at most `most` fill the span.
    fn of(span: f64, most: usize) -> Step {
        let raw = (span / most.max(1) as f64).max(1e-300);
        let power = raw.log10().floor() as i32;
        let factor =
            [1.0, 2.0, 5.0].into_iter().find(|f| f * 10f64.powi(power) >= raw * (1.0 - 1e-9));
        match factor {
            Some(factor) => Step { factor, power },
            None => Step { factor: 1.0, power: power + 1 },
        }
    }

    fn size(self) -> f64 {
        self.times(1.0)
    }

    /// A whole number of steps, as exact as a double can be.
    fn times(self, count: f64) -> f64 {
        let size = 10f64.powi(self.power.abs());
        if self.power < 0 { count * self.factor / size } else { count * self.factor * size }
    }
}

/// A number with its name on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Where.
    pub value: f64,
    /// What is written there.
    pub label: String,
}

/// How numbers become places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Kind {
    /// Equal differences are equally long.
    #[default]
    Linear,
    /// Equal ratios are equally long.
    Log,
}

/// A range of numbers laid along a stretch of the drawing.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// How.
    pub kind: Kind,
    /// The smallest number.
    pub low: f64,
    /// The largest number.
    pub high: f64,
    /// Where the smallest number is drawn.
    pub start: f64,
    /// Where the largest number is drawn.
    pub end: f64,
}

impl Scale {
    /// A linear scale; a range without inside is widened.
    pub fn linear(range: (f64, f64), start: f64, end: f64) -> Scale {
        let (low, high) = settle(Some(range));
        Scale { kind: Kind::Linear, low, high, start, end }
    }

    /// A logarithmic scale, from 1 to 10 if the range is not above 0.
    pub fn log(range: (f64, f64), start: f64, end: f64) -> Scale {
        let drawn = |x: f64| usable(x) && x > 1e-90;
        let (low, high) =
            if drawn(range.0) && drawn(range.1) { settle(Some(range)) } else { (1.0, 10.0) };
        Scale { kind: Kind::Log, low, high, start, end }
    }

    /// Where a number is drawn; numbers outside the range are drawn at its ends.
    pub fn at(&self, value: f64) -> f64 {
        let value = if value.is_nan() { self.low } else { value.clamp(self.low, self.high) };
        let share = match self.kind {
            Kind::Linear => (value - self.low) / (self.high - self.low),
            Kind::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        self.start + share * (self.end - self.start)
    }

    /// True if the number can be drawn within the range.
    pub fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }

    /// About `most` ticks within the range.
    pub fn ticks(&self, most: usize) -> Vec<Tick> {
        let values = match self.kind {
            Kind::Linear => None,
            Kind::Log => self.log_values(most),
        };
        if let Some(values) = values {
            return values.into_iter().map(|value| Tick { value, label: plain(value) }).collect();
        }
        let step = Step::of(self.high - self.low, most);
        let first = (self.low / step.size() - 1e-6).ceil();
        let last = (self.high / step.size() + 1e-6).floor();
        let count = (last - first).clamp(-1.0, 1000.0) as i64;
        let biggest = self.low.abs().max(self.high.abs());
        (0..=count)
            .map(|i| step.times(first + i as f64))
            .map(|value| Tick { value, label: label(value, step.power, biggest) })
            .collect()
    }

    /// 1, 2 and 5 times powers of ten if they are few enough, else powers of ten; none if that leaves less than two.
    fn log_values(&self, most: usize) -> Option<Vec<f64>> {
        let within = |v: &f64| *v >= self.low * (1.0 - 1e-9) && *v <= self.high * (1.0 + 1e-9);
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let decades = |every: usize| {
            (first..=last).filter(move |p| p.rem_euclid(every as i32) == 0).map(|p| 10f64.powi(p))
        };
        let fine: Vec<f64> =
            decades(1).flat_map(|d| [d, 2.0 * d, 5.0 * d]).filter(within).collect();
        if fine.len() <= most {
            return Some(fine).filter(|f| f.len() > 1);
        }
        let coarse = |every: usize| decades(every).filter(within).collect::<Vec<f64>>();
        (1..100).map(coarse).find(|c| c.len() <= most.max(2)).filter(|c| c.len() > 1).or(Some(fine))
    }

    /// The whole multiples of powers of ten on a logarithmic axis: ticks without names. None on a linear one.
    pub fn minor(&self) -> Vec<f64> {
        if self.kind == Kind::Linear || self.high / self.low > 1e7 {
            return Vec::new();
        }
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let multiples = |p: i32| (1..10).map(move |m| f64::from(m) * 10f64.powi(p));
        (first..=last).flat_map(multiples).filter(|v| self.holds(*v)).collect()
    }
}

/// A tick's name: as many decimals as its step needs, or powers of ten where that would be long.
fn label(value: f64, power: i32, biggest: f64) -> String {
    if value.abs() < 10f64.powi(power) * 0.5 {
        "0".into()
    } else if biggest >= 1e7 || power < -5 {
        let digits = (value.abs().log10() + 1e-9).floor() as i32 - power;
        powers(value, digits.clamp(0, 12) as usize)
    } else {
        grouped(value, (-power).max(0) as usize)
    }
}

/// A number with a mantissa of so many decimals and a power of ten.
fn powers(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    let raise = |c: char| match c.to_digit(10) {
        Some(d) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][d as usize],
        None => '⁻',
    };
    let raised: String = power.chars().map(raise).collect();
    match mantissa {
        "1" => format!("10{raised}"),
        "-1" => format!("−10{raised}"),
        _ => format!("{}×10{raised}", mantissa.replace('-', "−")),
    }
}

/// A number with so many decimals and commas between thousands.
pub fn grouped(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    if value < 0.0 && text.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        out.push('−');
    }
    for (i, c) in whole.chars().enumerate() {
        // Four digits are read as easily without a comma, but a column of ticks should look alike.
        if i > 0 && (whole.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out + rest
}

/// A number to four significant digits, for labels and tooltips.
pub fn plain(value: f64) -> String {
    let size = value.abs();
    if !usable(value) {
        return "?".into();
    }
    if size < 1e-90 {
        return "0".into();
    }
    if !(1e-4..1e7).contains(&size) {
        let text = format!("{value:.3e}");
        let mantissa = text.split('e').next().unwrap_or("1").trim_end_matches('0');
        return powers(value, mantissa.split_once('.').map_or(0, |m| m.1.len()));
    }
    let decimals = (3.0 - size.log10().floor()).max(0.0) as usize;
    let text = grouped(value, decimals);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests;
