import Foundation
import Testing

@testable import Images

@Suite struct ImageCleaning {
    @Test(arguments: [
        ("camera1.jpg", ImageFormat.jpeg), ("progressive.jpg", .jpeg), ("cmyk.jpg", .jpeg), ("palette.png", .png),
    ])
    func imageKeepsItsFormat(name: String, format: ImageFormat) async throws {
        let image = try await ImageCleaner().clean(Fixture.bytes(name))
        #expect(image.format == format)
        #expect((image.width, image.height) == (64, 48))
        #expect(try Fixture.corners(of: image) == "RGBW")
    }

    /// The corners of the cleaned image for each EXIF orientation.
    @Test(arguments: zip(1...8, ["RGBW", "GRWB", "WBGR", "BWRG", "RBGW", "BRWG", "WGBR", "GWRB"]))
    func photoIsRotatedByItsOrientation(orientation: Int, corners: String) async throws {
        let image = try await ImageCleaner().clean(Fixture.bytes("camera\(orientation).jpg"))
        #expect(try Fixture.corners(of: image) == corners)
        #expect((image.width, image.height) == (orientation < 5 ? (64, 48) : (48, 64)))
    }

    @Test(arguments: ["camera6.jpg", "texts.png", "camera6.webp"])
    func metadataIsRemoved(name: String) async throws {
        let original = try Fixture.bytes(name)
        let image = try await ImageCleaner().clean(original)
        #expect(try Fixture.corners(of: image) == "BRWG")
        for word in ["Exif", "EXIF", "eXIf", "GPS", "XMP", "xmp", "tEXt", "zTXt", "Secret", "CameraMaker", "CREATOR"] {
            #expect(!Data(image.bytes).contains(word), "\(name) still has \(word)")
        }
        #expect(["Secret", "CameraMaker"].contains { Data(original).contains($0) })
    }

    @Test func largePhotoIsScaledDownBeforeRotation() async throws {
        let image = try await ImageCleaner().clean(Fixture.bytes("large.jpg"))
        #expect((image.width, image.height) == (1024, 2048))
        #expect(try Fixture.corners(of: image) == "BRWG")
    }

    @Test(arguments: ["clear.png", "clear.webp"])
    func transparencyIsPreserved(name: String) async throws {
        let image = try await ImageCleaner().clean(Fixture.bytes(name))
        let picture = try #require(Picture.decode(image.bytes, image.format))
        #expect(try #require(picture.transparency(5, 2)) > 100)
        #expect(try #require(picture.transparency(5, 45)) < 27)
    }

    @Test func imagesWithTooManyBytesAreScaledDown() throws {
        let noise = try #require(Picture(width: 200, height: 100))
        var generator = Fixture.SeededGenerator(state: 1)
        for y in 0..<100 { for x in 0..<200 { noise[x, y] = UInt32.random(in: 0...0xff_ffff, using: &generator) } }
        let bytes = try #require(noise.encoded(.png))
        #expect(try ImageCleaner.clean(bytes).width == 200)
        let image = try ImageCleaner.clean(bytes, atMost: bytes.count / 2)
        #expect(image.bytes.count <= bytes.count / 2)
        #expect(image.width < 200 && image.width > 50 && image.height * 2 - image.width <= 2)
    }

    @Test func excessConcurrentImagesAreRefused() async throws {
        let bytes = try Fixture.bytes("large.jpg")
        let cleaner = ImageCleaner(waiting: 2)
        let outcomes = await withTaskGroup(of: ImageFault?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(ImageFault) {
                        _ = try await cleaner.clean(bytes)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } >= 3)
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .overloaded })
    }
}

extension Data {
    fileprivate func contains(_ word: String) -> Bool { range(of: Data(word.utf8)) != nil }
}
