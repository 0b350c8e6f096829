//! Santafé, "Advances on supervised and unsupervised learning of Bayesian network models", dissertation, University of
//! the Basque Country, 2007, chapter 5: discriminative learning by the TM algorithm.

mod accuracy;
mod binary;
mod correlation;
mod figures;
mod likelihood;
mod models;
mod published;
mod random;
mod selected;
mod sets;

#[cfg(test)]
mod tests;

use super::Experiment;

const BINARY: &str = "corral.csv and mofn-3-7-10.csv, class last; monk1-train.csv and monk2-train.csv (a1 to a6, class), the \
                      124 and 169 training rows of the monk's problems, where there are any";
const SETS: &str =
    "the UCI sets of Friedman, Geiger and Goldszmidt 1997 as NAME.csv, class last, and columns.csv";

/// Table 5.1 and figure 5.3.
pub const TABLE_5_1: Experiment = Experiment {
    name: "santafe-5-1",
    help: "conditional likelihood of naive Bayes, TAN and BAN, generative and by TM, on four binary sets",
    source: "Santafe 2007, table 5.1 and figure 5.3",
    data: BINARY,
    run: binary::table_5_1,
};

/// Table 5.2.
pub const TABLE_5_2: Experiment = Experiment {
    name: "santafe-5-2",
    help: "leave-one-out accuracy of naive Bayes, TAN and BAN, generative and by TM, on four binary sets",
    source: "Santafe 2007, table 5.2",
    data: BINARY,
    run: binary::table_5_2,
};

/// Table 5.3.
pub const TABLE_5_3: Experiment = Experiment {
    name: "santafe-5-3",
    help: "accuracy of naive Bayes and TAN, generative and by TM, on 18 sets",
    source: "Santafe 2007, table 5.3",
    data: SETS,
    run: accuracy::table_5_3,
};

/// Table 5.4.
pub const TABLE_5_4: Experiment = Experiment {
    name: "santafe-5-4",
    help: "conditional likelihood of naive Bayes and TAN, generative and by TM, on 18 whole sets",
    source: "Santafe 2007, table 5.4",
    data: SETS,
    run: likelihood::table_5_4,
};

/// Table 5.5.
pub const TABLE_5_5: Experiment = Experiment {
    name: "santafe-5-5",
    help: "accuracy of structural TM, conditional TAN, naive Bayes and TAN by TM on 8 sets",
    source: "Santafe 2007, table 5.5",
    data: SETS,
    run: accuracy::table_5_5,
};

/// Table 5.6.
pub const TABLE_5_6: Experiment = Experiment {
    name: "santafe-5-6",
    help: "how many attributes structural TM selects on 8 whole sets",
    source: "Santafe 2007, table 5.6 and figure 5.6",
    data: SETS,
    run: selected::table_5_6,
};

/// Table 5.7 and figures 5.10 to 5.16.
pub const TABLE_5_7: Experiment = Experiment {
    name: "santafe-5-7",
    help: "rank correlation of likelihood and conditional likelihood with accuracy under random parameters",
    source: "Santafe 2007, table 5.7 and figures 5.10 to 5.16",
    data: SETS,
    run: correlation::table_5_7,
};

/// Figures 5.7 to 5.9.
pub const FIGURES: Experiment = Experiment {
    name: "santafe-fig-5-7",
    help: "generative against discriminative learning on data of random naive Bayes, TAN and joint distributions",
    source: "Santafe 2007, figures 5.7 to 5.9",
    data: "",
    run: figures::figures_5_7_to_5_9,
};
