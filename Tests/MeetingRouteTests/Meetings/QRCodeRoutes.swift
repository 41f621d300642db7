import Foundation
import HTTPAPI
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(15))) struct QRCodeRoutes {
    private static let address = "https://feedback.example.org/team"

    /// Runs `body` with the host's client for an instance whose public address is `publicURL`.
    private func serve(
        _ publicURL: String = address, _ body: (TestService, HTTPTestClient) async throws -> Void
    ) async throws {
        try await TestService.run { service in
            let token = try await TestService.token(of: service.fixture.host, in: service.fixture.store)
            let options = ServiceOptions(publicURL: publicURL)
            try await TestService.serve(service.fixture.store, options: options) { client in
                try await body(service, client.bearing(token))
            }
        }
    }

    /// The text that a QR reader decodes from the image.
    private func scan(_ png: [UInt8]) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).png")
        try Data(png).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["zbarimg", "--quiet", "--raw", "--nodbus", file.path]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func codesContainThePublicAddressOfTheirTarget() async throws {
        try await serve { service, host in
            let meeting = try await service.meeting()
            let checkIn = try await host.get(meeting.path).expect(200).string("checkInCode")
            let series = try #require(UUID(uuidString: meeting.seriesID))
            let poster = try #require(
                try await service.fixture.store.pool.query("SELECT code FROM series WHERE id = \(series)").first
            )
            .decode(String.self)
            for (path, target) in [
                ("\(meeting.path)/form", "/f/\(meeting.code)"), ("\(meeting.path)/check-in", "/c/\(checkIn)"),
                ("/v1/series/\(meeting.seriesID)", "/s/\(poster)"),
            ] {
                let name = path.hasPrefix("/v1/series") ? path + "/qr" : path + ".qr"
                let png = try await host.get(name + ".png").expect(200)
                #expect(png["Content-Type"] == "image/png")
                #expect(try scan(png.body) == Self.address + target)
                #expect(png["Afterword-URL"] == Self.address + target)
                #expect(png["Afterword-Warning"] == nil)
                let svg = try await host.get(name + ".svg").expect(200)
                #expect(svg["Content-Type"] == "image/svg+xml; charset=utf-8")
                #expect(svg["Afterword-URL"] == Self.address + target)
                #expect(svg.text.hasPrefix("<svg xmlns="))
                for code in [png, svg] {
                    #expect(code["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'")
                }
                let tag = try #require(svg["ETag"])
                #expect(try await host.get(name + ".svg", headers: ["If-None-Match": tag]).status == 304)
            }
        }
    }

    /// If the service used the header, a client could have codes printed that lead to another site.
    @Test func forgedHostHeaderIsIgnored() async throws {
        try await serve { service, host in
            let meeting = try await service.meeting()
            let forged = [
                "Host": "evil.example.com", "X-Forwarded-Host": "evil.example.com", "X-Forwarded-Proto": "http",
            ]
            let png = try await host.get("\(meeting.path)/form.qr.png", headers: forged).expect(200)
            #expect(try scan(png.body) == "\(Self.address)/f/\(meeting.code)")
            #expect(png["Afterword-URL"] == "\(Self.address)/f/\(meeting.code)")
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080", "no phone can reach"), ("http://192.168.0.7", "only devices in the same network"),
    ])
    func addressThatPhonesCannotReachGetsAWarning(publicURL: String, warning: String) async throws {
        try await serve(publicURL) { service, host in
            let meeting = try await service.meeting()
            for kind in ["svg", "png"] {
                let response = try await host.get("\(meeting.path)/form.qr.\(kind)").expect(200)
                #expect(response["Afterword-Warning"]?.contains(warning) == true)
            }
        }
    }

    @Test(arguments: [1, 40])
    func scaleIsPixelsPerModule(scale: Int) async throws {
        try await serve { service, host in
            let meeting = try await service.meeting()
            let png = try await host.get("\(meeting.path)/form.qr.png?scale=\(scale)").expect(200).body
            // A code for 49 bytes has 33 modules on a side, and the quiet zone has 4 on either side.
            #expect(png[16..<20].reduce(0) { $0 << 8 | Int($1) } == 41 * scale)
        }
    }

    @Test(arguments: ["png?scale=0", "png?scale=41", "png?scale=x", "png?size=8", "svg?scale=8"])
    func invalidScaleIsRefused(_ ending: String) async throws {
        try await serve { service, host in
            let meeting = try await service.meeting()
            let response = try await host.get("\(meeting.path)/form.qr.\(ending)")
            #expect(response.status == 422 && response.problem == "validation-failed")
        }
    }

    @Test func meetingInTheTrashHasNoCodes() async throws {
        try await serve { service, host in
            let meeting = try await service.meeting()
            try await host.delete(meeting.path).expect(204)
            #expect(try await host.get("\(meeting.path)/form.qr.svg").status == 404)
        }
    }
}
