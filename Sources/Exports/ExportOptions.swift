import Domain
import StrictJSON

/// How the same table may be written differently; NDJSON takes none of the options, and XLSX `titles` alone.
public struct ExportOptions: Sendable, Equatable {
    public var format: ExportFormat
    /// Starts the file with a byte order mark, by which Excel knows UTF-8.
    public var bom: Bool
    /// One ASCII byte between fields.
    public var delimiter: UInt8
    /// Writes the columns' titles instead of their names in the header, and in answers a question's title and an option's
    /// label instead of key and id.
    public var titles: Bool
    /// Leaves out the guard against texts that a spreadsheet would run.
    public var raw: Bool

    /// NDJSON is for programs, which know keys and ids.
    var writesTitles: Bool { titles && format != .ndjson }

    public init(
        format: ExportFormat = .csv, bom: Bool = false, delimiter: UInt8 = UInt8(ascii: ","), titles: Bool = false,
        raw: Bool = false
    ) {
        self.format = format
        self.bom = bom
        self.delimiter = delimiter
        self.titles = titles
        self.raw = raw
    }

    /// Reads the options of a query or a command line; throws all faults at once, each at its parameter.
    ///
    /// A parameter without a value (`?bom`) is on.
    public init(format: ExportFormat, bom: String?, delimiter: String?, titles: String?, raw: String?) throws(Problem) {
        var faults: [Fault] = []
        self.init(format: format)
        self.bom = Self.flag(bom, "bom", &faults)
        self.titles = Self.flag(titles, "titles", &faults)
        self.raw = Self.flag(raw, "raw", &faults)
        if let delimiter {
            if let byte = Self.delimiter(delimiter) {
                self.delimiter = byte
            } else {
                faults.append(
                    Fault(
                        .invalid, at: "?delimiter", code: "invalid-delimiter",
                        "The delimiter is one ASCII character that no number, time or quoted text begins or contains."))
            }
        }
        guard faults.isEmpty else { throw Problem(faults) }
    }

    private static func flag(_ text: String?, _ name: String, _ faults: inout [Fault]) -> Bool {
        switch text {
        case nil, "false", "0": return false
        case "true", "1", "": return true
        default:
            faults.append(Fault(.invalid, at: "?\(name)", code: "invalid-flag", "\(name) is true or false."))
            return false
        }
    }

    /// Refuses what unquoted cells contain (digits, letters of times, `+ - . :`), since they would fall apart.
    private static func delimiter(_ text: String) -> UInt8? {
        guard text.utf8.count == 1, let byte = text.utf8.first else { return nil }
        switch byte {
        case UInt8(ascii: "\t"): return byte
        case 0..<0x20, 0x7F...: return nil
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            return nil
        case UInt8(ascii: "\""), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":"): return nil
        default: return byte
        }
    }
}
