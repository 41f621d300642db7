import Foundation
import Testing

@testable import Images

/// Logos of organisations, and the pictures above the questions of forms.
@Suite struct PurposesOfImages {
    @Test(arguments: ["camera6.webp", "clear.webp", "picture.gif"])
    func logoIsPNGOrJPEG(name: String) async throws {
        let bytes = try Fixture.bytes(name)
        await #expect(throws: ImageFault.notAnImage) {
            try await ImageCleaner().clean(bytes, for: UUID(), as: .logo)
        }
    }

    @Test func vectorGraphicsAreNoLogo() async throws {
        let script = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
        let declaration = Array("\u{feff}<?xml version='1.0'?>".utf8)
        let prefixes: [[UInt8]] = [[], PNGFile.signature, [0xff, 0xd8, 0xff], declaration]
        for prefix in prefixes {
            await #expect(throws: ImageFault.notAnImage) {
                try await ImageCleaner().clean(prefix + Array(script.utf8), for: UUID(), as: .logo)
            }
        }
    }

    @Test func logoIsScaledDown() async throws {
        let logo = try await ImageCleaner().clean(Fixture.bytes("large.jpg"), for: UUID(), as: .logo)
        #expect((logo.width, logo.height) == (256, 512))
        #expect(logo.bytes.count <= 64 * 1024)
    }

    /// The whole image has a banner too.
    @Test func bannerIsASmallUprightJPEGWithoutMetadata() async throws {
        let (image, banner) = try await ImageCleaner().cleanWithBanner(Fixture.bytes("large.jpg"), for: UUID())
        #expect((image.width, image.height) == (1024, 2048))
        #expect((banner.width, banner.height) == (600, 1200) && banner.format == .jpeg)
        #expect(banner.bytes.count <= 100 * 1024)
        #expect(try Fixture.corners(of: banner) == "BRWG")
        let camera = try await ImageCleaner().cleanWithBanner(Fixture.bytes("camera6.jpg"), for: UUID()).banner
        for word in ["Exif", "GPS", "Secret", "CameraMaker", "CREATOR"] {
            #expect(Data(camera.bytes).range(of: Data(word.utf8)) == nil, "\(word)")
        }
    }

    @Test func bannerOfNoiseFits() throws {
        let noise = try #require(Picture(width: 1200, height: 900))
        var generator = Fixture.SeededGenerator(state: 2)
        for y in 0..<900 { for x in 0..<1200 { noise[x, y] = UInt32.random(in: 0...0xff_ffff, using: &generator) } }
        let image = CleanImage(
            format: .png, bytes: try #require(noise.encoded(.png)), width: noise.width, height: noise.height)
        let banner = try Banner.make(of: image)
        #expect(banner.bytes.count <= 100 * 1024 && banner.width > 100)
    }

    @Test(arguments: ["clear.png", "clear.webp"])
    func transparentPartsAreWhiteInABanner(name: String) async throws {
        let banner = try await ImageCleaner().cleanWithBanner(Fixture.bytes(name), for: UUID()).banner
        let picture = try #require(Picture.decode(banner.bytes, .jpeg))
        let pixel = try #require(picture[5, 2])
        #expect(pixel & 0xff > 0xd0 && pixel >> 8 & 0xff > 0xd0 && pixel >> 16 > 0xd0, "\(pixel)")
    }
}
