//! The published figures, kept as CSV files beside the code.

/// A line of a published table: the set, and its figures.
pub(super) struct Line<'a> {
    /// The set, as our files call it.
    pub set: &'a str,
    /// What stands in the columns.
    pub values: Vec<f64>,
}

/// The lines of a table. A field that is no number, which no file here has, would be NaN and show as such.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().skip(1).map(|line| {
        let mut fields = line.split(',');
        let set = fields.next().unwrap_or_default();
        let values = fields.map(|f| f.parse().unwrap_or(f64::NAN)).collect();
        Line { set, values }
    })
}

/// A published figure with two decimals, or all it has.
pub(super) fn shown(figure: f64) -> String {
    let short = format!("{figure:.2}");
    if short.parse() == Ok(figure) { short } else { figure.to_string() }
}

/// Two figures that are the same to the last printed digit.
pub(super) fn same(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() < 0.0051
}
