import Foundation
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct ImageUploading {
    /// An image whose metadata contains a place, a camera maker and a comment.
    private static let jpeg = """
        /9j/4AAQSkZJRgABAQAAAQABAAD/4QCsRXhpZgAATU0AKgAAAAgAAwEPAAIAAAAMAAAAMgESAAMAAAABAAEAAIglAAQAAAABAAAAPgAA\
        AABDYW1lcmFNYWtlcgAABAABAAIAAAACTgAAAAACAAUAAAADAAAAdAADAAIAAAACRQAAAAAEAAUAAAADAAAAjAAAAAAAAAA0AAAAAQAA\
        AB8AAAABAAAADAAAAAEAAAANAAAAAQAAABgAAAABAAAAEgAAAAH//gAPU2VjcmV0Q29tbWVudP/bAEMAAwICAwICAwMDAwQDAwQFCAUF\
        BAQFCgcHBggMCgwMCwoLCw0OEhANDhEOCwsQFhARExQVFRUMDxcYFhQYEhQVFP/bAEMBAwQEBQQFCQUFCRQNCw0UFBQUFBQUFBQUFBQU\
        FBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFP/AABEIADAAQAMBIgACEQEDEQH/xAAfAAABBQEBAQEBAQAAAAAAAAAA\
        AQIDBAUGBwgJCgv/xAC1EAACAQMDAgQDBQUEBAAAAX0BAgMABBEFEiExQQYTUWEHInEUMoGRoQgjQrHBFVLR8CQzYnKCCQoWFxgZGiUm\
        JygpKjQ1Njc4OTpDREVGR0hJSlNUVVZXWFlaY2RlZmdoaWpzdHV2d3h5eoOEhYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6\
        wsPExcbHyMnK0tPU1dbX2Nna4eLj5OXm5+jp6vHy8/T19vf4+fr/xAAfAQADAQEBAQEBAQEBAAAAAAAAAQIDBAUGBwgJCgv/xAC1EQAC\
        AQIEBAMEBwUEBAABAncAAQIDEQQFITEGEkFRB2FxEyIygQgUQpGhscEJIzNS8BVictEKFiQ04SXxFxgZGiYnKCkqNTY3ODk6Q0RFRkdI\
        SUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqCg4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY\
        2dri4+Tl5ufo6ery8/T19vf4+fr/2gAMAwEAAhEDEQA/APnSiiivww/1TCiiigD7Gooor8SP+Y8KKKKAPjmivAqK/wBUP+JZf+px/wCU\
        P/ux/tV/xMN/1Kv/ACt/9yPfaK8Coo/4ll/6nH/lD/7sH/Ew3/Uq/wDK3/3I/UOiv0Yor+H/APiGf/UZ/wCU/wD7c/zj/wCIPf8AUf8A\
        +Uv/ALofnPRX6MUUf8Qz/wCoz/yn/wDbh/xB7/qP/wDKX/3Q/mkooor/AHDP1cKKKKAP6W6KKK/ysPuAooooA//Z
        """
    private static let png = """
        iVBORw0KGgoAAAANSUhEUgAAAEAAAAAwCAYAAAChS3wfAAAAiklEQVR4nO2ZwQ3EQBCD2CiX/jveK4OHcQNjIfOac+FBzLnmdXiBn1vB\
        zQt8dgkzLYAW0ALmAaSAXcJMAEiBFjAPIAXsEmYCQAq0gHkAKWCXMBMAUmB8AYerApDfAimQAgQgBeYXMA8gBewSZgJACrSAeQApYJcw\
        EwBSoAXMA0gBu4SZAJAC2wv4A2EPBbmmIDZrAAAAAElFTkSuQmCC
        """
    private static let webp = """
        UklGRlQAAABXRUJQVlA4TEgAAAAvP8ALEJlliOh/6CYGfsD7HwlQ2rYR5P2XPvyjAwKCIv9HCwVt27DY7Y7atm0Y9+y5woMsA2TJoZt8\
        HvfF+zp0adj9f/sdDwA=
        """

    /// 34 bytes that decode to 24 megapixels, the largest accepted size.
    private static let hugeWebP = "UklGRhoAAABXRUJQVlA4TA0AAAAvb9fnA6hHkevR/wIAAA=="

    private static func bytes(_ base64: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: base64)))
    }

    private static func put(
        _ bytes: [UInt8], as type: String, to meeting: TestMeeting, by client: HTTPTestClient? = nil
    ) async throws -> HTTPTestClient.Response {
        try await (client ?? meeting.host).send(
            "PUT", "\(meeting.path)/image", body: bytes, headers: ["Content-Type": type])
    }

    @Test(arguments: [(jpeg, "image/jpeg"), (png, "image/png"), (webp, "image/webp")])
    func imagesAreServedWithoutTheirMetadata(base64: String, type: String) async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            #expect(try await service.host.get("\(meeting.path)/image").status == 404)
            let sent = try Self.bytes(base64)
            let saved = try await Self.put(sent, as: type, to: meeting).expect(200)
            #expect(saved.json?["image"]?.string == "\(meeting.path)/image")
            let shown = try await service.host.get("\(meeting.path)/image").expect(200)
            #expect(shown["Content-Type"] == type && shown["X-Content-Type-Options"] == "nosniff")
            #expect(shown["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'")
            #expect(shown["Cache-Control"]?.hasPrefix("private") == true)
            #expect(!shown.body.isEmpty && shown.body != sent)
            for trace in ["Exif", "CameraMaker", "SecretComment"] {
                #expect(Data(shown.body).range(of: Data(trace.utf8)) == nil, "\(trace)")
            }
            let tag = try #require(shown["ETag"])
            let again = try await service.host.get("\(meeting.path)/image", headers: ["If-None-Match": tag])
            #expect(again.status == 304 && again.body.isEmpty)
            try await service.host.delete("\(meeting.path)/image").expect(204)
            #expect(try await service.host.delete("\(meeting.path)/image").status == 404)
            #expect(try await service.host.get(meeting.path).json?["image"] == .null)
        }
    }

    /// The content of an image, not the declared media type, determines its type.
    @Test func newImageReplacesTheOldOne() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await Self.put(try Self.bytes(Self.jpeg), as: "image/jpeg", to: meeting).expect(200)
            let first = try await service.host.get("\(meeting.path)/image").expect(200)
            try await Self.put(try Self.bytes(Self.png), as: "image/webp", to: meeting).expect(200)
            let second = try await service.host.get("\(meeting.path)/image").expect(200)
            #expect(second["Content-Type"] == "image/png" && second["ETag"] != first["ETag"])
            for (tag, status) in [(first["ETag"], 412), (second["ETag"], 204), ("*", 412)] {
                let deleted = try await service.host.delete("\(meeting.path)/image", headers: ["If-Match": tag ?? ""])
                #expect(deleted.status == status, "\(tag ?? "")")
            }
        }
    }

    @Test func invalidImagesAreRefusedAndTheOldOneRemains() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            let image = try Self.bytes(Self.png)
            try await Self.put(image, as: "image/png", to: meeting).expect(200)
            let before = try await service.host.get("\(meeting.path)/image").expect(200).body
            let script = Array("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)
            for bytes in [script, Array("#!/bin/sh".utf8), Array(image.prefix(60)), Array("GIF89a".utf8)] {
                let response = try await Self.put(bytes, as: "image/png", to: meeting)
                #expect(response.status == 422 && response.faults == [" not-an-image"], "\(response.text)")
            }
            #expect(try await Self.put(script, as: "image/svg+xml", to: meeting).status == 415)
            #expect(try await Self.put([], as: "image/png", to: meeting).status == 400)
            let large = try await Self.put(
                [UInt8](repeating: 0, count: 2 * 1024 * 1024 + 1), as: "image/png", to: meeting)
            #expect(large.status == 413)
            #expect(try await service.host.get("\(meeting.path)/image").expect(200).body == before)
        }
    }

    @Test func nextRoundCopiesTheImage() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await Self.put(try Self.bytes(Self.png), as: "image/png", to: meeting).expect(200)
            let next = try TestMeeting(
                created: try await service.host.post("/v1/series/\(meeting.seriesID)/meetings"), host: service.host,
                anyone: service.anyone)
            let first = try await service.host.get("\(meeting.path)/image").expect(200)
            let copy = try await service.host.get("\(next.path)/image").expect(200)
            #expect(copy.body == first.body && copy["ETag"] == first["ETag"])
            try await service.host.delete("\(next.path)/image").expect(204)
            try await service.host.get("\(meeting.path)/image").expect(200)
        }
    }

    /// The bytes are stored once, as long as a meeting refers to them.
    @Test func hundredRoundsShareOneImage() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await Self.put(try Self.bytes(Self.png), as: "image/png", to: meeting).expect(200)
            let repetition = """
                {"startsAt": "2027-03-01T09:00:00Z", "endsAt": "2027-03-01T10:00:00Z", "timeZone": "UTC",
                 "repeat": {"every": "P1W", "count": 100}}
                """
            try await service.host.post("/v1/series/\(meeting.seriesID)/meetings", json: repetition).expect(201)
            #expect(try await service.count("SELECT count(*) FROM meeting_image") == 101)
            #expect(try await service.count("SELECT count(*) FROM image") == 1)
            try await Self.put(try Self.bytes(Self.jpeg), as: "image/jpeg", to: meeting).expect(200)
            #expect(try await service.count("SELECT count(*) FROM image") == 2, "the other rounds are unchanged")
            try await service.host.delete("\(meeting.path)/image").expect(204)
            #expect(
                try await service.count("SELECT count(*) FROM image") == 1,
                "no meeting refers to the second image any more")
            try await service.fixture.store.sweep()
            #expect(try await service.count("SELECT count(*) FROM image") == 1)
            try await service.sql("DELETE FROM meeting_image")
            try await service.fixture.store.sweep()
            #expect(try await service.count("SELECT count(*) FROM image") == 0)
        }
    }

    @Test func oneOfFourUploadsWithTheSameTagIsAccepted() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await Self.put(try Self.bytes(Self.png), as: "image/png", to: meeting).expect(200)
            let tag = try #require(try await service.host.get("\(meeting.path)/image").expect(200)["ETag"])
            let jpeg = try Self.bytes(Self.jpeg)
            // The lock makes all requests wait after the first check of their tag, so that they continue together.
            let holder = try await Connection.connect(PostgresConfiguration(url: service.fixture.database.url))
            try await holder.script("BEGIN; SELECT 1 FROM meeting FOR UPDATE")
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await service.host.send(
                            "PUT", "\(meeting.path)/image", body: jpeg,
                            headers: ["Content-Type": "image/jpeg", "If-Match": tag]
                        ).status
                    }
                }
                try await service.fixture.database.waitUntilBlocked(4)
                try await holder.script("ROLLBACK")
                await holder.close()
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [200, 412, 412, 412])
        }
    }

    /// An image that is saved while an equal one is being deleted is not lost.
    @Test func imageSavedDuringTheSweepRemains() async throws {
        try await TestService.run { service in
            let (one, two) = (try await service.meeting(), try await service.meeting())
            let png = try Self.bytes(Self.png)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for meeting in [one, two] {
                    group.addTask {
                        for _ in 0..<10 {
                            try await Self.put(png, as: "image/png", to: meeting).expect(200)
                            try await service.host.get("\(meeting.path)/image").expect(200)
                            try await service.host.delete("\(meeting.path)/image").expect(204)
                        }
                    }
                }
                group.addTask { for _ in 0..<20 { try await service.fixture.store.sweep() } }
                try await group.waitForAll()
            }
        }
    }

    @Test func manyUploadsOfOneHostDelayNobodyElse() async throws {
        try await TestService.run { service in
            let (mine, others) = (try await service.meeting(), try await service.meeting(by: service.other))
            let (huge, small) = (try Self.bytes(Self.hugeWebP), try Self.bytes(Self.png))
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                // More uploads than may wait in total.
                for _ in 0..<24 {
                    group.addTask { try await Self.put(huge, as: "image/webp", to: mine).status }
                }
                // Once the first upload is refused, the host has the largest permitted number of waiting uploads.
                var statuses: [Int] = []
                while let status = try await group.next() {
                    statuses.append(status)
                    guard status == 503, statuses.count(where: { $0 == 503 }) == 1 else { continue }
                    let upload = try await Self.put(small, as: "image/png", to: others, by: service.other)
                    #expect(upload.status == 200, "\(upload.text)")
                    // The other host waits for one or two images of the first host, not for all that are waiting.
                    #expect(try await service.host.get("\(mine.path)/image").status == 200)
                }
                return statuses
            }
            #expect(statuses.count(where: { $0 == 200 }) >= 5 && statuses.allSatisfy { [200, 503].contains($0) })
        }
    }

    @Test func imageOfAnotherHostIsNotFound() async throws {
        try await TestService.run { service in
            let meeting = try await service.meeting()
            try await Self.put(try Self.bytes(Self.png), as: "image/png", to: meeting).expect(200)
            #expect(try await service.other.get("\(meeting.path)/image").status == 404)
            #expect(try await service.anyone.get("\(meeting.path)/image").status == 401)
            let put = try await Self.put(Array("x".utf8), as: "image/png", to: meeting, by: service.other)
            #expect(put.status == 404, "existence is checked before the body")
            #expect(try await service.other.delete("\(meeting.path)/image").status == 404)
        }
    }
}
