import Contract
import Foundation

/// The text answers to one question, or the own answers to a choice.
struct TextsPage: PageModel {
    struct Text: TemplateValues {
        var text: String
        var answerId: String
        var wasHidden: Bool
        /// The time of the submission. Nil for an anonymous form.
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
        /// Says that not all texts were counted. Nil if all were.
        var sampledNotice: String?
    }

    struct List: TemplateValues {
        var isEmpty: Bool
        /// Says that no text matches the search.
        var notFoundNotice: String?
        var texts: [Text]
        /// Whether the search stopped at its time limit and can be continued.
        var isPartial: Bool
        /// The address of the first page. Nil on the first page.
        var start: String?
        /// The address of the next page.
        var next: String?
        var words: Words?
    }

    static let template = "host-texts"
    var title: String
    var meetingTitle: String
    var answered: String
    var alert: String?
    /// Says when texts of an anonymous form can be read.
    var laterNotice: String?
    var meetingPath: String
    var seriesPath: String
    /// The path of this page.
    var path: String
    /// The address of this page with its search.
    var address: String
    /// The question's key.
    var key: String
    var canEdit: Bool
    /// Whether the page lists the hidden texts instead of the others.
    var isHidden: Bool
    /// Whether the texts can be released to participants.
    var isReleasable: Bool
    /// Whether the texts are released to participants.
    var isReleased: Bool
    var search: String?
    /// The action that unhides the text that was just hidden.
    var undoAction: String?
    var list: List?
}

extension TextsPage.List {
    /// - Parameters:
    ///   - answers: The response of the API. It may be empty if the search stopped at its time limit.
    ///   - path: The path of the page that shows the texts.
    ///   - cursor: The cursor of this page. Nil for the first page.
    ///   - time: Formats the time of a submission. The times of an anonymous form are unknown.
    init(
        _ answers: Page<TextAnswer>, path: String, search: String?, isHidden: Bool, cursor: String?,
        time: (Date) -> String
    ) {
        let query = PathQuery(isHidden ? [("hidden", "true")] : []).with("q", search)
        isPartial = answers.partial == true
        isEmpty = !isPartial && answers.items.isEmpty
        texts = answers.items.map {
            .init(text: $0.text, answerId: "\($0.id)", wasHidden: $0.hidden, when: $0.submittedAt.map(time))
        }
        start = cursor == nil ? nil : path + query.text
        next = answers.next.map { path + query.with("cursor", $0).text }
    }
}
