import CGD

/// An image decoded by libgd.
///
/// Calls block, for hundreds of milliseconds with a large photo.
final class Picture {
    static let quality: Int32 = 85
    /// Keeps libgd from writing warnings to standard error. Evaluated once, on first use.
    private static let silence: Void = afterword_gd_be_silent()

    private let image: gdImagePtr

    var width: Int { Int(image.pointee.sx) }
    var height: Int { Int(image.pointee.sy) }

    /// Keeps the alpha channel of the image.
    private init?(_ image: gdImagePtr?) {
        guard let image else { return nil }
        gdImageAlphaBlending(image, 0)
        gdImageSaveAlpha(image, 1)
        self.image = image
    }

    /// A fully transparent image.
    convenience init?(width: Int, height: Int) {
        _ = Picture.silence
        self.init(gdImageCreateTrueColor(Int32(clamping: width), Int32(clamping: height)))
        gdImageFilledRectangle(image, 0, 0, image.pointee.sx - 1, image.pointee.sy - 1, 127 << 24)
    }

    deinit {
        gdImageDestroy(image)
    }

    /// Returns nil if the bytes can't be decoded.
    static func decode(_ bytes: [UInt8], _ format: ImageFormat) -> Picture? {
        _ = silence
        // libgd does not modify the buffer, although its signature allows it.
        var bytes = bytes
        return bytes.withUnsafeMutableBytes { buffer in
            let size = Int32(clamping: buffer.count)
            return switch format {
            // Warnings are ignored: phones write irregular files that every browser shows.
            case .jpeg: Picture(gdImageCreateFromJpegPtrEx(size, buffer.baseAddress, 1))
            case .png: Picture(afterword_gd_png(size, buffer.baseAddress))
            case .webp: Picture(gdImageCreateFromWebpPtr(size, buffer.baseAddress))
            }
        }
    }

    /// Returns nil if memory is exhausted.
    ///
    /// - Parameter quality: From 0 to 100, for formats that lose details.
    func encoded(_ format: ImageFormat, quality: Int32 = Picture.quality) -> [UInt8]? {
        var size: Int32 = 0
        if format == .webp { gdImagePaletteToTrueColor(image) }
        let written =
            switch format {
            case .jpeg: gdImageJpegPtr(image, &size, quality)
            case .png: gdImagePngPtrEx(image, &size, -1)
            case .webp: gdImageWebpPtrEx(image, &size, quality)
            }
        guard let written else { return nil }
        defer { gdFree(written) }
        return Array(UnsafeRawBufferPointer(start: written, count: Int(size)))
    }

    /// The image scaled so that no side is longer than `side`, or this image if it fits.
    func scaled(toFit side: Int) -> Picture? {
        let longer = max(width, height)
        guard longer > side else { return self }
        gdImagePaletteToTrueColor(image)
        guard let small = Picture(width: max(1, width * side / longer), height: max(1, height * side / longer)) else {
            return nil
        }
        gdImageCopyResampled(
            small.image, image, 0, 0, 0, 0, small.image.pointee.sx, small.image.pointee.sy, image.pointee.sx,
            image.pointee.sy)
        return small
    }

    /// The image without transparency, on white. Nil if memory is exhausted.
    func onWhite() -> Picture? {
        gdImagePaletteToTrueColor(image)
        guard let opaque = Picture(width: width, height: height) else { return nil }
        gdImageFilledRectangle(opaque.image, 0, 0, image.pointee.sx - 1, image.pointee.sy - 1, 0xff_ffff)
        gdImageAlphaBlending(opaque.image, 1)
        gdImageCopy(opaque.image, image, 0, 0, 0, 0, image.pointee.sx, image.pointee.sy)
        gdImageAlphaBlending(opaque.image, 0)
        return opaque
    }

    /// The image as it is displayed with this orientation, or this image if it is upright.
    func upright(from orientation: Orientation) -> Picture? {
        guard orientation != .upright else { return self }
        gdImagePaletteToTrueColor(image)
        let (width, height) = (width, height)
        guard
            let turned = orientation.swapsSides
                ? Picture(width: height, height: width) : Picture(width: width, height: height),
            let from = image.pointee.tpixels, let to = turned.image.pointee.tpixels
        else { return nil }
        for y in 0..<turned.height {
            guard let line = to[y] else { return nil }
            for x in 0..<turned.width {
                let source = orientation.source(x, y, width: width, height: height)
                guard let pixels = from[source.y] else { return nil }
                line[x] = pixels[source.x]
            }
        }
        return turned
    }
}

extension Picture {
    /// The color of a pixel, with a byte each for red, green and blue. Nil outside the image.
    subscript(x: Int, y: Int) -> UInt32? {
        get {
            guard x >= 0, y >= 0, x < width, y < height else { return nil }
            let pixel = gdImageGetTrueColorPixel(image, Int32(x), Int32(y))
            return UInt32(bitPattern: pixel) & 0xff_ffff
        }
        set {
            guard let newValue else { return }
            gdImageSetPixel(image, Int32(clamping: x), Int32(clamping: y), Int32(bitPattern: newValue & 0xff_ffff))
        }
    }

    /// The transparency of a pixel, from 0 for opaque to 127. Nil outside the image.
    func transparency(_ x: Int, _ y: Int) -> Int? {
        guard x >= 0, y >= 0, x < width, y < height else { return nil }
        return Int(gdImageGetTrueColorPixel(image, Int32(x), Int32(y)) >> 24)
    }
}
