import Contract
import Domain
import Foundation
import Store

extension HostReader {
    /// The results of a meeting that was just read. They are computed once for each state of the form and the meeting.
    public func results(of details: MeetingDetails) async throws -> Contract.Results {
        try await cache.results(of: details.stored, in: store)
    }

    /// The trends of these questions up to the meeting's round, as far back as needed for a comparison; empty if there
    /// are too many rounds to read together.
    ///
    /// They are computed once for each state of the compared rounds.
    public func trends(
        of questions: [String], upTo details: MeetingDetails
    ) async throws -> [Contract.Trend] {
        let (seriesID, round, rounds) = (
            details.stored.seriesID, details.stored.round, store.seriesRounds(for: principal.account.id)
        )
        let key = HostReadingCache.TrendKey(seriesID: seriesID, round: round, questions: questions)
        if let known = cache.trends(key), try await rounds.isCurrent(known.state, of: seriesID, upTo: round) {
            return known.value
        }
        do {
            let found = try await rounds.trends(of: seriesID, questions: questions, upTo: round)
            let trends = found.trends.map { Contract.Trend($0, ofSeries: seriesID) }
            if let state = found.state { cache.insert(trends, key, in: state) }
            return trends
        } catch let problem as Problem where problem.code == .validationFailed {
            return []
        }
    }

    /// How these questions changed since earlier rounds, if the people who answered are named; nil if there are too many
    /// rounds to read together.
    public func changes(of questions: [String], in details: MeetingDetails) async throws -> Contract.RoundChanges? {
        let meeting = details.stored
        do {
            let changes = try await store.seriesRounds(for: principal.account.id)
                .changes(of: meeting, questions: questions)
            return Contract.RoundChanges(changes, of: meeting)
        } catch let problem as Problem where problem.code == .validationFailed {
            return nil
        }
    }

    /// Cronbach's alpha of a grid. Nil while it is withheld, and if it cannot be computed in time.
    public func alpha(of grid: String, in details: MeetingDetails) async throws -> Contract.GridAlpha? {
        do {
            let found = try await store.filters.alpha(of: details.stored, grid: grid)
            return Contract.GridAlpha(found, of: details.stored)
        } catch is Problem {
            return nil
        }
    }

    /// The pooled results of a series, and the trends of its first questions.
    public func overview(
        of series: SeriesAccess, trends limit: Int
    ) async throws -> (pooled: SeriesResults, trends: [Contract.Trend]) {
        let id = series.id
        let rounds = store.seriesRounds(for: principal.account.id)
        let found = try await rounds.overview(of: id.uuid, trends: limit)
        return (
            SeriesResults(found.pooled, ofSeries: id.uuid), found.trends.map { Contract.Trend($0, ofSeries: id.uuid) }
        )
    }

    /// The start of the bucket with the first submission before `end`; `distantFuture` if there is none. Nil if
    /// the submissions cannot be grouped by `bucket` or are withheld.
    public func firstSubmission(
        of details: MeetingDetails, by bucket: String, before end: Date
    ) async throws -> Date? {
        guard let bucket = FormTimeline.Bucket(rawValue: bucket) else { return nil }
        do {
            let timeline = try await store.timelines.read(of: details.stored, by: bucket, timeZone: nil, to: end)
            return timeline.steps.first?.startsAt ?? .distantFuture
        } catch let problem as Problem where [.validationFailed, .resultsWithheld].contains(problem.code) {
            return nil
        }
    }
}
