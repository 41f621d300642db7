import Domain

extension Filters {
    /// Searches for the questions by which an anonymous form may be filtered, unless they are known by the time of the
    /// host's turn. Reads in short transactions, and has no connection while it waits or computes.
    func searchSafeFilters(of meeting: Meeting) async throws {
        let turn = try await safeFilters.turn(of: meeting.hostID)
        defer { withExtendedLifetime(turn) {} }
        let read = try await readBaseline(of: meeting) { baseline, connection in
            try await safeFilters.evidence(of: baseline, on: connection)
        }
        guard let evidence = read else { return }
        let choice = try await safeFilters.search(evidence) { keys in
            try await readBaseline(of: meeting) { baseline, connection in
                guard baseline.results.revision == evidence.revision else { throw Self.changed }
                return try await ArrivedAnswers.read(
                    baseline.questions, filteredBy: keys, baseline.sample, on: connection)
            }
        }
        safeFilters.keep(choice, of: meeting.form.id, revision: evidence.revision)
    }

    /// The form has changed since the search began.
    static var changed: Problem { Problem(.overloaded, "The form is being changed; try again.", retryAfter: 1) }
}
