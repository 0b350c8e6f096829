//! The end boards of tic-tac-toe.

use super::{CLASS, discrete_table};
use crate::data::schema::Field;
use crate::data::table::Table;
use std::collections::BTreeSet;

// The codes of a square, which are also the order of the levels.
const X: usize = 0;
const O: usize = 1;
const BLANK: usize = 2;

/// Squares from the top left, row by row.
type Board = [usize; 9];

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// How a game ended, in the order in which the copies in circulation list the boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    XWins,
    OWins,
    Draw,
}

/// The 958 different boards on which a game that x starts can end; `positive` if x has won.
pub(super) fn tic_tac_toe() -> Table {
    let square = |row: &'static str| {
        let name = move |column| format!("{row}-{column}-square");
        ["left", "middle", "right"].map(name)
    };
    let names = ["top", "middle", "bottom"].into_iter().flat_map(square);
    let mut fields: Vec<Field> = names.map(|n| Field::discrete(n, ["x", "o", "b"])).collect();
    fields.push(Field::discrete(CLASS, ["positive", "negative"]));

    let mut games = Games::default();
    games.play([BLANK; 9], X);
    let row = |(outcome, board): &(Outcome, Board)| {
        let class = usize::from(*outcome != Outcome::XWins);
        [board.as_slice(), &[class]].concat()
    };
    let rows: Vec<Vec<usize>> = games.ends.iter().map(row).collect();
    discrete_table("tic-tac-toe", fields, &rows)
}

/// What is known of the games played so far.
#[derive(Default)]
struct Games {
    /// Boards whose continuations have been played: many games lead to the same board.
    seen: BTreeSet<Board>,
    /// Where games ended; the order of the set makes the order of the rows.
    ends: BTreeSet<(Outcome, Board)>,
}

impl Games {
    /// Plays every game that goes on from `board` with `player` to move.
    fn play(&mut self, board: Board, player: usize) {
        if !self.seen.insert(board) {
            return;
        }
        if let Some(outcome) = outcome(&board) {
            self.ends.insert((outcome, board));
            return;
        }
        for square in (0..9).filter(|&square| board[square] == BLANK) {
            let mut next = board;
            next[square] = player;
            self.play(next, if player == X { O } else { X });
        }
    }
}

/// How the game has ended, if it has.
fn outcome(board: &Board) -> Option<Outcome> {
    let has_line = |player| LINES.iter().any(|line| line.iter().all(|&s| board[s] == player));
    if has_line(X) {
        Some(Outcome::XWins)
    } else if has_line(O) {
        Some(Outcome::OWins)
    } else if board.contains(&BLANK) {
        None
    } else {
        Some(Outcome::Draw)
    }
}
