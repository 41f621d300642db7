import Cryptography
import Foundation
import StrictJSON
import TestSupport
import Testing

/// Invalid and hostile credentials of respondents. Every request that uses one is refused, and nothing is stored.
@Suite(.timeLimit(.minutes(15))) struct HostileRespondentKeys {
    private static let questions = #"[{"key": "pace", "kind": "rating", "title": "T"}]"#

    @Test(arguments: ["device", "attendee"])
    func malformedCredentialsAreRefused(identity: String) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions, settings: "\"identity\": \"\(identity)\"")
            let keys = [
                "k", String(repeating: "k", count: 31), String(repeating: "k", count: 129),
                String(repeating: "k", count: 4_000), String(repeating: "+", count: 40),
                String(repeating: "=", count: 40), String(repeating: "k", count: 39) + "/",
                String(repeating: "k", count: 20) + " " + String(repeating: "k", count: 20),
                String(repeating: "ä", count: 40), "%6B" + String(repeating: "k", count: 40),
            ]
            for key in keys {
                let response = try await meeting.submit(#"{"pace": 4}"#, respondent: key)
                #expect([400, 401].contains(response.status) && response.problem != nil, "\(key): \(response.status)")
            }
            #expect(try await meeting.results().json?["submissions"]?.int == 0)
        }
    }

    @Test func forgedAndForeignLinksAreRefused() async throws {
        try await TestService.run { service in
            func meetingWithLink() async throws -> (meeting: TestMeeting, token: String) {
                let meeting = try await service.openMeeting(Self.questions, settings: #""identity": "attendee""#)
                let id = try await meeting.add("Ann", "ann@example.org").expect(201).string("id")
                let link = try await service.host.post("\(meeting.attendeesPath)/\(id)/link").expect(200)
                return (meeting, try link.string("token"))
            }
            let (meeting, token) = try await meetingWithLink()
            let (other, foreign) = try await meetingWithLink()
            let bytes = try #require(Base64URL.decode(token))
            var forged = [foreign, token.uppercased(), token + token, "\(token)=", String(token.reversed())]
            for bit in stride(from: 0, to: bytes.count * 8, by: 5) {
                var flipped = bytes
                flipped[bit / 8] ^= 1 << UInt8(bit % 8)
                forged.append(Base64URL.encode(flipped))
            }
            forged += (1..<token.utf8.count).map { String(token.prefix($0)) }
            for token in forged {
                let response = try await meeting.submit(#"{"pace": 4}"#, respondent: token)
                #expect(
                    response.status == 401 && response.problem == "respondent-required", "\(token): \(response.text)")
            }
            #expect(try await meeting.results().json?["submissions"]?.int == 0)
            try await meeting.submit(#"{"pace": 4}"#, respondent: token).expect(201)
            try await other.submit(#"{"pace": 4}"#, respondent: foreign).expect(201)
        }
    }

    /// The size of a request's head is limited. A request with a larger head is refused, or its connection is closed,
    /// before the head is complete.
    @Test(arguments: [20_000, 1 << 20])
    func oversizedHeaderIsRefusedAtOnce(length: Int) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(Self.questions, settings: #""identity": "device""#)
            let body = #"{"answers": {"pace": 4}}"#
            let start = ContinuousClock.now
            let response = try await RawConnection.open(port: service.anyone.port) { connection in
                let head = [
                    "POST \(meeting.submissionsPath) HTTP/1.1", "Host: localhost", "Content-Type: application/json",
                    "Content-Length: \(body.utf8.count)", "Connection: close", "Authorization: Respondent ",
                ].joined(separator: "\r\n")
                // Sending fails after the server has closed the connection.
                try? await connection.send(head + String(repeating: "k", count: length) + "\r\n\r\n" + body)
                return await connection.readToEnd()
            }
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(!response.contains(" 201 "))
            if !response.isEmpty { #expect(response.hasPrefix("HTTP/1.1 4"), "\(response.prefix(200))") }
            let device = String(repeating: "k", count: 40)
            try await meeting.submit(#"{"pace": 4}"#, respondent: device).expect(201)
            #expect(try await meeting.results().json?["submissions"]?.int == 1)
        }
    }
}
