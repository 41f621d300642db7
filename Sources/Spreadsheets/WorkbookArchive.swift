/// The file of a workbook. It is an actor, so that it compresses parts while the caller reads and encodes the next
/// ones.
public actor WorkbookArchive {
    /// A step of writing the file. The steps of `WorkbookWriter` are written in their order.
    public enum Step: Sendable {
        case begin(String)
        /// Contents of the entry that began last.
        case content([UInt8])
        case end
        /// The end of the file.
        case finish
    }

    private var zip = ZipStream()

    public init() {}

    /// Returns the next bytes of the file.
    public func write(_ steps: [Step]) -> [UInt8] {
        for step in steps {
            switch step {
            case .begin(let name): zip.begin(name)
            case .content(let bytes): zip.append(bytes)
            case .end: zip.end()
            case .finish: zip.finish()
            }
        }
        var bytes: [UInt8] = []
        zip.drain(into: &bytes)
        return bytes
    }
}
