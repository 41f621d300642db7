import Contract
import Foundation
import HTTPTypes
import StrictJSON

/// The form of a meeting, as the stage and its remote present it.
struct StageForm {
    /// The close of an open form.
    struct Closing: TemplateValues {
        var sentence: String
        /// The end of the countdown, in RFC 3339. The last answers are still accepted after it.
        var time: String
        /// The time at the service, in RFC 3339, because the clock of the browser may be wrong.
        var now: String
    }

    /// What a host can do with the form, for the template `stage-actions`.
    struct Actions: TemplateValues {
        /// The last component of the path of the page to which "publish", "close" and "reopen" lead back.
        var place: String
        var canClose: Bool
        /// Whether the form closes within minutes.
        var isCountingDown: Bool
        var canReopen: Bool
        var canPublish: Bool
    }

    /// The numbers of minutes after which a host can let the form close.
    private static let closingMinutes = [1, 2, 5]
    /// The time between the end of a countdown and the close, in seconds, for people who are sending. Forms with extra
    /// minutes accept answers for longer.
    private static let lastSeconds = 10.0
    /// Stops a countdown.
    private static let keepOpen = 0

    let context: MeetingContext

    init(_ context: MeetingContext) { self.context = context }

    private var form: Form { context.form }
    private var texts: PageTexts { context.page.texts }
    private var isOpen: Bool { form.state == "open" }

    /// `before`, `open` or `closed`.
    var phase: String { context.isShut ? "closed" : isOpen ? "open" : "before" }

    /// The sentence about the form on the first slide.
    var lead: String {
        switch form.state {
        case "draft": return texts("stage.before")
        case "scheduled":
            return form.opensAt.map { texts("stage.opens", ["time": time($0)]) } ?? texts("stage.before")
        case "open": return texts(form.definition.identity == "attendee" ? "stage.personal" : "stage.open")
        default: return texts("stage.closed")
        }
    }

    /// Nil unless the form is open and closes by the clock.
    var closing: Closing? {
        guard isOpen, let date = form.closesAt else { return nil }
        let end = form.definition.graceMinutes == 0 ? date - Self.lastSeconds : date
        return Closing(
            sentence: texts("stage.closes", ["time": time(date)]), time: RFC3339.format(end),
            now: RFC3339.format(Date()))
    }

    func actions(at place: String) -> Actions {
        Actions(
            place: place, canClose: context.canEdit && isOpen,
            isCountingDown: isOpen && form.closesAt.map { $0.timeIntervalSinceNow < 600 } ?? false,
            canReopen: context.canEdit && form.state == "closed",
            canPublish: context.canEdit && form.state == "draft" && !form.definition.questions.isEmpty)
    }

    private func time(_ date: Date) -> String { context.clock.text(date, in: context.page.language) }

    /// Lets the form close after the chosen number of minutes, or stay open. There are no extra minutes, because the room
    /// sees the countdown. Throws 400 for any other number.
    func close(afterMinutes minutes: Int?) async throws {
        guard let minutes, minutes == Self.keepOpen || Self.closingMinutes.contains(minutes) else {
            throw PageError(.badRequest)
        }
        let (page, path) = (context.page, context.source + "/form")
        let saved = try await page.send(.get, path, as: context.authorization)
        try context.session.check(saved)
        let form: Form = try saved.decoded()
        // The form may have closed since the page was shown.
        guard form.state == "open" else { return }
        var definition = form.definition
        let isKept = minutes == Self.keepOpen
        definition.closes = isKept ? nil : .instant(Date() + Double(minutes) * 60 + Self.lastSeconds)
        definition.graceMinutes = isKept ? nil : 0
        let response = try await page.send(
            .put, path, as: context.authorization, json: JSONValue(encoding: definition),
            headers: [.ifMatch: saved.headers[.eTag] ?? "*"])
        try context.session.check(response)
    }
}
