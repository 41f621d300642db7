/// What a file says of its image before anything is decoded.
struct ImageHeader: Equatable {
    /// The longest side that is decoded.
    static let longestSide = 10_000
    /// 96 MiB of memory once decoded, and as much again on the way.
    static let mostPixels = 24_000_000

    var width: Int
    var height: Int
    var orientation = Orientation.upright

    /// Throws for images that are empty, or so large that a small file would fill the memory.
    func check() throws(ImageFault) {
        guard width > 0, height > 0 else { throw .notAnImage }
        guard max(width, height) <= Self.longestSide, width * height <= Self.mostPixels else { throw .tooManyPixels }
    }
}
