import Foundation
import Testing

@testable import Images

@Suite struct HostileFiles {
    @Test(arguments: [
        "", "x", "<script>alert(1)</script>", "<svg xmlns=\"http://www.w3.org/2000/svg\"><script/></svg>",
        "<!DOCTYPE html><img src=x onerror=alert(1)>", "#!/bin/sh\nrm -rf /\n", "GIF89a<script>", "\u{89}PNG\r\n",
        "RIFF\u{4}\0\0\0WEBP", "BM\0\0\0\0",
    ])
    func filesThatAreNotImagesAreRefused(_ text: String) async {
        await #expect(throws: ImageFault.notAnImage) { try await ImageCleaner().clean(Array(text.utf8)) }
    }

    @Test(arguments: ["picture.gif", "animated.webp"])
    func unsupportedImageFormatsAreRefused(name: String) async throws {
        let bytes = try Fixture.bytes(name)
        await #expect(throws: ImageFault.notAnImage) { try await ImageCleaner().clean(bytes) }
    }

    /// A browser that guesses the type would execute the bytes after the image.
    @Test func scriptAfterAnImageIsRemoved() async throws {
        for name in ["camera1.jpg", "palette.png", "camera6.webp"] {
            let image = try await ImageCleaner().clean(Fixture.bytes(name) + Array("<script>alert(1)</script>".utf8))
            #expect(Data(image.bytes).range(of: Data("script".utf8)) == nil)
        }
    }

    @Test(arguments: ["camera1.jpg", "progressive.jpg", "texts.png", "camera6.webp", "clear.webp"])
    func truncatedFileIsRefused(name: String) throws {
        let complete = try Fixture.bytes(name)
        for length in stride(from: 1, to: complete.count, by: 7) {
            #expect(throws: ImageFault.notAnImage, "\(name) of \(length) bytes") {
                try ImageCleaner.clean(Array(complete.prefix(length)))
            }
        }
    }

    /// The file contains no pixels, so only its header can have been checked.
    @Test(arguments: [(50_000, 50_000), (10_001, 1), (1, 10_001), (5000, 4801), (2_147_483_647, 2_147_483_647)])
    func decompressionBombIsRefusedByItsHeader(width: UInt32, height: UInt32) {
        #expect(throws: ImageFault.tooManyPixels) {
            try ImageCleaner.clean(Fixture.headerOnlyPNG(width: width, height: height))
        }
    }

    @Test func decompressionBombsOfOtherFormatsAreRefused() throws {
        var jpeg = try Fixture.bytes("camera1.jpg")
        let frame = try #require(Data(jpeg).range(of: Data([0xff, 0xc0]))?.lowerBound)
        jpeg.replaceSubrange(frame + 5..<frame + 9, with: [0xff, 0xff, 0xff, 0xff])
        #expect(throws: ImageFault.tooManyPixels) { try ImageCleaner.clean(jpeg) }

        var webp = try Fixture.bytes("clear.webp")
        let chunk = try #require(Data(webp).range(of: Data("VP8L".utf8))?.lowerBound)
        webp.replaceSubrange(chunk + 9..<chunk + 13, with: [0xff, 0xff, 0xff, 0x0f])
        #expect(throws: ImageFault.tooManyPixels) { try ImageCleaner.clean(webp) }
    }

    /// A decoder processes every pixel again for each scan, even if the scan has only a few bytes.
    @Test func photoWithTooManyScansIsRefused() throws {
        var bytes = try Fixture.bytes("progressive.jpg")
        let start = try #require(Data(bytes).range(of: Data([0xff, 0xda]))?.lowerBound)
        let next = try #require(Data(bytes[(start + 2)...]).range(of: Data([0xff])))
        let scan = Array(bytes[start..<start + 2 + next.lowerBound])
        for _ in 0..<JPEGFile.maxScans { bytes.insert(contentsOf: scan, at: start) }
        #expect(throws: ImageFault.notAnImage) { try ImageCleaner.clean(bytes) }
    }

    @Test func secondFrameIsRefusedBeforeDecoding() throws {
        var bytes = try Fixture.bytes("camera1.jpg")
        let frame = try #require(Data(bytes).range(of: Data([0xff, 0xc0]))?.lowerBound)
        bytes.insert(contentsOf: [0xff, 0xc0, 0, 11, 8, 0xff, 0xff, 0xff, 0xff, 1, 1, 0x11, 0], at: frame)
        #expect(throws: ImageFault.notAnImage) { try ImageCleaner.clean(bytes) }
    }

    @Test(arguments: ["camera6.jpg", "progressive.jpg", "texts.png", "camera6.webp", "clear.webp"])
    func flippedBytesNeverCrash(name: String) throws {
        let original = try Fixture.bytes(name)
        var generator = Fixture.SeededGenerator(state: UInt64(original.count))
        for _ in 0..<400 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            guard let image = try? ImageCleaner.clean(bytes) else { continue }
            #expect(image.width > 0 && image.height > 0 && !image.bytes.isEmpty)
        }
    }
}
