import Foundation
import StrictJSON

@testable import HTTPAPI
@testable import WebPages

extension FuzzTarget {
    /// Queries and the fields of forms: both decoders agree with each other and with the encoder.
    static let query: Run = { input in
        let text = input.text
        readParameters(text)
        readFields(text)
        checkEncoding(input)
    }

    private static func readParameters(_ text: String) {
        let known = ["limit", "cursor", "from", "to", "where", "format", "q"]
        var reader = QueryReader(text, known: known, repeatable: ["where"])
        let limit = reader.limit()
        law(1...200 ~= limit, "A limit is in its range.")
        let (from, to) = reader.period()
        _ = (reader.flag("format"), reader.instant("q"), reader.cursor(Cursor.meeting), reader.strings("where"))
        for name in known { law(reader.string(name)?.utf8.contains(0) != true, "A value contains no NUL.") }
        guard (try? reader.finish()) != nil, let from, let to else { return }
        law(from < to, "A period ends after it begins.")
    }

    private static func readFields(_ text: String) {
        let written = FormFields(text).queryString()
        // A carriage return before a CRLF forms another CRLF when the first CRLF becomes a line feed.
        guard !written.isEmpty, !written.contains("%0D") else { return }
        law(written.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7f }, "A written query is ASCII.")
        let again = FormFields(String(written.dropFirst())).queryString()
        law(isSame(again, written), "A written query is read as the same.")
    }

    private static func checkEncoding(_ input: Input) {
        if let decoded = PercentEncoding.decode(input.bytes) {
            let again = PercentEncoding.decode(PathQuery.encode(decoded).utf8)
            law(isSame(again ?? "", decoded), "A text survives encoding.")
        }
        guard let text = String(validating: input.bytes, as: UTF8.self), StreamSafeText.isSafe(text) else { return }
        let encoded = PathQuery.encode(text)
        if !text.utf8.contains(0) {
            law(isSame(PercentEncoding.decode(encoded.utf8) ?? "", text), "A text survives encoding.")
        }
        // Only a CRLF in the value changes, to a line feed.
        for encoded in [encoded, encoded.replacing("%20", with: "+")] {
            let value = FormFields("a=\(encoded)")["a"] ?? ""
            law(isSame(value, text.replacing("\r\n", with: "\n")), "A field's value survives encoding.")
        }
    }
}
