import Foundation
import TestSupport
import Testing

@testable import AfterwordClient

/// A downloaded table is complete and verified, or an error is thrown.
@Suite(.timeLimit(.minutes(15))) struct Downloads {
    @Test func tableIsVerifiedAndSavedCompletely() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for pace in 1...5 { try await service.afterword.submit(["pace": .rating(pace)], to: meeting.code) }
            let (host, id) = (try service.hostClient, try #require(ResourceID(meeting.id)))
            let bytes = try await host.export(.summary, of: id).collect()
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let download = try await host.export(.submissions, of: id, as: .ndjson)
            #expect(download.contentType == "application/x-ndjson")
            let receipt = try await download.save(to: folder + "/table")
            let saved = try Data(contentsOf: URL(filePath: folder + "/table"))
            #expect(receipt == .init(bytes: saved.count, rows: 5, isVerified: true))
            #expect(saved.split(separator: UInt8(ascii: "\n")).count == 5)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["table"])
            #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("\"series_id\","))

            let styled = try await host.export(
                .summary, of: id, as: ExportStyle(bom: true, delimiter: ";", titles: true, raw: true)
            ).collect()
            #expect(styled.starts(with: [0xEF, 0xBB, 0xBF]) && styled.contains(UInt8(ascii: ";")))
        }
    }

    @Test func workbookIsVerifiedAndSavedCompletely() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            for pace in 1...5 { try await service.afterword.submit(["pace": .rating(pace)], to: meeting.code) }
            let (host, id) = (try service.hostClient, try #require(ResourceID(meeting.id)))
            let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: path) }
            let download = try await host.export(.submissions, of: id, as: .xlsx)
            #expect(
                download.contentType == "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
            let receipt = try await download.save(to: path)
            let saved = try Data(contentsOf: URL(filePath: path))
            #expect(receipt == .init(bytes: saved.count, rows: 5, isVerified: true))
            let titled = try await host.export(.submissions, of: id, as: ExportStyle(.xlsx, titles: true)).collect()
            let script =
                "import openpyxl\nresult = [r[0].value for r in openpyxl.load_workbook(path).active.iter_rows()]"
            for (bytes, heading) in [(Array(saved), "id"), (titled, "ID")] {
                let column = try #require(try await PythonReader.read(bytes, as: script).array)
                #expect(column.count == 6 && column.first?.string == heading)
            }
        }
    }

    @Test func seriesAndAllMeetingsCanBeExportedByPeriod() async throws {
        try await TestService.run { service in
            let host = try service.hostClient
            let start = Date(timeIntervalSince1970: 1_795_253_400)
            let created = try await host.createMeeting(
                MeetingRequest(title: "Dated", startsAt: start, endsAt: start.addingTimeInterval(60)))
            _ = try await host.createMeeting(MeetingRequest(title: "Undated"))
            let series = try await host.export(.meetings, ofSeries: created.seriesId).read { _ in }
            #expect(series.rows == 1)
            let admin = try service.adminClient
            #expect(try await admin.exportAll(.meetings).read { _ in }.rows == 2)
            let later = try await admin.exportAll(.meetings, from: start.addingTimeInterval(1)).read { _ in }
            #expect(later.rows == 0)
            #expect(try await admin.exportAll(.meetings, from: start, to: start + 1).read { _ in }.rows == 1)
            #expect(try await refusal { _ = try await host.exportAll(.meetings) }?.code == .forbidden)
            let foreign = try await refusal {
                _ = try await service.otherClient.export(.meetings, of: created.id)
            }
            #expect(foreign?.code == .notFound)
        }
    }

    /// A transport whose response is a table with the given trailers.
    private struct TableTransport: Transport {
        var text = "a,b\r\n"
        var trailers: [String: String]?
        var type = "text/csv; charset=utf-8; header=present"

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(
                status: 200, headers: ["content-type": type], body: ByteChunks([Array(text.utf8)]),
                trailers: { trailers })
        }
    }

    private func download(_ table: TableTransport) async throws -> ExportDownload {
        let id = try #require(ResourceID("01020304-0506-0708-090a-0b0c0d0e0fab"))
        return try await Afterword(url: "http://test", transport: table).host(token: "t").export(.summary, of: id)
    }

    private var digest: String {
        var hash = SHA256()
        hash.update(Array("a,b\r\n".utf8))
        return "sha-256=:\(Data(hash.digest()).base64EncodedString()):"
    }

    @Test func truncatedTableIsAnError() async throws {
        let valid = ["afterword-rows": "0", "repr-digest": digest]
        #expect(try await download(TableTransport(trailers: valid)).collect().count == 5)
        for (text, trailers) in [
            ("a,b\r", valid), ("a,b\r\n", [:]), ("a,b\r\n", ["afterword-rows": "0"]), ("", valid),
            ("a,b\r\n", ["afterword-rows": "none", "repr-digest": digest]),
        ] {
            let table = TableTransport(text: text, trailers: trailers)
            await #expect(throws: AfterwordError.self) { try await download(table).collect() }
            await #expect(throws: AfterwordError.self) { for try await _ in try await download(table) {} }
        }
    }

    @Test func truncatedTableLeavesNoFile() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data("old".utf8).write(to: URL(filePath: folder + "/table"))
        await #expect(throws: AfterwordError.self) {
            try await download(TableTransport(trailers: [:])).save(to: folder + "/table")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["table"])
        #expect(try Data(contentsOf: URL(filePath: folder + "/table")) == Data("old".utf8))
        let error = await #expect(throws: CocoaError.self) {
            try await download(TableTransport(trailers: nil)).save(to: folder + "/nowhere/table")
        }
        #expect(error?.code == .fileNoSuchFile)
    }

    @Test func tableIsUnverifiedWithoutTrailerSupport() async throws {
        let receipt = try await download(TableTransport(trailers: nil)).read { _ in }
        #expect(receipt == .init(bytes: 5, rows: nil, isVerified: false))
    }

    @Test func htmlPageOfAProxyIsAnError() async throws {
        let error = await #expect(throws: AfterwordError.self) {
            _ = try await download(TableTransport(text: "<html>", trailers: nil, type: "text/html"))
        }
        guard case .unexpected(200, _) = error else { throw try #require(error) }
    }

    @Test func tableCanBeReadOnlyOnce() async throws {
        try await TestService.run { service in
            let meeting = try await service.openMeeting()
            let id = try #require(ResourceID(meeting.id))
            let table = try await service.hostClient.export(.summary, of: id)
            #expect(try await table.collect().isEmpty == false)
            for _ in 0..<2 {
                let error = await #expect(throws: AfterwordError.self) { _ = try await table.collect() }
                guard case .bodyAlreadyRead = error else { throw try #require(error) }
            }
        }
    }

    @Test func tableLargerThanItsLimitIsRefused() async throws {
        await #expect(throws: AfterwordError.self) {
            try await download(TableTransport(trailers: nil)).collect(upTo: 4)
        }
    }

    /// The examples of FIPS 180-2, the empty text, and lengths around the block size.
    @Test func digestIsSHA256() {
        func hex(_ text: String, pieces: Int = 1) -> String {
            var hash = SHA256()
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: max(1, bytes.count / pieces)) {
                hash.update(Array(bytes[start..<min(bytes.count, start + max(1, bytes.count / pieces))]))
            }
            return hash.digest().map {
                String($0, radix: 16).count == 1 ? "0\(String($0, radix: 16))" : String($0, radix: 16)
            }
            .joined()
        }
        #expect(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let twoBlocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(hex(twoBlocks) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
        let million = String(repeating: "a", count: 1_000_000)
        #expect(hex(million, pieces: 7) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        for length in 50...130 {
            let text = String(repeating: "b", count: length)
            #expect(hex(text) == hex(text, pieces: length))
        }
    }
}
