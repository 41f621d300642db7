import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import HTTPAPI

@Suite(.timeLimit(.minutes(15))) struct DownloadNames {
    /// The longer name as a browser reads it.
    private static func decoded(_ disposition: String?) -> String? {
        disposition?.components(separatedBy: "filename*=UTF-8''").dropFirst().first?.removingPercentEncoding
    }

    @Test(arguments: [
        ("Retro", "Retro - summary.csv"), ("회고 모임 #3", "회고 모임 #3 - summary.csv"),
        ("a/b\\c:d*e?f\"g<h>i|j", "a-b-c-d-e-f-g-h-i-j - summary.csv"),
        ("  ..hidden \n\t line ", "hidden line - summary.csv"),
        ("\u{202E}gpj.exe", "gpj.exe - summary.csv"), ("👩‍👩‍👧 day", "👩‍👩‍👧 day - summary.csv"),
    ])
    func aFileIsCalledAfterItsMeetingAndNothingElse(_ title: String, _ name: String) {
        let disposition = DownloadName(file: "summary.csv", title: title).disposition
        #expect(disposition.hasPrefix("attachment; filename=\"summary.csv\"; filename*=UTF-8''"))
        #expect(disposition.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        #expect(Self.decoded(disposition) == name)
    }

    @Test func aNameFitsIntoAFileSystemAndIsCutBetweenCharacters() throws {
        let title = String(repeating: "회", count: 300)
        let name = try #require(Self.decoded(DownloadName(file: "submissions.ndjson", title: title).disposition))
        #expect(name.utf8.count <= 255 && name.hasPrefix("회회") && name.hasSuffix("회 - submissions.ndjson"))
    }

    @Test(arguments: [nil, "", " \u{202E} ", "..."]) func withoutATitleItIsCalledPlainly(_ title: String?) {
        #expect(
            DownloadName(file: "summary.csv", title: title).disposition == "attachment; filename=\"summary.csv\"")
    }

    @Test func filesOfMeetingsAndSeriesAreCalledAfterThem() async throws {
        try await TestService.run { service in
            let made = try await service.host.post("/v1/meetings", json: #"{"title": "회고"}"#).expect(201).json
            let (id, series) = (try #require(made?["id"]?.string), try #require(made?["seriesId"]?.string))
            let one = try await service.host.get("/v1/meetings/\(id)/export/summary.xlsx").expect(200)
            #expect(Self.decoded(one["Content-Disposition"]) == "회고 #1 - summary.xlsx")
            let all = try await service.host.get("/v1/series/\(series)/export/meetings.csv").expect(200)
            #expect(Self.decoded(all["Content-Disposition"]) == "회고 - meetings.csv")
            let everything = try await service.admin.get("/v1/admin/export/meetings.csv").expect(200)
            #expect(everything["Content-Disposition"] == "attachment; filename=\"meetings.csv\"")
        }
    }
}
