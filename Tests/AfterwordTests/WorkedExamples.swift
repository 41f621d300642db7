import Foundation
import Postgres
import StrictJSON
import TestSupport
import Testing

/// What docs/imports-exports.md tells people to type does what it says there.
@Suite struct WorkedExamples {
    /// The code of the document's blocks in this language, in order.
    private static func blocks(_ language: String) throws -> [String] {
        let text = try String(contentsOfFile: IndependentCheck.root + "/docs/imports-exports.md", encoding: .utf8)
        return text.components(separatedBy: "```" + language + "\n").dropFirst().map { part in
            part.components(separatedBy: "```")[0]
        }
    }

    private static func block(_ language: String, with words: String) throws -> String {
        try #require(try blocks(language).first { $0.contains(words) }, "\(words)")
    }

    /// The document's own import, by its own map.
    private static func retro(_ place: Workplace) async throws {
        let file = try place.folder.write(try block("text", with: "team,week"), to: "retro.csv")
        let map = try place.folder.write(try block("json", with: "\"by\": \"team\""), to: "retro.map.json")
        for more in [["--dry-run"], []] {
            let outcome = try await place.run(["import", file, "--map", map, "--host-email", Workplace.email] + more)
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
    }

    @Test func theImportMakesTwoSeriesAndThreeSubmissions() async throws {
        try await Workplace.using { place in
            try await Self.retro(place)
            let meetings = try await place.run(["export", "meetings", "--all", "--format", "ndjson"]).output
                .split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
            #expect(Set(meetings.compactMap { $0["series"]?.string }) == ["Retro of team Blue", "Retro of team Red"])
            #expect(meetings.compactMap { $0["submissions"]?.int }.sorted() == [1, 2])
        }
    }

    @Test(.enabled(if: IndependentCheck.isInstalled)) func thePivotCountsWhatWasAnswered() async throws {
        try await Workplace.using { place in
            try await Self.retro(place)
            let summary = try await place.run(["export", "summary", "--all", "--output", place.folder / "summary.csv"])
            #expect(summary.status == 0, "\(summary.errors)")
            let script = try place.folder.write(try Self.block("python", with: "pivot_table"), to: "pivot.py")
            let outcome = try await Program.run(
                ["-c", "cd '\(place.folder.path)' && '\(IndependentCheck.root)/.venv/bin/python' '\(script)'"],
                program: "/bin/sh")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let rows = outcome.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            // Both teams met in week 3: their counts of 1 to 5 add up.
            #expect(rows.last == ["1", "Week", "3", "0", "1", "0", "1", "1"], "\(outcome.output)")
        }
    }

    @Test func theLineOfCronWritesLastWeek() async throws {
        try await Workplace.using { place in
            try await Self.retro(place)
            // One of the two meetings was last week.
            let pool = Pool(PostgresConfiguration(url: place.database.url), size: 1)
            try await pool.execute(
                """
                UPDATE meeting SET starts_at = t.noon, ends_at = t.noon + interval '1 hour'
                FROM (SELECT (date_trunc('week', now() AT TIME ZONE 'Europe/Berlin') - interval '3 days 12 hours')
                    AT TIME ZONE 'Europe/Berlin' noon) t
                WHERE id = (SELECT meeting_id FROM form ORDER BY id LIMIT 1)
                """)
            await pool.close()
            let line = try Self.block("shell", with: "0 6 * * 1")
            #expect(line.hasPrefix("0 6 * * 1 cd /srv/afterword && "))
            let command = line.dropFirst("0 6 * * 1 ".count).replacingOccurrences(
                of: "cd /srv/afterword", with: "cd '\(place.folder.path)'")
            let outcome = try await place.shell(command)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
            #expect(place.folder.read("meetings.csv").split(separator: "\r\n").count == 2)
            #expect(place.folder.read("questions.csv").split(separator: "\r\n").count == 4)
        }
    }
}
