import Domain
import StrictJSON

/// The options of an export. NDJSON supports only `marks`, `room` and `grids`, XLSX also `titles`.
public struct ExportOptions: Sendable, Equatable {
    public var format: ExportFormat
    /// Whether the file starts with a byte order mark, from which Excel detects UTF-8.
    public var bom: Bool
    /// One ASCII character.
    public var delimiter: UInt8
    /// Whether the header has the columns' titles instead of their names. Answers then have a question's title instead
    /// of its key, and an option's label instead of its id.
    public var titles: Bool
    /// Whether to leave out the guard before text that a spreadsheet would run as a formula.
    public var raw: Bool
    /// Whether `submissions` and `answers` have the stars and tags that hosts gave to texts.
    public var marks: Bool
    /// Whether `summary` and `questions` have further columns with what the answers say of the people in the room.
    public var room: Bool
    /// Whether `summary` and `questions` have further columns with the grids of statements.
    public var grids: Bool

    /// False for NDJSON, because programs need keys and ids.
    var writesTitles: Bool { titles && format != .ndjson }

    public init(
        format: ExportFormat = .csv, bom: Bool = false, delimiter: UInt8 = UInt8(ascii: ","), titles: Bool = false,
        raw: Bool = false, marks: Bool = false, room: Bool = false, grids: Bool = false
    ) {
        self.format = format
        self.bom = bom
        self.delimiter = delimiter
        self.titles = titles
        self.raw = raw
        self.marks = marks
        self.room = room
        self.grids = grids
    }

    /// Parses the options of a query or command line. Throws all faults at once, each with its parameter.
    ///
    /// A parameter without a value (`?bom`) is true.
    public init(
        format: ExportFormat, bom: String?, delimiter: String?, titles: String?, raw: String?, marks: String? = nil,
        room: String? = nil, grids: String? = nil
    ) throws(Problem) {
        var faults: [Fault] = []
        self.init(format: format)
        self.bom = Self.flag(bom, "bom", &faults)
        self.titles = Self.flag(titles, "titles", &faults)
        self.raw = Self.flag(raw, "raw", &faults)
        self.marks = Self.flag(marks, "marks", &faults)
        self.room = Self.flag(room, "room", &faults)
        self.grids = Self.flag(grids, "grids", &faults)
        if let delimiter {
            if let byte = Self.delimiter(delimiter) {
                self.delimiter = byte
            } else {
                faults.append(
                    Fault(
                        .invalid, at: "?delimiter", code: "invalid-delimiter",
                        """
                        The delimiter must be a tab or a printable ASCII character that is not a letter, a digit or \
                        one of " + - . :
                        """))
            }
        }
        guard faults.isEmpty else { throw Problem(faults) }
    }

    private static func flag(_ text: String?, _ name: String, _ faults: inout [Fault]) -> Bool {
        switch text {
        case nil, "false", "0": return false
        case "true", "1", "": return true
        default:
            faults.append(Fault(.invalid, at: "?\(name)", code: "invalid-flag", "`\(name)` must be true or false."))
            return false
        }
    }

    /// Rejects characters that occur in unquoted cells (digits, letters of times, `+ - . :`), because they would split
    /// the cells.
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
