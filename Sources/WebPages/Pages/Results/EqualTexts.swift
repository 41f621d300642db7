import Contract
import HTTPAPI

/// Equal texts of one question, of which a page shows the first. The others are folded below it.
struct EqualTexts {
    typealias Text = (id: ResourceID?, text: String)

    /// At least one.
    let texts: [Text]
    /// Says how many texts are equal. Nil for a single one.
    let label: String?

    /// - Parameter areAll: Whether the question has no other texts, so that the counts are exact.
    static func groups(of texts: [Text], areAll: Bool, max: Int, _ words: PageTexts) -> [EqualTexts] {
        HostReader.groups(of: texts, text: \.text).prefix(max).map { group in
            EqualTexts(texts: group, label: label(count: group.count, isExact: areAll, words))
        }
    }

    static func label(count: Int, isExact: Bool, _ words: PageTexts) -> String? {
        count > 1 ? words(isExact ? "charts.same" : "charts.same-at-least", ["count": "\(count)"]) : nil
    }

    /// The texts for a page on which they cannot be hidden.
    struct Values: TemplateValues {
        struct Others: TemplateValues {
            var label: String
            var others: [String]
        }

        var text: String
        var same: Others?
    }

    var values: Values {
        Values(
            text: texts[0].text,
            same: label.map { .init(label: $0, others: texts.dropFirst().map(\.text)) })
    }
}
