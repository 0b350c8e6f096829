//! Santafé, Lozano and Larrañaga, "Bayesian model averaging of naive Bayes for clustering", IEEE Transactions on Systems,
//! Man and Cybernetics B 36 (2006), and chapter 7 of Santafé's dissertation (2007): clusters by EMA.

mod brute_force;

pub use brute_force::BRUTE_FORCE;
