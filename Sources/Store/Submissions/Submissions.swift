import Cryptography
import Domain
import Foundation
import Postgres
import StrictJSON

/// A participant's request, parsed as JSON but not yet validated.
public struct SubmissionRequest: Sendable {
    public var version: Int?
    public var answers: JSONValue?
    /// The raw bytes, which must be the same in a repeated request.
    public var body: [UInt8]
    public var idempotencyKey: String?
    /// A device key or a personal link's token, from `Authorization: Respondent`.
    public var respondent: String?
    /// Returns the address of the client, by which submissions are limited if very many wait. Nil if no client has sent
    /// the request.
    public var client: (@Sendable () -> String)?

    public init(
        version: Int?, answers: JSONValue?, body: [UInt8], idempotencyKey: String?, respondent: String?,
        client: (@Sendable () -> String)? = nil
    ) {
        self.version = version
        self.answers = answers
        self.body = body
        self.idempotencyKey = idempotencyKey
        self.respondent = respondent
        self.client = client
    }
}

/// The acknowledgement of a submission.
public struct SubmissionReceipt: Sendable {
    public var id: UUID
    /// The secret that proves who sent the submission.
    public var receipt: String
    /// The time of the submission. For an anonymous form, only the start of the day in UTC.
    public var submittedAt: Date
    /// Whether the request was a repeated one, whose submission was stored before.
    public var isReplay: Bool
}

/// Stores participants' submissions, returns them to their authors, corrects and withdraws them.
public struct Submissions: Sendable {
    let pool: Pool
    let cache: FormCache
    let intake: Intake
    /// Corrections and withdrawals hold a connection while they wait for the form's lock. Without a limit, those of one
    /// form could take all connections. The key is the form, or nil for all large forms together, whose changes cost
    /// the most.
    private let changePermits: KeyedPermits<UUID?>

    init(pool: Pool, cache: FormCache, intake: Intake) {
        (self.pool, self.cache, self.intake) = (pool, cache, intake)
        changePermits = KeyedPermits(2, total: max(1, pool.size / 2))
    }

    /// Waits for the right to change a submission to this form. Throws 503 if that takes too long.
    func permitChange(of facts: FormFacts) async throws -> KeyedPermits<UUID?>.Lease {
        try await changePermits.acquire(
            for: facts.isLarge ? nil : facts.id, within: .seconds(5),
            else: "Too many answers are being changed; try again later.", retryAfter: 1)
    }

    /// Stores a submission and returns after COMMIT. Throws if the request is refused because of the form's questions,
    /// its state, or an earlier submission.
    public func submit(_ request: SubmissionRequest, code: String) async throws -> SubmissionReceipt {
        let facts = try await cache.facts(code: code)
        do {
            return try await submit(request, to: facts)
        } catch let problem as Problem where problem == .outdatedVersion {
            // Another instance may have published a version since the facts were read. Nothing of the request is stored
            // yet.
            cache.forget(code)
            let newer = try await cache.facts(code: code)
            guard newer.version != facts.version else { throw problem }
            return try await submit(request, to: newer)
        }
    }

    private func submit(_ request: SubmissionRequest, to facts: FormFacts) async throws -> SubmissionReceipt {
        guard let keys = facts.keys else { throw Problem(.formFinal) }
        guard facts.version > 0 else { throw Problem(.formNotOpen) }
        // The facts may be two seconds old, so a new version with another identity may have been published. The older
        // version is then outdated, which `ingest` checks under the form's lock. So nobody can submit twice under two
        // identities.
        let form = try await cache.version(request.version ?? facts.version, of: facts.id)
        let identity = form?.identity ?? facts.identity
        let respondent = try await respondent(request.respondent, identity, facts)
        let (offer, problem) = Self.check(request, by: respondent, form, facts, keys)
        // Editors can read all personal links. They must not find out from a refusal whether a person has answered an
        // anonymous form.
        let hidesEarlierSubmission = facts.anonymous && identity == .attendee
        if let problem {
            // A repeated request gets the response of the first one, which may have been valid for another version.
            guard let outcome = try await earlierOutcome(for: offer, revealing: !hidesEarlierSubmission) else {
                throw problem
            }
            return try receipt(offer.id, keys, outcome)
        }
        let outcome = await intake.submit(offer, from: request.client)
        if hidesEarlierSubmission, case .refused(let problem) = outcome {
            // Read after every refusal, so that an earlier submission does not cost a statement more.
            let refusal = try await refusal(by: offer.formID)
            if [.alreadySubmitted, .withdrawn].contains(problem.code), let refusal { throw refusal }
        }
        return try receipt(offer.id, keys, outcome)
    }

    /// Stores a submission without suspending, if everything needed to validate the request is cached and the request
    /// is valid. Otherwise returns false and does nothing.
    ///
    /// - Parameter then: Called after COMMIT, on any thread. Gets a closure that returns the receipt, or throws as
    ///   `submit` does.
    public func submitIfCached(
        _ request: SubmissionRequest, code: String,
        then: @escaping @Sendable (_ receipt: @escaping @Sendable () throws -> SubmissionReceipt) -> Void
    ) -> Bool {
        guard let facts = cache.cached(code: code), let keys = facts.keys,
            let form = cache.cached(version: request.version ?? facts.version, of: facts.id),
            let respondent = try? Self.respondent(request.respondent, form.identity),
            case (let offer, nil) = Self.check(request, by: respondent, form, facts, keys)
        else { return false }
        intake.submit(offer, from: request.client) { [self, id = offer.id] outcome in
            guard outcome == .refused(.outdatedVersion) else { return then { try receipt(id, keys, outcome) } }
            // The cached facts may be outdated. `submit` reads them again.
            Task {
                let result: Result<SubmissionReceipt, any Error>
                do {
                    let client = request.client.map { DatabaseClient.address($0()) } ?? .service
                    result = .success(try await client.run { try await submit(request, code: code) })
                } catch {
                    result = .failure(error)
                }
                then { try result.get() }
            }
        }
        return true
    }

    /// Validates a request. All checks are here, so that `submit` and `submitIfCached` have the same rules.
    ///
    /// - Parameter form: The version that the request names; nil if it was never published.
    /// - Returns: The offer, and the problem if the request is not valid. The offer then has no answers, but the id and
    ///   the MACs by which an earlier submission is found.
    private static func check(
        _ request: SubmissionRequest, by respondent: Respondent, _ form: PreparedForm?, _ facts: FormFacts,
        _ keys: FormKeys
    ) -> (offer: Offer, problem: Problem?) {
        var offer = offer(request, by: respondent, facts, keys)
        guard let form else { return (offer, unknownVersion) }
        guard form.identity == facts.identity else { return (offer, .outdatedVersion) }
        do {
            let answers = try form.answers(from: request.answers)
            offer.answers = answers.text
            offer.increments = form.increments(answers)
            // The facts may be older than the version.
            offer.isLarge = facts.isLarge || form.isLarge
            return (offer, nil)
        } catch {
            return (offer, error)
        }
    }

    private static func offer(
        _ request: SubmissionRequest, by respondent: Respondent, _ facts: FormFacts, _ keys: FormKeys
    ) -> Offer {
        let key = request.idempotencyKey
        let id =
            switch respondent {
            case .anyone: key.map { keys.id(idempotencyKey: $0) } ?? UUIDv8.make(RandomBytes.make(16))
            case .device(let device): keys.id(respondent: device)
            case .attendee(let attendee): keys.id(attendee: attendee)
            }
        var offer = Offer(
            formID: facts.id, id: id, version: request.version ?? facts.version, answers: "",
            keyMAC: key.map { keys.mac(idempotencyKey: $0) }, bodyMAC: key.map { _ in keys.mac(body: request.body) })
        if case .attendee(let attendee) = respondent { offer.attendeeID = attendee }
        return offer
    }

    /// Checks a request before its body is read. Throws 404 for an unknown code, and 401 if the form does not accept
    /// the respondent.
    public func requireForm(code: String, respondent: String?) async throws {
        let facts = try await cache.facts(code: code)
        _ = try await self.respondent(respondent, facts.identity, facts)
    }

    /// The number of submissions that are waiting or being written.
    public var depth: Int { intake.depth }

    func version(_ number: Int, _ facts: FormFacts, on connection: Connection? = nil) async throws -> PreparedForm {
        guard let form = try await cache.version(number, of: facts.id, on: connection) else {
            throw Self.unknownVersion
        }
        return form
    }

    private static let unknownVersion = Problem([
        Fault(.invalid, at: "/version", code: "unknown-version", "This version of the form was never published.")
    ])

    /// The sender of a submission, identified as the form requires.
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

    /// Returns nil if the form requires an attendee, who has to be looked up in the database.
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

    /// Returns the id of the attendee to whom a personal link belongs. Throws 401 if there is none on the attendee
    /// list.
    private func attendee(_ token: String?, _ facts: FormFacts) async throws -> UUID {
        guard let keys = facts.keys else { throw Problem(.formFinal) }
        guard let id = token.flatMap({ keys.attendee(token: $0) }),
            try await pool.query(
                "SELECT EXISTS (SELECT FROM listed_attendee WHERE id = \(id) AND meeting_id = \(facts.meetingID))"
            ).single().decode(Bool.self)
        else { throw Problem(.respondentRequired, "This form is answered through a personal link.") }
        return id
    }

    /// Returns the person to whom a personal link belongs. Nil for an unknown link, and for a person who is no longer
    /// on the list.
    public func holder(of token: String, code: String) async throws -> LinkHolder? {
        let facts = try await cache.facts(code: code)
        guard let keys = facts.keys, let id = keys.attendee(token: token) else { return nil }
        let rows = try await pool.query(
            """
            SELECT a.name, NOT \(facts.anonymous) AND EXISTS (SELECT FROM submission s
                WHERE s.form_id = \(facts.id) AND s.id = \(keys.id(attendee: id)) AND NOT s.withdrawn)
            FROM listed_attendee a WHERE a.id = \(id) AND a.meeting_id = \(facts.meetingID)
            """)
        guard let (name, hasAnswered) = try rows.first?.decode(String.self, Bool.self) else { return nil }
        return LinkHolder(name: name, hasAnswered: hasAnswered)
    }

    /// Returns the problem for a new submission; nil if the form accepts one.
    private func refusal(by formID: UUID) async throws -> Problem? {
        let rows = try await pool.query(
            """
            SELECT CASE WHEN form_state_at(state, opens_at, closes_at, grace_minutes, clock_timestamp()) <> 'open'
                    THEN form_state_at(state, opens_at, closes_at, grace_minutes, clock_timestamp())
                WHEN submissions >= cap THEN 'full' END
            FROM form_state WHERE form_id = \(formID)
            """)
        guard let word = try rows.requireFirst().decode(String?.self),
            case .refused(let problem) = Outcome(word: word, at: .distantPast, revision: 0)
        else { return nil }
        return problem
    }

    /// Looks for an earlier submission under the id of an invalid request, and returns the outcome that follows from
    /// it. Returns nil if there is none.
    ///
    /// - Parameter revealing: Whether to report an earlier submission with another `Idempotency-Key`.
    private func earlierOutcome(for offer: Offer, revealing: Bool) async throws -> Outcome? {
        // Without a key there is nothing to find that may be reported.
        guard revealing || offer.keyMAC != nil else { return nil }
        let rows = try await pool.query(
            """
            SELECT s.withdrawn, s.key_mac, s.body_mac,
                coalesce(s.submitted_at, s.submitted_on::timestamp AT TIME ZONE 'UTC'),
                f.state IN ('finalising', 'final')
            FROM submission s JOIN form_state f ON f.form_id = s.form_id
            WHERE s.form_id = \(offer.formID) AND s.id = \(offer.id)
                AND (\(revealing) OR s.key_mac = \(offer.keyMAC))
            """)
        guard let row = rows.first else { return nil }
        let (withdrawn, key, body, at, isFinal) = try row.decode(
            Bool.self, [UInt8]?.self, [UInt8]?.self, Date.self, Bool.self)
        let isRepetition = key != nil && key == offer.keyMAC
        guard revealing || isRepetition else { return nil }
        // As in `ingest`, a final form refuses replays too.
        if isFinal { return .refused(Problem(.formFinal)) }
        if withdrawn { return .refused(Problem(.withdrawn)) }
        guard isRepetition else { return .refused(Problem(.alreadySubmitted)) }
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
