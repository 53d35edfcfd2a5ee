//! The HTML elements and attributes that refrain uses.

/// Packs a short name into a number, so that names compare in one step.
const fn key(name: &[u8]) -> u128 {
    let mut packed = 0;
    let mut i = 0;
    while i < name.len() && i < 16 {
        packed = packed << 8 | name[i].to_ascii_lowercase() as u128;
        i += 1;
    }
    packed
}

/// Declares the elements with their properties: one line per kind of element.
macro_rules! tags {
    ($($tag:ident $name:literal $($property:ident)|*;)*) => {
        /// An element by its name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum Tag { $($tag,)* }

        impl Tag {
            pub(crate) const COUNT: usize = [$($name),*].len();

            /// Looks up a name; unknown ones are [`Tag::Other`].
            #[allow(non_upper_case_globals)] // the constants have the names of the variants
            pub(crate) fn of(name: &[u8]) -> Tag {
                $(const $tag: u128 = key($name.as_bytes());)*
                if name.len() > 10 {
                    return Tag::Other;
                }
                match key(name) {
                    $($tag => Tag::$tag,)*
                    _ => Tag::Other,
                }
            }

            /// The name as written in HTML.
            pub(crate) fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }

            pub(crate) fn is(self, property: u16) -> bool {
                const PROPERTIES: [u16; Tag::COUNT] = [$(0 $(| Tag::$property)*),*];
                PROPERTIES[self as usize] & property != 0
            }
        }
    };
}

tags! {
    Other "?";
    // Inline elements that describe their text.
    A "a" TRACKED;
    Abbr "abbr";
    B "b" MARKED;
    Code "code" MARKED;
    Em "em" MARKED;
    Font "font";
    I "i" MARKED;
    Span "span";
    Strong "strong" MARKED;
    Time "time";
    Img "img" VOID;
    Input "input" VOID;
    Br "br" VOID;
    // Blocks.
    Address "address" BREAKS | PUBLISHED_NOT | TRACKED;
    Article "article" BREAKS | PUBLISHED_NOT | TRACKED;
    Aside "aside" BREAKS | PUBLISHED_NOT | TRACKED;
    Blockquote "blockquote" BREAKS | TRACKED;
    Body "body" BREAKS;
    Button "button" BREAKS | PUBLISHED_NOT | TRACKED;
    Caption "caption" BREAKS | TRACKED | IN_TABLE;
    Center "center" BREAKS | TRACKED;
    Col "col" BREAKS | VOID;
    Colgroup "colgroup" BREAKS | TRACKED | IN_TABLE;
    Dd "dd" BREAKS | TRACKED;
    Details "details" BREAKS | PUBLISHED_NOT | TRACKED;
    Dialog "dialog" BREAKS | PUBLISHED_NOT | TRACKED;
    Dir "dir" BREAKS | PUBLISHED_NOT | TRACKED;
    Div "div" BREAKS | TRACKED;
    Dl "dl" BREAKS | TRACKED;
    Dt "dt" BREAKS | TRACKED;
    Fieldset "fieldset" BREAKS | TRACKED;
    Figcaption "figcaption" BREAKS | PUBLISHED_NOT | TRACKED;
    Figure "figure" BREAKS | PUBLISHED_NOT | TRACKED;
    Footer "footer" BREAKS | PUBLISHED_NOT | TRACKED;
    Form "form" BREAKS | TRACKED;
    H1 "h1" BREAKS | HEADING | TRACKED;
    H2 "h2" BREAKS | HEADING | TRACKED;
    H3 "h3" BREAKS | HEADING | TRACKED;
    H4 "h4" BREAKS | HEADING | TRACKED;
    H5 "h5" BREAKS | HEADING | TRACKED;
    H6 "h6" BREAKS | HEADING | TRACKED;
    Header "header" BREAKS | PUBLISHED_NOT | TRACKED;
    Hgroup "hgroup" BREAKS | PUBLISHED_NOT | TRACKED;
    Hr "hr" BREAKS | PUBLISHED_NOT | VOID;
    Legend "legend" BREAKS | TRACKED;
    Li "li" BREAKS | TRACKED;
    Listing "listing" BREAKS | PUBLISHED_NOT | TRACKED;
    Main "main" BREAKS | PUBLISHED_NOT | TRACKED;
    Menu "menu" BREAKS | PUBLISHED_NOT | TRACKED;
    Nav "nav" BREAKS | PUBLISHED_NOT | TRACKED;
    Ol "ol" BREAKS | PUBLISHED_NOT | TRACKED;
    Optgroup "optgroup" BREAKS | TRACKED;
    Option "option" BREAKS | TRACKED;
    P "p" BREAKS | TRACKED;
    Pre "pre" BREAKS | TRACKED;
    Search "search" BREAKS | PUBLISHED_NOT | TRACKED;
    Section "section" BREAKS | PUBLISHED_NOT | TRACKED;
    Select "select" BREAKS | PUBLISHED_NOT | TRACKED;
    Summary "summary" BREAKS | PUBLISHED_NOT | TRACKED;
    Table "table" BREAKS | TRACKED | IN_TABLE;
    Tbody "tbody" BREAKS | PUBLISHED_NOT | TRACKED | IN_TABLE;
    Td "td" BREAKS | TRACKED | IN_TABLE;
    Tfoot "tfoot" BREAKS | TRACKED | IN_TABLE;
    Th "th" BREAKS | TRACKED | IN_TABLE;
    Thead "thead" BREAKS | TRACKED | IN_TABLE;
    Tr "tr" BREAKS | TRACKED | IN_TABLE;
    Ul "ul" BREAKS | TRACKED;
    // The head and its elements.
    Base "base" VOID;
    Head "head";
    Html "html";
    Link "link" VOID;
    Meta "meta" VOID;
    Title "title" TEXT_ONLY;
    // Elements whose content is not shown as text of the page.
    Applet "applet" SILENT;
    Audio "audio" SILENT;
    Canvas "canvas" SILENT;
    Iframe "iframe" SILENT | TEXT_ONLY;
    Math "math" SILENT | FOREIGN;
    Noembed "noembed" SILENT | TEXT_ONLY;
    Noframes "noframes" SILENT | TEXT_ONLY;
    Noscript "noscript" BREAKS | PUBLISHED_NOT | TRACKED;
    Object "object" SILENT;
    Plaintext "plaintext" BREAKS | PUBLISHED_NOT | TRACKED | TEXT_ONLY;
    Script "script" SILENT | TEXT_ONLY;
    Style "style" SILENT | TEXT_ONLY;
    Svg "svg" SILENT | FOREIGN;
    Template "template" SILENT;
    Textarea "textarea" BREAKS | TEXT_ONLY | TRACKED;
    Video "video" SILENT;
    Xmp "xmp" BREAKS | PUBLISHED_NOT | TRACKED | TEXT_ONLY;
    // Elements that matter only to the published segmentation.
    Acronym "acronym";
    Area "area" VOID;
    Basefont "basefont" VOID;
    Bdo "bdo";
    Big "big";
    Cite "cite";
    Dfn "dfn";
    Embed "embed";
    Frame "frame" VOID;
    Frameset "frameset";
    Isindex "isindex" VOID;
    Kbd "kbd";
    Layer "layer";
    Map "map";
    Param "param" VOID;
    Q "q";
    S "s";
    Samp "samp";
    Small "small";
    Strike "strike";
    Sub "sub";
    Sup "sup";
    Tt "tt";
    U "u";
    Var "var";
}

impl Tag {
    /// Forms a block of its own.
    pub(crate) const BREAKS: u16 = 1;
    /// Not a block in the list published with jusText, which is older than some elements.
    pub(crate) const PUBLISHED_NOT: u16 = 1 << 1;
    /// Tracked while it is open.
    pub(crate) const TRACKED: u16 = 1 << 2;
    /// Has no content.
    pub(crate) const VOID: u16 = 1 << 3;
    pub(crate) const HEADING: u16 = 1 << 4;
    /// Part of a table: stray end tags inside do not reach beyond it.
    pub(crate) const IN_TABLE: u16 = 1 << 5;
    /// Its content is not shown as text.
    pub(crate) const SILENT: u16 = 1 << 6;
    /// Its content is text up to its end tag, whatever it looks like.
    pub(crate) const TEXT_ONLY: u16 = 1 << 7;
    /// Its content is not HTML.
    pub(crate) const FOREIGN: u16 = 1 << 8;
    /// Inline, and worth keeping in Markdown.
    pub(crate) const MARKED: u16 = 1 << 9;

    /// Character references count in `title` and `textarea`, but not in the other text-only elements.
    pub(crate) fn has_references(self) -> bool {
        !self.is(Tag::TEXT_ONLY) || matches!(self, Tag::Title | Tag::Textarea)
    }

    /// The level of a heading.
    pub(crate) fn heading_level(self) -> Option<u8> {
        self.is(Tag::HEADING).then(|| self as u8 - Tag::H1 as u8 + 1)
    }
}

/// An attribute that refrain uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attribute {
    AriaHidden,
    Class,
    ColSpan,
    Content,
    DataLang,
    DateTime,
    Hidden,
    Href,
    Id,
    ItemProp,
    Lang,
    Name,
    Property,
    Rel,
    Role,
    RowSpan,
    Style,
    Type,
}

impl Attribute {
    /// Looks up a name.
    pub(crate) fn of(name: &[u8]) -> Option<Attribute> {
        // Nearly all attributes of a page are irrelevant: their length and first letter rule most of them out.
        let (&first, length) = (name.first()?, name.len());
        let candidate = match (first | 0x20, length) {
            (b'a', 11) => (Attribute::AriaHidden, "aria-hidden"),
            (b'c', 5) => (Attribute::Class, "class"),
            (b'c', 7) if matches!(name[2], b'l' | b'L') => (Attribute::ColSpan, "colspan"),
            (b'c', 7) => (Attribute::Content, "content"),
            (b'd', 9) => (Attribute::DataLang, "data-lang"),
            (b'd', 13) => (Attribute::DataLang, "data-language"),
            (b'd', 8) => (Attribute::DateTime, "datetime"),
            (b'h', 6) => (Attribute::Hidden, "hidden"),
            (b'h', 4) => (Attribute::Href, "href"),
            (b'i', 2) => (Attribute::Id, "id"),
            (b'i', 8) => (Attribute::ItemProp, "itemprop"),
            (b'l', 4) => (Attribute::Lang, "lang"),
            (b'x', 8) => (Attribute::Lang, "xml:lang"),
            (b'n', 4) => (Attribute::Name, "name"),
            (b'p', 8) => (Attribute::Property, "property"),
            (b'r', 3) => (Attribute::Rel, "rel"),
            (b'r', 4) => (Attribute::Role, "role"),
            (b'r', 7) => (Attribute::RowSpan, "rowspan"),
            (b's', 5) => (Attribute::Style, "style"),
            (b't', 4) => (Attribute::Type, "type"),
            _ => return None,
        };
        name.eq_ignore_ascii_case(candidate.1.as_bytes()).then_some(candidate.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(Tag::of(b"BlockQuote"), Tag::Blockquote);
        assert_eq!(Tag::of(b"h3").heading_level(), Some(3));
        assert_eq!(Tag::of(b"blockquotex"), Tag::Other);
        assert_eq!(Tag::of(b""), Tag::Other);
        assert_eq!(Tag::Figcaption.name(), "figcaption");
        assert_eq!(Attribute::of(b"CLASS"), Some(Attribute::Class));
        assert_eq!(Attribute::of(b"COLSPAN"), Some(Attribute::ColSpan));
        assert_eq!(Attribute::of(b"content"), Some(Attribute::Content));
        assert_eq!(Attribute::of(b"data-language"), Some(Attribute::DataLang));
        assert_eq!(Attribute::of(b"klass"), None);
    }
}
