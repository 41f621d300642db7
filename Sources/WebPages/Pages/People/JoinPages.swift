import Contract
import HTTPTypes
import StrictJSON

/// Where people enter themselves in the roster of a series, by the code of its host.
struct JoinPages: Sendable {
    let kit: PageKit

    var routes: [PageRoute] { [PageRoute("/j/{code}", get: { view($0) }, post: join)] }

    private func view(
        _ page: PageRequest, faults: [ProblemBody.FaultBody] = [], alert: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> PageAnswer {
        var values: [String: Any] = [
            "title": page.texts("join.title"), "path": page.path, "name": page.fields["name"] ?? "",
            "email": page.fields["email"] ?? "",
        ]
        values["alert"] = alert
        for fault in faults.reversed() { values["\(fault.pointer.dropFirst())Fault"] = page.texts.fault(fault) }
        return page.page("join", values, status: status)
    }

    private func join(_ page: PageRequest) async throws -> PageAnswer {
        guard CSRFGuard.admits(page) else {
            return view(page, alert: page.texts("form.open-too-long"), status: .forbidden)
        }
        let body = JSONValue.object(["name", "email"].map { .init($0, .string(page.fields[$0] ?? "")) })
        let answer = try await page.ask(.post, "/v1/join/\(page.word("code"))", json: body)
        switch answer.status {
        case .ok, .created:
            let joining: Joining = try answer.decoded()
            var values: [String: Any] = ["title": page.texts("join.done"), "series": joining.series]
            values["own"] = joining.code.map { "\(kit.options.publicURL)/p/\($0)" }
            return page.page("joined", values)
        case .unprocessableContent:
            return view(
                page, faults: answer.problem?.errors ?? [], alert: page.texts("refused.look-again"),
                status: answer.status)
        default: throw PageError(answer)
        }
    }
}
