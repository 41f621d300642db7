import Cryptography
import Foundation
import TestSupport
import Testing

/// Over HTTP, XLSX files are exported like CSV files, except for their content.
@Suite(.timeLimit(.minutes(15))) struct WorkbookDownloads {
    private static let mediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    @Test func workbookHasItsMediaTypeAndTrailers() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for pace in 1...3 { try await meeting.submit(#"{"pace": \#(pace)}"#).expect(201) }
            let file = "\(meeting.path)/export/submissions.xlsx"
            let response = try await meeting.host.get(file).expect(200)
            #expect(response["Content-Type"] == Self.mediaType)
            #expect(response["Content-Disposition"]?.hasPrefix("attachment; filename=\"submissions.xlsx\"; ") == true)
            #expect(response.body.starts(with: Array("PK\u{3}\u{4}".utf8)))
            let token = try #require(meeting.host.authorization)
            let raw = try await RawConnection.open(port: meeting.host.port) { raw in
                try await raw.send(
                    "GET \(file) HTTP/1.1\r\nHost: x\r\nAuthorization: \(token)\r\nConnection: close\r\n\r\n")
                return await raw.readToEnd()
            }.lowercased()
            let digest = Data(SHA256.hash(response.body)).base64EncodedString().lowercased()
            let trailers = raw.components(separatedBy: "\r\n0\r\n").last ?? ""
            #expect(trailers.contains("afterword-rows: 3\r\n"))
            #expect(trailers.contains("repr-digest: sha-256=:\(digest):\r\n"))
        }
    }

    @Test func sameRowsHaveTheSameBytesAndOptionsAreCheckedAsForCSV() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let file = "\(meeting.path)/export/summary.xlsx"
            let first = try await service.host.get(file).expect(200).body
            for query in ["", "?bom&raw&delimiter=%3B"] {
                #expect(try await service.host.get(file + query).expect(200).body == first)
            }
            #expect(try await service.host.get(file + "?titles").expect(200).body != first)
            #expect(try await service.host.get(file + "?delimiter=ab").status == 422)
            for accept in [Self.mediaType, "*/*", "application/*"] {
                #expect(try await service.host.get(file, headers: ["Accept": accept]).status == 200)
            }
            #expect(try await service.host.get(file, headers: ["Accept": "application/json"]).status == 406)
            #expect(try await service.host.send("HEAD", file).status == 200)
        }
    }

    @Test func anonymousSubmissionsAreWithheldAsInCSV() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""anonymous": true"#)
            let submissions = try await service.host.get("\(meeting.path)/export/submissions.xlsx")
            #expect(submissions.status == 409 && submissions.problem == "anonymous-form")
            let answers = try await service.host.get("\(meeting.path)/export/answers.xlsx")
            #expect(answers.status == 409 && answers.problem == "results-withheld")
        }
    }
}
