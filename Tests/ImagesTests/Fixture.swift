import Foundation
import Testing

@testable import Images

/// The images of `Fixtures/make.py`: four quarters, red, green, blue and white.
enum Fixture {
    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        return Array(try Data(contentsOf: folder.appending(path: name)))
    }

    /// The colors of the four corners, line by line: `RGBW` for the upright picture.
    static func corners(of image: CleanImage) throws -> String {
        let picture = try #require(Picture.decode(image.bytes, image.format))
        #expect(picture.width == image.width && picture.height == image.height)
        let (right, bottom) = (picture.width - 6, picture.height - 6)
        return try [(5, 5), (right, 5), (5, bottom), (right, bottom)].map { x, y in
            name(try #require(picture[x, y]))
        }.joined()
    }

    private static func name(_ color: UInt32) -> String {
        switch ((color >> 16) > 128, (color >> 8 & 255) > 128, (color & 255) > 128) {
        case (true, false, false): "R"
        case (false, true, false): "G"
        case (false, false, true): "B"
        case (true, true, true): "W"
        default: "?"
        }
    }

    /// A PNG with a header for this size and no pixels.
    static func headerOnlyPNG(width: UInt32, height: UInt32) -> [UInt8] {
        var header = Array("IHDR".utf8)
        for side in [width, height] { header += withUnsafeBytes(of: side.bigEndian) { Array($0) } }
        header += [8, 2, 0, 0, 0]
        return PNGFile.signature + [0, 0, 0, 13] + header + [0, 0, 0, 0] + [0, 0, 0, 0] + Array("IEND".utf8)
            + [0xae, 0x42, 0x60, 0x82]
    }

    /// A reproducible random number generator.
    struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 31)
        }
    }
}

extension ImageCleaner {
    /// Cleans an image for an account that sends no other one.
    func clean(_ bytes: [UInt8]) async throws(ImageFault) -> CleanImage {
        try await clean(bytes, for: UUID())
    }
}
