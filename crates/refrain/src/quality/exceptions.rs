//! Words that the tokeniser of spaCy does not divide by its rules: smileys, abbreviations, and contractions of English.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use foldhash::fast::FixedState;

/// Stretches that are one word in every language, besides single letters with a full stop.
const SMILEYS: &str = r#"' \") <space> '' C++ \t \n — ä. ö. ü. :) :-) :)) :-)) :))) :-))) (: (-: =) (= :] :-] [: [-: [= =] :o) (o: :} :-} 8) 8-) (-8
    ;) ;-) (; (-; :( :-( :(( :-(( :((( :-((( ): )-: =( >:( :') :'-) :'( :'-( :/ :-/ =/ =| :| :-| ]= =[ :1 :P :-P :p :-p :O :-O :o
    :-o :0 :-0 :() >:o :* :-* :3 :-3 =3 :> :-> :X :-X :x :-x :D :-D ;D ;-D =D xD XD xDD XDD 8D 8-D ^_^ ^__^ ^___^ >.< >.> <.<
    ._. ;_; -_- -__- v.v V.V v_v V_V o_o o_O O_o O_O 0_o o_0 0_0 o.O O.o O.O o.o 0.0 o.0 0.o @_@ <3 <33 <333 </3 (^_^) (-_-)
    (._.) (>_<) (*_*) (¬_¬) ಠ_ಠ ಠ︵ಠ (ಠ_ಠ) ¯\(ツ)/¯ (╯°□°）╯︵┻━┻ ><(((*>"#;

/// True for a stretch that is one word in every language.
pub(super) fn is_smiley(word: &str) -> bool {
    static ALL: OnceLock<HashSet<&str, FixedState>> = OnceLock::new();
    let is_letter = matches!(word.as_bytes(), [b'a'..=b'z', b'.']);
    let all = || ALL.get_or_init(|| SMILEYS.split_whitespace().collect());
    // The longest one has 15 characters, and none is a word of letters.
    is_letter
        || (word.len() <= 40
            && !word.starts_with(|c: char| c.is_ascii_alphabetic() && !"CVXvxoO".contains(c))
            && all().contains(word))
}

/// Abbreviations and other words of English that are not divided.
const WHOLE: &str = "'S 's ‘S ‘s and/or w/o 're 'Cause 'cause 'cos 'Cos 'coz 'Coz 'cuz 'Cuz 'bout ma'am Ma'am o'clock O'clock lovin' Lovin' \
    havin' Havin' doin' Doin' goin' Goin' nothin' Nothin' nuthin' Nuthin' ol' Ol' somethin' Somethin' 'em 'll 'nuff 'd \
    Mt. Ak. Ala. Apr. Ariz. Ark. Aug. Calif. Colo. Conn. Dec. Del. Feb. Fla. Ga. Ia. Id. Ill. Ind. Jan. Jul. Jun. Kan. Kans. Ky. \
    La. Mar. Mass. Mich. Minn. Miss. N.C. N.D. N.H. N.J. N.M. N.Y. Neb. Nebr. Nev. Nov. Oct. Okla. Ore. Pa. S.C. Sep. Sept. \
    Tenn. Va. Wash. Wis. a.m. Adm. Bros. co. Co. Corp. D.C. Dr. e.g. E.g. E.G. Gen. Gov. i.e. I.e. I.E. Inc. Jr. Ltd. Md. Messrs. \
    Mo. Mont. Mr. Mrs. Ms. p.m. Ph.D. Prof. Rep. Rev. Sen. St. vs. v.s.";

/// Contractions by their first words (each also with a capital) and what follows them (each also without apostrophes). A bar
/// divides words.
const CONTRACTIONS: [(&str, &str); 8] = [
    ("i", "|'m |'m|a"),
    ("i you he she it we they", "|'ll |'ll|'ve |'d |'d|'ve"),
    ("i you we they", "|'ve"),
    ("you we they", "|'re"),
    ("he she it", "|'s"),
    ("ca could do does did had may might must need ought sha should wo would", "|n't |n't|'ve"),
    ("could might must should would", "|'ve"),
    ("ai are is was were have has dare", "|n't"),
];

/// The same for words that ask or point.
const POINTING: [(&str, &str); 3] = [
    ("who what when where why how there", "|'s |'ll |'ll|'ve |'re |'ve |'d |'d|'ve"),
    ("that this", "|'s |'ll |'ll|'ve |'d |'d|'ve"),
    ("these those", "|'ll |'ll|'ve |'re |'ve |'d |'d|'ve"),
];

/// Others, as they are.
const OTHERS: &str = "y'|all y|all how|'d|'y How|'d|'y not|'ve not|ve Not|'ve Not|ve can|not Can|not gon|na Gon|na got|ta Got|ta let|'s \
    Let|'s c'm|on C'm|on";

/// Words that look like contractions without an apostrophe, and are none.
const NO_CONTRACTIONS: &str = "Ill ill Its its Hell hell Shell shell Shed shed were Were Well well Whore whore";

/// The lengths of the parts of an English word that the rules do not divide as others, in characters; `None` for all other words.
pub(super) fn parts(word: &str) -> Option<&'static [usize]> {
    static ALL: OnceLock<HashMap<String, Vec<usize>, FixedState>> = OnceLock::new();
    // The longest one, such as "shouldn't've", has 12 characters.
    if word.len() > 16 {
        return None;
    }
    ALL.get_or_init(all_parts).get(word).map(Vec::as_slice)
}

fn all_parts() -> HashMap<String, Vec<usize>, FixedState> {
    let mut all = HashMap::default();
    let mut add = |divided: &str| {
        for divided in [divided.to_owned(), divided.replace('\'', "’")] {
            let lengths = divided.split('|').map(|part| part.chars().count()).collect();
            all.insert(divided.replace('|', ""), lengths);
        }
    };
    for (words, endings) in CONTRACTIONS.into_iter().chain(POINTING) {
        for word in words.split(' ') {
            let mut capital = word.to_owned();
            capital[..1].make_ascii_uppercase();
            for ending in endings.split(' ') {
                for word in [word, &capital] {
                    let divided = format!("{word}{ending}");
                    add(&divided);
                    add(&divided.replace('\'', ""));
                }
            }
        }
    }
    for hour in 1..=12 {
        for half in ["a.m.", "am", "p.m.", "pm"] {
            add(&format!("{hour}|{half}"));
        }
    }
    OTHERS.split_whitespace().chain(WHOLE.split_whitespace()).for_each(add);
    for word in NO_CONTRACTIONS.split(' ') {
        all.remove(word);
    }
    all
}
