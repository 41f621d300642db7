import Contract
import HTTPAPI
import HTTPTypes
import StrictJSON

/// The page on which editors note what was decided at a meeting, and tick what was done since the last one.
struct DecisionPages: Sendable {
    /// The number of empty fields for further decisions.
    private static let blankRows = 3
    private static let maxRows = 20

    var routes: [PageRoute] {
        [PageRoute("/meetings/{id}/decisions", get: { try await view(context(of: $0)) }, post: apply)]
    }

    /// One decision as typed.
    private struct Row {
        var decision: Decision
        var faults: [String] = []

        var isBlank: Bool { decision.text.allSatisfy(\.isWhitespace) }
    }

    /// Throws the error page for viewers, who see the decisions with the results.
    private func context(of page: PageRequest) async throws -> MeetingContext {
        let context = try await MeetingContext(page)
        guard context.canEdit else { throw PageError(.forbidden, code: "forbidden") }
        return context
    }

    // MARK: Showing

    private func view(
        _ context: MeetingContext, typed: [Row]? = nil, tag: String? = nil, _ error: FormError? = nil
    ) async throws -> PageResponse {
        let page = context.page
        let stored = try await context.reader.decisions(of: context.details)
        var rows = typed ?? stored.items.map { Row(decision: $0) }
        let blank = min(Self.blankRows, Self.maxRows - rows.count)
        if typed == nil { rows += Array(repeating: Row(decision: Decision(text: "")), count: max(0, blank)) }
        let model = DecisionsPage(
            title: page.texts("decisions.title", ["title": context.meeting.title]), meetingPath: context.path,
            path: page.path, alert: error?.alert, isDraft: context.form.state == "draft",
            previous: stored.previous.map { Self.previous($0, tag: stored.previousTag ?? "", page.texts) },
            tag: tag ?? stored.tag, retention: retention(context),
            rows: rows.enumerated().map { row($1, at: $0, context) })
        return page.page(model, status: error?.status ?? .ok)
    }

    private static func previous(
        _ round: Decisions.OfRound, tag: String, _ texts: PageTexts
    ) -> DecisionsPage.Previous {
        let ticks = round.items.enumerated().map { index, decision in
            PageField(
                name: "last-\(index)", label: decision.text, value: decision.done == true ? "on" : "", kind: .tick)
        }
        return DecisionsPage.Previous(
            heading: texts("decisions.last"), round: DecisionList.Round(round), id: "\(round.meetingId)", tag: tag,
            ticks: ticks.map(\.values))
    }

    /// Says that the decisions are deleted with the answers. Nil if these are kept.
    private func retention(_ context: MeetingContext) -> String? {
        context.form.retentionDays == nil ? nil : context.page.texts("decisions.retention")
    }

    private func row(_ row: Row, at index: Int, _ context: MeetingContext) -> DecisionsPage.Row {
        let (texts, decision) = (context.page.texts, row.decision)
        var text = PageField(
            name: "text-\(index)", label: texts("decisions.text"), value: decision.text, kind: .lines(2),
            faults: row.faults)
        text.maxLength = 500
        let questions = context.form.definition.questions.expanded.map { (value: $0.key, label: $0.title) }
        // A question that the form no longer asks stays chosen.
        let former = decision.question.flatMap { key in
            questions.contains { $0.value == key } ? nil : (value: key, label: key)
        }
        let fields = [
            text,
            PageField(
                name: "question-\(index)", label: texts("decisions.question"), value: decision.question ?? "",
                kind: .choice(
                    [(value: "", label: texts("decisions.no-question"))] + questions + (former.map { [$0] } ?? []))),
            PageField(
                name: "done-\(index)", label: texts("decisions.done"), value: decision.done == true ? "on" : "",
                kind: .tick),
            PageField(
                name: "shown-\(index)", label: texts("decisions.shown"), value: decision.shown == true ? "on" : "",
                kind: .tick),
        ]
        return DecisionsPage.Row(
            legend: texts("decisions.number", ["number": "\(index + 1)"]), fields: fields.map(\.values))
    }

    // MARK: Changing

    private func apply(_ page: PageRequest) async throws -> PageResponse {
        let context = try await context(of: page)
        let (fields, tag) = (page.fields, page.fields["tag"] ?? "")
        let isPrevious = fields["act"] == "last"
        var rows = isPrevious ? nil : Self.rows(fields)
        do {
            try context.session.checkCSRF()
            if isPrevious {
                try await tick(context, fields, tag: tag)
            } else {
                let items = (rows ?? []).filter { !$0.isBlank }.map(\.decision)
                try await send(items, to: context.source, tag: tag, context)
            }
            return page.done("saved", at: isPrevious ? page.path : context.path + "/results")
        } catch let error as FormError {
            if let typed = rows { rows = Self.explained(typed, error, page.texts) }
            return try await view(context, typed: rows, tag: rows == nil ? nil : tag, error)
        }
    }

    /// The rows as they were sent.
    private static func rows(_ fields: FormFields) -> [Row] {
        (0..<maxRows).compactMap { index in
            guard let text = fields["text-\(index)"] else { return nil }
            return Row(
                decision: Decision(
                    text: text, question: fields["question-\(index)"].flatMap(\.nonEmpty),
                    done: fields["done-\(index)"] != nil, shown: fields["shown-\(index)"] != nil))
        }
    }

    /// The rows with the faults of those that were refused. Blank rows are not sent.
    private static func explained(_ rows: [Row], _ error: FormError, _ texts: PageTexts) -> [Row] {
        var rows = rows
        let sent = rows.indices.filter { !rows[$0].isBlank }
        for fault in error.errors {
            let parts = fault.pointer.split(separator: "/")
            guard parts.count > 1, parts[0] == "items", let item = Int(parts[1]), sent.indices.contains(item) else {
                continue
            }
            rows[sent[item]].faults.append(texts.fault(fault))
        }
        return rows
    }

    /// Marks which decisions of the previous round are done.
    private func tick(_ context: MeetingContext, _ fields: FormFields, tag: String) async throws {
        let source = "/v1/meetings/\(PageRequest.pathSafe(fields["meeting"] ?? ""))"
        let stored: Decisions = try await context.session.get(source + "/decisions")
        let items = stored.items.enumerated().map { index, decision in
            var decision = decision
            decision.done = fields["last-\(index)"] != nil
            return decision
        }
        try await send(items, to: source, tag: tag, context)
    }

    private func send(
        _ items: [Decision], to source: String, tag: String, _ context: MeetingContext
    ) async throws {
        try await context.session.send(
            .put, source + "/decisions", JSONValue(encoding: DecisionsRequest(items: items)),
            headers: [.ifMatch: tag])
    }
}

/// The values of the template `decisions`.
struct DecisionsPage: PageModel {
    /// The decisions of the last round, each with a box to tick.
    struct Previous: TemplateValues {
        var heading: String
        var round: DecisionList.Round
        /// The id of the round.
        var id: String
        /// The entity tag of its decisions.
        var tag: String
        var ticks: [PageField.Values]
    }

    struct Row: TemplateValues {
        var legend: String
        var fields: [PageField.Values]
    }

    static let template = "decisions"
    var title: String
    var meetingPath: String
    /// The path of this page.
    var path: String
    var alert: String?
    var isDraft: Bool
    var previous: Previous?
    /// The entity tag of the decisions.
    var tag: String
    /// Says that the decisions are deleted with the answers. Nil if these are kept.
    var retention: String?
    var rows: [Row]
}
