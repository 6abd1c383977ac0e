//! Work on the threads of the current pool, compiled once: learners are compiled for each game, and each of rayon's
//! iterators in them would be compiled as often.

use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Calls `work` with every number below `count`.
pub fn for_each_number(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Calls `work` with every item and its number.
pub fn for_each<T: Send>(items: impl IntoIterator<Item = T>, work: &(dyn Fn(usize, T) + Sync)) {
    // A lock that nobody else wants costs far less than any item of ours.
    let items: Vec<Mutex<Option<T>>> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
    for_each_number(items.len(), &|number| {
        if let Some(item) = items[number].lock().unwrap_or_else(PoisonError::into_inner).take() {
            work(number, item);
        }
    });
}

/// What `work` makes of every number below `count`, in order.
pub fn map<T: Send>(count: usize, work: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let mut made: Vec<Option<T>> = Vec::new();
    made.resize_with(count, || None);
    for_each(&mut made, &|number, place| *place = Some(work(number)));
    made.into_iter().map(|made| made.expect("every number had its turn")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_has_its_turn_once() {
        let mut numbers = vec![0; 1000];
        for_each(&mut numbers, &|number, place| *place += number + 1);
        assert!(numbers.iter().enumerate().all(|(number, &value)| value == number + 1));
        assert_eq!(map(5, &|number| number * number), [0, 1, 4, 9, 16]);
        assert!(map(0, &|number| number).is_empty());
    }
}
