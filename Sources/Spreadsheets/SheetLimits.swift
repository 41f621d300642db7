/// How much fits; what Excel takes, unless a test says less.
public struct SheetLimits: Sendable, Equatable {
    /// Of a sheet, its heading counted.
    public var rows = 1_048_576
    public var columns = 16_384
    /// Of a cell's text, in UTF-16 code units.
    public var characters = 32_767
    /// After so many bytes of a sheet's XML the next row begins another: archives of larger entries are read by few.
    public var bytes: UInt64 = 3_900_000_000
    public var charts = 100
    /// Lines of the sheet of notes; the rest is counted.
    public var notes = 10_000

    public init() {}
}
