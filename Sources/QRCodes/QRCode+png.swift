import CGD

extension QRCode {
    /// Pixels a module that a PNG may have.
    public static let scales = 1...40

    /// Black on white, so many pixels a module, with the quiet zone; nil if the memory is not there.
    public func png(scale: Int) -> [UInt8]? {
        let side = Int32(fullSize * scale)
        guard let image = gdImageCreate(side, side) else { return nil }
        defer { gdImageDestroy(image) }
        // The first color is the background.
        _ = gdImageColorAllocate(image, 255, 255, 255)
        let black = gdImageColorAllocate(image, 0, 0, 0)
        for y in 0..<size {
            let top = Int32((y + Self.quietZone) * scale)
            for run in runs(y) {
                let left = Int32((run.lowerBound + Self.quietZone) * scale)
                let right = Int32((run.upperBound + Self.quietZone) * scale) - 1
                gdImageFilledRectangle(image, left, top, right, top + Int32(scale) - 1, black)
            }
        }
        var count: Int32 = 0
        guard let written = gdImagePngPtr(image, &count) else { return nil }
        defer { gdFree(written) }
        return Array(UnsafeRawBufferPointer(start: written, count: Int(count)))
    }
}
