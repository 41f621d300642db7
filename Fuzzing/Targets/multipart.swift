import StrictJSON

@testable import WebPages

extension FuzzTarget {
    /// Forms with files (`multipart/form-data`): the parts come from the body, and a form as browsers write it is read as
    /// it was written.
    static let multipart: Run = { input in
        let (type, body) = input.firstLine
        let bytes = body.array
        if let form = UploadedForm(bytes, type: type.text) {
            law(
                form.files.values.allSatisfy { $0.startIndex >= 0 && $0.endIndex <= bytes.count },
                "A file is a part of the body.")
            law(form.files.values.reduce(0) { $0 + $1.count } <= bytes.count, "Files do not overlap.")
            _ = form.fields.queryString()
        }
        checkRoundTrip(bytes)
    }

    /// Writes a form as browsers do, and reads it again. The lines are alternately names and values of fields, and the
    /// last line is a file. Forms with long runs of marks are refused.
    private static func checkRoundTrip(_ bytes: [UInt8]) {
        let parts = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        let boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW"
        guard let file = parts.last, parts.count >= 3 else { return }
        var body: [UInt8] = []
        var fields: [(name: String, value: String)] = []
        for index in stride(from: 0, to: min(parts.count - 1, 20), by: 2) {
            guard let value = String(validating: parts[index + 1 < parts.count ? index + 1 : index], as: UTF8.self)
            else { return }
            fields.append((name: "field\(parts[index].count)", value: value))
        }
        for (name, value) in fields {
            body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8
        }
        // Browsers escape quotes and line breaks in names.
        let name = String(decoding: parts[0].prefix(1_000), as: UTF8.self)
            .replacing("\"", with: "%22").replacing("\r", with: "%0D")
        guard StreamSafeText.isSafe(name), fields.allSatisfy({ StreamSafeText.isSafe($0.value) }) else { return }
        let type = "image/png"
        body += "--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(name)\"\r\n".utf8
        body += "Content-Type: \(type)\r\n\r\n".utf8 + file + "\r\n--\(boundary)--\r\n".utf8
        guard let form = UploadedForm(body, type: "multipart/form-data; boundary=\(boundary)") else {
            return law(false, "A form as browsers write it is read.")
        }
        law(file.isEmpty || form.files["file"].map { Array($0) } == file, "A file arrives as it was sent.")
        for (name, value) in fields {
            let sent = fields.filter { $0.name == name }.map { $0.value.replacing("\r\n", with: "\n") }
            let read = form.fields.values(name)
            law(read.count == sent.count && zip(read, sent).allSatisfy(isSame), "\(value) arrives as it was sent.")
        }
    }
}
