//! Walking through every assignment of some variables, in step with places in several tables.

/// Every assignment, the last variable changing fastest, and where each of the tables has it.
#[derive(Default)]
pub(super) struct Walk {
    sizes: Vec<usize>,
    digits: Vec<usize>,
    /// Table by table, how much further the next state of each variable is.
    strides: Vec<usize>,
    places: Vec<usize>,
}

impl Walk {
    /// Begins anew with variables of these sizes.
    pub(super) fn begin(&mut self, sizes: impl Iterator<Item = usize>) {
        self.sizes.clear();
        self.sizes.extend(sizes);
        self.digits.clear();
        self.digits.resize(self.sizes.len(), 0);
        self.strides.clear();
        self.places.clear();
    }

    /// Follows a table too, which has the first assignment at `start`.
    pub(super) fn follow(&mut self, start: usize, strides: impl Iterator<Item = usize>) {
        self.places.push(start);
        self.strides.extend(strides);
    }

    /// Where a table has the present assignment.
    pub(super) fn place(&self, table: usize) -> usize {
        self.places[table]
    }

    /// Where each table has it.
    pub(super) fn places(&self) -> &[usize] {
        &self.places
    }

    /// Goes on to the next assignment, after the last to the first.
    pub(super) fn step(&mut self) {
        let count = self.sizes.len();
        for i in (0..count).rev() {
            let strides = self.strides.iter().skip(i).step_by(count.max(1));
            let places = self.places.iter_mut().zip(strides);
            if self.digits[i] + 1 < self.sizes[i] {
                self.digits[i] += 1;
                places.for_each(|(place, stride)| *place += stride);
                return;
            }
            let back = self.digits[i];
            self.digits[i] = 0;
            places.for_each(|(place, stride)| *place -= back * stride);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_followed_in_step() {
        // Variables of 2, 3 and 2 states; one table over all of them, one over the last and the first.
        let mut walk = Walk::default();
        walk.begin([2, 3, 2].into_iter());
        walk.follow(100, [6, 2, 1].into_iter());
        walk.follow(0, [1, 0, 2].into_iter());
        for _ in 0..2 {
            for cell in 0..12 {
                let (first, last) = (cell / 6, cell % 2);
                assert_eq!(walk.places(), [100 + cell, 2 * last + first]);
                assert_eq!(walk.place(1), 2 * last + first);
                walk.step();
            }
        }
    }
}
