import Foundation
import Imports
import Store
import StrictJSON
import TestSupport
import Testing

@testable import WebPages

/// A CSV file is imported in steps, without JavaScript and without anything stored in between.
@Suite(.timeLimit(.minutes(5))) struct ImportingInTheBrowser {
    static let csv = """
        Timestamp,Pace,What helped?,Why?
        2026/11/27 8:35:12 PM GMT+1,4,Demo,More <time>
        2026/11/27 8:36:12 PM GMT+1,5,Talk,=1+1
        2026/11/27 8:37:12 PM GMT+1,1,Demo,
        2026/11/27 8:38:12 PM GMT+1,3,Demo,"Two
        lines"

        """

    /// Uploads files as a browser does, by field name.
    static func upload(
        _ files: [(field: String, name: String, bytes: [UInt8])], into series: String = "",
        _ host: inout PageBrowser
    ) async throws -> HTTPTestClient.Response {
        try await host.get("/import").expect(200)
        var body = Array("--b\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n\(host.token)\r\n".utf8)
        body += Array("--b\r\nContent-Disposition: form-data; name=\"into\"\r\n\r\n\(series)\r\n".utf8)
        for file in files {
            let names = "name=\"\(file.field)\"; filename=\"\(file.name)\""
            body += Array("--b\r\nContent-Disposition: form-data; \(names)\r\n\r\n".utf8) + file.bytes
            body += Array("\r\n".utf8)
        }
        body += Array("--b--\r\n".utf8)
        let cookies = host.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        return try await host.client.send(
            "POST", "/import", body: body,
            headers: [
                "Content-Type": "multipart/form-data; boundary=b", "Cookie": cookies, "Accept": "text/html",
                "Accept-Language": "en",
            ])
    }

    static func upload(_ csv: String, _ host: inout PageBrowser) async throws -> HTTPTestClient.Response {
        try await upload([("file", "retro.csv", Array(csv.utf8))], &host)
    }

    /// The fields of a page's form as a browser would send them.
    static func fields(_ page: HTTPTestClient.Response) -> [String: String] {
        var fields: [String: String] = [:]
        func plain(_ text: Substring) -> String {
            String(text).replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
                .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
        }
        for match in page.text.matches(of: #/<input[^>]* name="([^"]*)"[^>]*value="([^"]*)"/#) {
            fields[String(match.1)] = plain(match.2)
        }
        let select = #/<select[^>]* name="([^"]*)"[^>]*>(.*?)<\/select>/#.dotMatchesNewlines()
        for match in page.text.matches(of: select) {
            let chosen = match.2.firstMatch(of: #/<option value="([^"]*)" selected/#)
            fields[String(match.1)] = chosen.map { plain($0.1) } ?? ""
        }
        let area = #/<textarea[^>]* name="map"[^>]*>(.*?)<\/textarea>/#.dotMatchesNewlines()
        if let map = page.text.firstMatch(of: area) {
            fields["map"] = plain(map.1)
        }
        return fields
    }

    static func send(
        _ page: HTTPTestClient.Response, _ action: String, with changes: [String: String] = [:],
        language: String = "en", _ host: inout PageBrowser
    ) async throws -> HTTPTestClient.Response {
        try await host.post(
            "/import/columns", fields(page).merging(changes) { $1 }.merging(["act": action]) { $1 },
            headers: ["Accept-Language": language])
    }

    @Test func fileIsRecognisedCheckedAndImported() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            #expect(try await host.get("/series").text.contains("href=\"/import\""))
            let columns = try await Self.upload(Self.csv, &host).expect(200)
            #expect(columns.text.contains("An export of Google Forms. Rows: 4. Columns: 4."))
            #expect(columns.text.contains("More &lt;time&gt;") && !columns.text.contains("More <time>"))
            let fields = Self.fields(columns)
            #expect(fields["use.0"] == "time" && fields["use.1"] == "rating-1-5" && fields["use.2"] == "choice")
            #expect(fields["use.3"] == "text" && fields["title.2"] == "What helped?" && fields["series"] == "retro")
            #expect(fields["delimiter"] == "comma" && fields["encoding"] == "utf-8" && fields["order"] == "ymd")
            let checked = try await Self.send(columns, "check", &host).expect(200)
            #expect(checked.text.contains("4 of 4 rows would be imported. Meetings: 1, new ones: 1."))
            #expect(try await host.get("/series").text.contains("retro") == false)
            let title = ["title.1": "How was the pace?"]
            let done = try await Self.send(checked, "import", with: title, &host).expect(200)
            #expect(done.text.contains("4 of 4 rows were imported"))
            let link = try #require(done.text.firstMatch(of: #/\/meetings\/[0-9a-f-]{36}\/results/#))
            let results = try await host.get(String(link.0)).expect(200).text
            #expect(results.contains("How was the pace?") && results.contains("What helped?"))
            let again = try await Self.send(checked, "import", with: title, &host).expect(200)
            #expect(again.text.contains("0 of 4 rows were imported"))
            #expect(again.text.contains("4 rows were already there."))
        }
    }

    @Test func downloadedMapIsThatOfTheCommandAndCanBeUploaded() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let columns = try await Self.upload(Self.csv, &host).expect(200)
            let map = try await Self.send(columns, "map", &host).expect(200)
            #expect(map["Content-Disposition"] == "attachment; filename=\"map.json\"")
            #expect(map["X-Content-Type-Options"] == "nosniff")
            let read = try ImportMap.read(map.body, file: "retro.csv")
            #expect(read.questions.map(\.key) == ["pace", "what_helped", "why"] && read.submittedAt == "Timestamp")
            let files = [
                (field: "file", name: "other.csv", bytes: Array(Self.csv.utf8)),
                (field: "map", name: "map.json", bytes: Array(map.body)),
            ]
            let mapped = try await Self.upload(files, &host).expect(200)
            #expect(mapped.text.contains("Your map") && !mapped.text.contains("name=\"use.0\""))
            let done = try await Self.send(mapped, "import", &host).expect(200)
            #expect(done.text.contains("4 of 4 rows were imported"))
            let broken = try await Self.send(mapped, "check", with: ["map": #"{"questions":[],"x":1}"#], &host)
            #expect(broken.status == 422 && broken.text.contains("/x: "))
            let padding = String(repeating: " ", count: 256 << 10)
            let large = try await Self.send(mapped, "check", with: ["map": "{\(padding)}"], &host)
            #expect(large.status == 422 && large.text.contains("The map cannot be read"))
        }
    }

    @Test func refusedRowsAreListedWithTheirReasons() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let csv = "q,why\n1,a\n9,b\n2,c,d\n\"3\"x,d\n4,e\n5,f\n"
            let columns = try await Self.upload(csv, &host).expect(200)
            #expect(columns.text.contains("2 rows cannot be read"))
            let uses = ["use.0": "rating-1-5", "use.1": "text"]
            let checked = try await Self.send(columns, "check", with: uses, &host).expect(200)
            #expect(checked.text.contains("3 of 6 rows would be imported"))
            #expect(checked.text.contains("3 rows are refused"))
            #expect(checked.text.contains("Line 3, q") && checked.text.contains("not on the scale"))
            let list = try await Self.send(checked, "refused", with: uses, &host).expect(200)
            #expect(list.text.hasPrefix("\"line\",\"column\"") && list.text.contains("out-of-range"))
        }
    }

    @Test func wrongDelimiterIsExplained() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let columns = try await Self.upload("a;b;c\n1;2;3\n", &host).expect(200)
            #expect(Self.fields(columns)["delimiter"] == "semicolon" && Self.fields(columns)["columns"] == "3")
            let wrong = try await Self.send(columns, "read", with: ["delimiter": "comma"], &host).expect(200)
            #expect(wrong.text.contains("a single column, “a;b;c”") && wrong.text.contains("“Semicolon ;”"))
            let right = try await Self.send(wrong, "read", with: ["delimiter": "semicolon"], &host).expect(200)
            #expect(Self.fields(right)["columns"] == "3")
        }
    }

    @Test func fileOfAnotherEncodingIsRead() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let text = "Größe\tWörter\n1\tschön\n2\tüber\n"
            let bytes: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            let columns = try await Self.upload([("file", "größe.csv", bytes)], &host).expect(200)
            #expect(columns.text.contains("Wörter") && columns.text.contains("schön"))
            #expect(Self.fields(columns)["encoding"] == "utf-16" && Self.fields(columns)["delimiter"] == "tab")
            let checked = try await Self.send(columns, "check", &host).expect(200)
            #expect(checked.text.contains("2 of 2 rows would be imported"))
        }
    }

    @Test(arguments: [
        ("", "Please choose a CSV file."), ("a,a\n1,2\n", "Two columns are named “a”."),
        ("PK\u{3}\u{4}…", "This is a workbook"),
        ((0..<500).map { "c\($0)" }.joined(separator: ",") + "\n", "500 columns"),
        ("\"never closed\n1\n", "Line 1: A quotation mark is not closed"),
        ("a," + String(repeating: "b", count: 1_001) + "\n1,2\n", "The heading of column 2 has more than 1,000 bytes."),
    ])
    func unusableFileIsRefusedWithAReason(_ csv: String, _ reason: String) async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let page = try await Self.upload(csv, &host)
            #expect(page.status == 422 && page.text.contains(reason), "\(page.text)")
        }
    }

    @Test func fileWithoutRowsAndOneColumnAreNoErrors() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            #expect(try await Self.upload("a,b\n", &host).expect(200).text.contains("a header but no rows"))
            let one = try await Self.upload("Why?\nbecause\nnobody knows\n", &host).expect(200)
            #expect(try await Self.send(one, "check", &host).expect(200).text.contains("2 of 2 rows"))
        }
    }

    @Test func headingOfAThousandBytesIsAccepted() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let heading = String(repeating: "b", count: 1_000)
            try await Self.upload("a,\(heading)\n1,2\n", &host).expect(200)
        }
    }

    @Test func accountImportsOneFileAtATime() async throws {
        try await TestSite.run { site in
            let host = try await site.signedIn()
            let accountID = site.fixture.host.account.id
            var lease: AnyObject? = try await ImportJob.accounts.acquire(
                for: accountID, within: .seconds(1), else: "", retryAfter: 1)
            try await withThrowingTaskGroup(of: Int.self) { group in
                group.addTask { [host] in
                    var host = host
                    return try await Self.upload(Self.csv, &host).status
                }
                group.addTask {
                    try await Task.sleep(for: .milliseconds(500))
                    return 0
                }
                // The pause ends before the upload, which waits for the permit.
                let first = try await group.next()
                #expect(first == 0 && lease != nil)
                lease = nil
                let second = try await group.next()
                #expect(second == 200)
            }
        }
    }

    @Test func cancelledRequestReadsNoFile() async throws {
        try await TestSite.run { site in
            let job = ImportJob(principal: site.fixture.host, store: site.fixture.store)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                let file = PackedFile(name: "retro.csv", bytes: Array(Self.csv.utf8))
                return try await job.sample(file, delimiter: nil, encoding: nil).rowCount
            }
            await #expect(throws: CancellationError.self) { _ = try await task.value }
        }
    }

    @Test func largeFilesAreRefusedByTheirSizeAndRows() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 20 << 20)
            let large = try await Self.upload([("file", "a.csv", bytes)], &host)
            #expect(large.status == 413 && large.text.contains("more than 8.39 MB"))
            let rows = try await Self.upload("q\n" + String(repeating: "1\n", count: 50_001), &host).expect(200)
            let refused = try await Self.send(rows, "check", &host)
            #expect(refused.status == 422 && refused.text.contains("more than 50,000 rows"))
        }
    }

    @Test func manyMeetingsAndUnknownZonesAreRefused() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let csv = "week,q\n" + (0..<201).map { "\($0),x\($0)\n" }.joined()
            let columns = try await Self.upload(csv, &host).expect(200)
            let many = try await Self.send(columns, "check", with: ["use.0": "meeting", "use.1": "text"], &host)
            #expect(many.status == 422 && many.text.contains("more than 200 meetings"))
            let elsewhere = ["use.0": "skip", "use.1": "text", "zone": "Mars"]
            let zone = try await Self.send(columns, "check", with: elsewhere, &host)
            #expect(zone.status == 422 && zone.text.contains("There is no such time zone."))
            let nothing = try await Self.send(columns, "check", with: ["use.0": "skip", "use.1": "skip"], &host)
            #expect(nothing.status == 422 && nothing.text.contains("No column is a question yet."))
        }
    }

    @Test(arguments: ["", "x", "5.!!!", "99999999999.AAAA", "3.AAAA", "-1.eNoDAAAAAAE"])
    func brokenFileFieldStartsAgain(_ packed: String) async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let columns = try await Self.upload(Self.csv, &host).expect(200)
            let page = try await Self.send(columns, "import", with: ["file": packed], &host)
            #expect(page.status == 422 && page.text.contains("Please choose a CSV file."))
        }
    }

    @Test func packedFileIsTheSameFile() throws {
        for bytes in [[], [0], Array("a,b\n1,2\n".utf8), (0..<100_000).map { UInt8($0 % 251) }] as [[UInt8]] {
            let packed = try #require(PackedFile(name: "n", bytes: bytes).packed)
            #expect(PackedFile(packed: packed, name: "n")?.bytes == bytes)
        }
    }

    @Test func onlySignedInHostsImport() async throws {
        try await TestSite.run { site in
            var host = try await site.signedIn()
            let columns = try await Self.upload(Self.csv, &host).expect(200)
            let forged = try await Self.send(columns, "import", with: ["csrf": "forged"], &host)
            #expect(forged.status == 403)
            var visitor = PageBrowser(site.client)
            #expect(try await visitor.get("/import")["Location"]?.hasPrefix("/sign-in") == true)
            let sent = try await Self.send(columns, "import", &visitor)
            #expect(sent.status == 303 || sent.status == 413, "\(sent.status)")
            #expect(try await host.get("/series").text.contains("retro") == false)
        }
    }
}
