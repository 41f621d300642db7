import Foundation
import Testing

@testable import WebPages

/// The parsing of forms with files, as browsers send them.
@Suite struct MultipartForms {
    private static let type = "multipart/form-data; boundary=----x1"

    private static func form(_ text: String, type: String = type) -> UploadedForm? {
        UploadedForm(Array(text.replacing("\n", with: "\r\n").utf8), type: type)
    }

    private static let complete = """
        ------x1
        Content-Disposition: form-data; name="csrf"

        token
        ------x1
        Content-Disposition: form-data; name="image"; filename="a;\\"name=x.png"
        Content-Type: image/png

        one
        two--
        ------x

        ------x1
        Content-Disposition: form-data; name="none"; filename=""
        Content-Type: application/octet-stream


        ------x1--

        """

    @Test func fieldsAndFilesAreParsed() throws {
        let form = try #require(Self.form(Self.complete))
        #expect(form.fields["csrf"] == "token" && form.fields["image"] == nil)
        let image = try #require(form.files["image"])
        #expect(
            String(decoding: image, as: UTF8.self) == "one\r\ntwo--\r\n------x\r\n",
            "a similar boundary does not end the part")
        #expect(form.files["none"] == nil && form.files.count == 1, "a field without a chosen file has no entry")
    }

    @Test func incompleteFormsAreRefused() {
        let bytes = Array(Self.complete.replacing("\n", with: "\r\n").utf8)
        for length in 0..<(bytes.count - 4) {
            #expect(UploadedForm(Array(bytes.prefix(length)), type: Self.type) == nil, "\(length)")
        }
    }

    @Test(arguments: [
        "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=other",
        "application/x-www-form-urlencoded", "", "multipart/form-data; boundary=" + String(repeating: "x", count: 71),
    ])
    func otherMediaTypesAreRefused(type: String) {
        #expect(Self.form(Self.complete, type: type) == nil)
    }

    @Test func partWithoutANameIsIgnored() throws {
        let form = try #require(
            Self.form("------x1\n\nnothing\n------x1\nContent-Disposition: form-data\n\nx\n------x1--\n"))
        #expect(form.files.isEmpty)
    }

    @Test func quotedBoundariesAreAccepted() {
        #expect(Self.form(Self.complete, type: "multipart/form-data; charset=utf-8; boundary=\"----x1\"") != nil)
    }

    @Test func manyPartsAreRefused() {
        let part = "------x1\nContent-Disposition: form-data; name=\"a\"\n\nb\n"
        for (count, isAccepted) in [(100, true), (101, false), (3_000, false)] {
            let form = Self.form(String(repeating: part, count: count) + "------x1--\n")
            #expect((form != nil) == isAccepted, "\(count)")
        }
    }

    @Test func longRunsOfMarksAreRefused() throws {
        func form(_ name: String, _ value: String) -> UploadedForm? {
            Self.form("------x1\nContent-Disposition: form-data; name=\"\(name)\"\n\n\(value)\n------x1--\n")
        }
        let (most, more) = (String(repeating: "\u{301}", count: 30), String(repeating: "\u{301}", count: 31))
        let accepted = try #require(form("e\(most)", "e\(most)"))
        #expect(accepted.fields["e\(most)"] == "e\(most)" && !accepted.fields.hasTooManyMarks)
        #expect(form("e\(more)", "x") == nil)
        #expect(try #require(form("a", more)).fields.hasTooManyMarks)
    }

    /// The names of fields and files are texts, which take long to read.
    @Test func longHeadersAreRefused() {
        let disposition = "Content-Disposition: form-data; name=\"image\"; filename=\"\""
        func form(_ name: Int, parts: Int = 1) -> UploadedForm? {
            let header = "\(disposition.dropLast())\(String(repeating: "x", count: name))\""
            return Self.form(String(repeating: "------x1\n\(header)\n\none\n", count: parts) + "------x1--\n")
        }
        // With the line end before it, the header has two bytes more.
        let longest = UploadedForm.maxHeaderBytes - disposition.utf8.count - 2
        #expect(form(longest)?.files["image"] != nil)
        for name in [longest + 1, 200_000] { #expect(form(name) == nil, "\(name)") }
        // The limit is for all parts together.
        let half = longest / 2
        #expect(form(half) != nil && form(half, parts: 3) == nil)
    }
}
