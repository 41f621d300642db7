import Foundation

/// A parser under test, with the laws that hold for every input.
///
/// libFuzzer calls it millions of times in one process, with inputs that it derives from the corpus. A trap, a report of
/// the address sanitizer, five seconds without a result, a leak or a broken law ends the process, and libFuzzer stores
/// the input.
struct FuzzTarget: Sendable {
    typealias Run = @Sendable (_ input: Input) -> Void

    static let all: [String: Run] = [
        "answers": answers, "builder": builder, "csv": csv, "cursors": cursors, "forms": forms, "headers": headers,
        "images": images, "json": json, "mails": mails, "multipart": multipart, "query": query, "requests": requests,
        "times": times, "urls": urls, "words": words,
    ]

    /// The target that `scripts/fuzz` names in the environment.
    static let chosen: Run = {
        let name = ProcessInfo.processInfo.environment["AFTERWORD_FUZZ"] ?? ""
        if let run = all[name] { return run }
        print("AFTERWORD_FUZZ must be one of \(all.keys.sorted().joined(separator: ", ")).")
        exit(2)
    }()
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    FuzzTarget.chosen(Input(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// The bytes of one run. They are valid until the run returns.
struct Input {
    let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    var array: [UInt8] { Array(bytes) }
    /// The bytes as text, with U+FFFD in place of invalid UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The first byte, which chooses among several parsers, and the rest.
    var choice: (selector: Int, rest: Input)? {
        guard let first = bytes.first else { return nil }
        return (Int(first), Input(UnsafeBufferPointer(rebasing: bytes.dropFirst())))
    }

    /// The part before the first line feed, and the rest.
    var firstLine: (line: Input, rest: Input) {
        let end = bytes.firstIndex(of: 0x0A) ?? bytes.endIndex
        return (
            Input(UnsafeBufferPointer(rebasing: bytes[..<end])),
            Input(UnsafeBufferPointer(rebasing: bytes[min(end + 1, bytes.endIndex)...]))
        )
    }
}

/// Ends the process if a law does not hold, so that libFuzzer stores the input.
func law(_ holds: Bool, _ text: @autoclosure () -> String) {
    guard !holds else { return }
    FileHandle.standardError.write(Data("Broken law: \(text())\n".utf8))
    abort()
}

/// Whether the texts consist of the same bytes. `String` treats canonically equivalent texts as equal.
func isSame(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }
