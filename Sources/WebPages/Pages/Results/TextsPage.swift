/// The text answers to one question.
struct TextsPage: PageModel {
    struct Text: TemplateValues {
        var text: String
        var answerId: String
        var wasHidden: Bool
        var when: String?
    }

    /// The most frequent words.
    struct Words: TemplateValues {
        struct Word: TemplateValues {
            var term: String
            var count: Int
            /// The address of a search for the word.
            var href: String
        }

        var items: [Word]
        /// Says that not all texts were counted.
        var sampled: String?
    }

    struct List: TemplateValues {
        var isEmpty: Bool
        /// Says that a search found nothing.
        var notFound: String?
        var texts: [Text]
        var isPartial: Bool
        /// The address of the first page, unless this is it.
        var start: String?
        /// The address of the next page.
        var onward: String?
        var words: Words?
    }

    static let template = "host-texts"
    var title: String
    var meetingTitle: String
    var answered: String
    var alert: String?
    /// Says when texts of an anonymous form can be read.
    var later: String?
    /// The paths of the meeting and the series, of this page, and of this page with its search.
    var meeting: String
    var seriesPath: String
    var path: String
    var address: String
    var key: String
    var canEdit: Bool
    var isHidden: Bool
    var isReleased: Bool
    var search: String?
    /// The action that shows the text again that was just hidden.
    var undo: String?
    var list: List?
}
