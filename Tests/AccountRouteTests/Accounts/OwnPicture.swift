import Foundation
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct OwnPicture {
    /// The bytes of a fixture of `ImagesTests`.
    static func fixture(_ name: String) throws -> [UInt8] {
        return Array(try Data(contentsOf: Repository.url("Tests/ImagesTests/Fixtures/\(name)")))
    }

    private static func put(
        _ client: HTTPTestClient, _ bytes: [UInt8], as type: String = "image/jpeg"
    ) async throws -> HTTPTestClient.Response {
        try await client.send("PUT", "/v1/me/picture", body: bytes, headers: ["Content-Type": type])
    }

    @Test func pictureIsStoredWithoutMetadata() async throws {
        try await TestService.run { service in
            let original = try Self.fixture("camera6.jpg")
            #expect(Data(original).range(of: Data("Exif".utf8)) != nil)
            #expect(try await service.host.get("/v1/me/picture").status == 404)
            try await Self.put(service.host, original).expect(204)
            let read = try await service.host.get("/v1/me/picture").expect(200)
            #expect(read["Content-Type"] == "image/jpeg")
            #expect(read["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'")
            #expect(read["Cache-Control"] == "no-store")
            #expect(Data(read.body).range(of: Data("Exif".utf8)) == nil && read.body.count > 100)
            let tag = try #require(read["ETag"])
            #expect(try await service.host.get("/v1/me/picture", headers: ["If-None-Match": tag]).status == 304)
            #expect(try await service.host.get("/v1/me").string("picture") == "/v1/me/picture")
            #expect(try await service.other.get("/v1/me/picture").status == 404)
            // An edit without the member `picture` keeps the picture. Null removes it.
            try await OwnProfile.edit(service.host, #"{"name": "Hanna"}"#).expect(200)
            try await service.host.get("/v1/me/picture").expect(200)
            let cleared = try await OwnProfile.edit(service.host, #"{"picture": null}"#).expect(200)
            #expect(cleared.json?["picture"] == .null)
            #expect(try await service.host.delete("/v1/me/picture").status == 404)
        }
    }

    @Test func bodiesThatAreNotSupportedImagesAreRefused() async throws {
        try await TestService.run { service in
            let script = Array("<script>alert(1)</script>".utf8)
            let svg = Array(#"<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>"#.utf8)
            for bytes in [script, svg, try Self.fixture("picture.gif"), [0xff, 0xd8, 0xff]] {
                let response = try await Self.put(service.host, bytes)
                #expect(response.status == 422 && response.faults == [" not-an-image"], "\(response.text)")
            }
            #expect(try await Self.put(service.host, svg, as: "image/svg+xml").status == 415)
            let large = [UInt8](repeating: 0, count: 2 * 1024 * 1024 + 1)
            #expect(try await Self.put(service.host, large).status == 413)
            #expect(try await service.host.get("/v1/me/picture").status == 404)
        }
    }
}
