import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import HTTPAPI

@Suite(.timeLimit(.minutes(15))) struct DownloadFileNames {
    /// The extended file name as a browser decodes it.
    private static func decoded(_ disposition: String?) -> String? {
        disposition?.components(separatedBy: "filename*=UTF-8''").dropFirst().first?.removingPercentEncoding
    }

    @Test(arguments: [
        ("Retro", "Retro - summary.csv"), ("회고 모임 #3", "회고 모임 #3 - summary.csv"),
        ("a/b\\c:d*e?f\"g<h>i|j", "a-b-c-d-e-f-g-h-i-j - summary.csv"),
        ("  ..hidden \n\t line ", "hidden line - summary.csv"),
        ("\u{202E}gpj.exe", "gpj.exe - summary.csv"), ("👩‍👩‍👧 day", "👩‍👩‍👧 day - summary.csv"),
    ])
    func fileIsNamedAfterItsTitleWithoutUnsafeCharacters(_ title: String, _ name: String) {
        let disposition = DownloadName(file: "summary.csv", title: title).disposition
        #expect(disposition.hasPrefix("attachment; filename=\"summary.csv\"; filename*=UTF-8''"))
        #expect(disposition.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        #expect(Self.decoded(disposition) == name)
    }

    @Test func longNamesAreCutBetweenCharacters() throws {
        let title = String(repeating: "회", count: 300)
        let name = try #require(Self.decoded(DownloadName(file: "submissions.ndjson", title: title).disposition))
        #expect(name.utf8.count <= 255 && name.hasPrefix("회회") && name.hasSuffix("회 - submissions.ndjson"))
    }

    @Test(arguments: [nil, "", " \u{202E} ", "..."]) func fileWithoutATitleHasAPlainName(_ title: String?) {
        #expect(
            DownloadName(file: "summary.csv", title: title).disposition == "attachment; filename=\"summary.csv\"")
    }

    /// The name contains the first and the last day of the period in UTC. Without a period, the file is named after its
    /// table.
    @Test(arguments: [
        ("", "meetings"), ("?from=2026-11-01&to=2026-12-01", "meetings-2026-11-01-to-2026-11-30"),
        ("?from=2026-11-01&to=2026-11-02", "meetings-2026-11-01"),
        ("?from=2026-11-01", "meetings-from-2026-11-01"), ("?to=2026-12-01", "meetings-to-2026-11-30"),
        ("?from=2026-11-01T09:00:00Z&to=2026-11-03T09:00:00Z", "meetings-2026-11-01-to-2026-11-03"),
        ("?from=2026-11-01T00:30:00%2B09:00&to=2026-11-01T00:00:00Z", "meetings-2026-10-31"),
        ("?from=9999-12-30&to=9999-12-31", "meetings-9999-12-30"),
        ("?from=0001-01-01&to=0001-01-02", "meetings-0001-01-01"),
    ])
    func fileOfAPeriodIsNamedAfterThePeriod(_ query: String, _ name: String) async throws {
        try await TestService.run { service in
            let created = try await service.meeting()
            for format in ["csv", "ndjson", "xlsx"] {
                let file = try await service.admin.get("/v1/admin/export/meetings.\(format)\(query)").expect(200)
                #expect(file["Content-Disposition"] == "attachment; filename=\"\(name).\(format)\"")
            }
            let series = try await service.host.get("/v1/series/\(created.seriesID)/export/meetings.csv\(query)")
                .expect(200)
            #expect(Self.decoded(series["Content-Disposition"]) == "A meeting - \(name).csv")
        }
    }

    @Test func filesOfMeetingsAndSeriesAreNamedAfterThem() async throws {
        try await TestService.run { service in
            let created = try await service.host.post("/v1/meetings", json: #"{"title": "회고"}"#).expect(201).json
            let (id, series) = (try #require(created?["id"]?.string), try #require(created?["seriesId"]?.string))
            let one = try await service.host.get("/v1/meetings/\(id)/export/summary.xlsx").expect(200)
            #expect(Self.decoded(one["Content-Disposition"]) == "회고 #1 - summary.xlsx")
            let all = try await service.host.get("/v1/series/\(series)/export/meetings.csv").expect(200)
            #expect(Self.decoded(all["Content-Disposition"]) == "회고 - meetings.csv")
            let everything = try await service.admin.get("/v1/admin/export/meetings.csv").expect(200)
            #expect(everything["Content-Disposition"] == "attachment; filename=\"meetings.csv\"")
        }
    }
}
