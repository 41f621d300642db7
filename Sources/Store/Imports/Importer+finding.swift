import Domain
import Foundation
import Postgres
import StrictJSON

extension Importer {
    /// Whether an existing meeting accepts the rows.
    enum Acceptance {
        case accepted(ImportTarget)
        /// The form lacks options, which have to be added first.
        case lacksOptions(ImportTarget)
        case refused(Problem)
    }

    /// Returns the targets of the existing meetings; nil for a meeting that does not exist. Changes nothing.
    ///
    /// Throws `ImportMismatch` if the form of a meeting was never published with these questions. Missing options do
    /// not count as a mismatch. Before that, throws `ImportAccessDenied` if the host may not edit the series. Throws
    /// `ImportSeriesMismatch` if a new round of an existing series would not fit its other rounds.
    public func find(
        _ meetings: [ImportedMeeting], asking questions: ImportedQuestions
    ) async throws -> [Result<ImportTarget, Problem>?] {
        let acceptances = try await findTargets(for: meetings, asking: questions)
        let growing = Set(meetings.filter { $0.isInExistingSeries && acceptances[$0.id] == nil }.map(\.seriesID))
        for seriesID in growing { try await requireFit(of: questions, with: seriesID) }
        return meetings.map { meeting in
            switch acceptances[meeting.id] {
            case .accepted(let target), .lacksOptions(let target): .success(target)
            case .refused(let problem): .failure(problem)
            case nil: nil
            }
        }
    }

    /// Returns the ids of the series that exist.
    public func findSeries(_ ids: [UUID]) async throws -> Set<UUID> {
        let rows = try await pool.query("SELECT id FROM series WHERE id = ANY (\(ids))")
        return Set(try rows.map { row throws -> UUID in try row.decode(UUID.self) })
    }

    func findTargets(
        for meetings: [ImportedMeeting], asking questions: ImportedQuestions
    ) async throws -> [UUID: Acceptance] {
        try await pool.withConnection { try await checkAccess(toSeriesOf: meetings, on: $0) }
        let rows = try await pool.query(
            """
            SELECT m.id, m.series_id, f.id, m.deleted_at IS NOT NULL OR s.deleted_at IS NOT NULL, fs.anonymous, fs.key_id,
                salt.salt
            FROM meeting m
            JOIN series s ON s.id = m.series_id
            JOIN form f ON f.meeting_id = m.id
            JOIN form_state fs ON fs.form_id = f.id
            LEFT JOIN form_salt salt ON salt.form_id = fs.form_id
            WHERE m.id = ANY (\(meetings.map(\.id)))
            """)
        let existing = try rows.map {
            try $0.decode(UUID.self, UUID.self, UUID.self, Bool.self, Bool.self, Int.self, [UInt8]?.self)
        }
        let fits = try await pool.withConnection { connection in
            try await FormFit.find(of: existing.map { (form: $0.2, series: $0.1) }, asking: questions, on: connection)
        }
        let byID = Dictionary(meetings.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        var acceptances: [UUID: Acceptance] = [:]
        for (meetingID, _, formID, isTrashed, isAnonymous, keyID, salt) in existing {
            if isTrashed {
                acceptances[meetingID] = .refused(Problem(.notFound, "The meeting is in the trash."))
                continue
            }
            guard !isAnonymous else {
                acceptances[meetingID] = .refused(.importIntoAnonymousForm)
                continue
            }
            guard let salt else {
                acceptances[meetingID] = .refused(Problem(.formFinal))
                continue
            }
            guard let fit = fits[formID] else {
                acceptances[meetingID] = .refused(Problem(.formNotOpen, "The form was never published."))
                continue
            }
            let target = ImportTarget(
                formID: formID, version: fit.version, optionIds: fit.optionIds,
                keys: FormKeys(secret: try keys.key(keyID), salt: salt))
            switch fit.fit {
            case .covered: acceptances[meetingID] = .accepted(target)
            case .wider: acceptances[meetingID] = .lacksOptions(target)
            case .different(let keys):
                throw ImportMismatch(
                    series: byID[meetingID]?.series ?? "", meeting: byID[meetingID]?.title ?? "", keys: keys)
            }
        }
        return acceptances
    }
}

/// How the questions of a file match those of a published form.
struct FormFit: Sendable {
    /// The newest version that covers the questions. If none does, the newest version.
    var version: Int
    var fit: QuestionFit
    /// The questions with the form's option ids.
    var named: NamedQuestions

    var optionIds: [String: [String: String]] { named.ids }

    /// Returns the fits by form id. A form that was never published is missing.
    static func find(
        of forms: [(form: UUID, series: UUID)], asking questions: ImportedQuestions, on connection: Connection
    ) async throws -> [UUID: FormFit] {
        let rows = try await connection.query(
            """
            SELECT form_id, version, definition->>'questions' FROM form_version
            WHERE form_id = ANY (\(forms.map(\.form))) ORDER BY form_id, version DESC
            """)
        // Most forms of one import are identical. So each distinct text is parsed once, and each distinct list of
        // versions is compared once.
        var wordingIndices: [ExactText: Int] = [:]
        var wordings: [[Question]] = []
        var versions: [UUID: [(version: Int, wording: Int)]] = [:]
        for row in rows {
            let (formID, version, text) = try row.decode(UUID.self, Int.self, String.self)
            let exact = ExactText(text)
            let wordingIndex: Int
            if let known = wordingIndices[exact] {
                wordingIndex = known
            } else {
                wordingIndex = wordings.count
                wordingIndices[exact] = wordingIndex
                wordings.append(try FormDefinition.readQuestions(StoredJSON.parse(text)))
            }
            versions[formID, default: []].append((version, wordingIndex))
        }
        var fitsByWordings: [[Int]: (index: Int, fit: QuestionFit, named: NamedQuestions)?] = [:]
        var fits: [UUID: FormFit] = [:]
        var incomplete: [(form: UUID, series: UUID)] = []
        for (formID, seriesID) in forms {
            guard let versions = versions[formID] else { continue }
            let versionWordings = versions.map(\.wording)
            if fitsByWordings[versionWordings] == nil {
                let wordings = versionWordings.map { wordings[$0] }
                let names = OptionNames.all(in: wordings)
                fitsByWordings[versionWordings] = .some(
                    questions.areCovered(by: names) ? bestFit(questions, by: names, wordings) : nil)
            }
            if case let (index, fit, named)?? = fitsByWordings[versionWordings] {
                fits[formID] = FormFit(version: versions[index].version, fit: fit, named: named)
            } else {
                incomplete.append((formID, seriesID))
            }
        }
        let series = try await SeriesOptions.read(
            of: Array(Set(incomplete.map(\.series))), questions: Array(questions.derived), on: connection)
        for (formID, seriesID) in incomplete {
            guard let versions = versions[formID] else { continue }
            let wordings = versions.map { wordings[$0.wording] }
            var names = OptionNames.all(in: wordings)
            for (key, seriesNames) in series[seriesID]?.names ?? [:] {
                names[key, default: OptionNames()].add(seriesNames)
            }
            let (index, fit, named) = bestFit(questions, by: names, wordings)
            fits[formID] = FormFit(version: versions[index].version, fit: fit, named: named)
        }
        return fits
    }

    /// Returns the fit of the newest version that covers the questions. If none does, returns that of the newest
    /// version.
    ///
    /// - Parameter wordings: The questions of the versions, newest first.
    private static func bestFit(
        _ questions: ImportedQuestions, by names: [String: OptionNames], _ wordings: [[Question]]
    ) -> (index: Int, fit: QuestionFit, named: NamedQuestions) {
        let named = questions.named(by: names)
        let fits = wordings.map { QuestionFit.comparing(named.worded(as: $0), with: $0) }
        let index = fits.firstIndex(of: .covered) ?? 0
        return (index, fits[index], named)
    }
}
