import Contract
import Foundation

/// Says when answers are deleted, and lets a host choose the retention.
enum RetentionText {
    /// The days that a host can choose, unless the service's limit is lower.
    private static let choices = [30, 90, 180, 365, 730, 1825]

    /// The sentence for the hosts of a series; nil if answers are kept.
    static func ofSeries(_ series: Series, _ texts: PageTexts) -> String? {
        series.effectiveRetentionDays.map { texts("retention.host-days", ["count": "\($0)"]) }
    }

    /// The sentence for the hosts of a form; nil if its answers are kept.
    ///
    /// - Parameter time: Formats a point in time for the reader.
    static func ofForm(_ form: Form, _ texts: PageTexts, time: (Date) -> String) -> String? {
        if let date = form.answersDeletedAt { return texts("retention.gone", ["date": time(date)]) }
        if let date = form.answersDeleteAt { return texts("retention.host-date", ["date": time(date)]) }
        return form.retentionDays.map { texts("retention.host-days", ["count": "\($0)"]) }
    }

    /// The sentence for participants; nil if the answers are kept. The date is in UTC, because the page is the same for
    /// everyone.
    static func forParticipants(of form: PublicForm, _ texts: PageTexts) -> String? {
        func day(_ date: Date) -> [String: String] {
            ["date": LocalTime(zone: .gmt).dayText(date, in: texts.language) + " (UTC)"]
        }
        if let date = form.answersDeletedAt { return texts("retention.gone", day(date)) }
        if let date = form.answersDeleteAt { return texts("retention.participant-date", day(date)) }
        return form.retentionDays.map { texts("retention.participant-days", ["count": "\($0)"]) }
    }

    /// The field with which the owner of a series chooses the retention.
    static func field(of series: Series, _ error: FormError?, _ page: PageRequest) -> PageField {
        let limit = series.retentionLimitDays
        let days = Set(choices + [series.retentionDays].compactMap(\.self)).filter { $0 <= limit ?? .max }.sorted()
        let noneLabel =
            limit.map { page.texts("retention.limit", ["count": "\($0)"]) } ?? page.texts("retention.keep")
        return PageField(
            name: "retentionDays", label: page.texts("retention.label"),
            value: error.flatMap { _ in page.fields["retentionDays"] } ?? series.retentionDays.map(String.init) ?? "",
            kind: .choice([("", noneLabel)] + days.map { ("\($0)", page.texts("retention.days", ["count": "\($0)"])) }),
            hint: page.texts("retention.hint"), faults: [error?.faults["retentionDays"]].compactMap(\.self))
    }
}
