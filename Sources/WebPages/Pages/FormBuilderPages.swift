import Contract
import HTTPTypes
import StrictJSON

/// Where a host makes a form: it works by buttons alone, and each press keeps what was typed.
struct FormBuilderPages: Sendable {
    /// Empty fields for options that are yet to come.
    private static let spareOptions = 3

    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/meetings/{id}/form", get: show, post: press)] }

    private func show(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostVisit(page)
        let answer = try await page.ask(.get, MeetingPages.source(page) + "/form", as: visit.authorization)
        try visit.check(answer)
        let form: Form = try answer.decoded()
        return view(visit, FormBuilder(form.definition), tag: answer.headers[.eTag] ?? "")
    }

    private func press(_ page: PageRequest) async throws -> PageAnswer {
        let visit = try HostVisit(page)
        var builder = FormBuilder(page.fields)
        let tag = page.fields["tag"] ?? ""
        guard CSRFGuard.admits(page) else {
            return view(visit, builder, tag: tag, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        if let button = page.fields["act"], button != "save" {
            builder.press(button)
            return view(visit, builder, tag: tag)
        }
        let saved: Form = try await visit.get(MeetingPages.source(page) + "/form")
        let answer = try await page.ask(
            .put, MeetingPages.source(page) + "/form", as: visit.authorization,
            json: try JSONValue(encoding: builder.named(over: saved.definition)), headers: [.ifMatch: tag])
        switch answer.status {
        case .ok: return .redirect(to: "/meetings/\(page.parameter("id"))")
        case .unprocessableContent, .preconditionFailed, .conflict:
            let faults = answer.problem?.errors ?? []
            return view(
                visit, builder, tag: tag, faults: faults,
                alert: faults.isEmpty ? page.sentence(PageTrouble(answer)) : page.texts("form.look-again"),
                status: answer.status)
        default:
            try visit.check(answer)
            throw PageTrouble(answer)
        }
    }

    private func view(
        _ visit: HostVisit, _ builder: FormBuilder, tag: String, faults: [ProblemBody.FaultBody] = [],
        alert: String? = nil, status: HTTPResponse.Status = .ok
    ) -> PageAnswer {
        let (page, body) = (visit.page, builder.body)
        let texts = page.texts
        func choices(_ group: String, _ names: [String], chosen: String?) -> [[String: Any]] {
            names.map { ["value": $0, "label": texts("\(group)-\($0)"), "chosen": $0 == chosen] }
        }
        var values: [String: Any] = [
            "title": texts("builder.title"), "isHost": true, "path": page.path, "tag": tag,
            "formTitle": body.title ?? "", "intro": body.intro ?? "", "anonymous": body.anonymous == true,
            "meeting": "/meetings/\(page.parameter("id"))",
            "identities": choices(
                "builder.identity", ["device", "open", "attendee"], chosen: body.identity ?? "device"),
            "shows": choices(
                "builder.shows", ["never", "afterSubmission", "afterClose", "always"],
                chosen: body.showResults ?? "never"),
            "questions": body.questions.enumerated().map { question($0, $1, body.questions.count, faults, page) },
            "others": faults.filter { !$0.pointer.hasPrefix("/questions/") }.map { ["detail": $0.detail] },
        ]
        values["alert"] = alert
        return page.page("host-builder", values, status: status)
    }

    private func question(
        _ index: Int, _ question: QuestionBody, _ count: Int, _ faults: [ProblemBody.FaultBody], _ page: PageRequest
    ) -> [String: Any] {
        let own = faults.filter { $0.pointer == "/questions/\(index)" || $0.pointer.hasPrefix("/questions/\(index)/") }
        let options = (question.options ?? []).map { ["id": $0.id, "label": $0.label] }
        var values: [String: Any] = [
            "index": index, "number": index + 1, "key": question.key, "kind": question.kind, "title": question.title,
            "description": question.description ?? "", "required": question.required == true,
            "kindName": page.texts("builder.kind-\(question.metric == "nps" ? "nps" : question.kind)"),
            "isFirst": index == 0, "isLast": index + 1 == count,
            "isRating": question.kind == "rating", "isChoice": question.kind == "choice",
            "isText": question.kind == "text",
            "faults": own.map { ["detail": page.texts.find("fault.\($0.code)") ?? $0.detail] },
        ]
        values["min"] = question.min ?? 1
        values["max"] = question.max ?? 5
        values["metric"] = question.metric ?? "mean"
        values["minLabel"] = question.minLabel ?? ""
        values["maxLabel"] = question.maxLabel ?? ""
        values["multiple"] = question.multiple == true
        values["other"] = question.other == true
        values["options"] =
            question.kind == "choice"
            ? options + Array(repeating: ["id": "", "label": ""], count: Self.spareOptions) : []
        values["maxLength"] = question.maxLength ?? 1000
        return values
    }
}
