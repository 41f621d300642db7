import Domain
import Exports
import Foundation
import Store
import StrictJSON
import TestSupport
import Testing

/// Tables with `titles` contain question titles and option labels. Other tables contain keys and ids.
@Suite(.timeLimit(.minutes(15))) struct TitledTables {
    private static func lines(
        _ kind: ExportKind, _ meeting: Meeting, _ options: ExportOptions, of fixture: TestStore
    ) async throws -> [String] {
        let file = try await WorkbookExports.bytes(kind, ExportScope(.meeting(meeting.id)), options, of: fixture)
        return String(decoding: file.bytes, as: UTF8.self).components(separatedBy: "\r\n").dropLast()
    }

    /// The expected rows of the form of `WorkbookExports`, without the columns of ids, times and texts.
    private static let titled = #"""
        0,1,0,1,"'=1+1","Other","'-5"
        10,0,1,0,,"Good 😀",
        """#

    private static func filledMeeting(_ fixture: TestStore, settings: String? = nil) async throws -> Meeting {
        let meeting = try await fixture.openMeeting(WorkbookExports.questions, settings: settings)
        for answers in [
            #"{"pace": 0, "topics": ["demo", {"other": "=1+1"}], "mood": {"other": "-5"}}"#,
            #"{"pace": 10, "topics": ["talk"], "mood": "good"}"#,
        ] { _ = try await fixture.submit(answers, to: meeting) }
        return meeting
    }

    @Test func choicesAreLabelsInTheTableOfSubmissions() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            func cells(_ options: ExportOptions) async throws -> String {
                try await Self.lines(.submissions, meeting, options, of: fixture).dropFirst().map { line in
                    line.components(separatedBy: ",").dropFirst(3).dropLast().joined(separator: ",")
                }.sorted().joined(separator: "\n")
            }
            #expect(try await cells(ExportOptions(titles: true)) == Self.titled)
            let plain = Self.titled.replacing(#""Other""#, with: #""other""#)
                .replacing(#""Good 😀""#, with: #""good""#)
            #expect(try await cells(ExportOptions()) == plain)
        }
    }

    @Test(arguments: [nil, #""anonymous": true, "minimumGroup": 3"#])
    func questionsAndOptionsAreTitlesInTheTableOfAnswers(settings: String?) async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture, settings: settings)
            if settings != nil {
                _ = try await fixture.submit("{}", to: meeting)
                _ = try await fixture.store.forms.close(meetingID: meeting.id, by: fixture.host.account.id)
            }
            func cells(_ options: ExportOptions) async throws -> Set<String> {
                Set(
                    try await Self.lines(.answers, meeting, options, of: fixture).dropFirst().map { line in
                        line.components(separatedBy: ",").dropFirst(3).joined(separator: ",")
                    })
            }
            #expect(
                try await cells(ExportOptions(titles: true)) == [
                    #""How was the ""pace""?","rating",,0"#, #""How was the ""pace""?","rating",,10"#,
                    #""What helped?","choice","'=The demo","#, #""What helped?","choice","Other","'=1+1""#,
                    #""What helped?","choice","Talk & <more>","#, #""What helped?","choice","Other","'-5""#,
                    #""What helped?","choice","Good 😀","#,
                ])
            let plain: Set<String> = [
                #""pace","rating",,0"#, #""pace","rating",,10"#, #""topics","choice","demo","#,
                #""topics","choice","other","'=1+1""#, #""topics","choice","talk","#,
                #""mood","choice","other","'-5""#, #""mood","choice","good","#,
            ]
            #expect(try await cells(ExportOptions()) == plain)
            let heading = try await Self.lines(.answers, meeting, ExportOptions(titles: true), of: fixture)[0]
            #expect(
                heading
                    == #""Meeting ID","Submission ID","Submitted at","Question","Kind","Option","Value""#)
        }
    }

    /// NDJSON is for programs and does not support `titles`.
    @Test func ndjsonAlwaysHasKeysAndIds() async throws {
        try await TestStore.run { fixture in
            let meeting = try await Self.filledMeeting(fixture)
            let scope = ExportScope(.meeting(meeting.id))
            for kind in [ExportKind.submissions, .answers] {
                let plain = try await WorkbookExports.bytes(kind, scope, ExportOptions(format: .ndjson), of: fixture)
                let titled = try await WorkbookExports.bytes(
                    kind, scope, ExportOptions(format: .ndjson, titles: true), of: fixture)
                #expect(plain.bytes == titled.bytes)
            }
        }
    }

    /// An option has the label of the form's newest version. A retired option has its last label.
    @Test func optionsHaveTheirNewestLabels() async throws {
        try await TestStore.run { fixture in
            func questions(_ options: String) -> String {
                #"[{"key": "mood", "kind": "choice", "title": "Mood", "options": [\#(options)]}]"#
            }
            let meeting = try await fixture.openMeeting(
                questions(#"{"id": "good", "label": "Good"}, {"id": "bad", "label": "Bad"}"#))
            for mood in ["good", "bad"] { _ = try await fixture.submit(#"{"mood": "\#(mood)"}"#, to: meeting) }
            _ = try await fixture.edit(
                meeting, settings: #""identity": "open""#,
                questions: questions(#"{"id": "good", "label": "Very good"}, {"id": "fair", "label": "Fair"}"#))
            for (kind, column) in [(ExportKind.submissions, 3), (.answers, 5)] {
                let found = try await Self.lines(kind, meeting, ExportOptions(titles: true), of: fixture).dropFirst()
                    .map { $0.components(separatedBy: ",")[column] }
                #expect(Set(found) == [#""Very good""#, #""Bad""#], "\(kind)")
            }
        }
    }

    /// The hidden columns remain in the file for programs, in the order of the contract.
    @Test func workbookHidesTheColumnsOfIds() async throws {
        try await TestStore.run { fixture in
            let meeting = try await fixture.openMeeting(
                #"[{"key": "session_id", "kind": "text", "title": "Session ID"}, {"key": "pace", "kind": "rating", "title": "Pace", "max": 3}]"#
            )
            _ = try await fixture.submit(#"{"session_id": "x", "pace": 2}"#, to: meeting)
            let hidden: [(ExportKind, [String])] = [
                (.summary, ["series_id", "meeting_id"]), (.questions, ["series_id", "meeting_id"]),
                (.meetings, ["series_id", "meeting_id"]), (.submissions, ["id"]),
                (.answers, ["meeting_id", "submission_id"]), (.attendance, []),
            ]
            var files: [[UInt8]] = []
            for (kind, _) in hidden {
                let options = ExportOptions(format: .xlsx)
                files.append(
                    try await WorkbookExports.bytes(kind, ExportScope(.meeting(meeting.id)), options, of: fixture).bytes
                )
            }
            let read = try await PythonReader.read(
                files,
                as: """
                    import openpyxl
                    from openpyxl.utils import get_column_letter
                    result = []
                    for path in paths:
                        sheet = openpyxl.load_workbook(path).worksheets[0]
                        result.append([cell.value for number, cell in enumerate(sheet[1], 1)
                            if sheet.column_dimensions[get_column_letter(number)].hidden])
                    """)
            for ((kind, names), found) in zip(hidden, try #require(read.array)) {
                #expect(found.array?.compactMap(\.string) == names, "\(kind)")
            }
        }
    }
}
