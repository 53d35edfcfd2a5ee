//! Generalised majority: Algorithm 2 of the paper (section 3.3.5), by Misra and Gries (1982).

use super::table::KeyTable;
use super::{Counter, CounterKind, FrequentTable, Options, check_least};
use crate::error::{Error, Result};

/// More counters than this would not have numbers.
const MOST_COUNTERS: u32 = 1 << 30;

/// Slots with the same value: those from `start` to `end` in the order by values.
#[derive(Debug, Clone, Copy)]
struct Group {
    value: u64,
    start: u32,
    end: u32,
}

/// Generalised majority (GM): monitors c lines, by the hash of each (XXH3).
///
/// A line that is not monitored takes a counter that is zero, or else all counters are decremented. So a counter is at most
/// the count of its line, and less by no more than the number of decrements d; and d is at most n/(c + 1) after n lines,
/// because each decrement uses up c + 1 of them. Hence every line that occurs more than n/(c + 1) times is monitored.
///
/// In the end a monitored line is frequent if its counter is at least `least` − d, and at least 1. Then a line that occurs at
/// least `least` times is missed only if it occurs at most n/(c + 1) times, and no line is called frequent that occurs less
/// than `least` − d times. Where d is larger than `least`, all monitored lines are called frequent; with lines as skewed as
/// boilerplate a [larger value](Options::majority_least) may be asked, as in the paper, at the price of missed lines.
///
/// # Time
///
/// An update takes constant time. Counters are sorted by value, with equal values in one group. An incremented counter
/// swaps places with the last of its group and moves to the next one. Decrementing all counters means incrementing an
/// offset that is subtracted from all.
///
/// # Merging
///
/// Counters of the same line are added. If there are more than c, the (c + 1)-th largest is subtracted from all, and those
/// above zero stay (Agarwal and others, "Mergeable summaries", 2012). This, too, is a number of decrements that each use up
/// c + 1 lines, so that all of the above holds for what was merged.
///
/// Lines whose hashes collide count as one. This is expected for one pair in six billion distinct lines.
#[derive(Debug)]
pub struct Majority {
    /// Of each slot, the key that it monitors; 0 for none.
    keys: Vec<u64>,
    /// Hash table of slots by their keys: the number of a slot plus one, or 0.
    table: Vec<u32>,
    /// The slots by increasing values.
    order: Vec<u32>,
    /// Of each slot, where in the order it is.
    places: Vec<u32>,
    /// Of each slot, its group.
    group_of: Vec<u32>,
    groups: Vec<Group>,
    free: Vec<u32>,
    /// Decrements of all counters: a counter is the value of its slot less this.
    decrements: u64,
    lines: u64,
    least: Option<u32>,
}

impl Majority {
    /// With as many [counters](Options::counters) as the options say.
    pub fn new(options: &Options) -> Result<Self> {
        let counters = options.counters;
        if !(1..=MOST_COUNTERS).contains(&counters) {
            return Err(Error::Refused(format!(
                "{counters} majority counters: the number must be from 1 to {MOST_COUNTERS}"
            )));
        }
        let mut majority = Majority {
            keys: Vec::new(),
            table: Vec::new(),
            order: (0..counters).collect(),
            places: (0..counters).collect(),
            group_of: Vec::new(),
            groups: Vec::new(),
            free: Vec::new(),
            decrements: 0,
            lines: 0,
            least: options.majority_least,
        };
        majority.fill(&[]);
        Ok(majority)
    }

    /// Keys and counters of monitored lines, the largest counters first and equal ones by keys.
    pub fn counts(&self) -> Vec<(u64, u64)> {
        let mut counts: Vec<(u64, u64)> = self.monitored().collect();
        counts.sort_unstable_by_key(|&(key, count)| (std::cmp::Reverse(count), key));
        counts
    }

    /// Decrements of all counters: no counter is less than the count of its line by more.
    pub fn decrements(&self) -> u64 {
        self.decrements
    }

    fn monitored(&self) -> impl Iterator<Item = (u64, u64)> {
        let value = |slot: usize| self.groups[self.group_of[slot] as usize].value - self.decrements;
        (0..self.keys.len()).map(move |slot| (self.keys[slot], value(slot))).filter(|&(_, count)| count > 0)
    }

    /// Monitors these lines only, given by increasing counts above 0, with the decrements as they are.
    fn fill(&mut self, counts: &[(u64, u64)]) {
        let counters = self.order.len();
        self.keys = vec![0; counters];
        self.table = vec![0; (counters * 2).next_power_of_two()];
        self.group_of = vec![0; counters];
        self.groups = Vec::new();
        self.free = Vec::new();
        let idle = counters - counts.len();
        self.append_group(self.decrements, 0..idle);
        for (&(key, count), place) in counts.iter().zip(idle..) {
            self.append_group(self.decrements + count, place..place + 1);
            self.monitor(self.order[place], key);
        }
    }

    /// Puts the next places of the order into the last group if its value is this, else into a new group.
    fn append_group(&mut self, value: u64, places: std::ops::Range<usize>) {
        if places.is_empty() {
            return;
        }
        match self.groups.last_mut() {
            Some(last) if last.value == value => last.end = places.end as u32,
            _ => self.groups.push(Group { value, start: places.start as u32, end: places.end as u32 }),
        }
        for place in places {
            self.group_of[self.order[place] as usize] = (self.groups.len() - 1) as u32;
        }
    }

    /// A slot whose counter is zero, if there is one.
    fn idle(&self) -> Option<u32> {
        let first = self.groups[self.group_of[self.order[0] as usize] as usize];
        (first.value == self.decrements).then(|| self.order[first.end as usize - 1])
    }

    fn increment(&mut self, slot: u32) {
        let number = self.group_of[slot as usize];
        let Group { value, start, end } = self.groups[number as usize];
        let last = end - 1;
        self.swap(self.places[slot as usize], last);
        let next = self.order.get(end as usize).map(|&slot| self.group_of[slot as usize]);
        let next = next.filter(|&next| self.groups[next as usize].value == value + 1);
        match next {
            Some(next) => self.groups[next as usize].start = last,
            None if start == last => self.groups[number as usize].value += 1,
            None => {}
        }
        if start < last {
            self.groups[number as usize].end = last;
        } else if next.is_some() {
            self.free.push(number);
        }
        if next.is_some() || start < last {
            let group = next.unwrap_or_else(|| self.new_group(Group { value: value + 1, start: last, end }));
            self.group_of[slot as usize] = group;
        }
    }

    fn new_group(&mut self, group: Group) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.groups[number as usize] = group;
                number
            }
            None => {
                self.groups.push(group);
                (self.groups.len() - 1) as u32
            }
        }
    }

    /// Lets the slots at two places of the order change places.
    fn swap(&mut self, one: u32, other: u32) {
        self.order.swap(one as usize, other as usize);
        for place in [one, other] {
            self.places[self.order[place as usize] as usize] = place;
        }
    }

    /// Where in the table a key belongs first.
    fn home(&self, key: u64) -> usize {
        (key >> (64 - self.table.len().trailing_zeros())) as usize
    }

    /// The slot of a key in the table, or the free slot where it belongs.
    fn find(&self, key: u64) -> usize {
        let mut at = self.home(key);
        while self.table[at] != 0 && self.keys[self.table[at] as usize - 1] != key {
            at = (at + 1) & (self.table.len() - 1);
        }
        at
    }

    /// Lets a slot monitor this key instead of its previous one.
    fn monitor(&mut self, slot: u32, key: u64) {
        let before = self.keys[slot as usize];
        if before != 0 {
            self.forget(before);
        }
        let at = self.find(key);
        self.table[at] = slot + 1;
        self.keys[slot as usize] = key;
    }

    /// Removes a key from the table: later keys that it displaced move up.
    fn forget(&mut self, key: u64) {
        let mask = self.table.len() - 1;
        let mut free = self.find(key);
        let mut at = (free + 1) & mask;
        while self.table[at] != 0 {
            let home = self.home(self.keys[self.table[at] as usize - 1]);
            if at.wrapping_sub(home) & mask >= at.wrapping_sub(free) & mask {
                self.table[free] = self.table[at];
                free = at;
            }
            at = (at + 1) & mask;
        }
        self.table[free] = 0;
    }
}

/// Adds counters of the same key.
fn combine(mut counts: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    counts.sort_unstable();
    counts.dedup_by(|later, kept| {
        let same = later.0 == kept.0;
        kept.1 += if same { later.1 } else { 0 };
        same
    });
    counts
}

impl Counter for Majority {
    fn kind(&self) -> CounterKind {
        CounterKind::Majority
    }

    fn lines(&self) -> u64 {
        self.lines
    }

    fn add_keyed(&mut self, key: u64, _line: &[u8]) -> Result<()> {
        self.lines += 1;
        let key = own_key(key);
        let found = self.table[self.find(key)];
        if found != 0 {
            self.increment(found - 1);
        } else if let Some(slot) = self.idle() {
            self.monitor(slot, key);
            self.increment(slot);
        } else {
            self.decrements += 1;
        }
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        let (counters, others) = (self.keys.len(), other.keys.len());
        if counters != others {
            return Err(Error::Refused(format!(
                "majority counters of different sizes cannot be merged: {counters} and {others}"
            )));
        }
        let mut counts = combine(self.monitored().chain(other.monitored()).collect());
        counts.sort_unstable_by_key(|&(key, count)| (count, key));
        let above = counts.len().checked_sub(counters + 1).map_or(0, |place| counts[place].1);
        counts.retain(|&(_, count)| count > above);
        for (_, count) in &mut counts {
            *count -= above;
        }
        self.decrements += other.decrements + above;
        self.lines += other.lines;
        self.fill(&counts);
        Ok(())
    }

    fn finish(self, least: u32) -> Result<FrequentTable> {
        check_least(least)?;
        let possible = u64::from(least).saturating_sub(self.decrements);
        let from = self.least.map_or(possible, u64::from).max(1);
        let mut frequent = KeyTable::default();
        for (key, count) in self.monitored().filter(|&(_, count)| count >= from) {
            frequent.add(key, u32::try_from(count).unwrap_or(u32::MAX));
        }
        Ok(FrequentTable::of_keys(CounterKind::Majority, least, self.lines, frequent))
    }
}

/// The key under which a line is monitored: 0 means none.
pub(super) fn own_key(key: u64) -> u64 {
    key.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn majority(counters: u32) -> Majority {
        Majority::new(&Options { counters, ..Options::default() }).expect("good options")
    }

    #[test]
    fn one_counter_finds_the_majority() {
        let mut counter = majority(1);
        for line in [b"a", b"b", b"a", b"c", b"a", b"a", b"d"] {
            counter.add(line).expect("no error");
        }
        assert_eq!(counter.counts(), [(CounterKind::Majority.key(b"a"), 1)]);
        assert_eq!(counter.decrements(), 3);
    }

    #[test]
    fn a_key_of_zero_is_counted() {
        let mut counter = majority(2);
        (0..3).for_each(|_| counter.add_keyed(0, b"").expect("no error"));
        assert_eq!(counter.counts(), [(1, 3)]);
    }

    #[test]
    fn the_value_that_the_paper_asks_can_be_asked() {
        let options = Options { counters: 10, majority_least: Some(5), ..Options::default() };
        let mut counter = Majority::new(&options).expect("good options");
        (0..9).for_each(|i| counter.add(if i % 2 == 0 { b"five" } else { b"four" }).expect("no error"));
        let frequent = counter.finish(11).expect("no error");
        assert!(frequent.is_frequent(b"five") && !frequent.is_frequent(b"four"));
    }

    #[test]
    fn numbers_of_counters_are_checked() {
        assert!(Majority::new(&Options { counters: 0, ..Options::default() }).is_err());
        assert!(majority(3).merge(majority(4)).expect_err("refused").to_string().contains("3 and 4"));
    }
}
