import Foundation
import HTTPAPI
import HTTPTypes
import Postgres
import Store
import StrictJSON
import TestSupport
import Testing

/// Checks which columns each kind of reader gets in each export and format. `AccessMatrix` checks the statuses only.
@Suite(.timeLimit(.minutes(15))) struct ExportedColumns {
    /// The client of an export: an account in a session, or one of its API tokens.
    enum Reader: String, CaseIterable {
        case owner, editor, viewer, admin, stranger
        case ownerToken, editorToken, viewerToken, adminToken
        /// An admin's token without the scope `admin`, which has a host's access.
        case plainAdminToken
        /// The owner's token with the scopes for results only.
        case resultsToken

        /// The scopes of the API token; nil for a session.
        var scopes: [String]? {
            switch self {
            case .owner, .editor, .viewer, .admin, .stranger: nil
            case .ownerToken, .editorToken, .viewerToken, .plainAdminToken: ["export:read"]
            case .adminToken: ["export:read", "admin"]
            case .resultsToken: ["results:read", "meetings:read"]
            }
        }
    }

    /// What an export covers.
    enum Extent: CaseIterable {
        case meeting, series, service
    }

    /// What a reader gets for one file.
    enum Outcome: Equatable {
        case columns([String])
        case refused(Int)
    }

    private static let meetingColumns = [
        "series_id", "series", "round", "meeting_id", "meeting", "host", "date", "starts_at",
    ]
    private static let questionColumns = meetingColumns + ["time_zone", "position", "question", "kind", "title"]

    /// The columns of each table for readers of the attendee list; only they get `name` and `email`.
    private static let tables: [(table: String, columns: [String])] = [
        (
            "summary",
            questionColumns + [
                "bucket_position", "option_id", "label", "value", "count", "share", "answered", "skipped",
            ]
        ),
        (
            "questions",
            questionColumns + [
                "answered", "skipped", "mean", "median", "standard_deviation", "low", "high", "nps",
            ]
        ),
        (
            "meetings",
            meetingColumns + [
                "ends_at", "time_zone", "headcount", "attended", "late", "absent", "submissions", "response_rate",
            ]
        ),
        ("submissions", ["id", "submitted_at", "form_version", "name", "email", "pace", "better"]),
        ("answers", ["meeting_id", "submission_id", "submitted_at", "question", "kind", "option_id", "value"]),
        ("attendance", ["series", "round", "meeting", "name", "email", "status", "checked_in_at"]),
    ]
    private static let personalColumns = ["name", "email"]

    /// The outcome that the reader must get.
    private static func expected(_ table: String, _ extent: Extent, _ reader: Reader) throws -> Outcome {
        var columns = try #require(tables.first { $0.table == table }).columns
        if table == "submissions", extent == .series { columns = ["round", "meeting"] + columns }
        switch reader {
        case .resultsToken: return .refused(403)
        case .admin, .adminToken:
            return extent == .service && table == "submissions" ? .refused(422) : .columns(columns)
        case .owner, .editor, .ownerToken, .editorToken:
            return extent == .service ? .refused(403) : .columns(columns)
        case .viewer, .viewerToken:
            if extent == .service || table == "attendance" { return .refused(403) }
            return .columns(columns.filter { !personalColumns.contains($0) })
        case .stranger, .plainAdminToken: return .refused(extent == .service ? 403 : 404)
        }
    }

    private static let name = "Nina Named"
    private static let email = "nina@example.org"

    @Test func onlyReadersOfTheAttendeeListGetNamesAndAddresses() async throws {
        try await TestService.run { service in
            let meeting = try await Self.namedMeeting(service)
            let readers = try await Self.readers(service, meeting)
            var workbooks: [(label: String, expected: [String], body: [UInt8])] = []
            for (reader, client) in readers {
                for (table, _) in Self.tables {
                    for extent in Extent.allCases {
                        for format in ["csv", "ndjson", "xlsx"] {
                            let label = "\(reader): \(table).\(format) of the \(extent)"
                            let response = try await client.get("\(Self.path(extent, meeting))/\(table).\(format)")
                            switch try Self.expected(table, extent, reader) {
                            case .refused(let status): #expect(response.status == status, "\(label): \(response.text)")
                            case .columns(let columns):
                                try #require(response.status == 200, "\(label): \(response.text)")
                                if format == "xlsx" {
                                    workbooks.append((label, columns, response.body))
                                } else {
                                    let found =
                                        format == "csv" ? Self.header(response.text) : try Self.members(response.text)
                                    #expect(found == columns, "\(label)")
                                    Self.expectAttendee(columns.contains("email"), in: response.text, label)
                                }
                            }
                        }
                    }
                }
            }
            let read = try await PythonReader.read(
                workbooks.map(\.body),
                as: """
                    import openpyxl
                    result = []
                    for path in paths:
                        rows = list(openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True))
                        result.append([list(rows[0]), json.dumps(rows, default=str)])
                    """)
            let sheets = try #require(read.array)
            #expect(sheets.count == workbooks.count)
            for (workbook, sheet) in zip(workbooks, sheets) {
                #expect(sheet[0]?.array?.compactMap(\.string) == workbook.expected, "\(workbook.label)")
                Self.expectAttendee(
                    workbook.expected.contains("email"), in: sheet[1]?.string ?? "", workbook.label)
            }
        }
    }

    /// A viewer's file equals the editor's file without the columns `name` and `email`.
    @Test func viewersGetTheSameRowsWithoutNames() async throws {
        try await TestService.run { service in
            let meeting = try await Self.namedMeeting(service)
            let readers = try await Self.readers(service, meeting)
            let editor = try #require(readers.first { $0.0 == .editor }).1
            let viewer = try #require(readers.first { $0.0 == .viewer }).1
            for extent in [Extent.meeting, .series] {
                let path = "\(Self.path(extent, meeting))/submissions.ndjson"
                let full = try Self.rows(await editor.get(path).expect(200).text)
                let reduced = try Self.rows(await viewer.get(path).expect(200).text)
                #expect(full.count == 2 && full.contains { $0["email"]?.string == Self.email })
                #expect(
                    reduced
                        == full.map { row in
                            .object((row.members ?? []).filter { !Self.personalColumns.contains($0.name) })
                        })
            }
        }
    }

    /// When the role of a co-host changes, the next export has the columns of the new role.
    @Test func roleChangeAppliesToTheNextExport() async throws {
        try await TestService.run { service in
            let meeting = try await Self.namedMeeting(service)
            let path = "\(meeting.path)/export/submissions.csv"
            for (role, seesNames) in [("editor", true), ("viewer", false), ("editor", true)] {
                let changed = try await service.host.post(
                    "/v1/series/\(meeting.seriesID)/hosts",
                    json: "{\"email\": \"other@example.org\", \"role\": \"\(role)\"}")
                #expect([200, 201].contains(changed.status))
                let file = try await service.other.get(path).expect(200).text
                #expect(file.contains(Self.email) == seesNames, "\(role)")
            }
        }
    }

    /// Apart from administration, no `GET` route names an attendee to these readers, even if the request contains the
    /// attendee's address.
    @Test(arguments: ["a viewer", "a share or a form's code"])
    func noRouteNamesAnAttendee(to reader: String) async throws {
        try await TestService.run { service in
            let meeting = try await Self.namedMeeting(service)
            let added = try await service.host.post(
                "/v1/series/\(meeting.seriesID)/hosts", json: #"{"email": "other@example.org", "role": "viewer"}"#)
            #expect([200, 201].contains(added.status))
            let isViewer = reader == "a viewer"
            let submission = try await meeting.submit(#"{"pace": 3, "better": "x"}"#, respondent: nil)
            #expect(submission.status == 401)
            let stage = AccessStage(
                service: service, meeting: meeting, submissionID: UUID().uuidString, principal: nil)
            let client = isViewer ? service.other : service.anyone
            for (route, row) in try AccessMatrix.ordered(service)
            where route.method == .get && row.turn == 0 && !route.path.hasPrefix("/v1/admin") {
                let path = try await stage.path(route.path, row)
                    .replacing("email=person@example.org", with: "email=\(Self.email)")
                let response = try await client.send("GET", path, headers: row.headers)
                #expect(!response.text.contains(Self.name), "\(reader): \(path): \(response.text)")
                #expect(!response.text.contains(Self.email), "\(reader): \(path): \(response.text)")
                if route.path == "/v1/series/{id}/attendees" { #expect(response.status == (isViewer ? 403 : 401)) }
            }
        }
    }

    // MARK: Fixtures

    /// A meeting whose form has personal links. Two attendees have answered it.
    private static func namedMeeting(_ service: TestService) async throws -> TestMeeting {
        let meeting = try await service.openMeeting(
            #"""
            [{"key": "pace", "kind": "rating", "title": "Pace?", "min": 1, "max": 5},
             {"key": "better", "kind": "text", "title": "Better?", "maxLength": 100}]
            """#, settings: #""identity": "attendee""#)
        for (name, email) in [(name, email), ("Otis Other", "otis@example.org")] {
            let id = try await meeting.add(name, email).expect(201).string("id")
            let token = try await meeting.host.post("\(meeting.attendeesPath)/\(id)/link").expect(200).string("token")
            try await meeting.submit(#"{"pace": 4, "better": "More time"}"#, respondent: token).expect(201)
        }
        return meeting
    }

    private static func readers(
        _ service: TestService, _ meeting: TestMeeting
    ) async throws -> [(Reader, HTTPTestClient)] {
        let series = try #require(UUID(uuidString: meeting.seriesID))
        var accounts: [String: HTTPTestClient] = [
            "owner": service.host, "admin": service.admin, "stranger": service.other,
        ]
        for role in ["editor", "viewer"] {
            let principal = try await TestStore.account(
                "\(role)@example.org", "Co Host", .host, in: service.fixture.store)
            try await service.sql(
                """
                INSERT INTO series_host (series_id, account_id, role)
                VALUES (\(series), \(principal.account.id), \(role))
                """)
            accounts[role] = service.anyone.bearing(
                try await TestService.token(of: principal, in: service.fixture.store))
        }
        return try await withThrowingTaskGroup(of: (Reader, HTTPTestClient).self) { group in
            for reader in Reader.allCases {
                let account =
                    switch reader {
                    case .owner, .ownerToken, .resultsToken: "owner"
                    case .editor, .editorToken: "editor"
                    case .viewer, .viewerToken: "viewer"
                    case .admin, .adminToken, .plainAdminToken: "admin"
                    case .stranger: "stranger"
                    }
                let client = try #require(accounts[account])
                group.addTask {
                    guard let scopes = reader.scopes else { return (reader, client) }
                    let list = scopes.map { "\"\($0)\"" }.joined(separator: ", ")
                    let created = try await client.post(
                        "/v1/tokens",
                        json: """
                            {"name": "A", "scopes": [\(list)], "expiresAt": "\(RFC3339.format(.now + 86_400))"}
                            """
                    ).expect(201)
                    return (reader, service.anyone.bearing(try created.string("token")))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func path(_ extent: Extent, _ meeting: TestMeeting) -> String {
        switch extent {
        case .meeting: "\(meeting.path)/export"
        case .series: "/v1/series/\(meeting.seriesID)/export"
        case .service: "/v1/admin/export"
        }
    }

    private static func header(_ csv: String) -> [String] {
        (csv.components(separatedBy: "\r\n").first ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: ["\""])
        }
    }

    private static func rows(_ ndjson: String) throws -> [JSONValue] {
        try ndjson.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
    }

    private static func members(_ ndjson: String) throws -> [String] {
        try rows(ndjson).first?.members?.map(\.name) ?? []
    }

    /// Expects that a file contains the name and the address of the attendee, or neither.
    private static func expectAttendee(_ isNamed: Bool, in text: String, _ label: String) {
        #expect(text.contains(name) == isNamed && text.contains(email) == isNamed, "\(label)")
    }
}
