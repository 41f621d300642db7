import Contract
import Foundation
import HTTPAPI

/// The text answers to one question, or the own answers to a choice.
struct TextsPage: PageModel {
    struct Text: TemplateValues {
        /// The texts that equal the first one.
        struct Others: TemplateValues {
            struct Other: TemplateValues {
                var text: String
                var answerId: String
                var wasHidden: Bool
                var when: String?
                var marks: Marks
            }

            var label: String
            var others: [Other]
            /// Says that only the first of very many texts are listed.
            var moreNotice: String?
        }

        var text: String
        var answerId: String
        var wasHidden: Bool
        /// The time of the submission. Nil for an anonymous form.
        var when: String?
        var marks: Marks
        var same: Others?
    }

    /// The star and the tags of a text.
    struct Marks: TemplateValues {
        struct Tag: TemplateValues {
            var label: String
            /// The address of the texts with this tag.
            var href: String
        }

        var isStarred: Bool
        var tags: [Tag]
        /// The tags as they are typed.
        var tagText: String

        init(_ text: TextAnswer, path: String) {
            let names = text.tags ?? []
            (isStarred, tagText) = (text.starred == true, names.joined(separator: ", "))
            tags = names.map { Tag(label: $0, href: path + PathQuery([("tag", $0)]).text) }
        }
    }

    /// Links to the texts with a star, with a tag, and to all.
    struct MarkChips: TemplateValues {
        struct Chip: TemplateValues {
            var href: String
            var label: String
            var count: String?
            var isStar = false
            var isChosen: Bool
        }

        var items: [Chip]
    }

    /// The link to the same list with equal texts as one entry, or with each text by itself.
    struct OtherList: TemplateValues {
        var href: String
        var label: String
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
        /// Nil if no texts of the page are equal.
        var other: OtherList?
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
    /// Whether only texts with a star are listed.
    var isStarred: Bool
    /// The tag whose texts are listed.
    var tag: String?
    /// Nil if no text is marked.
    var markChips: MarkChips?
    /// Whether equal texts are listed one by one.
    var isSingle: Bool
    /// Whether the texts are released to participants.
    var isReleased: Bool
    var search: String?
    /// The action that unhides the text that was just hidden.
    var undoAction: String?
    var list: List?
}

extension TextsPage.List {
    /// - Parameters:
    ///   - list: The page. It may be empty if the search stopped at its time limit.
    ///   - path: The path of the page that shows the texts.
    ///   - cursor: The cursor of this page. Nil for the first page.
    ///   - time: Formats the time of a submission. The times of an anonymous form are unknown.
    init(
        _ list: HostReader.TextList, path: String, _ selection: HostReader.TextSelection, cursor: String?,
        _ words: PageTexts, time: (Date) -> String
    ) {
        func query(grouped: Bool) -> PathQuery {
            PathQuery(selection.isHidden ? [("hidden", "true")] : []).with("q", selection.search)
                .with("starred", selection.isStarred ? "true" : nil).with("tag", selection.tag)
                .with("single", grouped ? nil : "true")
        }
        isPartial = list.isPartial
        isEmpty = !isPartial && list.groups.isEmpty
        texts = list.groups.map { group in
            let others = group.texts.dropFirst().map { text in
                TextsPage.Text.Others.Other(
                    text: text.text, answerId: "\(text.id)", wasHidden: text.hidden, when: text.submittedAt.map(time),
                    marks: .init(text, path: path))
            }
            let first = group.texts[0]
            return TextsPage.Text(
                text: first.text, answerId: "\(first.id)", wasHidden: first.hidden, when: first.submittedAt.map(time),
                marks: .init(first, path: path),
                same: EqualTexts.label(count: group.count, isExact: !list.isSampled, words).map { label in
                    .init(
                        label: label, others: others,
                        moreNotice: group.texts.count < group.count
                            ? words("charts.same-first", ["listed": "\(group.texts.count)"]) : nil)
                })
        }
        if selection.isGrouped ? texts.contains(where: { $0.same != nil }) : !isEmpty {
            other = .init(
                href: path + query(grouped: !selection.isGrouped).text,
                label: words(selection.isGrouped ? "charts.each-text" : "charts.equal-together"))
        }
        let pages = query(grouped: selection.isGrouped)
        start = cursor == nil ? nil : path + pages.text
        next = list.next.map { path + pages.with("cursor", $0).text }
    }
}

extension TextsPage.MarkChips {
    /// - Parameter counts: The number of texts with a star, and of those with each tag.
    init?(
        _ counts: (starred: Int, tags: [(tag: String, count: Int)]), path: String,
        _ selection: HostReader.TextSelection, _ words: PageTexts
    ) {
        let isFiltered = selection.isStarred || selection.tag != nil
        guard counts.starred > 0 || !counts.tags.isEmpty || isFiltered else { return nil }
        items = [Chip(href: path, label: words("charts.all-texts-again"), isChosen: !isFiltered)]
        if counts.starred > 0 || selection.isStarred {
            items.append(
                Chip(
                    href: path + "?starred=true", label: "", count: "\(counts.starred)", isStar: true,
                    isChosen: selection.isStarred))
        }
        for (tag, count) in counts.tags {
            items.append(
                Chip(
                    href: path + PathQuery([("tag", tag)]).text, label: tag, count: "\(count)",
                    isChosen: selection.tag == tag))
        }
    }
}
