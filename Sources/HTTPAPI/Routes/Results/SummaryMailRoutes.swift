import Contract
import Domain
import HTTPTypes
import Store
import StrictJSON

/// Mails a summary of the results to the people of a meeting.
struct SummaryMailRoutes: Sendable {
    let store: Store
    let sendsMail: Bool
    let writer: SummaryWriter

    var routes: [Route] {
        let path = "/v1/meetings/{id}/summary/mail"
        return [
            Route(.get, path, access: .account(.writeMeetings), handler: recipients),
            Route(.post, path, access: .account(.writeMeetings), accepts: .optionalJSON(limit: 1024), handler: send),
        ]
    }

    private func recipients(_ request: APIRequest) async throws -> APIResponse {
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        let recipients = try await store.summaryMails.recipients(of: meeting, for: principal)
        return try .json(
            SummaryRecipients(recipients: recipients.count, withoutAddress: recipients.withoutAddress))
    }

    private func send(_ request: APIRequest) async throws -> APIResponse {
        // A summary shows results.
        try request.require(.readResults)
        let (meeting, principal) = try await store.requireEditableMeeting(for: request)
        let document = try await request.optionalDocument()
        if let document { try ObjectReader(document.json()).requireNoFaults() }
        guard sendsMail else {
            throw Problem([
                Fault(
                    .invalid, at: "", code: "mail-not-set-up",
                    "This service sends no mail. Its operator can set up a mail server.")
            ])
        }
        let found = try await store.meetings.requireInSeries(meeting.id, by: principal)
        let facts = SummaryFacts(
            meeting: Contract.Meeting(found.meeting), form: Contract.Form(found.form),
            results: Contract.Results(try await store.results.read(meeting.form.id), of: found.meeting),
            decisions: try await store.decisions.upTo(meeting).own.items.map { Contract.Decision($0) },
            sender: "\(principal.account.name) <\(principal.account.email)>")
        let preferred = AcceptedLanguage.best(of: writer.languages, in: request.headers[.acceptLanguage])
        let sent = try await store.summaryMails.send(
            of: meeting, by: principal, once: request.idempotentRequest(document),
            letter: { [writer] locale in writer.letter(facts, locale: locale, preferred: preferred) },
            render: { recipients in
                try ContractCoding.encode(
                    SummaryMailing(mailed: recipients.count, skipped: recipients.withoutAddress))
            })
        var response = APIResponse.created(sent)
        // The mails are sent later.
        response.status = .accepted
        return response
    }
}
