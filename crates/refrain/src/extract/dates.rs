//! Parses the dates that pages contain into ISO 8601.
//!
//! refrain has its own parser because date libraries strictly expect a given format. Here the format is unknown, other
//! words surround the date, month names come in many languages, and only the calendar date matters.

use std::fmt::Write;

/// Which number of `03/04/2021` is the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    MonthFirst,
    DayFirst,
}

/// Dates are searched for only in this many bytes at the start of a text.
const WINDOW: usize = 400;

/// The first date in a text, as an ISO 8601 date, or as a date-time if the text has that form.
///
/// Years before 1990 or after 2100 are rejected: they are unlikely on web pages.
pub(crate) fn find_date(text: &str, order: Order) -> Option<String> {
    let text = head(text, WINDOW);
    let tokens = tokens(text);
    for (i, token) in tokens.iter().enumerate() {
        if let Some(date) = compact(text, token).or_else(|| spelled(text, &tokens[i..], order)) {
            return Some(date);
        }
    }
    None
}

/// The date in the path of a URL.
pub(crate) fn date_in_url(url: &str) -> Option<String> {
    let path = crate::url::path(url)?;
    let tokens = tokens(head(path, WINDOW));
    (0..tokens.len()).find_map(|i| match tokens[i..] {
        [year, month, day, ..] if year.digits == 4 && month.digits <= 2 && day.digits <= 2 => {
            let parted = |a: &Token, b: &Token| matches!(&path[a.end..b.start], "/" | "-" | "_");
            (parted(&year, &month) && parted(&month, &day))
                .then(|| date(year.value, month.number()?, day.number()?))
                .flatten()
        }
        [whole, ..] if whole.digits == 8 => compact(path, &whole).map(|date| head(&date, 10).to_owned()),
        _ => None,
    })
}

/// The first bytes of a text, at a character boundary.
fn head(text: &str, length: usize) -> &str {
    &text[..text.floor_char_boundary(length)]
}

/// A number or a word.
#[derive(Debug, Clone, Copy)]
struct Token {
    start: usize,
    end: usize,
    /// 0 for words.
    digits: usize,
    /// The number, or the month that a word names, or 0.
    value: u64,
}

impl Token {
    fn number(&self) -> Option<u64> {
        (self.digits > 0).then_some(self.value)
    }

    fn month(&self) -> Option<u64> {
        (self.digits == 0 && self.value > 0).then_some(self.value)
    }

    fn is_year(&self) -> bool {
        self.digits == 4
    }

    fn is_day(&self) -> bool {
        (1..=2).contains(&self.digits)
    }
}

/// The numbers and words of a text, without the filler words that occur inside dates.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        let digit = first.is_ascii_digit();
        if !digit && !first.is_alphabetic() {
            continue;
        }
        let mut end = start + first.len_utf8();
        while let Some(&(at, next)) = rest.peek() {
            let same = if digit { next.is_ascii_digit() } else { next.is_alphabetic() };
            // The signs for year, month and day are tokens of their own.
            if !same || is_cjk_unit(next) || is_cjk_unit(first) {
                break;
            }
            end = at + next.len_utf8();
            rest.next();
        }
        let word = &text[start..end];
        if digit {
            let value = word.parse().unwrap_or(u64::MAX);
            tokens.push(Token { start, end, digits: word.len(), value });
        } else if !is_filler(word) {
            tokens.push(Token { start, end, digits: 0, value: month_named(word).unwrap_or(0) });
        }
    }
    tokens
}

fn is_cjk_unit(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '년' | '월' | '일')
}

/// Filler words inside dates: `3rd of March`, `3 de marzo de 2021`, `2021年3月3日`.
fn is_filler(word: &str) -> bool {
    const FILLERS: [&str; 15] =
        ["st", "nd", "rd", "th", "of", "de", "del", "er", "º", "年", "月", "日", "년", "월", "일"];
    FILLERS.iter().any(|filler| word.eq_ignore_ascii_case(filler))
}

/// A date that starts with the first token.
fn spelled(text: &str, tokens: &[Token], order: Order) -> Option<String> {
    let &[a, b, c, ..] = tokens else { return None };
    if !near(text, &a, &b) || !near(text, &b, &c) {
        return None;
    }
    if let Some(month) = a.month() {
        // March 3, 2021
        return (b.is_day() && c.is_year()).then(|| date(c.value, month, b.value)).flatten();
    }
    if let Some(month) = b.month() {
        return if a.is_day() && c.is_year() {
            date(c.value, month, a.value)
        } else if a.is_year() && c.is_day() {
            date(a.value, month, c.value)
        } else {
            None
        };
    }
    let (first, second) = (text[a.end..b.start].trim(), text[b.end..c.start].trim());
    if a.is_year() && b.is_day() && c.is_day() && !first.is_empty() && !second.is_empty() {
        let found = date(a.value, b.value, c.value)?;
        return Some(with_time(found, &text[c.end..]));
    }
    if a.is_day() && b.is_day() && c.is_year() && first == second && matches!(first, "/" | "." | "-") {
        return match (a.value, b.value) {
            (day, month) if day > 12 || first == "." => date(c.value, month, day),
            (month, day) if day > 12 || order == Order::MonthFirst => date(c.value, month, day),
            (day, month) => date(c.value, month, day),
        };
    }
    None
}

/// True if only a little punctuation and filler words separate two tokens.
fn near(text: &str, a: &Token, b: &Token) -> bool {
    let between = &text[a.end..b.start];
    between.len() <= 8 && !between.contains(['|', ':', ';', '(', '•', '·'])
}

/// Dates without separators: `20210303`, `20210303T100000Z`, and seconds or milliseconds since 1970.
fn compact(text: &str, token: &Token) -> Option<String> {
    match token.digits {
        8 => {
            let found = date(token.value / 10_000, token.value / 100 % 100, token.value % 100)?;
            Some(with_time(found, &text[token.end..]))
        }
        // Only if the number is the whole text: inside a text it could be anything.
        10 if text.trim().len() == 10 => from_seconds(token.value),
        13 if text.trim().len() == 13 => from_seconds(token.value / 1000),
        14 => date(token.value / 10_000_000_000, token.value / 100_000_000 % 100, token.value / 1_000_000 % 100),
        _ => None,
    }
}

/// Converts seconds since 1970 to a date: days to the civil calendar, in eras of 400 years that begin in March.
fn from_seconds(seconds: u64) -> Option<String> {
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    date(year_of_era + era * 400 + u64::from(month <= 2), month, day_of_year - (153 * shifted + 2) / 5 + 1)
}

/// The date in ISO 8601, if it is valid.
fn date(year: u64, month: u64, day: u64) -> Option<String> {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    ((1990..=2100).contains(&year) && (1..=days).contains(&day)).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// Appends the time that follows a date, if there is one, in ISO 8601.
fn with_time(mut date: String, rest: &str) -> String {
    let Some(rest) = rest.strip_prefix(['T', 't', ' ']) else { return date };
    let Some((hours, rest)) = two_digits(rest, 23) else { return date };
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let Some((minutes, rest)) = two_digits(rest, 59) else { return date };
    let (seconds, rest) = two_digits(rest.strip_prefix(':').unwrap_or(rest), 59).unwrap_or((0, rest));
    // 12-hour times are not supported: return the date alone.
    let half = rest.trim_start().as_bytes();
    if half.len() >= 2 && matches!(half[0] | 0x20, b'a' | b'p') && matches!(half[1] | 0x20, b'm' | b'.') {
        return date;
    }
    let _ = write!(date, "T{hours:02}:{minutes:02}:{seconds:02}");
    let rest = rest.strip_prefix('.').map_or(rest, |more| more.trim_start_matches(|c: char| c.is_ascii_digit()));
    date.push_str(&zone(rest.trim_start()).unwrap_or_default());
    date
}

/// The time zone at the start of a text.
fn zone(text: &str) -> Option<String> {
    if text.starts_with(['Z', 'z']) || text.starts_with("UTC") || text.starts_with("GMT") {
        return Some("Z".into());
    }
    let sign = text.chars().next().filter(|c| matches!(c, '+' | '-'))?;
    let (hours, rest) = two_digits(&text[1..], 14)?;
    let (minutes, _) = two_digits(rest.strip_prefix(':').unwrap_or(rest), 59).unwrap_or((0, rest));
    Some(format!("{sign}{hours:02}:{minutes:02}"))
}

fn two_digits(text: &str, most: u64) -> Option<(u64, &str)> {
    let number = text.get(..2).filter(|number| number.bytes().all(|b| b.is_ascii_digit()))?;
    let number = number.parse().ok().filter(|&number| number <= most)?;
    Some((number, &text[2..]))
}

/// The month that a word names, in the most common languages of the web. Abbreviations are prefixes of names.
fn month_named(word: &str) -> Option<u64> {
    let lower = word.to_lowercase();
    if lower.chars().count() < 3 {
        return None;
    }
    let exact = MONTHS.iter().find(|(names, _)| names.split(' ').any(|name| name == lower));
    exact.map(|(_, month)| *month)
}

#[rustfmt::skip]
const MONTHS: [(&str, u64); 12] = [
    ("january jan januar jänner januari janvier janv enero ene gennaio gen janeiro styczeń stycznia leden ledna января янв ιανουαρίου ocak január", 1),
    ("february feb febr februar februari février fevrier févr febrero febbraio fevereiro fev luty lutego únor února февраля фев φεβρουαρίου şubat február", 2),
    ("march mar mär märz maart mars marzo março marco marzec marca březen března марта мар μαρτίου mart március mrt", 3),
    ("april apr avril avr abril abr aprile kwiecień kwietnia duben dubna апреля апр απριλίου nisan április", 4),
    ("may mai mei mayo maggio maio maj maja květen května мая μαΐου mayıs május mag", 5),
    ("june jun juni juin junio giugno giu junho czerwiec czerwca červen června июня июн ιουνίου haziran június", 6),
    ("july jul juli juillet juil julio luglio lug julho lipiec lipca červenec července июля июл ιουλίου temmuz július", 7),
    ("august aug août aout agosto ago sierpień sierpnia srpen srpna augusti augustus августа авг αυγούστου ağustos augusztus", 8),
    ("september sep sept septembre septiembre settembre set setembro wrzesień września září сентября сен σεπτεμβρίου eylül szeptember", 9),
    ("october oct okt oktober octobre octubre ottobre ott outubro out październik października říjen října октября окт οκτωβρίου ekim október", 10),
    ("november nov novembre noviembre novembro listopad listopada listopadu ноября ноя νοεμβρίου kasım", 11),
    ("december dec dez dezember décembre decembre déc diciembre dic dicembre dezembro grudzień grudnia prosinec prosince декабря дек δεκεμβρίου aralık", 12),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        find_date(text, Order::MonthFirst)
    }

    #[test]
    fn many_ways_to_write_a_date() {
        let written = [
            "March 3, 2021",
            "Mar. 3rd 2021",
            "3 March 2021",
            "Posted on 3rd of March, 2021 by Jane",
            "03-Mar-2021",
            "2021 March 3",
            "2021/03/03",
            "2021.3.3",
            "3.3.2021",
            "3/3/2021",
            "20210303",
            "2021年3月3日",
            "3 de marzo de 2021",
            "3. března 2021",
            "le 3 mars 2021",
            "Wed, 03 Mar 2021 10:00:00 +0100",
            "Updated: 12:30, 3 March 2021",
            "1614729600",
            "1614729600000",
            "20210303101500",
        ];
        for text in written {
            assert_eq!(found(text).as_deref(), Some("2021-03-03"), "{text}");
        }
    }

    #[test]
    fn times_are_kept_in_iso_form() {
        let times = [
            ("2021-03-03T10:00:00Z", "2021-03-03T10:00:00Z"),
            ("2021-03-03T10:00:00.123+0100", "2021-03-03T10:00:00+01:00"),
            ("2021-03-03 10:00", "2021-03-03T10:00:00"),
            ("2021-03-03 10:00 pm", "2021-03-03"),
            ("2021-03-03T1000-05", "2021-03-03T10:00:00-05:00"),
            ("20210303T101500Z", "2021-03-03T10:15:00Z"),
            ("2021-03-03T99:00", "2021-03-03"),
        ];
        for (text, iso) in times {
            assert_eq!(found(text).as_deref(), Some(iso), "{text}");
        }
    }

    #[test]
    fn order_of_day_and_month() {
        assert_eq!(find_date("03/04/2021", Order::MonthFirst).as_deref(), Some("2021-03-04"));
        assert_eq!(find_date("03/04/2021", Order::DayFirst).as_deref(), Some("2021-04-03"));
        assert_eq!(find_date("03.04.2021", Order::MonthFirst).as_deref(), Some("2021-04-03"));
        assert_eq!(find_date("13/04/2021", Order::MonthFirst).as_deref(), Some("2021-04-13"));
        assert_eq!(find_date("04/13/2021", Order::DayFirst).as_deref(), Some("2021-04-13"));
    }

    #[test]
    fn what_cannot_be_is_no_date() {
        for text in ["", "1989-03-03", "2101-01-01", "2021-02-29", "31 June 2021", "2021", "March 2021", "1 2 2021"] {
            assert_eq!(found(text), None, "{text}");
        }
        assert_eq!(found("call 555 2021 3 3"), None);
        assert_eq!(found("2020-02-29").as_deref(), Some("2020-02-29"));
    }

    #[test]
    fn addresses_have_dates() {
        assert_eq!(date_in_url("https://a.example/2021/03/03/x.html").as_deref(), Some("2021-03-03"));
        assert_eq!(date_in_url("https://a.example/blog/2021-03-03-x?d=1").as_deref(), Some("2021-03-03"));
        assert_eq!(date_in_url("https://a.example/20210303/x").as_deref(), Some("2021-03-03"));
        assert_eq!(date_in_url("https://2021.03.03.example/"), None);
        assert_eq!(date_in_url("https://a.example/12345678"), None);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "[0-9]{0,12}[-/. T:+年a-zé]{0,3}[0-9]{0,4}\\PC{0,20}[0-9]{0,4}") {
            let _ = find_date(&text, Order::DayFirst);
            let _ = date_in_url(&text);
        }
    }
}
