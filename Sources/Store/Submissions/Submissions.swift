import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

/// What a participant sends, already read as JSON but not yet judged.
public struct SubmissionRequest: Sendable {
    public var version: Int?
    public var answers: JSONValue?
    /// The raw bytes, by which a repetition is recognised.
    public var body: [UInt8]
    public var idempotencyKey: String?
    /// A device key or a personal link's token, from `Authorization: Respondent`.
    public var respondent: String?

    public init(version: Int?, answers: JSONValue?, body: [UInt8], idempotencyKey: String?, respondent: String?) {
        self.version = version
        self.answers = answers
        self.body = body
        self.idempotencyKey = idempotencyKey
        self.respondent = respondent
    }
}

/// What a participant gets for it.
public struct SubmissionReceipt: Sendable {
    public var id: UUID
    public var receipt: String
    /// The UTC day alone where the form is anonymous.
    public var submittedAt: Date
    public var isReplay: Bool
}

/// Participants' answers: taken, shown to their author, corrected, withdrawn.
public struct Submissions: Sendable {
    let pool: Pool
    let cache: FormCache
    let intake: Intake

    /// Returns after COMMIT. Throws what the form's rules, its state or an earlier submission say against it.
    public func submit(_ request: SubmissionRequest, code: String) async throws -> SubmissionReceipt {
        let facts = try await cache.facts(code: code)
        do {
            return try await submit(request, to: facts)
        } catch let problem as Problem where problem == .outdatedVersion {
            // Another instance may have published since the facts were read. Nothing of the request is stored yet.
            cache.forget(code)
            let newer = try await cache.facts(code: code)
            guard newer.version != facts.version else { throw problem }
            return try await submit(request, to: newer)
        }
    }

    private func submit(_ request: SubmissionRequest, to facts: FormFacts) async throws -> SubmissionReceipt {
        guard let keys = facts.keys else { throw Problem(.formFinal) }
        guard facts.version > 0 else { throw Problem(.formNotOpen) }
        // Facts may be a second old; a version never changes, and one of another identity than the newest is outdated,
        // which is judged under the form's lock. So nobody has two ids.
        let form = try await cache.version(request.version ?? facts.version, of: facts.id)
        let identity = form?.identity ?? facts.identity
        var offer = Self.offer(request, by: try await respondent(request.respondent, identity, facts), facts, keys)
        // Editors can have anybody's link: on an anonymous form nothing but an answer may tell whether there is one.
        let hides = facts.anonymous && identity == .attendee
        do {
            guard let form else { throw Self.unknownVersion }
            guard identity == facts.identity else { throw Problem.outdatedVersion }
            try Self.judge(request.answers, by: form, into: &offer)
        } catch let problem as Problem {
            // The first request may have been judged by another version: a repetition gets its answer all the same.
            guard let outcome = try await earlier(offer, telling: !hides) else { throw problem }
            return try receipt(offer.id, keys, outcome)
        }
        let outcome = await intake.submit(offer)
        if hides, case .refused(let problem) = outcome, [.alreadySubmitted, .withdrawn].contains(problem.code),
            let refusal = try await refusal(by: offer.formID)
        {
            throw refusal
        }
        return try receipt(offer.id, keys, outcome)
    }

    /// The same without suspending, for what memory is enough to judge and nothing is to be said against: `then` is given
    /// what makes the receipt, or throws, after COMMIT and on any thread. False where that is not so; nothing has been
    /// done then.
    public func submitAtOnce(
        _ request: SubmissionRequest, code: String,
        then: @escaping @Sendable (_ receipt: @escaping @Sendable () throws -> SubmissionReceipt) -> Void
    ) -> Bool {
        guard let facts = cache.known(code: code), let keys = facts.keys,
            let form = cache.known(version: request.version ?? facts.version, of: facts.id),
            form.identity == facts.identity,
            let respondent = try? Self.respondent(request.respondent, form.identity)
        else { return false }
        var offer = Self.offer(request, by: respondent, facts, keys)
        guard (try? Self.judge(request.answers, by: form, into: &offer)) != nil else { return false }
        intake.submit(offer) { [self, id = offer.id] outcome in
            guard outcome == .refused(.outdatedVersion) else { return then { try receipt(id, keys, outcome) } }
            // The facts may be old: the ordinary way reads them again.
            Task {
                let result: Result<SubmissionReceipt, any Error>
                do { result = .success(try await submit(request, code: code)) } catch { result = .failure(error) }
                then { try result.get() }
            }
        }
        return true
    }

    private static func offer(
        _ request: SubmissionRequest, by respondent: Respondent, _ facts: FormFacts, _ keys: FormKeys
    ) -> Offer {
        let key = request.idempotencyKey
        // Nobody has a key that was not sent: what would be made of a random one may as well be random itself.
        let random = key == nil ? RandomBytes.make(32) : []
        let id =
            switch respondent {
            case .anyone: key.map { keys.id(idempotencyKey: $0) } ?? UUIDv8.make(Array(random.prefix(16)))
            case .device(let device): keys.id(respondent: device)
            case .attendee(let attendee): keys.id(attendee: attendee)
            }
        var offer = Offer(
            formID: facts.id, id: id, version: request.version ?? facts.version, answers: "", tally: [],
            keyMAC: key.map { keys.mac(idempotencyKey: $0) } ?? Array(random.suffix(16)),
            bodyMAC: keys.mac(body: request.body))
        if case .attendee(let attendee) = respondent { offer.attendeeID = attendee }
        return offer
    }

    private static func judge(
        _ answers: JSONValue?, by form: PreparedForm, into offer: inout Offer
    ) throws {
        let answers = try form.answers(from: answers)
        offer.answers = answers.json.text
        offer.tally = form.tally(answers)
    }

    /// What is judged before a body is read: 404 for a code that leads nowhere, 401 for a respondent that the form does
    /// not take.
    public func requireForm(code: String, respondent: String?) async throws {
        let facts = try await cache.facts(code: code)
        _ = try await self.respondent(respondent, facts.identity, facts)
    }

    /// How many submissions wait to be written.
    public var depth: Int { intake.depth }

    func version(_ number: Int, _ facts: FormFacts, on connection: Connection? = nil) async throws -> PreparedForm {
        guard let form = try await cache.version(number, of: facts.id, on: connection) else {
            throw Self.unknownVersion
        }
        return form
    }

    private static let unknownVersion = Problem([
        Fault(.invalid, at: "/version", code: "unknown-version", "The form was never published as this version.")
    ])

    /// Who answers, as far as the form asks for it.
    private enum Respondent {
        case anyone
        case device(String)
        case attendee(UUID)
    }

    private func respondent(
        _ text: String?, _ identity: FormDefinition.Identity, _ facts: FormFacts
    ) async throws -> Respondent {
        if let respondent = try Self.respondent(text, identity) { return respondent }
        return .attendee(try await attendee(text, facts))
    }

    /// Nil where the form asks for somebody on its meeting's list.
    private static func respondent(
        _ text: String?, _ identity: FormDefinition.Identity
    ) throws(Problem) -> Respondent? {
        switch identity {
        case .open: .anyone
        case .device: .device(try device(text))
        case .attendee: nil
        }
    }

    private static func device(_ respondent: String?) throws(Problem) -> String {
        guard let respondent else { throw Problem(.respondentRequired) }
        guard (32...128).contains(respondent.utf8.count), respondent.utf8.allSatisfy(Base64URL.isDigit) else {
            throw Problem(.respondentRequired, "A device key is 32 to 128 base64url characters.")
        }
        return respondent
    }

    /// By a personal link's token, as long as its person is on the meeting's list.
    private func attendee(_ token: String?, _ facts: FormFacts) async throws -> UUID {
        guard let keys = facts.keys else { throw Problem(.formFinal) }
        guard let id = token.flatMap({ keys.attendee(token: $0) }),
            try await pool.query(
                "SELECT EXISTS (SELECT FROM listed_attendee WHERE id = \(id) AND meeting_id = \(facts.meetingID))"
            ).single().decode(Bool.self)
        else { throw Problem(.respondentRequired, "This form is answered by a personal link.") }
        return id
    }

    /// What the form would say to somebody who has not answered; nil while it takes answers.
    private func refusal(by formID: UUID) async throws -> Problem? {
        let rows = try await pool.query(
            """
            SELECT CASE WHEN form_life(state, opens_at, closes_at, grace_minutes, clock_timestamp()) <> 'open'
                    THEN form_life(state, opens_at, closes_at, grace_minutes, clock_timestamp())
                WHEN submissions >= cap THEN 'full' END
            FROM form_state WHERE form_id = \(formID)
            """)
        guard let word = try rows.found().decode(String?.self),
            case .refused(let problem) = Outcome(word: word, at: .distantPast, revision: 0)
        else { return nil }
        return problem
    }

    /// The outcome of a request whose body no longer passes: what was stored under its id decides, if anything was.
    /// Without `telling` only to whoever has its `Idempotency-Key`.
    private func earlier(_ offer: Offer, telling: Bool) async throws -> Outcome? {
        let rows = try await pool.query(
            """
            SELECT withdrawn, key_mac, body_mac, coalesce(submitted_at, submitted_on::timestamp AT TIME ZONE 'UTC')
            FROM submission WHERE form_id = \(offer.formID) AND id = \(offer.id)
            """)
        guard let row = rows.first else { return nil }
        let (withdrawn, key, body, at) = try row.decode(Bool.self, [UInt8]?.self, [UInt8]?.self, Date.self)
        guard telling || key == offer.keyMAC else { return nil }
        if withdrawn { return .refused(Problem(.withdrawn)) }
        guard key == offer.keyMAC else { return .refused(Problem(.alreadySubmitted)) }
        return body == offer.bodyMAC ? .replayed(at: at) : .refused(Problem(.idempotencyConflict))
    }

    private func receipt(_ id: UUID, _ keys: FormKeys, _ outcome: Outcome) throws -> SubmissionReceipt {
        switch outcome {
        case .created(let at, _):
            return SubmissionReceipt(id: id, receipt: keys.receipt(of: id), submittedAt: at, isReplay: false)
        case .replayed(let at):
            return SubmissionReceipt(id: id, receipt: keys.receipt(of: id), submittedAt: at, isReplay: true)
        case .refused(let problem): throw problem
        }
    }
}
