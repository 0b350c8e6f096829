//! Options that several commands share.

use crate::progress::Watcher;
use clap::{Args, ValueEnum};
use sare::classify::{ClassWeights, Classifier, CostMatrix, Learner};
use sare::data::open::{display_name, is_pipe};
use sare::data::table::is_weight;
use sare::data::{Encoding, Note, ReadOptions, Table};
use sare::error::{Error, Result};
use sare::evaluate::{Measure, Options};
use sare::observe::Observer;
use sare::registry;
use sare::run::Run;
use sare::structure::constraints::Constraints;
use sare::structure::given::Given;
use sare::structure::named::{NamedGraph, name_list};

/// Options of every command.
#[derive(Args)]
pub struct Common {
    /// Print machine-readable JSON
    #[arg(long, global = true)]
    pub json: bool,
    /// Use this many threads (0: one a core); no result depends on it
    #[arg(long, global = true, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Show no progress and no warnings
    #[arg(long, short, global = true)]
    pub quiet: bool,
}

impl Common {
    /// The circumstances of a call with this seed.
    pub fn run<'a>(&self, seed: u64, watcher: &'a dyn Observer) -> Result<Run<'a>> {
        Run::with_seed(seed).observed(watcher).threads(self.threads)
    }

    /// What listens to the run: a bar on a terminal, and Ctrl-C.
    pub fn watcher(&self) -> Watcher {
        Watcher::new(self.quiet)
    }

    /// Prints what was decided while a table was read.
    pub fn notes(&self, notes: &[Note]) {
        if !self.quiet {
            notes.iter().for_each(|note| eprintln!("sare: note: {}", note.text));
        }
    }

    /// Prints a warning.
    pub fn warn(&self, text: &str) {
        if !self.quiet {
            eprintln!("sare: warning: {text}");
        }
    }
}

/// The measure to judge by.
#[derive(Args)]
pub struct MeasureArgs {
    /// The measure to judge by: accuracy, error, cll, ll, ae, se, brier, auc, auc-weighted, calibration,
    /// calibration-count or cost (see `sare learners`)
    #[arg(long, default_value = "error", value_name = "NAME", help_heading = "Judging")]
    measure: String,
    /// Decide by least expected cost, with the costs of this CSV file (header: decisions; rows: true classes)
    #[arg(long, value_name = "FILE", help_heading = "Judging")]
    pub cost: Option<String>,
    /// Everything random is derived from this number
    #[arg(long, default_value_t = 1, value_name = "NUMBER", help_heading = "Judging")]
    pub seed: u64,
}

impl MeasureArgs {
    /// The measure that was asked for.
    pub fn measure(&self) -> anyhow::Result<Measure> {
        let measure = Measure::named(&self.measure)?;
        if measure.name == "cost" && self.cost.is_none() {
            return Err(Usage("--measure cost needs --cost FILE".into()).into());
        }
        Ok(measure)
    }

    /// The options of an evaluation on a table with this class.
    pub fn options(&self, table: &Table, class: &str) -> Result<Options> {
        let column = table.schema().require(class, table.name())?;
        let costs = match &self.cost {
            Some(path) => Some(CostMatrix::read(path, table.field(column).levels())?),
            None => None,
        };
        Ok(Options { costs, training: false })
    }
}

/// Refuses options that take the class away before it can be learnt, and keeps it whatever it holds.
pub fn leaves_class(class: &str, options: ReadOptions) -> anyhow::Result<ReadOptions> {
    let taken =
        |option: &str| Err(Usage(format!("--{option} takes the class '{class}' away")).into());
    if options.ignore.iter().any(|c| c == class) {
        return taken("ignore");
    }
    if options.weight.as_deref() == Some(class) {
        return taken("weight");
    }
    let keep = [options.keep, vec![class.into()]].concat();
    Ok(ReadOptions { keep, class: Some(class.into()), ..options })
}

/// Refuses an option that reads the file more than once, where it can be read only once.
pub fn read_again(option: &str, path: &str) -> anyhow::Result<()> {
    if !is_pipe(path) {
        return Ok(());
    }
    let name = display_name(path);
    let text = format!(
        "{option} reads the file more than once, which {name} cannot be; write it to a file first"
    );
    Err(Usage(text).into())
}

/// Something typed wrongly that clap could not know.
#[derive(Debug)]
pub struct Usage(pub String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Names with commas between them; one that holds a comma stands in double quotes.
#[derive(Clone, Debug)]
pub struct NameList(Vec<String>);

impl std::str::FromStr for NameList {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<NameList, String> {
        let wrong = "names are separated by commas, and one that holds a comma stands in double quotes, as '\"a, b\",c'";
        name_list(text).map(NameList).ok_or_else(|| wrong.into())
    }
}

/// The names of all lists.
pub fn names(lists: &[NameList]) -> Vec<String> {
    lists.iter().flat_map(|l| &l.0).cloned().collect()
}

/// How a file of rows is to be understood.
#[derive(Args, Clone)]
#[command(next_help_heading = "Reading")]
pub struct Reading {
    /// Columns that are discrete whatever their cells look like
    #[arg(long, value_name = "COLUMNS")]
    discrete: Vec<NameList>,
    /// Columns that are continuous whatever their cells look like
    #[arg(long, value_name = "COLUMNS")]
    continuous: Vec<NameList>,
    /// Columns to leave out; a name that holds a comma stands in double quotes
    #[arg(long, value_name = "COLUMNS")]
    ignore: Vec<NameList>,
    /// Columns to keep although they seem to be of no use: identifiers, row numbers, constants
    #[arg(long, value_name = "COLUMNS")]
    keep: Vec<NameList>,
    /// The column of row weights
    #[arg(long, value_name = "COLUMN")]
    weight: Option<String>,
    #[command(flatten)]
    text: TextReading,
}

/// How text is to be understood.
#[derive(Args, Clone)]
pub struct TextReading {
    /// Texts that mean a missing cell, separated by commas; nothing between two commas, or after the last, is the
    /// empty cell [default: "?,NA,", and in columns of numbers also NaN, null, n/a, #N/A, - and .]
    #[arg(long, value_name = "TEXTS", help_heading = "Reading")]
    missing: Option<String>,
    /// What separates the fields of a text file (a character, or tab) [default: found from the first line]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter, help_heading = "Reading")]
    delimiter: Option<u8>,
    /// The text file has no header; columns are named c1, c2, ...
    #[arg(long, help_heading = "Reading")]
    no_header: bool,
    /// Whether numbers are written with a decimal comma [default: found out where fields are separated by ; or tab]
    #[arg(long, value_name = "yes|no", num_args = 0..=1, default_missing_value = "yes", help_heading = "Reading")]
    decimal_comma: Option<YesNo>,
    /// How the text file encodes its characters: utf-8, latin-1, utf-16 or utf-16be [default: utf-8, or as its
    /// byte-order mark says]
    #[arg(long, value_name = "NAME", value_parser = Encoding::named, help_heading = "Reading")]
    encoding: Option<Encoding>,
}

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum YesNo {
    /// Yes
    Yes,
    /// No
    No,
}

fn delimiter(text: &str) -> std::result::Result<u8, String> {
    match text {
        "tab" | "\\t" => Ok(b'\t'),
        _ if text.len() == 1 && !matches!(text, "\"" | "\n" | "\r") => Ok(text.as_bytes()[0]),
        _ => Err("give one ASCII character, or tab".into()),
    }
}

impl TextReading {
    /// The options for reading.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            delimiter: self.delimiter,
            header: !self.no_header,
            missing: self.missing.as_ref().map(|m| m.split(',').map(str::to_string).collect()),
            decimal_comma: self.decimal_comma.map(|answer| answer == YesNo::Yes),
            encoding: self.encoding,
            ..ReadOptions::default()
        }
    }

    /// The options for reading rows for a model: where nothing is said, as the file was read that it was learnt from.
    pub fn options_for(&self, model: &Classifier) -> ReadOptions {
        let options = self.options();
        ReadOptions {
            missing: options.missing.or_else(|| model.missing().map(<[String]>::to_vec)),
            conventions: model.training().conventions.clone(),
            ..options
        }
    }
}

impl Reading {
    /// How its text is to be understood.
    pub fn text(&self) -> &TextReading {
        &self.text
    }

    /// The options for reading.
    pub fn options(&self) -> ReadOptions {
        ReadOptions {
            discrete: names(&self.discrete),
            continuous: names(&self.continuous),
            ignore: names(&self.ignore),
            keep: names(&self.keep),
            weight: self.weight.clone(),
            ..self.text.options()
        }
    }
}

/// What is to be learnt, and how.
#[derive(Args)]
#[command(next_help_heading = "Learning")]
pub struct Learning {
    /// The class column
    #[arg(long, value_name = "COLUMN")]
    pub class: String,
    /// The structure (see `sare learners`) [default: nb, or what --structure says]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The most parents beside the class, of models that search (ban and network by hc or k2, structural-tm): short for NAME:parents=N
    #[arg(long, value_name = "N", requires = "model")]
    max_parents: Option<usize>,
    /// The parameter learner (see `sare learners`)
    #[arg(long, default_value = "laplace", value_name = "NAME")]
    parameters: String,
    /// How numbers are cut into bins (see `sare learners`)
    #[arg(long, default_value = "mdlp", value_name = "NAME")]
    discretise: String,
    /// Cut a class of numbers into this many bins of about equally many rows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    bins: Option<u16>,
    /// How much a row of each class counts: `balanced`, or class=weight,...
    #[arg(long, value_name = "WEIGHTS")]
    class_weights: Option<String>,
    /// Everything random is derived from this number
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub seed: u64,
    #[command(flatten)]
    constraining: Constraining,
}

/// What the structure must obey.
#[derive(Args)]
#[command(next_help_heading = "Constraints")]
pub struct Constraining {
    /// A structure: a formula such as '[class][a|class]', or a file with a formula, with arcs 'a -> b' line by line, or
    /// with JSON (a model will do). Without --model it is used as it is; a search begins with it
    #[arg(long, value_name = "FILE")]
    structure: Option<String>,
    /// An arc that must be there, as 'a -> b' (may be given several times)
    #[arg(long, value_name = "ARC")]
    require: Vec<String>,
    /// An arc that must not be there, as 'a -> b'; * stands for every column (may be given several times)
    #[arg(long, value_name = "ARC")]
    forbid: Vec<String>,
    /// Groups of columns in time, as 'a,b < c': no arc leads back
    #[arg(long, value_name = "GROUPS")]
    tiers: Option<String>,
    /// A file with lines such as: require a -> b, forbid a -> b, tiers a, b < c
    #[arg(long, value_name = "FILE")]
    constraints: Option<String>,
}

impl Constraining {
    /// The structure that was given.
    fn given(&self) -> Result<Option<NamedGraph>> {
        self.structure.as_deref().map(NamedGraph::read).transpose()
    }

    /// What must be obeyed, without the structure.
    fn rules(&self) -> anyhow::Result<Constraints> {
        let mut constraints = Constraints::default();
        if let Some(path) = &self.constraints {
            let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
            constraints.add_text(&text)?;
        }
        let lines = |word: &'static str, arcs: &[String]| -> Vec<String> {
            arcs.iter().map(|arc| format!("{word} {arc}")).collect()
        };
        let tiers: Vec<String> = self.tiers.iter().cloned().collect();
        let words = [("require", &self.require), ("forbid", &self.forbid), ("tiers", &tiers)];
        for line in words.iter().flat_map(|(word, arcs)| lines(word, arcs)) {
            constraints.add_line(&line)?;
        }
        Ok(constraints)
    }
}

impl Learning {
    /// The options for reading, which must leave the class there.
    pub fn checked(&self, options: ReadOptions) -> anyhow::Result<ReadOptions> {
        let bins = self.bins.map(|bins| (self.class.clone(), usize::from(bins)));
        leaves_class(&self.class, ReadOptions { bins, ..options })
    }

    /// The learner that was asked for.
    pub fn learner(&self) -> anyhow::Result<Learner> {
        let mut constraints = self.constraining.rules()?;
        let structure = match (&self.model, self.constraining.given()?) {
            (None, Some(graph)) => Given { graph }.into(),
            (model, start) => {
                constraints.start = start;
                let model = model.as_deref().unwrap_or("nb");
                match self.max_parents {
                    None => registry::structure(model)?,
                    Some(_) if model.contains(":pc") => {
                        let text = "--max-parents does not go with pc, whose parents=N is the most columns conditioned on";
                        return Err(Usage(text.into()).into());
                    }
                    Some(most) => {
                        let mark = if model.contains(':') { ',' } else { ':' };
                        registry::structure(&format!("{model}{mark}parents={most}"))?
                    }
                }
            }
        };
        Ok(Learner {
            structure,
            parameters: registry::parameters(&self.parameters)?,
            discretise: registry::discretiser(&self.discretise)?,
            class_weights: class_weights(self.class_weights.as_deref())?,
            constraints,
        })
    }
}

fn class_weights(text: Option<&str>) -> anyhow::Result<ClassWeights> {
    let given = match text {
        None => return Ok(ClassWeights::Equal),
        Some("balanced") => return Ok(ClassWeights::Balanced),
        Some(given) => given,
    };
    let pair = |item: &str| {
        let (name, weight) = item.rsplit_once('=')?;
        let weight: f64 = weight.trim().parse().ok()?;
        is_weight(weight).then(|| (name.to_string(), weight))
    };
    let pairs: Option<Vec<(String, f64)>> = given.split(',').map(pair).collect();
    let once = |pairs: &Vec<(String, f64)>| {
        (1..pairs.len()).all(|i| pairs[..i].iter().all(|(name, _)| *name != pairs[i].0))
    };
    pairs.filter(once).map(ClassWeights::Given).ok_or_else(|| {
        let text = format!(
            "--class-weights '{given}' must be 'balanced', or class=weight,... with each class once; a weight is 0 or \
             from 1e-40 to 1e40"
        );
        Usage(text).into()
    })
}
