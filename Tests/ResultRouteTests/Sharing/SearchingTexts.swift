import Contract
import Cryptography
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

/// Searching text answers through the API.
@Suite(.timeLimit(.minutes(15))) struct SearchingTexts {
    private static let texts = [
        "100% of it, snake_case and a\\b", "Die Straße war laut", "ΟΔΟΣ", "회의가 너무 길었어요", "酒店服务很好，价格不贵",
        "cafe\u{301} was closed", "שלום לכולם", "مرحبا بالعالم", "👍🏽 more of this", "ПРИВЕТ", "line one\nline two",
    ]

    private static func matches(_ meeting: TestMeeting, _ search: String) async throws -> [String] {
        let query = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return try await meeting.texts("?q=\(query)").items.map(\.text)
    }

    @Test(arguments: [false, true]) func searchFindsTextsInAnyLanguage(anonymous: Bool) async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(
                settings: "\"showResults\": \"always\", \"anonymous\": \(anonymous)")
            for text in Self.texts {
                try await meeting.submit(JSONValue.object([.init("better", .string(text))]).text).expect(201)
            }
            try await meeting.perform("close").expect(200)
            try await meeting.moderate("release").expect(204)
            let share = try await meeting.sharePath()
            for (search, index) in [
                ("100%", 0), ("E_C", 0), ("A\\B", 0), ("strasse", 1), ("οδος", 2), ("회의", 3), ("길", 3), ("服务", 4),
                ("贵", 4),
                ("Café", 5), ("שלום", 6), ("بال", 7), ("👍", 8), ("привет", 9), ("one\nline", 10), (" straße\n", 1),
            ] {
                let query = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                #expect(try await Self.matches(meeting, search) == [Self.texts[index]], "\(search)")
                for base in [meeting.formPath, share] {
                    let page: Contract.ReleasedTexts = try await service.anyone.get(
                        "\(base)/results/better/answers?q=\(query)"
                    ).expect(200).decoded()
                    #expect(page.items.map(\.text) == [Self.texts[index]] && page.partial == false, "\(search)")
                }
            }
            for search in ["%", "_"] {
                #expect(try await Self.matches(meeting, search).count == 1, "\(search) is not a wildcard")
            }
            for search in ["nothing", "100_", "' OR 1=1 --"] {
                #expect(try await Self.matches(meeting, search).isEmpty, "\(search)")
            }
            for search in ["", "  ", "\t\n", "\u{200D}"] {
                #expect(
                    try await Self.matches(meeting, search).count == Self.texts.count,
                    "a blank search matches every text")
            }
        }
    }

    @Test func invalidSearchesAreRefused() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            try await meeting.submit(#"{"better": "x"}"#).expect(201)
            try await meeting.moderate("release").expect(204)
            let (long, korean) = (String(repeating: "a", count: 10_000), String(repeating: "%EC%9E%A5", count: 1_000))
            for path in [meeting.path, meeting.formPath] {
                let base = "\(path)/results/better/answers"
                for (query, fault) in [
                    ("q=a%00b", "? invalid-encoding"), ("q=\(long)", "?q too-long"), ("q=\(korean)", "?q too-long"),
                    ("q=" + String(repeating: "a", count: 201), "?q too-long"),
                    ("q=" + String(repeating: "e" + String(repeating: "%CC%81", count: 11), count: 200), "?q too-long"),
                    ("q=e" + String(repeating: "%CC%81", count: 31), "? invalid-encoding"),
                    ("q=%FF", "? invalid-encoding"),
                    ("q=a&q=b", "?q repeated-parameter"), ("cursor=", "?cursor invalid-cursor"),
                    ("cursor=AAAA", "?cursor invalid-cursor"), ("cursor=%F0%9F%91%8D", "?cursor invalid-cursor"),
                    ("cursor=" + String(repeating: "A", count: 2_000), "?cursor invalid-cursor"),
                ] {
                    let client = path == meeting.path ? meeting.host : service.anyone
                    let response = try await client.get("\(base)?\(query)")
                    #expect(
                        response.status == 422 && response.faults == [fault], "\(query.prefix(20)): \(response.faults)")
                }
            }
            #expect(try await Self.matches(meeting, String(repeating: "a", count: 200)).isEmpty)
        }
    }

    @Test(arguments: [false, true]) func cursorIsValidForItsOwnListOnly(anonymous: Bool) async throws {
        try await TestService.run { service in
            let questions = """
                [{"key": "better", "kind": "text", "title": "B"}, {"key": "more", "kind": "text", "title": "M"}]
                """
            let settings = "\"showResults\": \"always\", \"anonymous\": \(anonymous)"
            let meeting = try await service.openMeeting(questions, settings: settings)
            let other = try await service.openMeeting(questions, settings: settings)
            for one in [meeting, other] {
                for number in 1...4 {
                    try await one.submit("{\"better\": \"b\(number)\", \"more\": \"m\(number)\"}").expect(201)
                }
                try await one.perform("close").expect(200)
                for key in ["better", "more"] { try await one.moderate("release", key).expect(204) }
            }
            let cursor = try #require(try await meeting.texts("?limit=2&q=b").next)
            #expect(try await meeting.texts("?limit=2&q=b&cursor=\(cursor)").items.count == 2)
            #expect(
                try await meeting.texts("?limit=200&q=%20b&cursor=\(cursor)").items.count == 2,
                "the limit may differ between pages")
            var invalidPaths = [
                "\(meeting.path)/results/better/answers?cursor=\(cursor)",
                "\(meeting.path)/results/better/answers?q=B1&cursor=\(cursor)",
                "\(meeting.path)/results/better/answers?q=b&hidden=true&cursor=\(cursor)",
                "\(meeting.path)/results/more/answers?q=b&cursor=\(cursor)",
                "\(other.path)/results/better/answers?q=b&cursor=\(cursor)",
            ]
            // A cursor with any bit changed is refused.
            let bytes = try #require(Base64URL.decode(cursor))
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= UInt8(1 << Int.random(in: 0..<8))
                invalidPaths.append("\(meeting.path)/results/better/answers?q=b&cursor=\(Base64URL.encode(changed))")
            }
            for path in invalidPaths {
                let response = try await meeting.host.get(path)
                #expect(response.status == 422 && response.faults == ["?cursor invalid-cursor"], "\(path)")
            }
            let participantPath = "\(meeting.formPath)/results/better/answers?q=b&cursor=\(cursor)"
            // For an anonymous form, hosts and participants read the same list. For other forms, hosts read the newest
            // texts first.
            #expect(try await service.anyone.get(participantPath).status == (anonymous ? 200 : 422))
        }
    }

    @Test func slowSearchesReturnPartialPages() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting(settings: #""showResults": "always""#)
            for number in 1...23 { try await meeting.submit("{\"better\": \"text \(number)\"}").expect(201) }
            try await meeting.moderate("release").expect(204)
            var bounds = TextBounds()
            (bounds.timeLimit, bounds.stepSizes, bounds.smallestGroup) = (.zero, 4...4, 5)
            let store = try await service.fixture.secondStore(texts: bounds)
            try await TestService.serve(store) { client in
                let host = client.bearing(try await TestService.token(of: service.fixture.host, in: store))
                for (path, client) in [(meeting.path, host), (meeting.formPath, client)] {
                    let base = "\(path)/results/better/answers?limit=3&q=1"
                    var (seen, cursor, partialPages): ([String], String?, Int) = ([], nil, 0)
                    repeat {
                        let response = try await client.get(base + (cursor.map { "&cursor=\($0)" } ?? "")).expect(200)
                        let page = try response.decoded(as: Contract.ReleasedTexts.self)
                        seen += page.items.map(\.text)
                        cursor = page.next
                        if page.partial == true {
                            partialPages += 1
                            #expect(cursor != nil && page.items.count < 3)
                        }
                    } while cursor != nil
                    let expected = (1...23).filter { "\($0)".contains("1") }.map { "text \($0)" }
                    #expect(seen.sorted() == expected.sorted() && partialPages > 2, "\(path)")
                }
            }
            await store.close()
        }
    }
}
