import Domain
import Foundation
import Postgres
import StrictJSON

extension Importer {
    /// A meeting that is there.
    enum Found {
        case place(ImportPlace)
        /// Its form needs these questions first.
        case narrow(ImportPlace, questions: [Question])
        case refused(Problem)
    }

    /// The meetings that are there, as `make` would give them; nil for one that is not.
    ///
    /// Throws `ImportMismatch` for the first whose form was never published with these questions.
    public func find(
        _ meetings: [ImportedMeeting], asking questions: [Question]
    ) async throws -> [Result<ImportPlace, Problem>?] {
        let found = try await look(for: meetings, asking: questions)
        return meetings.map { meeting in
            switch found[meeting.id] {
            case .place(let place), .narrow(let place, _): .success(place)
            case .refused(let problem): .failure(problem)
            case nil: nil
            }
        }
    }

    /// Those of the series that are there.
    public func findSeries(_ ids: [UUID]) async throws -> Set<UUID> {
        let rows = try await pool.query("SELECT id FROM series WHERE id = ANY (\(ids))")
        return Set(try rows.map { row throws -> UUID in try row.decode(UUID.self) })
    }

    func look(for meetings: [ImportedMeeting], asking questions: [Question]) async throws -> [UUID: Found] {
        let rows = try await pool.query(
            """
            SELECT m.id, f.id, m.deleted_at IS NOT NULL OR s.deleted_at IS NOT NULL, fs.key_id, salt.salt
            FROM meeting m
            JOIN series s ON s.id = m.series_id
            JOIN form f ON f.meeting_id = m.id
            JOIN form_state fs ON fs.form_id = f.id
            LEFT JOIN form_salt salt ON salt.form_id = f.id
            WHERE m.id = ANY (\(meetings.map(\.id)))
            """)
        let there = try rows.map { try $0.decode(UUID.self, UUID.self, Bool.self, Int.self, [UInt8]?.self) }
        let fits = try await fits(of: there.map { $0.1 }, asking: questions)
        let titles = Dictionary(meetings.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var found: [UUID: Found] = [:]
        for (meetingID, formID, isTrashed, keyID, salt) in there {
            if isTrashed {
                found[meetingID] = .refused(Problem(.notFound, "The meeting is in the trash."))
                continue
            }
            guard let salt else {
                found[meetingID] = .refused(Problem(.formFinal))
                continue
            }
            let formKeys = FormKeys(secret: try keys.key(keyID), salt: salt)
            switch fits[formID] {
            case .some((let version, .covered)):
                found[meetingID] = .place(ImportPlace(formID: formID, version: version, keys: formKeys))
            case .some((let version, .wider(let wider))):
                let place = ImportPlace(formID: formID, version: version, keys: formKeys)
                found[meetingID] = .narrow(place, questions: wider)
            case .some((_, .different(let keys))):
                throw ImportMismatch(
                    series: titles[meetingID]?.series ?? "", meeting: titles[meetingID]?.title ?? "", keys: keys)
            case nil: found[meetingID] = .refused(Problem(.formNotOpen, "The form was never published."))
            }
        }
        return found
    }

    /// For each published form the newest version that covers the questions, else how they fit the newest of all.
    private func fits(
        of formIDs: [UUID], asking questions: [Question]
    ) async throws -> [UUID: (version: Int, fit: QuestionFit)] {
        let rows = try await pool.query(
            """
            SELECT form_id, version, definition->>'questions' FROM form_version
            WHERE form_id = ANY (\(formIDs)) ORDER BY form_id, version DESC
            """)
        // Forms of one import are alike: each text is judged once.
        var judged: [String: QuestionFit] = [:]
        var fits: [UUID: (version: Int, fit: QuestionFit)] = [:]
        for row in rows {
            let (formID, version, text) = try row.decode(UUID.self, Int.self, String.self)
            let fit: QuestionFit
            if let known = judged[text] {
                fit = known
            } else {
                fit = QuestionFit.of(questions, in: try FormDefinition.readQuestions(StoredJSON.parse(text)))
                judged[text] = fit
            }
            if fits[formID] == nil || (fit == .covered && fits[formID]?.fit != .covered) {
                fits[formID] = (version, fit)
            }
        }
        return fits
    }
}
